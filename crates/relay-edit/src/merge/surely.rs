//! A merge that leaves nothing to the way versions are compared.
//!
//! Where lines repeat, there is more than one way to say what changed: a function that was inserted before its twin is
//! the same text as one inserted after it. A merge that picks one of them puts the other side's change into one twin or
//! the other. Here every such way is tried, and only what all of them agree on is merged.

use super::{Comparison, Conflict, Merged, Touching, by_lines, merge_with};
use crate::align::{Difference, differences, plainly};
use crate::lines::Lines;

/// As [`merge`](super::merge()), but for changes that are not reviewed again: changes with no line between them
/// conflict, and so does whatever depends on how the versions are compared.
///
/// # Errors
/// Every place where both sides changed the same or neighbouring lines, or where it is not sure which lines are meant.
///
/// ```
/// use relay_edit::merge::merge_surely;
///
/// assert_eq!(merge_surely(b"a\nb\nc\n", b"A\nb\nc\n", b"a\nb\nC\n").unwrap(), b"A\nb\nC\n");
/// assert!(merge_surely(b"a\nb\nc\n", b"A\nb\nc\n", b"a\nB\nc\n").is_err());
/// // Was the twin put before the block or after it?
/// assert!(merge_surely(b"1\nx\ny\nz\n2\n", b"1\nx\ny\nz\nx\ny\nz\n2\n", b"1\nx\nY\nz\n2\n").is_err());
/// ```
pub fn merge_surely(base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<Vec<u8>, Vec<Conflict>> {
    merge_agreed(base, ours, theirs, Touching::Conflicts)
}

/// As [`merge`](super::merge()), but whatever depends on how the versions are compared conflicts: for changes whose author
/// named lines, which must be those lines and not their twins.
pub(crate) fn merge_certainly(base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<Vec<u8>, Vec<Conflict>> {
    merge_agreed(base, ours, theirs, Touching::MayNotGrow)
}

/// The result of every way to compare the versions, treating touching changes as `touching` says.
fn merge_agreed(base: &[u8], ours: &[u8], theirs: &[u8], touching: Touching) -> Merged {
    merge_with(base, ours, theirs, &|versions| {
        let merged =
            by_lines(versions, &Slid { ours: Slide::Stay, theirs: Slide::Stay, plainly: false }, touching)?;
        for plainly in [false, true] {
            for (ours, theirs) in SLIDES {
                let otherwise =
                    by_lines(versions, &Slid { ours, theirs, plainly }, Touching::MayNotBothInsert);
                if otherwise.as_ref() != Ok(&merged) {
                    return Err(otherwise.err().unwrap_or_else(|| unsure(versions)));
                }
            }
        }
        Ok(merged)
    })
}

const SLIDES: [(Slide, Slide); 4] =
    [(Slide::Up, Slide::Up), (Slide::Up, Slide::Down), (Slide::Down, Slide::Up), (Slide::Down, Slide::Down)];

/// Which of its places a change takes that could be at several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slide {
    Stay,
    Up,
    Down,
}

struct Slid {
    ours: Slide,
    theirs: Slide,
    /// Compares by the shortest difference, not by the one that reads best.
    plainly: bool,
}

impl Comparison for Slid {
    fn compare(&self, base: &[&[u8]], version: &[&[u8]], is_ours: bool) -> Vec<Difference> {
        let found = if self.plainly { plainly(base, version) } else { differences(base, version) };
        match if is_ours { self.ours } else { self.theirs } {
            Slide::Stay => found,
            Slide::Up => up(found, base, version),
            Slide::Down => down(found, base, version),
        }
    }
}

/// The same text, said with every insertion and deletion as far up as it can be.
fn up(mut changes: Vec<Difference>, base: &[&[u8]], version: &[&[u8]]) -> Vec<Difference> {
    let mut floor = (0, 0);
    for change in &mut changes {
        while change.before.start > floor.0
            && change.after.start > floor.1
            && last_stands_before(change, base, version)
        {
            (change.before.start, change.before.end) = (change.before.start - 1, change.before.end - 1);
            (change.after.start, change.after.end) = (change.after.start - 1, change.after.end - 1);
        }
        floor = (change.before.end, change.after.end);
    }
    changes
}

/// The same text, said with every insertion and deletion as far down as it can be.
fn down(mut changes: Vec<Difference>, base: &[&[u8]], version: &[&[u8]]) -> Vec<Difference> {
    let mut ceiling = (base.len(), version.len());
    for change in changes.iter_mut().rev() {
        while change.before.end < ceiling.0
            && change.after.end < ceiling.1
            && first_stands_behind(change, base, version)
        {
            (change.before.start, change.before.end) = (change.before.start + 1, change.before.end + 1);
            (change.after.start, change.after.end) = (change.after.start + 1, change.after.end + 1);
        }
        ceiling = (change.before.start, change.after.start);
    }
    changes
}

/// Whether the line above an insertion or deletion is the same as its last one.
fn last_stands_before(change: &Difference, base: &[&[u8]], version: &[&[u8]]) -> bool {
    let same = |lines: &[&[u8]], start: usize, end: usize| {
        let above = start.checked_sub(1).and_then(|at| lines.get(at));
        above.is_some() && above == end.checked_sub(1).and_then(|at| lines.get(at))
    };
    match (change.before.is_empty(), change.after.is_empty()) {
        (true, false) => same(version, change.after.start, change.after.end),
        (false, true) => same(base, change.before.start, change.before.end),
        _ => false,
    }
}

/// Whether the line below an insertion or deletion is the same as its first one.
fn first_stands_behind(change: &Difference, base: &[&[u8]], version: &[&[u8]]) -> bool {
    let same = |lines: &[&[u8]], start: usize, end: usize| {
        let below = lines.get(end);
        below.is_some() && below == lines.get(start)
    };
    match (change.before.is_empty(), change.after.is_empty()) {
        (true, false) => same(version, change.after.start, change.after.end),
        (false, true) => same(base, change.before.start, change.before.end),
        _ => false,
    }
}

/// Where theirs changed something, when it is not sure which lines of ours that concerns.
fn unsure(versions: &[Lines<'_>; 3]) -> Vec<Conflict> {
    let [base, ours, theirs] = versions.each_ref().map(|lines| lines.texts().collect::<Vec<&[u8]>>());
    let ours_changed = differences(&base, &ours);
    let moved = |line: usize| {
        let above = ours_changed.partition_point(|change| change.before.end <= line);
        let last = above.checked_sub(1).and_then(|at| ours_changed.get(at));
        last.map_or(line, |change| line - change.before.end + change.after.end).min(ours.len())
    };
    let conflict = |change: Difference| Conflict {
        ours: moved(change.before.start)..moved(change.before.end),
        base: change.before,
        theirs: change.after,
    };
    differences(&base, &theirs).into_iter().map(conflict).collect()
}
