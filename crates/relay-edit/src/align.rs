//! Which lines two texts have in common.
//!
//! SEARCH/REPLACE and its relatives write the old text and the new text whole. Lines that are in both are
//! context: they keep the file's own bytes and may be matched more tolerantly than lines that go away.

mod pieces;

use std::collections::HashSet;
use std::hash::Hash;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

use crate::HunkLine;

/// One stretch in which two lists of lines differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The lines before, counted from 0.
    pub before: Range<usize>,
    /// The lines after, counted from 0.
    pub after: Range<usize>,
}

/// A line, with its ending or without.
pub(crate) trait Line: AsRef<[u8]> + Hash + Eq + Copy + Default {}

impl<T: AsRef<[u8]> + Hash + Eq + Copy + Default> Line for T {}

/// Below this many lines a text is not searched for the places from which both run in step.
const LONG: usize = 4_000;
/// More lines than this, on both sides together, are not compared as a whole.
pub(crate) const HUGE: usize = 500_000;
/// How many equal lines say that two long texts run in step again.
const IN_STEP: usize = 16;
/// How many lines two long texts may be apart and still be brought in step by looking.
const REACH: usize = 48;
/// How many equal lines around a stretch that differs are compared with it, so that it can be shown where it reads best.
const AROUND: usize = 32;

/// The stretches in which two lists of lines differ, in order.
///
/// Most changes of a long text are small and far apart: only the windows around them are compared in earnest.
pub(crate) fn differences<T: Line>(before: &[T], after: &[T]) -> Vec<Difference> {
    if before.len().min(after.len()) < LONG {
        return compare(before, after);
    }
    let mut found = Vec::new();
    for window in windows(before, after, AROUND) {
        let old = before.get(window.before.clone()).unwrap_or_default();
        let new = after.get(window.after.clone()).unwrap_or_default();
        found.extend(compare(old, new).into_iter().map(|part| Difference {
            before: part.before.start + window.before.start..part.before.end + window.before.start,
            after: part.after.start + window.after.start..part.after.end + window.after.start,
        }));
    }
    found
}

/// The stretches in which two lists of lines differ, as few lines as possible, with no thought for how that reads.
pub(crate) fn plainly<T: Line>(before: &[T], after: &[T]) -> Vec<Difference> {
    if before.len() + after.len() > 2 * LONG {
        return pieces::compare(before, after, shortest);
    }
    shortest(before, after)
}

/// As [`plainly`], in time that grows with the square of the length.
fn shortest<T: Line>(before: &[T], after: &[T]) -> Vec<Difference> {
    let mut input = InternedInput::default();
    input.update_before(before.iter().copied());
    input.update_after(after.iter().copied());
    stretches(&Diff::compute(Algorithm::Myers, &input))
}

/// The pairs of lines that two texts have in common, for each of two other ways to compare them: with as few changes as
/// possible, from the top and from the bottom.
pub(crate) fn other_ways<T: Line>(before: &[T], after: &[T]) -> [HashSet<(usize, usize)>; 2] {
    let common = |found: &[Difference]| {
        let mut pairs = HashSet::new();
        let (mut old, mut new) = (0, 0);
        let end = Difference { before: before.len()..before.len(), after: after.len()..after.len() };
        for part in found.iter().chain([&end]) {
            pairs.extend((old..part.before.start).zip(new..part.after.start));
            (old, new) = (part.before.end, part.after.end);
        }
        pairs
    };
    let mirrored = |pair: &(usize, usize)| (before.len() - 1 - pair.0, after.len() - 1 - pair.1);
    let reversed = |lines: &[T]| -> Vec<T> { lines.iter().rev().copied().collect() };
    let up = common(&plainly(&reversed(before), &reversed(after)));
    [common(&plainly(before, after)), up.iter().map(mirrored).collect()]
}

/// Stretches outside of which two texts are equal line by line, with some equal lines around what differs.
fn windows<T: Eq>(before: &[T], after: &[T], around: usize) -> Vec<Difference> {
    let mut windows: Vec<Difference> = Vec::new();
    let (mut old, mut new) = (0, 0);
    loop {
        let (old_rest, new_rest) =
            (before.get(old..).unwrap_or_default(), after.get(new..).unwrap_or_default());
        let same = old_rest.iter().zip(new_rest).take_while(|(a, b)| a == b).count();
        (old, new) = (old + same, new + same);
        if old == before.len() && new == after.len() {
            return windows;
        }
        let (old_end, new_end) =
            in_step_again(before, after, old, new).unwrap_or((before.len(), after.len()));
        // The lines that belong to the window before are equal on both sides, so both begin at the same distance.
        let lead = around.min(old).min(new);
        let tail = if (old_end, new_end) == (before.len(), after.len()) { 0 } else { IN_STEP };
        let window = Difference { before: old - lead..old_end + tail, after: new - lead..new_end + tail };
        (old, new) = (window.before.end, window.after.end);
        match windows.last_mut().filter(|last| last.before.end >= window.before.start) {
            Some(last) => (last.before.end, last.after.end) = (old, new),
            None => windows.push(window),
        }
    }
}

/// The nearest place after a difference where both texts go on with the same lines.
fn in_step_again<T: Eq>(before: &[T], after: &[T], old: usize, new: usize) -> Option<(usize, usize)> {
    (1..REACH).find_map(|apart| {
        (0..=apart).find_map(|skipped| {
            let (old, new) = (old + skipped, new + apart - skipped);
            let same = before.get(old..old + IN_STEP)? == after.get(new..new + IN_STEP)?;
            same.then_some((old, new))
        })
    })
}

/// The stretches in which two lists of lines differ. Texts that differ in hundreds of thousands of lines are not
/// compared at all: such a diff is unreadable, and computing it would take longer than everything else.
pub(crate) fn compare<T: Line>(before: &[T], after: &[T]) -> Vec<Difference> {
    match before.len() + after.len() {
        lines if lines > HUGE => apart(before, after),
        lines if lines > pieces::PIECE => pieces::compare(before, after, compare_whole),
        _ => compare_whole(before, after),
    }
}

/// The stretches in which two lists of lines differ, in time that grows with the square of their length.
fn compare_whole<T: Line>(before: &[T], after: &[T]) -> Vec<Difference> {
    let mut input = InternedInput::default();
    input.update_before(before.iter().copied());
    input.update_after(after.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    stretches(&diff)
}

/// One stretch with everything between the lines that two texts begin and end with.
fn apart<T: Eq>(before: &[T], after: &[T]) -> Vec<Difference> {
    let head = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (old, new) = (before.get(head..).unwrap_or_default(), after.get(head..).unwrap_or_default());
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let stretch = Difference { before: head..before.len() - tail, after: head..after.len() - tail };
    let differs = !stretch.before.is_empty() || !stretch.after.is_empty();
    differs.then_some(stretch).into_iter().collect()
}

fn stretches(diff: &Diff) -> Vec<Difference> {
    diff.hunks()
        .map(|hunk| Difference {
            before: hunk.before.start as usize..hunk.before.end as usize,
            after: hunk.after.start as usize..hunk.after.end as usize,
        })
        .collect()
}

/// Turns an old and a new text into the lines of one hunk.
pub(crate) fn align(old: &[&str], new: &[&str]) -> Vec<HunkLine> {
    let mut lines = Vec::with_capacity(old.len().max(new.len()));
    let mut old_lines = old.iter().map(|line| (*line).to_owned());
    let mut new_lines = new.iter().map(|line| (*line).to_owned());
    let mut at = 0;
    for difference in differences(old, new) {
        let same = difference.before.start.saturating_sub(at);
        lines.extend(old_lines.by_ref().take(same).map(HunkLine::Context));
        // The same lines are on the new side; they are context there too.
        new_lines.by_ref().take(same).for_each(drop);
        lines.extend(old_lines.by_ref().take(difference.before.len()).map(HunkLine::Removed));
        lines.extend(new_lines.by_ref().take(difference.after.len()).map(HunkLine::Added));
        at = difference.before.end;
    }
    lines.extend(old_lines.map(HunkLine::Context));
    lines
}

/// Turns lines that a diff removes and adds again in the same place into context.
///
/// Some authors write a whole block as removed and then as added, with most of it unchanged.
pub(crate) fn realign(lines: Vec<HunkLine>) -> Vec<HunkLine> {
    if !puts_back(&lines) {
        return lines;
    }
    let mut result = Vec::with_capacity(lines.len());
    for run in lines.chunk_by(|one, other| is_context(one) == is_context(other)) {
        let side = |wanted: fn(&HunkLine) -> bool| -> Vec<&str> {
            run.iter().filter(|line| wanted(line)).map(HunkLine::text).collect()
        };
        let (old, new) = (side(HunkLine::is_old), side(HunkLine::is_new));
        let known: HashSet<&str> = old.iter().copied().collect();
        if run.first().is_some_and(is_context) || !new.iter().any(|line| known.contains(line)) {
            result.extend_from_slice(run);
        } else {
            result.extend(align(&old, &new));
        }
    }
    result
}

/// Whether any line is both taken away and put back. Most hunks do nothing of the kind, and are short.
fn puts_back(lines: &[HunkLine]) -> bool {
    const SHORT: usize = 16;
    let added = || lines.iter().filter(|line| !line.is_old()).map(HunkLine::text);
    let mut removed = lines.iter().filter(|line| !line.is_new()).map(HunkLine::text);
    if lines.len() <= SHORT {
        return removed.any(|text| added().any(|other| other == text));
    }
    let added: HashSet<&str> = added().collect();
    removed.any(|text| added.contains(text))
}

const fn is_context(line: &HunkLine) -> bool {
    matches!(line, HunkLine::Context(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: &str) {
        let old: Vec<&str> = old.split_terminator('\n').collect();
        let new: Vec<&str> = new.split_terminator('\n').collect();
        let found: String = align(&old, &new)
            .iter()
            .map(|line| match line {
                HunkLine::Context(text) => format!(" {text}\n"),
                HunkLine::Removed(text) => format!("-{text}\n"),
                HunkLine::Added(text) => format!("+{text}\n"),
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn common_lines_are_context() {
        check("a\nb\nc\n", "a\nx\nc\n", " a\n-b\n+x\n c\n");
        check("a\n", "a\nb\n", " a\n+b\n");
        check("a\nb\n", "b\n", "-a\n b\n");
        check("", "b\n", "+b\n");
        check("a\n", "", "-a\n");
        check("a\n", "a\n", " a\n");
    }

    /// A long text with changes of every kind, some of them too far apart to be brought in step by looking.
    #[test]
    fn long_texts_are_compared_in_windows_that_leave_nothing_out() {
        let old: Vec<String> = (0..3 * LONG).map(|line| format!("line {}", line % 1000)).collect();
        let mut new = old.clone();
        for at in (100..2 * LONG).step_by(217) {
            match at % 3 {
                0 => new[at] = "changed".to_owned(),
                1 => new[at..at + 9].rotate_left(3),
                _ => new[at].push_str(" more"),
            }
        }
        new.drain(50..55);
        new.splice(5000..5000, (0..30).map(|line| format!("new {line}")));
        new.drain(11_000..11_200);
        new.push("the end".to_owned());
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let new: Vec<&str> = new.iter().map(String::as_str).collect();
        for (old, new) in [(&old, &new), (&new, &old), (&old, &old)] {
            let lines = align(old, new);
            let before: Vec<&str> = lines.iter().filter(|line| line.is_old()).map(HunkLine::text).collect();
            let after: Vec<&str> = lines.iter().filter(|line| line.is_new()).map(HunkLine::text).collect();
            assert_eq!(&before, old);
            assert_eq!(&after, new);
            let changed = |found: &[Difference]| {
                found.iter().map(|part| part.before.len() + part.after.len()).sum::<usize>()
            };
            assert!(changed(&differences(old, new)) <= changed(&compare(old, new)) + 20);
        }
    }

    #[test]
    fn huge_texts_differ_between_their_ends() {
        let old: Vec<String> = (0..HUGE).map(|line| format!("{}", line * 7919 % HUGE)).collect();
        let mut old: Vec<&str> = old.iter().map(String::as_str).collect();
        let mut new = old.clone();
        new.reverse();
        old.insert(0, "first");
        new.insert(0, "first");
        old.push("last");
        new.push("last");
        assert_eq!(compare(&old, &new), [Difference { before: 1..HUGE + 1, after: 1..HUGE + 1 }]);
        assert_eq!(compare(&old, &old), []);
    }

    #[test]
    fn lines_a_diff_removes_and_adds_again_are_context() {
        let read = |text: &str| -> Vec<HunkLine> {
            let line = |line: &str| match line.split_at(1) {
                ("-", text) => HunkLine::Removed(text.to_owned()),
                ("+", text) => HunkLine::Added(text.to_owned()),
                (_, text) => HunkLine::Context(text.to_owned()),
            };
            text.split('|').map(line).collect()
        };
        let check = |before: &str, after: &str| assert_eq!(realign(read(before)), read(after));
        check(" a|-|-b|-c|+|+x|+c| d", " a| |-b|+x| c| d");
        check("-a|+b|-c|+d", "-a|+b|-c|+d");
        check(" a|-a| b|+a", " a|-a| b|+a");
    }

    #[test]
    fn both_sides_can_be_read_back() {
        let old = ["fn a() {", "    one();", "    two();", "}", "", "fn b() {", "}"];
        let new = ["fn a() {", "    two();", "    three();", "}", "", "fn c() {", "    one();", "}"];
        let lines = align(&old, &new);
        let before: Vec<&str> = lines.iter().filter(|line| line.is_old()).map(HunkLine::text).collect();
        let after: Vec<&str> = lines.iter().filter(|line| line.is_new()).map(HunkLine::text).collect();
        assert_eq!(before, old);
        assert_eq!(after, new);
    }
}
