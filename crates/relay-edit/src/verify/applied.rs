//! Hunks that are said to be applied already: their new lines are there, and nothing of what they remove is.

use super::choice::Choice;
use super::key::{cost, key};
use super::places::Place;
use super::reading::Read;
use super::tolerance::{is_distinctive, is_elision};
use super::{Claim, VerifyError};
use crate::matcher::{Applied, Proof, Tier};
use crate::{EndOfFile, Hunk, HunkLine};

/// This many distinctive lines are not there by chance.
const SEVERAL: usize = 3;

/// Checks that a hunk is applied. `elsewhere` are the places where its old lines are.
pub(super) fn check(
    applied: &Applied,
    read: &Read<'_>,
    choice: &Choice<'_>,
    elsewhere: &[Place],
) -> Result<(), VerifyError> {
    let proven = match &applied.proof {
        Proof::ChangesNothing => read.lines.iter().all(|line| line.is_old() && line.is_new()),
        Proof::Repeats { hunk, map } => {
            let placed = choice.claims.iter().find(|claim| claim.placement.hunk == *hunk);
            match placed {
                Some(claim) => repeats(claim, read, map, choice),
                None => {
                    *hunk < choice.certificate.hunks.start && is_same(choice.hunks.get(*hunk), read.written)
                }
            }
        }
        Proof::Lines { map } => {
            let lands = span(read, map, choice);
            lands.is_some_and(|(start, end)| {
                !is_undone(read, choice, start, end)
                    && is_proven(applied, read, choice, (start, end), elsewhere)
            })
        }
    };
    if proven { Ok(()) } else { Err(VerifyError::NotApplied { hunk: applied.hunk }) }
}

/// Whether an earlier hunk says the same, wherever it is in the reply.
fn is_same(earlier: Option<&Hunk>, hunk: &Hunk) -> bool {
    earlier.is_some_and(|earlier| {
        (&earlier.lines, earlier.line_hint, &earlier.scope, earlier.end, earlier.target)
            == (&hunk.lines, hunk.line_hint, &hunk.scope, hunk.end, hunk.target)
    })
}

/// Whether a hunk with these lines of the file makes the change that a placed one makes.
fn repeats(claim: &Claim<'_>, read: &Read<'_>, map: &[Option<usize>], choice: &Choice<'_>) -> bool {
    let fits = |(line, place): (&HunkLine, &Option<usize>)| match place.map(|place| choice.file.text(place)) {
        Some(found) => found
            .is_some_and(|found| line.is_old() && cost(line.text().as_bytes(), found) <= Tier::LookAlikes),
        None => !line.is_old() || line.is_new() && (is_elision(line.text()) || line.text().trim().is_empty()),
    };
    map.len() == read.lines.len()
        && read.lines.iter().zip(map).all(fits)
        && changes(read.lines, map) == changes(claim.read.lines, &claim.placement.map)
}

/// What a hunk does: which lines of the file it removes, and what it adds after which of them.
fn changes<'h>(lines: &'h [HunkLine], map: &[Option<usize>]) -> Vec<(Option<usize>, Option<&'h str>)> {
    let mut above = map.iter().flatten().next().and_then(|first| first.checked_sub(1));
    let changes = lines.iter().zip(map).filter_map(|(line, place)| {
        above = place.or(above);
        match line {
            HunkLine::Context(_) => None,
            HunkLine::Removed(_) => Some((above, None)),
            HunkLine::Added(text) => Some((above, Some(text.trim()))),
        }
    });
    changes.collect()
}

/// The lines of the file that the new lines of a hunk are, where each of them is accounted for.
fn span(read: &Read<'_>, map: &[Option<usize>], choice: &Choice<'_>) -> Option<(usize, usize)> {
    let only_removes = read.added_lines().next().is_none() && read.removed_lines().next().is_some();
    if only_removes || map.len() != read.lines.len() {
        return None;
    }
    let (mut span, mut may_skip): (Option<(usize, usize)>, bool) = (None, true);
    for (line, place) in read.lines.iter().zip(map) {
        let text = line.text();
        let Some(place) = *place else {
            let is_left_out = matches!(line, HunkLine::Context(_)) && is_elision(text);
            may_skip |= is_left_out;
            if line.is_new() && !is_left_out && !text.trim().is_empty() {
                return None;
            }
            continue;
        };
        let found = choice.file.text(place).filter(|_| line.is_new())?;
        if cost(text.as_bytes(), found) > Tier::LookAlikes {
            return None;
        }
        let (start, end) = span.unwrap_or((place, place));
        let is_blank = |line: usize| choice.file.text(line).is_some_and(|text| text.trim_ascii().is_empty());
        if place < end || !may_skip && !(end..place).all(is_blank) {
            return None;
        }
        (span, may_skip) = (Some((start, place + 1)), false);
    }
    span
}

/// Whether lines that the hunk removes at its beginning or end are beside the new ones.
fn is_undone(read: &Read<'_>, choice: &Choice<'_>, start: usize, end: usize) -> bool {
    let head: Vec<&str> = read.lines.iter().take_while(|line| !line.is_new()).map(HunkLine::text).collect();
    let tail = read.lines.iter().rev().take_while(|line| !line.is_new()).map(HunkLine::text);
    let mut tail: Vec<&str> = tail.collect();
    tail.reverse();
    let are_there = |lines: &[&str], from: Option<usize>| {
        let is_there = |(line, at): (&&str, usize)| {
            let found = choice.file.text(at);
            found.is_some_and(|found| cost(line.as_bytes(), found) <= Tier::TrailingWhitespace)
        };
        lines.iter().any(|line| is_distinctive(line))
            && from.is_some_and(|from| lines.iter().zip(from..).all(is_there))
    };
    are_there(&head, start.checked_sub(head.len())) || are_there(&tail, Some(end))
}

/// Whether the lines are there because of this hunk: its old lines are at no other place, and something names this one. That
/// is the author, or a context line, or a removed line that the new one is like, or that there are several.
fn is_proven(
    applied: &Applied,
    read: &Read<'_>,
    choice: &Choice<'_>,
    (start, end): (usize, usize),
    elsewhere: &[Place],
) -> bool {
    let at_end = read.end != EndOfFile::Unsaid && end == choice.file.len();
    let is_outside = |place: &Place| place.start < start || end < place.end;
    // A number that is that of old lines names those, unless hunks that are applied have moved them there.
    let is_hinted = |place: &Place| is_outside(place) && read.hint == Some(place.start + 1);
    let is_old = elsewhere.iter().any(is_hinted) && !choice.is_moved(read, applied.hunk, start);
    let named = at_end
        || !is_old && choice.is_numbered(read, applied.hunk, start)
        || choice.is_below_header(read, start, end, elsewhere);
    let changes = |line: &HunkLine| !(line.is_old() && line.is_new());
    if named || !read.lines.iter().any(changes) {
        return true;
    }
    let only_adds = read.removed_lines().next().is_none();
    let kept = read.lines.iter().filter(|line| line.is_old() && line.is_new());
    // Between the old lines of a hunk that only adds, its new lines are there because of it.
    let is_shown = kept.map(HunkLine::text).any(|line| only_adds || is_distinctive(line));
    let several = read.added_lines().filter(|line| is_distinctive(line)).count() >= SEVERAL;
    let whole = start == 0 && end == choice.file.len();
    !elsewhere.iter().any(is_outside) && (is_shown || several || whole || is_changed(read))
}

/// Whether a new line has half of its words in common with a removed one.
fn is_changed(read: &Read<'_>) -> bool {
    let words = |line: &str| -> Vec<String> {
        let line = String::from_utf8_lossy(&key(Tier::LookAlikes, line.as_bytes())).into_owned();
        let words = line.split(|sign: char| !sign.is_alphanumeric() && sign != '_');
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let removed: Vec<Vec<String>> = read.removed_lines().take(64).map(words).collect();
    read.added_lines().map(words).any(|new| {
        removed.iter().any(|old| {
            let common = new.iter().filter(|word| old.contains(word)).count();
            common > 0 && common * 2 >= new.len().min(old.len())
        })
    })
}
