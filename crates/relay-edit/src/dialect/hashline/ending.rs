//! Finds the end of sections without a fence or an envelope around them. Nothing marks it, and new lines are taken as
//! they are.
//!
//! What can only be the rest of the reply must not be written into a file, and what may be must not either.

use super::super::block::is_block_header;
use super::super::fence::{FenceLine, fence_line};
use super::super::mistaken;
use crate::{Diagnostic, codes};

/// How to say where the new lines end.
const HINT: &str = "put the sections into a fence, or between `*** Begin Patch` and `*** End Patch`";

/// Whether a line ends the section of this file: the new lines of nothing but a document hold fences.
pub(super) fn is_end(path: Option<&str>, text: &str) -> bool {
    fence_line(text).is_some() && !path.is_some_and(mistaken::is_document)
}

/// What the new lines below an operation seem to hold that is not meant for the file.
pub(super) fn doubt(path: &str, lines: &[&str], line: usize) -> Option<Diagnostic> {
    let what = if let Some((what, _)) = mistaken::what(path, lines.iter().copied()) {
        what
    } else if lines.iter().enumerate().any(|(at, text)| begins_block(text, lines.get(at + 1..))) {
        "a block or the control block"
    } else if !mistaken::is_text(path) && ends_in_prose(lines) {
        "a remark to the reader"
    } else {
        return None;
    };
    let message =
        format!("the new lines below this operation seem to hold {what} that is not meant for the file");
    Some(Diagnostic::error(codes::BAD_MARKERS, message).hinted(HINT).on(path).at(line))
}

/// A fence below the sections was neither an edit nor the control block.
pub(crate) fn doubted_fence(line: usize) -> Diagnostic {
    let message = "it is unclear whether this fence belongs to the file that the section above it changes";
    Diagnostic::error(codes::AMBIGUOUS_FENCE, message).hinted(HINT).at(line)
}

/// Whether a line opens a fence with an edit, or one that holds the control block.
fn begins_block(text: &str, below: Option<&[&str]>) -> bool {
    let Some(FenceLine::Labelled(_, info)) = fence_line(text) else { return false };
    let is_yaml = matches!(info.to_ascii_lowercase().as_str(), "yaml" | "yml");
    let next = below.and_then(|below| below.first());
    is_block_header(info)
        || is_yaml && next.is_some_and(|next| next.starts_with("projectId:") || next.starts_with("uuid:"))
}

/// Whether a sentence or bare metadata is below a gap at the end, or a sentence of its own in the last line.
fn ends_in_prose(lines: &[&str]) -> bool {
    let gap = lines.iter().rposition(|text| text.trim().is_empty());
    let below = gap.and_then(|gap| lines.get(gap + 1..)).unwrap_or_default();
    let is_metadata = |text: &&str| text.starts_with("projectId:") || text.starts_with("uuid:");
    below.first().is_some_and(is_metadata)
        || is_remark(below)
        || lines
            .split_last()
            .is_some_and(|(last, above)| !above.is_empty() && !last.ends_with(':') && is_remark(&[*last]))
}

/// Whether lines are one sentence or more, as people write them.
fn is_remark(lines: &[&str]) -> bool {
    let [first, rest @ ..] = lines else { return false };
    let last = rest.last().unwrap_or(first).trim_end();
    first.starts_with(char::is_uppercase)
        && first.split_whitespace().count() > 2
        && last.ends_with(['.', '!', '?', ':'])
        && lines.iter().all(|text| is_prose(text))
}

/// Whether a line has nothing that only code has, except between backticks.
fn is_prose(text: &str) -> bool {
    text.split('`').step_by(2).all(|part| !part.contains(['{', '}', ';', '=', '<', '>', '(', '[', '\\', '"']))
}
