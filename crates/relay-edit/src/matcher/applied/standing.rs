//! Hunks whose new lines are already at the place the author named.
//!
//! Applying a reply twice must do nothing the second time. Where the same old lines are somewhere else as well, only
//! the line number, the named line or the end of the file tells that the hunk was applied and that the other place
//! was never meant.

use std::borrow::Cow;
use std::ops::Range;

use crate::elision::elision;
use crate::matcher::candidate::Candidate;
use crate::matcher::index::FileIndex;
use crate::matcher::key::Key;
use crate::matcher::ladder::KEPT;
use crate::matcher::pattern::{Pattern, has_identity, is_telling};
use crate::matcher::present::{added_stands_around, goes_beside};
use crate::matcher::tier::Tier;
use crate::matcher::{Failure, Located, Strictness, proof, scope, sign};
use crate::{EndOfFile, HunkLine};

/// Whether a hunk adds a line that can be recognised; without one, its new lines prove nothing. `+}` is none.
fn can_be_recognised(pattern: &Pattern<'_>) -> bool {
    let mut added = pattern.hunk.lines.iter().filter(|line| matches!(line, HunkLine::Added(_)));
    added.any(|line| is_telling(line.text()))
}

/// What was found for a hunk, unless it counts as applied only because what it adds is there anyway.
///
/// One more of several equal lines: where the old lines are, the new ones fit as well, before and after the change, so
/// it cannot be decided whether it was made.
pub(crate) fn proven(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    located: Located,
) -> Result<Located, Failure> {
    let Located::AlreadyApplied(done) = located else { return Ok(located) };
    let is_copy = |line: &str| pattern.old.iter().any(|old| old.trim() == line.trim());
    let mut added = pattern.hunk.added_lines();
    if pattern.hunk.removes() || !pattern.hunk.adds() || !added.all(is_copy) {
        return Ok(located);
    }
    let found = index.find_some(Key::TrimEnd, &pattern.old, 1).and_then(|places| places.first().copied());
    found.map_or(Ok(located), |found| Err(Failure::Applied { found, done }))
}

/// The line, counted from 0, at which a hunk is that changes nothing: anywhere, and it may be there several times. A
/// hunk of nothing but ` a`, ` b`.
pub(crate) fn unchanged(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    strictness: Strictness,
) -> Option<usize> {
    if pattern.hunk.adds() || pattern.hunk.removes() {
        return None;
    }
    let key = match strictness {
        Strictness::Exact => Key::Exact,
        Strictness::Whitespace => Key::Spaced,
        Strictness::Fuzzy => Key::Folded,
    };
    let parts = pattern.old.split(|line| elision(line).is_some()).filter(|part| has_identity(part));
    let places: Vec<usize> =
        parts.map(|part| index.find_some(key, part, 1)?.first().copied()).collect::<Option<_>>()?;
    places.first().copied()
}

/// The line, counted from 0, at which the new lines are already, where the author named that place.
///
/// `shifts` are how far the place may have moved from the line number. `@@ -4 +4 @@`, `-a`, `+b` where line 4 is `b`;
/// or `b` is in the function that `@@ fn f() {` names.
pub(crate) fn already(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    candidates: &[Candidate],
    shifts: &[isize],
    regions: &[Range<usize>],
) -> Option<usize> {
    if pattern.is_undone || !can_be_recognised(pattern) {
        return None;
    }
    by_number(pattern, index, candidates, shifts)
        .or_else(|| by_end(pattern, index, candidates))
        .or_else(|| by_region(pattern, index, candidates, regions))
}

/// Whether what a hunk inserts at the chosen place is there already: its old lines are still there afterwards,
/// above or below, or because the new lines begin as the old ones go on. ` a`, `+b` where the file has `a`, `b`: `a` is
/// found, and `b` is below it.
pub(crate) fn inserted(pattern: &Pattern<'_>, index: &FileIndex<'_>, chosen: &Candidate, tier: Tier) -> bool {
    if pattern.is_undone || pattern.hunk.removes() || !has_identity(&pattern.new) {
        return false;
    }
    let reindent = sign::settled(pattern, index, &chosen.reindent);
    let reindent = reindent.unwrap_or_else(|| chosen.reindent.clone());
    let chosen = &Candidate { reindent, lines: chosen.lines.clone() };
    let Some(after) = written(pattern, index, chosen, tier) else { return false };
    // New lines may be above the old ones, and between them: by this many lines the whole begins earlier.
    let added = pattern.hunk.added_lines().count().min(KEPT);
    let mut places = (0..=added).filter_map(|above| chosen.start().checked_sub(above));
    // Several lines that are there at another depth were brought into the file's manner when they were put in.
    let added = pattern.hunk.added_lines().filter(|line| is_telling(line)).count();
    let key = if added > 1 && !pattern.is_blind(Key::Trim) { Key::Trim } else { Key::TrimEnd };
    places.any(|first| index.stands_at(key, &after, first)) || added_stands_around(pattern, index, chosen)
}

/// What a hunk that only adds comes to. Where old lines read otherwise in the file, they stay as the file has them, and
/// the new ones are indented as there; `None` where one of those cannot be.
fn written<'w>(
    pattern: &Pattern<'w>,
    index: &FileIndex<'w>,
    chosen: &Candidate,
    tier: Tier,
) -> Option<Vec<Cow<'w, [u8]>>> {
    if tier <= Tier::TrailingWhitespace {
        return Some(pattern.new.iter().map(|line| Cow::Borrowed(line.as_bytes())).collect());
    }
    let map = chosen.spread(pattern);
    let lines = pattern.hunk.lines.iter().zip(map);
    lines
        .map(|(line, place)| match place {
            Some(place) => Some(Cow::Borrowed(index.lines.text(place))),
            None => chosen.reindent.apply(line.text().as_bytes()),
        })
        .collect()
}

/// Where else the hunk seems to be applied already, with the same lines around it as at its only place.
///
/// Then the block was twice, and nothing says which of the two was meant: it was the one that is done, or the other.
/// A line number or a header that names the place does. ` a`, `-old`, `+new` where one block has `a`, `old` and another
/// `a`, `new`.
pub(crate) fn elsewhere(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    only: &Candidate,
    regions: &[Range<usize>],
    tier: Tier,
) -> Option<usize> {
    if pattern.is_undone || pattern.hunk.line_hint == Some(only.start() + 1) || scope::holds(regions, only) {
        return None;
    }
    let is_context = |line: &HunkLine| matches!(line, HunkLine::Context(text) if !text.trim().is_empty());
    let around = pattern.hunk.lines.iter().filter(|line| is_context(line)).count();
    // A pure deletion leaves nothing but its context, so that must be on both sides.
    let mut written = pattern.hunk.lines.iter().filter(|line| !line.text().trim().is_empty());
    let ends = [written.next(), written.next_back()];
    let enclosed = ends.into_iter().flatten().all(is_context);
    let key = match (around, tier) {
        // Without any line around them new lines may well be elsewhere, unless they are there to the letter and the
        // old ones are not.
        (0, Tier::Exact | Tier::LineEndings | Tier::TrailingWhitespace) => return None,
        (0, _) => Key::TrimEnd,
        _ => tier.key(),
    };
    if !has_identity(&pattern.new) || pattern.is_blind(key) {
        return None;
    }
    if !pattern.hunk.adds() && !enclosed {
        return None;
    }
    let places = index.find_some(key, &pattern.new, 1)?;
    let apart = |place: &usize| *place >= only.end() || place + pattern.new.len() <= only.start();
    places.into_iter().find(apart)
}

/// Whether the line number or the end of the file says that the new lines at a place are this hunk's. `@@ -4 +4 @@`
/// above `+b` where line 4 is `b`, or `*** End of File` below it where that is the last one.
pub(crate) fn is_named(pattern: &Pattern<'_>, index: &FileIndex<'_>, place: usize, shifts: &[isize]) -> bool {
    let hint = pattern.hunk.line_hint.and_then(|hint| hint.checked_sub(1));
    let numbered = |shift: &isize| hint.and_then(|hint| hint.checked_add_signed(*shift)) == Some(place);
    !proof::keeps_depth(pattern, index, place)
        && (shifts.iter().any(numbered) || by_end(pattern, index, &[]) == Some(place))
}

/// `@@ -4 +4 @@`, `+b` where line 4 is `b`.
fn by_number(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    candidates: &[Candidate],
    shifts: &[isize],
) -> Option<usize> {
    let hint = pattern.hunk.line_hint?.checked_sub(1)?;
    let mut places = shifts.iter().filter_map(|shift| hint.checked_add_signed(*shift));
    let is_candidate = |place: usize| candidates.iter().any(|candidate| candidate.start() == place);
    if places.clone().any(is_candidate) {
        return None;
    }
    // Lines to be removed that are still beside the new ones show that nothing is done yet.
    let beside = |place: usize| {
        let mut found = candidates.iter().filter(|_| pattern.hunk.removes());
        found.any(|found| found.end() == place || found.start() == place + pattern.new.len())
            || goes_beside(pattern, index, &(place..place + pattern.new.len())).is_some()
    };
    places.find(|place| index.stands_at(Key::TrimEnd, &pattern.new, *place) && !beside(*place))
}

/// `+b` above `*** End of File`, where `b` is the last line.
fn by_end(pattern: &Pattern<'_>, index: &FileIndex<'_>, candidates: &[Candidate]) -> Option<usize> {
    let lacks = index.lines.lacks_final_newline();
    let ends_so = match pattern.hunk.end {
        EndOfFile::Unsaid => false,
        EndOfFile::Reached => true,
        EndOfFile::WithNewline => !lacks,
        EndOfFile::WithoutNewline => lacks,
    };
    let end = index.lines.len();
    if !ends_so || candidates.iter().any(|candidate| candidate.end() == end) {
        return None;
    }
    let place = end.checked_sub(pattern.new.len())?;
    index.stands_at(Key::TrimEnd, &pattern.new, place).then_some(place)
}

/// Only where the author gave no number: a diff's header often names the block before. `@@ fn f() {` above `+b`, where
/// `b` is in that function.
fn by_region(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    candidates: &[Candidate],
    regions: &[Range<usize>],
) -> Option<usize> {
    if pattern.hunk.line_hint.is_some() || candidates.iter().any(|place| scope::holds(regions, place)) {
        return None;
    }
    if regions.is_empty() {
        return None;
    }
    let places = index.find_some(Key::TrimEnd, &pattern.new, KEPT)?;
    places.into_iter().find(|place| regions.iter().any(|region| region.contains(place)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hunk;
    use crate::matcher::locate;

    /// What becomes of a hunk: the line it is placed at, or the line at which it is applied already.
    #[track_caller]
    fn check(file: &str, hunk: &Hunk, expected: Result<usize, usize>) {
        let found = match locate(hunk, &FileIndex::new(file.as_bytes()), Strictness::Fuzzy) {
            Ok(Located::Placed(placement)) => Ok(placement.first_line()),
            Ok(Located::AlreadyApplied(line)) => Err(line),
            Err(failure) => panic!("{failure:?}"),
        };
        assert_eq!(found, expected, "{file:?} {hunk:?}");
    }

    #[test]
    fn a_line_number_tells_what_is_applied_from_what_is_meant() {
        let file = "a\nnew line\nb\nold line\n";
        let at = |line: usize| Hunk { line_hint: Some(line), ..Hunk::of_diff("-old line\n+new line") };
        check(file, &at(2), Err(1));
        check(file, &at(4), Ok(3));
        check(file, &at(3), Ok(3));
        // A bracket is anywhere.
        let bracket = Hunk { line_hint: Some(1), ..Hunk::of_diff("-old line\n+}") };
        check("}\na\nold line\n", &bracket, Ok(2));
    }

    /// The line above the ones that go is marked as new, and the number is that line's.
    #[test]
    fn what_goes_and_stands_beside_is_not_gone() {
        let file = "one();\ntwo();\nthree();\nfour();\n";
        let hunk = Hunk { line_hint: Some(2), ..Hunk::of_diff("+two();\n-three();") };
        let located = locate(&hunk, &FileIndex::new(file.as_bytes()), Strictness::Fuzzy);
        assert!(matches!(located, Err(Failure::Repeated(_))), "{located:?}");
        // Its first line is still there, right above the lines it would leave.
        let change = "-one();\n two();\n-three();\n+three();\n four();";
        check(file, &Hunk { line_hint: Some(2), ..Hunk::of_diff(change) }, Ok(0));
        let apart = Hunk { line_hint: Some(1), ..Hunk::of_diff("+one();\n-three();") };
        check(file, &apart, Err(0));
    }

    #[test]
    fn the_end_of_the_file_tells_it_too() {
        let ending = |end: EndOfFile| Hunk { end, ..Hunk::of_diff("-old line\n+new line") };
        let file = "old line\nb\nnew line\n";
        let unended = file.trim_end();
        check(file, &ending(EndOfFile::Unsaid), Ok(0));
        check(file, &ending(EndOfFile::Reached), Err(2));
        check(file, &ending(EndOfFile::WithNewline), Err(2));
        check(file, &ending(EndOfFile::WithoutNewline), Ok(0));
        check(unended, &ending(EndOfFile::WithNewline), Ok(0));
        check(unended, &ending(EndOfFile::WithoutNewline), Err(2));
        check("new line\nb\nold line\n", &ending(EndOfFile::Reached), Ok(2));
    }

    #[test]
    fn a_block_that_is_done_elsewhere_is_in_doubt() {
        let file = "begin\nold\nend\n\nbegin\nnew\nend\n";
        let change = Hunk::of_diff(" begin\n-old\n+new\n end");
        let located =
            |file: &str, hunk: &Hunk| locate(hunk, &FileIndex::new(file.as_bytes()), Strictness::Fuzzy);
        let doubt = Err(Failure::Applied { found: 0, done: 4 });
        assert_eq!(located(file, &change), doubt);
        // A number that is right says which of the two is meant.
        check(file, &Hunk { line_hint: Some(1), ..change.clone() }, Ok(0));
        assert_eq!(located(file, &Hunk { line_hint: Some(2), ..change }), doubt);
        let deleted = "begin\nold\nend\n\nbegin\nend\n";
        assert_eq!(located(deleted, &Hunk::of_diff(" begin\n-old\n end")), doubt);
        let ended = format!("{deleted}\n");
        assert_eq!(located(&ended, &Hunk::of_diff(" begin\n-old\n end\n ")), doubt);
        // What is left of a deletion says something only between two lines, and lines alone are where they like.
        check(deleted, &Hunk::of_diff(" begin\n-old"), Ok(0));
        check(file, &Hunk::of_diff("-old\n+new"), Ok(1));
    }
}
