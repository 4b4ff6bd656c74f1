//! A place that is like the old lines in another way than the one that was found.
//!
//! Lines that are somewhere with other white space may be meant where all but one of them are as they are written, and
//! that one has a slip, or others have characters that look alike. Which of the two is meant nobody can say, unless the line
//! number does.
//!
//! A line number may also name a place where one of the lines has been changed since, while the block was there twice.

use crate::matcher::candidate::Candidate;
use crate::matcher::fuzzy::is_slip;
use crate::matcher::index::FileIndex;
use crate::matcher::key::{Key, indent};
use crate::matcher::pattern::{Pattern, is_telling};
use crate::matcher::tier::Tier;

/// Lines that are at more places than this propose none.
const PLACES: usize = 64;
/// With fewer old lines, all but one of them say too little.
const LEAST: usize = 3;

/// The line, counted from 0, from which on all old lines are to the letter but for that, and not where they were
/// found. `total = 1` found as `    total = 1`, where a line at the margin is `totel = 1`.
pub(crate) fn place(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    found: &Candidate,
    tier: Tier,
) -> Option<usize> {
    let named = pattern.hunk.line_hint == Some(found.start() + 1);
    if tier <= Tier::TrailingWhitespace || named || pattern.old.len() < LEAST {
        return None;
    }
    let telling = pattern.old.iter().enumerate().filter(|(_, line)| is_telling(line));
    // One of two lines that tell something is there, or all of them do with characters that look alike.
    let proposed = telling.flat_map(|(at, line)| {
        let places = [Key::TrimEnd, Key::Folded].map(|key| index.places(key, line.as_bytes()));
        let few = places.into_iter().filter(|places| places.len() <= PLACES);
        few.flatten().filter_map(move |place| place.checked_sub(at))
    });
    let mut proposed: Vec<usize> = proposed.collect();
    proposed.sort_unstable();
    proposed.dedup();
    index.spend(proposed.len() * pattern.old.len())?;
    let apart = |start: &usize| *start >= found.end() || start + pattern.old.len() <= found.start();
    proposed.into_iter().filter(apart).find(|start| stands_almost(pattern, index, *start))
}

/// Whether all lines are there to the letter, but for a slip in one that stays and characters that look alike. `totel =
/// 1` for `total = 1`.
fn stands_almost(pattern: &Pattern<'_>, index: &FileIndex<'_>, start: usize) -> bool {
    if start + pattern.old.len() > index.lines.len() {
        return false;
    }
    let pairs = pattern.old.iter().enumerate().map(|(at, line)| (at, *line, index.lines.text(start + at)));
    let other = pairs.filter(|(_, line, found)| !Key::TrimEnd.unites(line.as_bytes(), found));
    let is_alike = |line: &str, found: &[u8]| {
        indent(line.as_bytes()) == indent(found) && Key::Folded.unites(line.as_bytes(), found)
    };
    let (alike, other): (Vec<_>, Vec<_>) = other.partition(|(_, line, found)| is_alike(line, found));
    let slipped = |(at, line, found): &(usize, &str, &[u8])| {
        !pattern.is_removed(*at) && is_slip(line.trim_end(), String::from_utf8_lossy(found).trim_end())
    };
    alike.len() + other.len() > 0 && other.len() < 2 && other.iter().all(slipped)
}

/// Whether what a hunk changes is at a place to the letter, and with it more than half of its old lines: the lines that go, or
/// else those that new ones are put beside. `-b` of ` a`, `-b`, ` c` is in line 9, which `@@ -9` names, with `c` below
/// it; all three are in line 40.
pub(crate) fn changes_at(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    found: &Candidate,
    start: usize,
) -> bool {
    let len = pattern.old.len();
    // Where both have lines in common, the number is only a little off.
    let apart = start >= found.end() || start + len <= found.start();
    if !apart || start + len > index.lines.len() || len < LEAST {
        return false;
    }
    let stands = |at: &usize| {
        let line = pattern.old.get(*at).map(|line| line.as_bytes());
        line.is_some_and(|line| Key::TrimEnd.unites(line, index.lines.text(start + at)))
    };
    let tells = |at: &usize| pattern.old.get(*at).is_some_and(|line| is_telling(line));
    let all = (0..len).filter(tells).count();
    let there = (0..len).filter(tells).filter(stands).count();
    let touched = touched(pattern);
    there * 2 > all && touched.iter().any(tells) && touched.iter().all(stands)
}

/// The old lines of a hunk that go, or, where none does, those beside new ones.
fn touched(pattern: &Pattern<'_>) -> Vec<usize> {
    let len = pattern.old.len();
    if pattern.hunk.removes() {
        return (0..len).filter(|at| pattern.is_removed(*at)).collect();
    }
    let mut next = 0_usize;
    let mut touched = Vec::new();
    for line in &pattern.hunk.lines {
        if line.is_old() {
            next += 1;
        } else {
            touched.extend(next.checked_sub(1).into_iter().chain((next < len).then_some(next)));
        }
    }
    touched
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hunk;
    use crate::matcher::{Failure, Located, Strictness, locate};

    /// What becomes of a hunk whose number is that of the second block, of which a line has changed since.
    #[track_caller]
    fn check(diff: &str, hint: usize, expected: Result<usize, usize>) {
        let file =
            "def a():\n    one()\n    two()\n    three()\n\ndef b():\n    one(1)\n    two()\n    three()\n";
        let hunk = Hunk { line_hint: Some(hint), ..Hunk::of_diff(diff) };
        let found = match locate(&hunk, &FileIndex::new(file.as_bytes()), Strictness::Fuzzy) {
            Ok(Located::Placed(placement)) => Ok(placement.first_line()),
            Err(Failure::HintContradicts { hinted, .. }) => Err(hinted),
            other => panic!("{other:?}"),
        };
        assert_eq!(found, expected, "{diff:?} {hint}");
    }

    #[test]
    fn a_number_speaks_for_the_place_where_the_change_would_fit() {
        check("     one()\n     two()\n-    three()", 7, Err(6));
        check("     one()\n     two()\n+    new()\n     three()", 7, Err(6));
        check("     one()\n     two()\n-    three()", 2, Ok(1));
        check("     one()\n     two()\n-    three()", 6, Ok(1));
        // The line that goes is not there.
        check("-    one()\n     two()\n     three()", 7, Ok(1));
        check("+    new()\n     one()\n     two()\n     three()", 7, Ok(1));
    }
}
