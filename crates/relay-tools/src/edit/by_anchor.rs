//! A change that is known as a whole, named by the anchors of the lines it touches, so that the engine proves it like all
//! others.

use relay_edit::anchors::LineHash;
use relay_edit::{Anchor, DiffHunk, DiffKind, FileDiff, Hunk, HunkLine, Target, diff};

/// The hunks that turn one text into another; both have lines that end in `\n`.
pub fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    let lines: Vec<&str> = before.lines().collect();
    // A last line without its end is a line like the others: anchors say nothing about ends.
    let plain: String = lines.iter().flat_map(|line| [*line, "\n"]).collect();
    match diff(plain.as_bytes(), after.as_bytes()) {
        FileDiff::Text(hunks) => hunks.iter().flat_map(|hunk| changes(&lines, hunk)).collect(),
        FileDiff::Binary => Vec::new(),
    }
}

/// The changes in a stretch of a difference, each named by the anchors of the lines it replaces or follows.
fn changes(lines: &[&str], hunk: &DiffHunk) -> Vec<Hunk> {
    let anchor = |line: usize| {
        let text = lines.get(line.wrapping_sub(1)).copied().unwrap_or_default();
        Anchor { line, hash: Some(LineHash::of(text.as_bytes())) }
    };
    let mut found = Vec::new();
    let mut above = hunk.old_start.saturating_sub(1);
    for run in
        hunk.lines.chunk_by(|one, next| (one.kind == DiffKind::Context) == (next.kind == DiffKind::Context))
    {
        let removed: Vec<usize> =
            run.iter().filter(|line| line.kind == DiffKind::Removed).filter_map(|line| line.old).collect();
        if run.iter().any(|line| line.kind == DiffKind::Context) {
            above = run.last().and_then(|line| line.old).unwrap_or(above);
            continue;
        }
        let added = run.iter().filter(|line| line.kind == DiffKind::Added);
        let added = added.map(|line| HunkLine::Added(line.text.clone())).collect();
        let target = match (removed.first(), removed.last()) {
            (Some(first), Some(last)) => Target::Lines { first: anchor(*first), last: anchor(*last) },
            _ if above == 0 => Target::Start,
            _ => Target::After(anchor(above)),
        };
        above = removed.last().copied().unwrap_or(above);
        found.push(Hunk { target, ..Hunk::new(added, 1) });
    }
    found
}
