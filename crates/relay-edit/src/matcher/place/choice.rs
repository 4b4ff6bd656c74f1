//! Which of several equally good places is meant, where the author gave a reason to choose.

use std::ops::Range;

use super::neighbours::Neighbours;
use crate::EndOfFile;
use crate::matcher::candidate::Candidate;
use crate::matcher::index::FileIndex;
use crate::matcher::ladder::KEPT;
use crate::matcher::pattern::{Pattern, has_identity};
use crate::matcher::{Tie, marked, scope};

/// The place that is meant among several, and what says so: `@@ -40,3 +40,4 @@`, `@@ fn second() {`, `*** End of File`, or its
/// neighbours.
pub(super) fn choose<'c>(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    candidates: &'c [Candidate],
    neighbours: &Neighbours,
    regions: &[Range<usize>],
) -> Option<(&'c Candidate, Tie)> {
    // Beside counts that are wrong a number may be as well, and it would meet a bracket at many places.
    let is_counted = || pattern.hunk.announced.is_none_or(|counts| counts == marked::sides(pattern.hunk));
    let by_number = by_line_number(pattern, candidates, neighbours)
        .filter(|_| has_identity(&pattern.old) || is_counted())
        .map(|candidate| (candidate, Tie::LineNumber));
    if let Some((candidate, _)) = by_number
        && !scope::touches(regions, candidate)
        && candidates.iter().any(|other| scope::holds(regions, other))
    {
        // The number says one place and the named line another.
        return None;
    }
    if candidates.len() > KEPT {
        // Not all places were kept, so nothing else can say which one is meant.
        return by_number;
    }
    by_number
        .or_else(|| at_end_of_file(pattern, index, candidates).map(|candidate| (candidate, Tie::EndOfFile)))
        .or_else(|| by_scope(regions, candidates).map(|candidate| (candidate, Tie::Scope)))
        .or_else(|| {
            // Brackets and blanks are everywhere; being the only ones between two places tells nothing.
            let by_order = has_identity(&pattern.old).then(|| by_order(candidates, neighbours)).flatten();
            by_order.map(|candidate| (candidate, Tie::Order))
        })
}

/// The place exactly at the line number, moved as far as the neighbouring hunks were. Line 40 for `@@ -40,3 +40,4 @@`,
/// or 42 where the hunk before was found two lines lower.
fn by_line_number<'c>(
    pattern: &Pattern<'_>,
    candidates: &'c [Candidate],
    neighbours: &Neighbours,
) -> Option<&'c Candidate> {
    let hint = pattern.hunk.line_hint?.cast_signed() - 1;
    let moved = if neighbours.applied { neighbours.grown } else { 0 };
    let expected = usize::try_from(hint + neighbours.drift.unwrap_or(moved)).ok()?;
    // Where lines are left out, several places may begin alike.
    let mut there = candidates.iter().filter(|candidate| candidate.start() == expected);
    there.next().filter(|_| there.next().is_none())
}

/// The last `}` of a file, for a hunk with `*** End of File`.
fn at_end_of_file<'c>(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    candidates: &'c [Candidate],
) -> Option<&'c Candidate> {
    if pattern.hunk.end == EndOfFile::Unsaid {
        return None;
    }
    candidates.iter().find(|candidate| candidate.end() == index.lines.len())
}

/// The only place in the block of the named line, or the only one below it where it opens none. `return 1` in `fn b()`,
/// for `@@ fn b() {`, where `fn a()` has one too.
fn by_scope<'c>(regions: &[Range<usize>], candidates: &'c [Candidate]) -> Option<&'c Candidate> {
    let only = |fits: &dyn Fn(&&Candidate) -> bool| {
        let mut fitting = candidates.iter().filter(fits);
        fitting.next().filter(|_| fitting.next().is_none())
    };
    match regions {
        [line] if !scope::opens_block(line) => only(&|candidate| line.end <= candidate.start()),
        _ => only(&|candidate| scope::holds(regions, candidate)),
    }
}

/// The only place between the neighbouring hunks. `return 1` below what the hunk before has changed and above what the
/// next one does.
fn by_order<'c>(candidates: &'c [Candidate], neighbours: &Neighbours) -> Option<&'c Candidate> {
    if neighbours.after.is_none() && neighbours.before.is_none() {
        return None;
    }
    let mut between = candidates.iter().filter(|candidate| {
        neighbours.after.is_none_or(|end| end <= candidate.start())
            && neighbours.before.is_none_or(|start| candidate.end() <= start)
    });
    let only = between.next()?;
    between.next().is_none().then_some(only)
}
