//! Are the new lines of a hunk in the file, and what beside them says that they were or were not put there by it?

use std::ops::Range;

use crate::HunkLine;
use crate::matcher::candidate::{Candidate, opposite};
use crate::matcher::indent::Reindent;
use crate::matcher::index::FileIndex;
use crate::matcher::key::Key;
use crate::matcher::manner::{self, Manner};
use crate::matcher::pattern::{Pattern, has_identity};
use crate::matcher::sign;
use crate::matcher::tier::Tier;

/// Whether the new lines of a hunk that only adds, above or below its old lines, are there already.
///
/// The tiers that compare whole blocks of lines see this by the block; those that allow gaps and slips cannot. ` a`,
/// `+b` where the file has `a`, `b`.
pub(crate) fn added_stands_around(pattern: &Pattern<'_>, index: &FileIndex<'_>, only: &Candidate) -> bool {
    let lines = &pattern.hunk.lines;
    let is_new = |line: &&HunkLine| !line.is_old();
    let above = lines.iter().take_while(is_new).count();
    let below = lines.iter().rev().take_while(is_new).count();
    let added = lines.iter().filter(is_new).count();
    if pattern.hunk.removes() || added == 0 || above + below != added || !has_identity(&pattern.new) {
        return false;
    }
    let Some(first) = only.start().checked_sub(above) else { return false };
    let places = (first..only.start()).chain(only.end()..only.end() + below);
    let mut pairs = lines.iter().filter(is_new).zip(places);
    pairs.all(|(line, place)| {
        let wanted = only.reindent.apply(line.text().as_bytes());
        let found = Key::TrimEnd.of(index.lines.text(place));
        place < index.lines.len() && wanted.is_some_and(|wanted| Key::TrimEnd.of(&wanted) == found)
    })
}

/// Whether the new lines may be where the candidates are. Mostly there is one, and no new line is anywhere near it,
/// which is seen without a search through the whole file. `+b` below ` a` cannot be done where neither `b` is above `a`
/// nor below it.
pub(crate) fn may_be_applied(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    key: Key,
    candidates: &[Candidate],
) -> bool {
    let ([only], Some(added), Key::Exact) = (candidates, pattern.hunk.added_lines().next(), key) else {
        return true;
    };
    let near = only.start().saturating_sub(pattern.new.len())..only.end() + pattern.new.len();
    let near = near.start..near.end.min(index.lines.len());
    near.map(|line| index.lines.text(line)).any(|text| text == added.as_bytes())
}

/// Whether most lines to be removed are still in the file. Then the new ones are there for another reason: they were
/// not put in their place. One line alone may well be somewhere else too. `-one()`, `-two()`, `-three()`, `+all()` in a
/// file that has `all()` at the top and the three calls further down.
pub(crate) fn is_mostly_there(pattern: &Pattern<'_>, index: &FileIndex<'_>, tier: Tier) -> bool {
    const SEVERAL: usize = 3;
    let removed = pattern.hunk.lines.iter().filter(|line| !line.is_new()).map(HunkLine::text);
    let removed: Vec<&str> = removed.filter(|line| has_identity(&[line])).collect();
    if removed.is_empty() || tier <= Tier::TrailingWhitespace && removed.len() < SEVERAL {
        return false;
    }
    let there = removed.iter().filter(|line| !index.places(Key::TrimEnd, line.as_bytes()).is_empty());
    there.count() * 2 > removed.len()
}

/// Where lines to be removed, at an end of the hunk, are still beside the place where its new lines are. `-a`, `+b` in
/// a file with `a`, `b`: is `a` still to go, or was there another one?
pub(crate) fn goes_beside(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    covered: &Range<usize>,
) -> Option<usize> {
    let lines = &pattern.hunk.lines;
    let goes = |line: &&HunkLine| !line.is_new();
    let head: Vec<&str> = lines.iter().take_while(goes).map(HunkLine::text).collect();
    let mut tail: Vec<&str> = lines.iter().rev().take_while(goes).map(HunkLine::text).collect();
    tail.reverse();
    let stands = |lines: &[&str], start: Option<usize>| {
        let stands = |start: &usize| has_identity(lines) && index.stands_at(Key::TrimEnd, lines, *start);
        start.filter(stands)
    };
    stands(&head, covered.start.checked_sub(head.len()))
        .or_else(|| stands(&tail, Some(covered.end)))
        .or_else(|| one_goes_beside(pattern, index, covered))
}

/// Where one of several lines to be removed, which does not come back, is directly beside the new ones at whatever depth.
/// `-a`, `-b`, `+c` where the file has `b`, `c`.
fn one_goes_beside(pattern: &Pattern<'_>, index: &FileIndex<'_>, covered: &Range<usize>) -> Option<usize> {
    let removed = pattern.hunk.lines.iter().filter(|line| !line.is_new()).map(HunkLine::text);
    let removed: Vec<&str> = removed.filter(|line| has_identity(&[line])).collect();
    let comes_back = |line: &str| pattern.new.iter().any(|new| new.trim() == line.trim());
    let goes = |text: &[u8]| {
        let mut found = removed.iter().filter(|line| Key::Trim.of(line.as_bytes()) == text);
        found.any(|line| !comes_back(line))
    };
    let beside = [covered.start.checked_sub(1), Some(covered.end).filter(|end| *end < index.lines.len())];
    let stands = |line: &usize| goes(&Key::Trim.of(index.lines.text(*line)));
    beside.into_iter().flatten().find(stands).filter(|_| removed.len() > 1)
}

/// The one place where the new lines are already. Never for a hunk that only deletes. ` a`, `+b` where `a`, `b` are in
/// the file once.
pub(crate) fn new_stands_at(pattern: &Pattern<'_>, index: &FileIndex<'_>, key: Key) -> Option<usize> {
    if !pattern.hunk.adds() || !has_identity(&pattern.new) || pattern.is_blind(key) {
        return None;
    }
    match index.find_some(key, &pattern.new, 1)?.as_slice() {
        [only]
            if indentation(&pattern.new, index, *only).is_some()
                || sign::lost_in_places(pattern, &pattern.new, index, *only).is_some()
                || stands_as_written(pattern, index, *only) =>
        {
            Some(*only)
        }
        _ => None,
    }
}

/// Whether the new lines are at a place as the lines that stay there would have had them written.
///
/// One rule need not explain all of them: a new line that was indented as the file is already was left alone. `+  b` of
/// a reply with two spaces a level, which the file of four has as `    b`.
fn stands_as_written(pattern: &Pattern<'_>, index: &FileIndex<'_>, start: usize) -> bool {
    let new = pattern.hunk.lines.iter().filter(|line| line.is_new());
    let places = new.enumerate().map(|(at, line)| (line, index.lines.text(start + at)));
    let is_added = |line: &HunkLine| matches!(line, HunkLine::Added(_));
    let (added, kept): (Vec<_>, Vec<_>) = places.partition(|(line, _)| is_added(line));
    let rule = Reindent::infer(kept.into_iter().map(|(line, found)| (line.text().as_bytes(), found)));
    let written = |rule: &Reindent, line: &HunkLine, found: &[u8]| {
        rule.apply(line.text().as_bytes())
            .is_some_and(|wanted| Key::TrimEnd.of(&wanted) == Key::TrimEnd.of(found))
    };
    let all_written = |rule: &Reindent| added.iter().all(|(line, found)| written(rule, line, found));
    // Where those that stay are as in the file, the others may have been brought into its manner.
    let manner = || match manner::adapt(index, pattern.hunk.added_lines()) {
        Manner::Rule(rule) => all_written(&rule),
        Manner::Fits | Manner::Foreign => false,
    };
    rule.is_some_and(|rule| all_written(&rule) || rule == Reindent::Keep && manner())
}

/// The one rule that explains the indentation of lines that are at a place. ` a`, `+  b` for `    a`, `      b` of the
/// file: four spaces more.
fn indentation(lines: &[&str], index: &FileIndex<'_>, start: usize) -> Option<Reindent> {
    Reindent::infer(opposite(lines, index, start))
}
