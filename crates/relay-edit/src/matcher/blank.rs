//! Blank lines the author left out or put in between the others.
//!
//! Everything but the blank lines must be there in order with nothing else in between. Blank lines of the
//! file stay; a blank line that shall be removed must be there.

use std::ops::Range;

use super::candidate::{Candidate, Covered};
use super::indent::Reindent;
use super::index::FileIndex;
use super::key::Key;
use super::ladder::Search;
use super::pattern::{Pattern, has_identity};
use super::tier::Tier;
use crate::HunkLine;
use crate::lines::is_blank;

/// Searches for a hunk without regard to blank lines.
pub(crate) fn search(pattern: &Pattern<'_>, index: &FileIndex<'_>, key: Key) -> Search {
    let written: Vec<(usize, &str)> =
        pattern.old.iter().copied().enumerate().filter(|(_, line)| !is_blank(line.as_bytes())).collect();
    let new_written: Vec<&str> =
        pattern.new.iter().copied().filter(|line| !is_blank(line.as_bytes())).collect();
    let blind = written
        .iter()
        .map(|(_, line)| key.of(line.as_bytes()))
        .eq(new_written.iter().map(|line| key.of(line.as_bytes())));
    if blind || !has_identity(&pattern.old) || written.len() < 2 {
        return Search::Nothing;
    }
    let Some(starts) = starts(&written, index, key) else { return Search::TooMuchWork };
    let candidates: Vec<Candidate> =
        starts.into_iter().filter_map(|start| candidate(pattern, &written, index, start, key)).collect();
    if candidates.is_empty() {
        return Search::Nothing;
    }
    let within =
        |done: &Range<usize>, place: &Candidate| done.start <= place.start() && place.end() <= done.end;
    match standing(pattern, index).as_slice() {
        [done] if candidates.iter().all(|place| within(done, place)) => Search::AlreadyApplied(done.start),
        _ => Search::Found(Tier::BlankLines, candidates),
    }
}

/// Where the new lines are already, to the letter but for blank lines; those around them are part of the place.
fn standing(pattern: &Pattern<'_>, index: &FileIndex<'_>) -> Vec<Range<usize>> {
    let key = Key::TrimEnd;
    let is_written = |line: &&str| !is_blank(line.as_bytes());
    let mut added = pattern.hunk.added_lines();
    if !added.any(|line| is_written(&line)) || !has_identity(&pattern.new) {
        return Vec::new();
    }
    let new: Vec<(usize, &str)> = pattern.new.iter().copied().filter(is_written).enumerate().collect();
    let starts = starts(&new, index, key).unwrap_or_default();
    let blank = |line: &usize| is_blank(index.lines.text(*line));
    let around = |start: usize| {
        let end = walk(&new, index, start, key)?.last()? + 1;
        let above = (0..start).rev().take_while(blank).count();
        Some(start - above..end + (end..index.lines.len()).take_while(blank).count())
    };
    starts.into_iter().filter_map(around).collect()
}

/// The lines of the file that represent written lines, from a place on, with nothing but blank lines between them.
fn walk(written: &[(usize, &str)], index: &FileIndex<'_>, start: usize, key: Key) -> Option<Vec<usize>> {
    let mut places = Vec::with_capacity(written.len());
    let mut at = start;
    for (_, text) in written {
        while at < index.lines.len() && is_blank(index.lines.text(at)) {
            at += 1;
        }
        if at >= index.lines.len() || key.of(text.as_bytes()) != key.of(index.lines.text(at)) {
            return None;
        }
        places.push(at);
        at += 1;
    }
    Some(places)
}

/// How many places are looked at before the search gives up.
const PLACES: usize = 2_000;

/// Where the first written line would be, judged by the rarest one; `None` when that is too much work.
fn starts(written: &[(usize, &str)], index: &FileIndex<'_>, key: Key) -> Option<Vec<usize>> {
    let rarest = written
        .iter()
        .enumerate()
        .map(|(at, (_, line))| (at, index.places(key, line.as_bytes())))
        .min_by_key(|(_, places)| places.len());
    let Some((offset, places)) = rarest else { return Some(Vec::new()) };
    if places.len() > PLACES {
        return None;
    }
    // Each place is gone back from by this many lines, and then forward by all of them.
    index.spend(places.len() * (offset + written.len()))?;
    Some(places.iter().filter_map(|place| back(index, *place, offset)).collect())
}

/// The written line that is `count` written lines above another. Hundreds of blank lines are no drift. From the third
/// written line in `a`, blank, `b`, `c`, two lines above are `a`.
fn back(index: &FileIndex<'_>, line: usize, count: usize) -> Option<usize> {
    const BLANKS: usize = 256;
    let mut above = (0..=line).rev().take(count + BLANKS).filter(|line| !is_blank(index.lines.text(*line)));
    above.nth(count)
}

fn candidate(
    pattern: &Pattern<'_>,
    written: &[(usize, &str)],
    index: &FileIndex<'_>,
    start: usize,
    key: Key,
) -> Option<Candidate> {
    let mut lines = vec![None; pattern.old.len()];
    let mut pairs: Vec<(&[u8], &[u8])> = Vec::new();
    for ((position, text), at) in written.iter().zip(walk(written, index, start, key)?) {
        pairs.push((text.as_bytes(), index.lines.text(at)));
        *lines.get_mut(*position)? = Some(at);
    }
    map_blanks(pattern, index, &mut lines)?;
    insertions_are_certain(pattern, &lines)?;
    let reindent = Reindent::infer(pairs.into_iter())?;
    Some(Candidate { lines: Covered::Map(lines), reindent })
}

/// Gives blank lines of the hunk the blank lines of the file between the same neighbours. A hunk ` a`, blank, ` b` on
/// `a`, `b` has a blank line that is nowhere; one that is to go must be there.
fn map_blanks(pattern: &Pattern<'_>, index: &FileIndex<'_>, lines: &mut [Option<usize>]) -> Option<()> {
    let is_blank_line = |line: &usize| *line < index.lines.len() && is_blank(index.lines.text(*line));
    // Those above the first written line are right above it.
    let written = lines.iter().position(Option::is_some)?;
    let mut below = lines.get(written).copied().flatten();
    for slot in lines.iter_mut().take(written).rev() {
        below = below.and_then(|below| below.checked_sub(1)).filter(is_blank_line);
        *slot = below;
    }
    let mut next: Option<usize> = None;
    let mut removed_before = false;
    for at in 0..lines.len() {
        let removed = pattern.is_removed(at);
        if let Some(line) = lines.get(at).copied().flatten() {
            // Next to a line that goes, a blank line nobody mentioned could belong to it or not.
            let skips = next.is_some_and(|next| next < line);
            if skips && (removed || removed_before) {
                return None;
            }
            next = Some(line + 1);
            removed_before = removed;
            continue;
        }
        let place = next.filter(is_blank_line);
        if removed && place.is_none() {
            return None;
        }
        if place.is_some() {
            *lines.get_mut(at)? = place;
            next = place.map(|line| line + 1);
            removed_before = removed;
        }
    }
    Some(())
}

/// New lines next to a blank line that the hunk does not mention could be above or below it, and a blank line that comes or goes may be
/// the one that is missing; then there is no placement. In `a`, blank, `b` of the file, nothing says on which side of
/// the blank line `+x` goes that is between `a` and `b`.
fn insertions_are_certain(pattern: &Pattern<'_>, lines: &[Option<usize>]) -> Option<()> {
    let map = pattern.spread(lines.iter().copied());
    let pairs: Vec<(&HunkLine, &Option<usize>)> = pattern.hunk.lines.iter().zip(&map).collect();
    // Where blank lines come or go, how many there were is what the author says: one that is missing contradicts it.
    let mut blanks = pairs.split(|(line, _)| !is_blank(line.text().as_bytes()));
    let contradicts = |run: &[(&HunkLine, &Option<usize>)]| {
        let count = |side: fn(&HunkLine) -> bool| run.iter().filter(|(line, _)| side(line)).count();
        count(HunkLine::is_old) != count(HunkLine::is_new)
            && run.iter().any(|(line, place)| line.is_old() && place.is_none())
    };
    if blanks.any(contradicts) {
        return None;
    }
    // A blank line next to a change that is not there says that something else is.
    let changes =
        |line: &HunkLine| !matches!(line, HunkLine::Context(_)) && !is_blank(line.text().as_bytes());
    let is_missing = |(line, place): &(&HunkLine, &Option<usize>)| line.is_old() && place.is_none();
    let parts = |one: &(&HunkLine, &Option<usize>), other: &(&HunkLine, &Option<usize>)| {
        is_missing(one) && changes(other.0)
    };
    let mut neighbours = pairs.windows(2);
    if neighbours.any(|pair| matches!(pair, [one, other] if parts(one, other) || parts(other, one))) {
        return None;
    }
    // Where the file has more of them between two lines than the author, a new one beside one that stays may be one of those.
    let mut last: Option<usize> = None;
    let (mut blank, mut doubtful) = (0, false);
    let mut beside: Option<&HunkLine> = None;
    for (line, place) in &pairs {
        let is_other = |other: &HunkLine| line.is_new() && other.is_new() && line.is_old() != other.is_old();
        if is_blank(line.text().as_bytes()) {
            doubtful |= beside.is_some_and(is_other);
            blank += usize::from(place.is_some());
            beside = Some(line);
            continue;
        }
        beside = None;
        if let Some(place) = place {
            if doubtful && last.is_some_and(|last| *place > last + 1 + blank) {
                return None;
            }
            (last, blank, doubtful) = (Some(*place), 0, false);
        }
    }
    let mut above: Option<usize> = None;
    let mut pending = false;
    for (line, place) in pairs {
        match (line, place) {
            (HunkLine::Added(_), _) => pending = true,
            (_, Some(place)) => {
                if pending && above.is_some_and(|above| above + 1 != *place) {
                    return None;
                }
                pending = false;
                above = Some(*place);
            }
            // A blank line that is not there leaves it open on which side of it the new lines belong.
            (_, None) if pending => return None,
            (_, None) => {}
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hunk;

    fn searched(file: &str, diff: &str) -> Search {
        let hunk = Hunk::of_diff(diff);
        search(&Pattern::new(&hunk), &FileIndex::new(file.as_bytes()), Key::Spaced)
    }

    /// Checks which lines of the file the old lines represent; a missing one has none.
    #[track_caller]
    fn check(file: &str, diff: &str, places: &[Option<usize>]) {
        let lines = Covered::Map(places.to_vec());
        let only = vec![Candidate { lines, reindent: Reindent::Keep }];
        assert_eq!(searched(file, diff), Search::Found(Tier::BlankLines, only));
    }

    #[track_caller]
    fn check_refused(file: &str, diff: &str) {
        assert_eq!(searched(file, diff), Search::Nothing, "{file:?} {diff:?}");
    }

    #[test]
    fn blank_lines_come_and_go_between_lines_that_stay() {
        check("one\n\ntwo\nthree\n", " one\n two\n-three\n+3", &[Some(0), Some(2), Some(3)]);
        check("one\ntwo\nthree\n", " one\n \n two\n-three\n+3", &[Some(0), None, Some(1), Some(2)]);
        // As many as there are represent those the author has.
        let two = " one\n \n \n two\n-three\n+3";
        check("one\n\ntwo\nthree\n", two, &[Some(0), Some(1), None, Some(2), Some(3)]);
        check("\none\n\n\n\ntwo\nthree\n", two, &[Some(1), Some(2), Some(3), Some(5), Some(6)]);
    }

    #[test]
    fn nothing_else_may_stand_between() {
        check_refused("one\n#\ntwo\nthree\n", " one\n two\n-three\n+3");
        check_refused("one\n\ntwo", " one\n two\n-three\n+3");
    }

    /// It could belong to what goes, or to what stays.
    #[test]
    fn a_blank_line_nobody_mentioned_does_not_stand_beside_one_that_goes() {
        check_refused("one\n\ntwo\n", " one\n-two\n+2");
        check_refused("one\n\ntwo\n", "-one\n+1\n two");
    }

    #[test]
    fn a_blank_line_that_goes_must_be_there() {
        let diff = " one\n-\n two\n three\n-four\n+4";
        check("one\n\ntwo\n\nthree\nfour\n", diff, &[Some(0), Some(1), Some(2), Some(4), Some(5)]);
        check_refused("one\ntwo\n\nthree\nfour\n", diff);
    }

    /// Above or below the blank line, both would be right by what the author wrote.
    #[test]
    fn new_lines_go_where_no_blank_line_is_in_doubt() {
        check_refused("one\n\ntwo\nthree\n", " one\n+new\n two\n three");
        check_refused("one\ntwo\n\nthree\n", " one\n+new\n \n two\n three");
        check("one\n\ntwo\nthree\n", " one\n two\n+new\n three", &[Some(0), Some(2), Some(3)]);
        // A blank line that comes where the author saw one too many.
        check_refused("one\ntwo\n\nthree\n", " one\n \n+\n two\n three");
    }

    /// One line and blank ones are found wherever that line is; brackets are everywhere.
    #[test]
    fn a_single_line_or_brackets_tell_no_place() {
        check_refused("one\n", " \n-one\n+1");
        check_refused("{\n\n(\n)\n", " {\n (\n-)\n+]");
    }

    #[test]
    fn what_differs_by_blank_lines_only_is_not_looked_for() {
        check_refused("one\n\ntwo\n", " one\n-\n-\n two");
    }

    #[test]
    fn new_lines_that_stand_there_with_other_blank_lines_are_applied_already() {
        let insertion = " one\n two\n+new\n three";
        assert_eq!(searched("\none\n\ntwo\nnew\n\nthree\n\n", insertion), Search::Nothing);
        let above = "+new\n one\n two\n three";
        assert_eq!(searched("x\n\nnew\n\none\n\ntwo\nthree\n", above), Search::AlreadyApplied(1));
    }
}
