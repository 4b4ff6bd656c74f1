//! Lines of context that the author marked as new.
//!
//! Taken at its word, such a hunk writes a line a second time next to the line it copies. It shows in two ways. At an end of
//! the hunk the copy is where the hunk meets the file; whether the author meant it twice is shown by what the header
//! announces, and where it announces nothing the hunk is in doubt. Between two old lines the line of the file is in the
//! way of the place, and only represents itself.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::lines::is_blank;
use crate::matcher::brackets;
use crate::matcher::candidate::{Candidate, Covered};
use crate::matcher::copied;
use crate::matcher::index::FileIndex;
use crate::matcher::key::{Key, indent};
use crate::matcher::pattern::{Pattern, has_identity, is_block_end, is_telling};
use crate::matcher::tier::Tier;
use crate::{Hunk, HunkLine};

/// How many new lines at the ends of a hunk are in the file already, right above and right below its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Repeats {
    /// The place, counted from 0.
    pub start: usize,
    /// The line after the place.
    pub end: usize,
    /// New lines the hunk begins with that are above.
    pub above: usize,
    /// New lines the hunk ends with that are below.
    pub below: usize,
}

/// The lines a hunk would write a second time next to those they copy, unless the author says that they are new.
///
/// `patterns` are all hunks of the edit. `+def f():`, `+    x = 1` right below `def f():`, which was meant as context.
pub(crate) fn repeats(
    patterns: &[Pattern<'_>],
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    chosen: &Candidate,
    tier: Tier,
) -> Option<Repeats> {
    if pattern.old.is_empty() {
        return None;
    }
    let doubled = |above: &[&HunkLine], below: &[&HunkLine]| {
        brackets::doubled(patterns, pattern.hunk, index, above, below)
    };
    let site = Site { hunk: pattern.hunk, index, chosen, tier };
    parts(pattern, chosen, tier).iter().find_map(|part| site.repeated(part, doubled))
}

/// A hunk and where it goes.
#[derive(Clone, Copy)]
struct Site<'s, 'f> {
    hunk: &'s Hunk,
    index: &'s FileIndex<'f>,
    chosen: &'s Candidate,
    tier: Tier,
}

/// Lines of a hunk that are together in the file, with nothing left out between them.
#[derive(Clone, Copy)]
struct Part<'h> {
    lines: &'h [HunkLine],
    start: usize,
    end: usize,
}

impl Site<'_, '_> {
    /// As [`repeats`], for the ends of one part of a hunk. `doubled` says of lines that are right above and below whether their
    /// brackets are too many.
    fn repeated(
        &self,
        part: &Part<'_>,
        doubled: impl Fn(&[&HunkLine], &[&HunkLine]) -> bool,
    ) -> Option<Repeats> {
        let (Part { lines, start, end }, Self { hunk, index, chosen, tier }) = (*part, *self);
        let is_context = |line: &HunkLine| matches!(line, HunkLine::Context(_));
        // Where the old lines read otherwise than those of the file, so may the copies.
        let key = if tier > Tier::TrailingWhitespace { Key::Folded } else { Key::TrimEnd };
        let stands = |line: &HunkLine, place: usize| {
            let wanted = chosen.reindent.apply(line.text().as_bytes());
            let found = index.lines.text(place);
            let same = |wanted: &[u8]| key.unites(wanted, found) && indent(wanted) == indent(found);
            place < index.lines.len() && wanted.is_some_and(|wanted| same(&wanted))
        };
        let around = around_brackets(lines, start, end, stands);
        if around.is_some() && !means_them(hunk) {
            return around;
        }
        // Mostly there is context at both ends.
        if lines.first().is_none_or(is_context) && lines.last().is_none_or(is_context) {
            return None;
        }
        let (head, tail) = ends(lines);
        let is_above = |count: &usize| {
            let first = start.checked_sub(*count);
            first
                .is_some_and(|first| head.iter().take(*count).zip(first..).all(|(line, at)| stands(line, at)))
        };
        let is_below = |count: &usize| {
            tail.iter().rev().take(*count).rev().zip(end..).all(|(line, at)| stands(line, at))
        };
        let mut above = (1..=head.len()).rev().find(is_above).unwrap_or(0);
        let mut below = (1..=tail.len()).rev().find(is_below).unwrap_or(0);
        let mut copied = are_substantial(head.iter().take(above).map(|line| line.text()))
            || are_substantial(tail.iter().rev().take(below).map(|line| line.text()));
        let brackets = !copied
            && above + below > 0
            && doubled(
                head.get(..above).unwrap_or_default(),
                tail.get(tail.len() - below..).unwrap_or_default(),
            );
        if !copied {
            let nearly_above = copied::above(&head, index, start, &chosen.reindent);
            let nearly_below = copied::below(&tail, index, end, &chosen.reindent);
            copied = nearly_above + nearly_below > 0;
            (above, below) = (above.max(nearly_above), below.max(nearly_below));
        }
        let repeats = Repeats { start, end, above, below };
        let doubtful = copied && !means_them(hunk);
        (above + below > 0 && (doubtful || brackets || proven(hunk, &repeats).is_some())).then_some(repeats)
    }
}

/// The lines a hunk ends with, brackets and blank lines that stay among them, which are right below its place once more: of two
/// brackets that read the same, one is new and one stays, and it is by chance which. `+  b();`, ` }` and `+}` above a
/// `}`.
fn around_brackets(
    lines: &[HunkLine],
    start: usize,
    end: usize,
    stands: impl Fn(&HunkLine, usize) -> bool,
) -> Option<Repeats> {
    let is_bare = |line: &HunkLine| matches!(line, HunkLine::Context(text) if !is_telling(text));
    let changes = |line: &&HunkLine| is_bare(line) || !matches!(line, HunkLine::Context(_));
    let mut tail: Vec<&HunkLine> =
        lines.iter().rev().take_while(changes).filter(|line| line.is_new()).collect();
    tail.reverse();
    if !tail.iter().any(|line| is_bare(line)) {
        return None;
    }
    let stands_twice = |from: &usize| {
        let lines = tail.get(*from..).unwrap_or_default();
        let added = lines.iter().filter(|line| !line.is_old()).map(|line| line.text());
        lines.iter().any(|line| is_bare(line))
            && lines.iter().zip(end..).all(|(line, at)| stands(line, at))
            && are_substantial(added)
    };
    let from = (0..tail.len()).find(stands_twice)?;
    Some(Repeats { start, end, above: 0, below: tail.len() - from })
}

/// The parts of a hunk: an elision ends one, and blank lines the file does not have are none of them. Where blank lines may
/// come and go, those at the ends say nothing about what is beyond them.
fn parts<'h>(pattern: &Pattern<'h>, chosen: &Candidate, tier: Tier) -> Vec<Part<'h>> {
    let lines = pattern.hunk.lines.as_slice();
    if matches!(chosen.lines, Covered::Span(_)) {
        return vec![Part { lines, start: chosen.start(), end: chosen.end() }];
    }
    let map = chosen.spread(pattern);
    let places = |range: Range<usize>| map.get(range).unwrap_or_default().iter().flatten().copied();
    let is_left_out =
        |at: &usize| is_missing(lines, &map, *at) && lines.get(*at).is_some_and(|line| !is_empty(line));
    let gaps: Vec<usize> = (0..lines.len()).filter(is_left_out).collect();
    let begins = std::iter::once(0).chain(gaps.iter().map(|gap| gap + 1));
    let ranges = begins.zip(gaps.iter().copied().chain([lines.len()]));
    let is_margin = |at: usize| {
        let blank = lines.get(at).is_some_and(|line| line.is_old() && is_empty(line));
        blank && (tier >= Tier::BlankLines || is_missing(lines, &map, at))
    };
    let part = |(first, last): (usize, usize)| {
        let first = (first..last).find(|at| !is_margin(*at))?;
        let last = (first..last).rfind(|at| !is_margin(*at))? + 1;
        let (start, end) = (places(first..last).next()?, places(first..last).last()? + 1);
        Some(Part { lines: lines.get(first..last)?, start, end })
    };
    ranges.filter_map(part).collect()
}

/// Whether an old line of a hunk represents nothing in the file.
fn is_missing(lines: &[HunkLine], map: &[Option<usize>], at: usize) -> bool {
    lines.get(at).is_some_and(HunkLine::is_old) && map.get(at).is_some_and(Option::is_none)
}

fn is_empty(line: &HunkLine) -> bool {
    is_blank(line.text().as_bytes())
}

/// The new lines before the first line of context, and those after the last one.
fn ends(lines: &[HunkLine]) -> (Vec<&HunkLine>, Vec<&HunkLine>) {
    let changes = |line: &&HunkLine| !matches!(line, HunkLine::Context(_));
    let head = lines.iter().take_while(changes).filter(|line| !line.is_old());
    let mut tail: Vec<&HunkLine> =
        lines.iter().rev().take_while(changes).filter(|line| !line.is_old()).collect();
    tail.reverse();
    (head.collect(), tail)
}

/// Whether lines say so much that they are hardly meant to be there twice in a row. Ends of blocks are not among them.
/// `return total;` is, `}`, `end` and `null` are not.
fn are_substantial<'l>(lines: impl Iterator<Item = &'l str> + Clone) -> bool {
    const WORDS: &[&str] = &["done", "fi", "esac", "null", "none", "true", "false"];
    let ends = |line: &str| {
        let text = line.trim_matches([' ', '\t', ';', ',']).to_lowercase();
        is_block_end(line) || WORDS.contains(&text.as_str())
    };
    let several = lines.clone().count() > 1;
    lines.filter(|line| !ends(line)).any(|line| {
        let letters = line.chars().filter(|character| character.is_alphabetic()).count();
        letters >= 3
            || distinct(line) >= 8
            || several && line.chars().filter(|character| character.is_alphanumeric()).count() >= 5
    })
}

/// How many different letters and digits a line has: those of a long number are hardly the same twice by chance.
fn distinct(line: &str) -> usize {
    line.chars().filter(|character| character.is_alphanumeric()).collect::<BTreeSet<char>>().len()
}

/// Whether the author counted the lines as they are written, in a hunk of the kind that has no context at all. Tools write
/// those that go first; where a new one is above them it was marked by hand. `@@ -4,0 +5,2 @@` above two lines with
/// `+`.
fn means_them(hunk: &Hunk) -> bool {
    let bare = !hunk.lines.iter().any(|line| matches!(line, HunkLine::Context(_)));
    let by_hand = hunk.removes() && hunk.lines.first().is_some_and(|line| !line.is_old());
    bare && !by_hand && hunk.announced == Some(sides(hunk))
}

/// How many old and new lines are written.
pub(crate) fn sides(hunk: &Hunk) -> (usize, usize) {
    (hunk.old_lines().count(), hunk.new_lines().count())
}

/// How many lines at each end are context, where the header says so: it counts them among the old lines, or names the first
/// of them as the place. `@@ -4,2 +4,3 @@` above ` a` and two lines with `+`: two old lines are counted, so that one of
/// the new ones is context.
fn proven(hunk: &Hunk, repeats: &Repeats) -> Option<(usize, usize)> {
    let Repeats { start, above, below, .. } = *repeats;
    let (old, new) = sides(hunk);
    let counted = |(above, below): &(usize, usize)| {
        above + below > 0 && hunk.announced == Some((old + above + below, new))
    };
    let mut readings = [(above, 0), (0, below), (above, below)].into_iter().filter(counted);
    readings.next().or_else(|| {
        let named = above > 0 && hunk.line_hint == Some(start + 1 - above);
        (named && below == 0 && hunk.announced != Some((old, new))).then_some((above, 0))
    })
}

/// The hunk with the lines it repeats as what they are, where the header proves it. `+a`, `+b` becomes ` a`, `+b`.
pub(crate) fn with_context_at_ends(hunk: &Hunk, repeats: &Repeats) -> Option<Hunk> {
    let (above, below) = proven(hunk, repeats)?;
    let (head, tail) = ends(&hunk.lines);
    if head.len() < above || tail.len() < below {
        return None;
    }
    let added = hunk.added_lines().count();
    let mut number = 0;
    let stays = |line: &&HunkLine| {
        let is_copy = !line.is_old() && (number < above || number >= added - below);
        number += usize::from(!line.is_old());
        !is_copy
    };
    let copies_above = head.iter().take(above).copied().map(kept);
    let copies_below = tail.iter().skip(tail.len() - below).copied().map(kept);
    let others = hunk.lines.iter().filter(stays).cloned();
    let lines: Vec<HunkLine> = copies_above.chain(others).chain(copies_below).collect();
    Some(Hunk { lines, ..hunk.clone() })
}

fn kept(line: &HunkLine) -> HunkLine {
    HunkLine::Context(line.text().to_owned())
}

/// How many places are looked at.
const PLACES: usize = 256;

/// A hunk whose old lines are nowhere without the new lines between them, as it reads with those as context; `None`
/// where that is so at no place or at several.
pub(crate) fn with_context_between(hunk: &Hunk, index: &FileIndex<'_>) -> Option<Hunk> {
    let stands = |line: &HunkLine| !index.places(Key::TrimEnd, line.text().as_bytes()).is_empty();
    let old: Vec<&str> = hunk.old_lines().collect();
    let mut added = hunk.lines.iter().filter(|line| !line.is_old() && !is_blank(line.text().as_bytes()));
    if !has_identity(&old) || !added.any(stands) {
        return None;
    }
    let places = index.places(Key::TrimEnd, old.first()?.as_bytes());
    if places.len() > PLACES {
        return None;
    }
    index.spend(places.len() * hunk.lines.len())?;
    let mut readings = places.iter().filter_map(|place| read_at(hunk, index, *place));
    let lines = readings.next()?;
    readings.next().is_none().then(|| Hunk { lines, ..hunk.clone() })
}

/// The lines of a hunk as they read from a line of the file on, where some of the new ones are context.
fn read_at(hunk: &Hunk, index: &FileIndex<'_>, start: usize) -> Option<Vec<HunkLine>> {
    let stands = |line: &HunkLine, at: usize| {
        at < index.lines.len() && Key::TrimEnd.unites(line.text().as_bytes(), index.lines.text(at))
    };
    let stand = |lines: &[&HunkLine], at: usize| lines.iter().zip(at..).all(|(line, at)| stands(line, at));
    let is_context = |line: &HunkLine| matches!(line, HunkLine::Context(_));
    let mut at = start;
    let mut lines = Vec::with_capacity(hunk.lines.len());
    let mut groups = hunk.lines.chunk_by(|one, other| is_context(one) == is_context(other)).peekable();
    while let Some(group) = groups.next() {
        let (old, added): (Vec<&HunkLine>, Vec<&HunkLine>) = group.iter().partition(|line| line.is_old());
        let next = groups.peek().and_then(|next| next.first());
        let goes_on = |at: usize| next.is_none_or(|next| stands(next, at));
        let copies = if added.is_empty() || stand(&old, at) && goes_on(at + old.len()) {
            0
        } else {
            copies(&old, &added, at, &stand, &goes_on)?
        };
        let (copied, new) = added.split_at_checked(copies)?;
        let old_at = at + copied.len();
        if !stand(&old, old_at) || at == start && copies > 0 {
            return None;
        }
        lines.extend(copied.iter().copied().map(kept));
        lines.extend(old.iter().chain(new).copied().cloned());
        at = old_at + old.len();
    }
    Some(lines)
}

/// How many new lines of a change are in the file before those that go, so that it goes on as the hunk does. Where nothing
/// goes, that must be all of them: a part of them could as well be the end of something alike. `+a`, `+b` in place of
/// `-c`, where the file has `a`, `c`: `a` is context.
fn copies(
    old: &[&HunkLine],
    added: &[&HunkLine],
    at: usize,
    stand: &impl Fn(&[&HunkLine], usize) -> bool,
    goes_on: &impl Fn(usize) -> bool,
) -> Option<usize> {
    let least = if old.is_empty() { added.len() } else { 1 };
    let fits = |count: &usize| {
        let copied = added.get(..*count).unwrap_or_default();
        let written = copied.iter().all(|line| !is_blank(line.text().as_bytes()));
        written && stand(copied, at) && stand(old, at + count) && goes_on(at + count + old.len())
    };
    let mut counts = (least..=added.len()).filter(fits);
    counts.next().filter(|_| counts.next().is_none())
}
