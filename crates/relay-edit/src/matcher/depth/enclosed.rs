//! New blocks at the end of a hunk that would be inside a block they do not belong to.
//!
//! An author who forgets to quote the bracket that ends a function puts the next function into it. That shows: the new
//! lines are whole blocks, not as deep as what they follow, and as deep as the bracket that comes after them in the
//! file. Nothing is placed here.

use crate::HunkLine;
use crate::lines::is_blank;
use crate::matcher::candidate::Candidate;
use crate::matcher::index::FileIndex;
use crate::matcher::key::indent;
use crate::matcher::pattern::Pattern;

/// The line of the file, counted from 0, that ends the block in which new blocks would be. `+fn b() {`, `+}` below `   
/// a();`, above the `}` of `fn a() {`.
pub(crate) fn ending(pattern: &Pattern<'_>, index: &FileIndex<'_>, chosen: &Candidate) -> Option<usize> {
    let lines = &pattern.hunk.lines;
    // Mostly a hunk ends with lines that stay.
    lines.last().filter(|line| !line.is_old())?;
    let end = (chosen.end()..index.lines.len()).find(|line| !is_blank(index.lines.text(*line)))?;
    let ending = index.lines.text(end);
    if !closes(ending) {
        return None;
    }
    let is_written = |line: &&HunkLine| !is_blank(line.text().as_bytes());
    let (kept, added) = lines.split_at_checked(lines.iter().rposition(HunkLine::is_old)? + 1)?;
    let added: Vec<&HunkLine> = added.iter().filter(is_written).collect();
    let above = kept.iter().rfind(is_written).filter(|above| matches!(above, HunkLine::Context(_)))?;
    let depth =
        |line: &HunkLine| chosen.reindent.apply(line.text().as_bytes()).map(|line| indent(&line).len());
    let level = Some(indent(ending).len());
    let ([first, .., last], true) = (added.as_slice(), depth(above) > level) else { return None };
    let is_block = depth(first) == level && depth(last) == level && closes(last.text().as_bytes());
    let opens = |line: &&HunkLine| depth(line) == level && line.text().trim_end().ends_with(['{', '(', '[']);
    let begins = !closes(first.text().as_bytes()) && !is_case(first.text());
    (is_block && begins && added.iter().any(opens)).then_some(end)
}

/// Whether a line ends a block with a bracket. `});` does.
fn closes(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), Some(b'}' | b')' | b']'))
}

/// Whether a line is one of the cases that many write as deep as the bracket after them. `case 1:` above the `}` of a
/// `switch`.
fn is_case(line: &str) -> bool {
    let line = line.trim_start();
    ["case", "default", "when"].iter().any(|word| line.starts_with(word))
}
