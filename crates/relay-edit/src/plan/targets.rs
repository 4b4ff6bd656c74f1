//! Hunks that name lines by number: turned into hunks that quote them, or refused.
//!
//! Afterwards they are spliced and verified like all others. A number without a hash proves nothing by itself,
//! and the outcome says so.

use crate::anchors::{LineHash, anchored_line, split_anchor};
use crate::edit::{Anchor, Target};
use crate::lines::Lines;
use crate::matcher::{Placement, Reindent, Tier, has_identity};
use crate::{Hunk, HunkLine};

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
    ranges: &Ranges,
    seen: bool,
) -> Result<Resolved, TargetFailure> {
    let len = lines.len();
    let mut new: Vec<&str> = hunk.new_lines().collect();
    without_anchors(&mut new, lines);
    let tier_of = |anchor: Anchor| match (anchor.hash, seen) {
        (Some(_), _) => Tier::Anchors,
        (None, true) => Tier::Seen,
        (None, false) => Tier::LinesUnverified,
    };
    let placement = |insert_at: usize, tier: Tier, map: Vec<Option<usize>>| Placement {
        hunk: number,
        tier,
        map,
        insert_at,
        reindent: Reindent::Keep,
        candidates: 1,
        tie: None,
    };
    let insert = |at: usize, tier: Tier| {
        let added = new.iter().map(|line| HunkLine::Added((*line).to_owned())).collect();
        let hunk = Hunk { target: Target::Quoted, lines: added, ..hunk.clone() };
        let placement = placement(at, tier, vec![None; hunk.lines.len()]);
        Ok(Resolved { hunk, placement, absorbed: 0, unseen: 0 })
    };
    match hunk.target {
        Target::Quoted | Target::End => insert(len, Tier::Anchors),
        Target::Start => insert(0, Tier::Anchors),
        Target::Before(anchor) => insert(check(anchor, lines)?, tier_of(anchor)),
        Target::After(anchor) => insert(check(anchor, lines)? + 1, tier_of(anchor)),
        Target::Lines { first, last } => {
            let (start, end) = (check(first, lines)?, check(last, lines)? + 1);
            let old: Vec<String> =
                (start..end).map(|line| String::from_utf8_lossy(lines.text(line)).into_owned()).collect();
            let old: Vec<&str> = old.iter().map(String::as_str).collect();
            let (kept, absorbed) = if first.hash.is_some() {
                absorb(&new, &old, lines, (start, end), ranges)
            } else {
                (new.as_slice(), 0)
            };
            let mut resolved = Hunk::from_sides(&old, kept, hunk.line);
            resolved.end = hunk.end;
            let mut at = start..;
            let map =
                resolved.lines.iter().map(|line| if line.is_old() { at.next() } else { None }).collect();
            let placement = placement(start, tier_of(first), map);
            let unseen = if first.hash.is_some() && !seen { (end - start).saturating_sub(2) } else { 0 };
            Ok(Resolved { hunk: resolved, placement, absorbed, unseen })
        }
    }
}

/// The position of a named line, counted from 0.
fn check(anchor: Anchor, lines: &Lines<'_>) -> Result<usize, TargetFailure> {
    let at = anchor.line.checked_sub(1).filter(|at| *at < lines.len());
    let at = at.ok_or(TargetFailure::NoSuchLine { line: anchor.line, len: lines.len() })?;
    match anchor.hash {
        Some(hash) if hash != LineHash::of(anchor.line, lines.text(at)) => {
            Err(TargetFailure::Stale { line: anchor.line, shown: around(at, lines) })
        }
        _ => Ok(at),
    }
}

/// The lines around a stale one, as they are now.
fn around(at: usize, lines: &Lines<'_>) -> String {
    let shown = (at.saturating_sub(2)..(at + 3).min(lines.len())).map(|line| {
        let mark = if line == at { "*" } else { " " };
        format!("{mark}{}", anchored_line(line + 1, lines.text(line)))
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// So many lines at each end of a payload may repeat what stands beside the range.
const REPEATED: usize = 50;

/// Leaves out payload lines that repeat the lines directly above or below the range, byte for byte, where those stay and
/// something else is left. Brackets and blank lines alone repeat by chance, so they never do.
fn absorb<'n>(
    new: &'n [&'n str],
    old: &[&str],
    lines: &Lines<'_>,
    (start, end): (usize, usize),
    ranges: &Ranges,
) -> (&'n [&'n str], usize) {
    let repeats = |new: &[&str], from: usize| {
        let stands = |(line, at): (&&str, usize)| at < lines.len() && lines.text(at) == line.as_bytes();
        new.iter().zip(from..).all(stands) && has_identity(new) && !ranges.touch(from, from + new.len())
    };
    let most = new.len().saturating_sub(1).min(REPEATED);
    let above = (1..=most.min(start)).rev().find_map(|count| {
        let (first, rest) = new.split_at_checked(count)?;
        (repeats(first, start - count) && !old.starts_with(first)).then_some(rest)
    });
    let kept = above.unwrap_or(new);
    let most = kept.len().saturating_sub(1).min(REPEATED);
    let below = (1..=most.min(lines.len().saturating_sub(end))).rev().find_map(|count| {
        let (rest, last) = kept.split_at_checked(kept.len() - count)?;
        (repeats(last, end) && !old.ends_with(last)).then_some(rest)
    });
    let kept = below.unwrap_or(kept);
    (kept, new.len() - kept.len())
}

/// The lines that the operations of a section replace, in order.
#[derive(Debug)]
pub(crate) struct Ranges(Vec<(usize, usize)>);

impl Ranges {
    /// Those of these hunks.
    pub fn of(hunks: &[Hunk]) -> Self {
        let range = |hunk: &Hunk| match hunk.target {
            Target::Lines { first, last } => Some((first.line.saturating_sub(1), last.line)),
            _ => None,
        };
        let mut ranges: Vec<(usize, usize)> = hunks.iter().filter_map(range).collect();
        ranges.sort_unstable();
        Self(ranges)
    }

    /// Whether one of them has a line from `start` up to, but not including, `end`. Those that lie over each other are
    /// refused anyway.
    fn touch(&self, start: usize, end: usize) -> bool {
        let after = self.0.partition_point(|(first, _)| *first < end);
        let last = after.checked_sub(1).and_then(|at| self.0.get(at));
        last.is_some_and(|(_, last)| *last > start)
    }
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

/// New lines without the anchors that were copied into them: where one is the anchor of a line of the file, so are they all.
fn without_anchors<'n>(new: &mut [&'n str], lines: &Lines<'_>) {
    let is_of_file = |(number, hash, _): (usize, LineHash, &str)| {
        let at = number.checked_sub(1).filter(|at| *at < lines.len());
        at.is_some_and(|at| LineHash::of(number, lines.text(at)) == hash)
    };
    if !new.iter().filter_map(|line| split_anchor(line)).any(is_of_file) {
        return;
    }
    for line in new {
        *line = split_anchor(line).map_or(*line, |(_, _, text): (usize, LineHash, &'n str)| text);
    }
}

/// A range, and new lines that go between two of its lines: nothing says where they stand among those that replace it.
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

/// How many lines a hunk says it replaces.
pub(crate) const fn lines_named(hunk: &Hunk) -> usize {
    match hunk.target {
        Target::Lines { first, last } => last.line.saturating_add(1).saturating_sub(first.line),
        _ => 0,
    }
}

/// Whether any hunk names lines by number.
pub(crate) fn any(hunks: &[Hunk]) -> bool {
    hunks.iter().any(|hunk| hunk.target != Target::Quoted)
}

/// Whether every hunk only adds lines at the beginning or the end, so that the file need not exist.
pub(crate) fn may_create(hunks: &[Hunk]) -> bool {
    hunks.iter().all(|hunk| {
        matches!(hunk.target, Target::Start | Target::End)
            && hunk.lines.iter().all(|line| matches!(line, HunkLine::Added(_)))
    })
}
