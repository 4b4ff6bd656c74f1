//! A place where a hunk could go, as long as nothing is decided.

use std::ops::Range;

use crate::matcher::indent::Reindent;
use crate::matcher::index::FileIndex;
use crate::matcher::pattern::Pattern;

/// A place where a hunk could go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// The lines of the file it covers.
    pub lines: Covered,
    /// How new lines are to be indented there.
    pub reindent: Reindent,
}

/// The lines of the file that represent the old lines of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Covered {
    /// One after the other.
    Span(Range<usize>),
    /// For each old line its line of the file, with gaps.
    Map(Vec<Option<usize>>),
}

impl Candidate {
    /// The first line of the file it covers.
    pub fn start(&self) -> usize {
        match &self.lines {
            Covered::Span(span) => span.start,
            Covered::Map(map) => map.iter().flatten().next().copied().unwrap_or_default(),
        }
    }

    /// The line after the last one it covers.
    pub fn end(&self) -> usize {
        match &self.lines {
            Covered::Span(span) => span.end,
            Covered::Map(map) => map.iter().flatten().last().map_or(0, |line| line + 1),
        }
    }

    /// For each line of a hunk the line of the file it represents.
    pub fn spread(&self, pattern: &Pattern<'_>) -> Vec<Option<usize>> {
        match &self.lines {
            Covered::Span(span) => pattern.spread(span.clone().map(Some)),
            Covered::Map(map) => pattern.spread(map.iter().copied()),
        }
    }
}

/// Lines, each with the line of the file it represents at a place.
pub(crate) fn opposite<'l>(
    lines: &'l [&str],
    index: &'l FileIndex<'_>,
    start: usize,
) -> impl Iterator<Item = (&'l [u8], &'l [u8])> {
    lines.iter().enumerate().map(move |(at, line)| (line.as_bytes(), index.lines.text(start + at)))
}
