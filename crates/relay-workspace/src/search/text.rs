//! Searching in text that is already there.

use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};

use super::collect::Collector;
use super::{FileMatches, Limits, Query, SearchError};
use grep_matcher::Matcher;

/// The longest line that is searched, about. Every thread may need as much memory, and twice as much while it grows.
const LINE_BYTES: usize = 32 << 20;
/// The largest file that is searched for matches over several lines, which is kept in memory as a whole.
const MULTILINE_BYTES: usize = 128 << 20;

/// A searcher for a query.
pub(super) fn searcher(query: &Query, limits: &Limits) -> Searcher {
    let is_multiline = query.is_multiline();
    SearcherBuilder::new()
        .line_number(limits.lines)
        .invert_match(query.invert)
        .before_context(if limits.lines { limits.before } else { 0 })
        .after_context(if limits.lines { limits.after } else { 0 })
        .multi_line(is_multiline)
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(if is_multiline { MULTILINE_BYTES } else { LINE_BYTES }))
        .build()
}

/// Searches bytes as if they were a file at `path`.
///
/// # Errors
/// The pattern is not valid.
pub fn search_text(
    path: &str,
    text: &[u8],
    query: &Query,
    limits: &Limits,
) -> Result<FileMatches, SearchError> {
    let matcher = query.matcher()?;
    let mut collector = Collector::new(limits.skip + limits.matches, limits.columns, limits.lines);
    let failed = |error: std::io::Error| SearchError::Pattern(error.to_string());
    searcher(query, limits).search_slice(&matcher, text, &mut collector).map_err(failed)?;
    let (mut lines, count, _) = collector.finish();
    super::collect::keep_matches(&mut lines, limits.skip, limits.matches);
    Ok(FileMatches { path: path.to_owned(), count, lines })
}

/// Whether a pattern matches anywhere in bytes.
///
/// # Errors
/// The pattern is not valid.
pub fn has_match(text: &[u8], query: &Query) -> Result<bool, SearchError> {
    let matcher = query.matcher()?;
    matcher.is_match(text).map_err(|error| SearchError::Pattern(error.to_string()))
}
