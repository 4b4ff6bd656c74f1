//! Hunks that name lines by number: turned into hunks that quote them, or refused.
//!
//! Afterwards they are spliced and verified like all others. A number without a hash proves nothing by itself,
//! and the outcome says so.

mod doubts;
mod repeats;

use std::ops::Range;

use crate::anchors::{LineHash, anchored_line};
use crate::edit::{Anchor, Target};
use crate::lines::Lines;
use crate::matcher::{How, Placement, Reading, Reindent, Tier};
use crate::{Hunk, HunkLine};
pub(crate) use doubts::Doubt;
pub(crate) use repeats::Section;

/// Why a named line cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TargetFailure {
    /// The file has no such line.
    NoSuchLine {
        /// Counted from 1.
        line: usize,
        /// How many lines the file has.
        len: usize,
    },
    /// The line reads otherwise than its hash says; the lines around it as they are now.
    Stale {
        /// Counted from 1.
        line: usize,
        /// `LINEhh|TEXT` for each line around it, the stale one marked.
        shown: String,
    },
    /// Something else than the line was written beside its anchor.
    Beside {
        /// Counted from 1.
        line: usize,
        /// What was written there.
        text: String,
        /// `LINEhh|TEXT` for each line around it, this one marked.
        shown: String,
    },
    /// The new lines seem to be something else.
    Doubtful(Doubt),
    /// The line was seen, and has changed or gone since.
    Gone {
        /// Where it was seen, counted from 1.
        line: usize,
    },
}

/// A hunk that quotes its lines, and where it goes.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// The hunk.
    pub hunk: Hunk,
    /// Its place.
    pub placement: Placement,
    /// How many lines of its payload repeated their neighbours and were left out.
    pub absorbed: usize,
    /// How many of its lines nothing vouches for: those between the two whose hashes were given.
    pub unseen: usize,
}

/// Turns named lines into quoted ones.
///
/// `seen` says that the author saw these very lines, so that their numbers are proof enough.
pub(crate) fn resolve(
    number: usize,
    hunk: &Hunk,
    lines: &Lines<'_>,
    section: &Section<'_>,
    seen: bool,
) -> Result<Resolved, TargetFailure> {
    let len = lines.len();
    let new: Vec<&str> = hunk.new_lines().collect();
    let tier_of = |anchor: Anchor| match (anchor.hash, seen) {
        (Some(_), _) if fits(anchor, lines) => Tier::Anchors,
        (_, true) => Tier::Seen,
        (_, false) => Tier::LinesUnverified,
    };
    let placement = |insert_at: usize, tier: Tier, map: Vec<Option<usize>>, reading: Reading| Placement {
        hunk: number,
        tier,
        map,
        insert_at,
        readings: vec![reading],
        reindent: Reindent::Keep,
        candidates: 1,
        tie: None,
    };
    let insert = |at: usize, tier: Tier| {
        if let Some(doubt) = doubts::doubt(&new, &[], lines) {
            return Err(TargetFailure::Doubtful(doubt));
        }
        let (kept, repeated) = repeats::absorb(&new, &[], lines, (at, at), section);
        let added = kept.iter().map(|line| HunkLine::Added((*line).to_owned())).collect();
        let hunk = Hunk { target: Target::Quoted, lines: added, ..hunk.clone() };
        let placement = placement(at, tier, vec![None; hunk.lines.len()], quoted(&hunk, repeated));
        Ok(Resolved { hunk, placement, absorbed: repeated.0 + repeated.1, unseen: 0 })
    };
    let check = |anchor: Anchor| check(anchor, lines, seen).and_then(|at| check_beside(hunk, at, lines));
    match hunk.target {
        Target::Quoted | Target::End => insert(len, Tier::Anchors),
        Target::Start => insert(0, Tier::Anchors),
        Target::Before(anchor) => insert(check(anchor)?, tier_of(anchor)),
        Target::After(anchor) => insert(check(anchor)? + 1, tier_of(anchor)),
        Target::Lines { first, last } => {
            let (start, end) = (check(first)?, check(last)? + 1);
            let old: Vec<String> =
                (start..end).map(|line| String::from_utf8_lossy(lines.text(line)).into_owned()).collect();
            let old: Vec<&str> = old.iter().map(String::as_str).collect();
            if let Some(doubt) = doubts::doubt(&new, &old, lines) {
                return Err(TargetFailure::Doubtful(doubt));
            }
            let (kept, repeated) = if first.hash.is_some() {
                repeats::absorb(&new, &old, lines, (start, end), section)
            } else {
                (new.as_slice(), (0, 0))
            };
            let mut resolved = Hunk::from_sides(&old, kept, hunk.line);
            resolved.end = hunk.end;
            let mut at = start..;
            let map =
                resolved.lines.iter().map(|line| if line.is_old() { at.next() } else { None }).collect();
            // Where only one of the two is of today's letters, that both lines were seen is the proof.
            let tier = match tier_of(first) {
                Tier::Anchors => tier_of(last),
                tier => tier,
            };
            let placement = placement(start, tier, map, quoted(&resolved, repeated));
            let absorbed = repeated.0 + repeated.1;
            let unseen = if first.hash.is_some() && !seen { (end - start).saturating_sub(2) } else { 0 };
            Ok(Resolved { hunk: resolved, placement, absorbed, unseen })
        }
    }
}

/// The step from lines that are named to lines that are quoted.
fn quoted(hunk: &Hunk, (above, below): (usize, usize)) -> Reading {
    Reading { how: How::Quoted { above, below }, lines: hunk.lines.clone() }
}

/// The position of a named line, counted from 0. Letters of an earlier version of Relay do where the line was `seen`.
fn check(anchor: Anchor, lines: &Lines<'_>, seen: bool) -> Result<usize, TargetFailure> {
    let at = anchor.line.checked_sub(1).filter(|at| *at < lines.len());
    let at = at.ok_or(TargetFailure::NoSuchLine { line: anchor.line, len: lines.len() })?;
    let text = lines.text(at);
    let is_of = |hash: LineHash| hash.is_of(anchor.line, text) || seen && hash.was_of(anchor.line, text);
    match anchor.hash.is_none_or(is_of) {
        true => Ok(at),
        false => Err(TargetFailure::Stale { line: anchor.line, shown: around(at, lines) }),
    }
}

/// The position again, where what was copied beside its anchor is what is there.
fn check_beside(hunk: &Hunk, at: usize, lines: &Lines<'_>) -> Result<usize, TargetFailure> {
    let line = String::from_utf8_lossy(lines.text(at));
    let other = hunk.beside.iter().find(|(number, text)| *number == at + 1 && text != line.trim());
    other.map_or(Ok(at), |(number, text)| {
        Err(TargetFailure::Beside { line: *number, text: text.clone(), shown: around(at, lines) })
    })
}

/// Whether the line that an anchor names is the one its hash is of. `12ab` where line 12 has the hash `ab`.
fn fits(anchor: Anchor, lines: &Lines<'_>) -> bool {
    anchor.hash.is_some() && check(anchor, lines, false).is_ok()
}

/// The lines around a stale one, as they are now.
fn around(at: usize, lines: &Lines<'_>) -> String {
    let shown = (at.saturating_sub(2)..(at + 3).min(lines.len())).map(|line| {
        let mark = if line == at { "*" } else { " " };
        format!("{mark}{}", anchored_line(line + 1, lines.text(line)))
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// What comes first of that which meets between two lines.
pub(crate) const fn rank(target: &Target) -> u8 {
    match target {
        Target::Start => 0,
        Target::Quoted | Target::Lines { .. } => 1,
        Target::After(_) => 2,
        Target::Before(_) => 3,
        Target::End => 4,
    }
}

/// A range, and new lines that go between two of its lines: nothing says where they are among those that replace it.
/// `≔3..7` and `»5`.
pub(crate) fn inside_another(placements: &[Placement]) -> Option<(usize, usize)> {
    let is_range = |placement: &&Placement| placement.map.iter().any(Option::is_some);
    let mut ranges: Vec<&Placement> = placements.iter().filter(is_range).collect();
    ranges.sort_by_key(|range| range.first_line());
    placements.iter().filter(|placement| !is_range(placement)).find_map(|new| {
        let before = ranges.partition_point(|range| range.first_line() < new.insert_at);
        let range = before.checked_sub(1).and_then(|last| ranges.get(last))?;
        (new.insert_at < range.end_line()).then_some((range.hunk, new.hunk))
    })
}

/// Whether what is named by number lies in a range of lines, counted from 0, or right beside it. `≔3..7` and lines 5 to
/// 6, or line 8.
pub(crate) fn is_near(target: &Target, lines: &Range<usize>) -> bool {
    let meets = |start: usize, end: usize| start <= lines.end && lines.start <= end;
    match target {
        Target::Lines { first, last } => meets(first.line.saturating_sub(1), last.line),
        Target::Before(anchor) | Target::After(anchor) => meets(anchor.line.saturating_sub(1), anchor.line),
        Target::Start => lines.start == 0,
        Target::Quoted | Target::End => false,
    }
}

/// How many lines a hunk says it replaces.
pub(crate) const fn lines_named(hunk: &Hunk) -> usize {
    match hunk.target {
        Target::Lines { first, last } => last.line.saturating_add(1).saturating_sub(first.line),
        _ => 0,
    }
}

/// Whether any hunk names lines by number. `≔3..7`.
pub(crate) fn any(hunks: &[Hunk]) -> bool {
    hunks.iter().any(|hunk| hunk.target != Target::Quoted)
}

/// Whether every hunk only adds lines at the beginning or the end, so that the file need not exist. `»EOF` alone.
pub(crate) fn may_create(hunks: &[Hunk]) -> bool {
    hunks.iter().all(|hunk| {
        matches!(hunk.target, Target::Start | Target::End)
            && hunk.lines.iter().all(|line| matches!(line, HunkLine::Added(_)))
    })
}
