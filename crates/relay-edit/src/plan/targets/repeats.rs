//! New lines that repeat the lines right above or below their place: they are left out, and that is told.
//!
//! They must be the same to the byte, those of the file must stay, and something else must be left. Brackets and the ends of
//! blocks repeat by chance; a bracket is one too many only where the others close all that is open.

use std::cell::OnceCell;

use crate::Hunk;
use crate::edit::Target;
use crate::lines::Lines;
use crate::matcher::{Balance, balance, is_block_end, is_telling, sum};
use crate::plan::Repeats;

/// This many lines at each end of new lines may repeat what is beside them.
const REPEATED: usize = 50;

/// What the operations of a section do together.
#[derive(Debug)]
pub(crate) struct Section<'s> {
    hunks: &'s [Hunk],
    /// What is left out at all.
    repeats: Repeats,
    /// The lines that are replaced, in order.
    ranges: Vec<(usize, usize)>,
    /// Whether the brackets of all new lines together close what they open, or what the file leaves open.
    is_closed: OnceCell<bool>,
}

impl<'s> Section<'s> {
    /// The section of these hunks.
    pub fn of(hunks: &'s [Hunk], repeats: Repeats) -> Self {
        let mut ranges: Vec<(usize, usize)> = hunks.iter().filter_map(range).collect();
        ranges.sort_unstable();
        Self { hunks, repeats, ranges, is_closed: OnceCell::new() }
    }

    /// Whether a line from `start` up to, but not including, `end` is replaced. Ranges that lie over each other are refused
    /// anyway.
    fn replaces(&self, start: usize, end: usize) -> bool {
        let after = self.ranges.partition_point(|(first, _)| *first < end);
        let last = after.checked_sub(1).and_then(|at| self.ranges.get(at));
        last.is_some_and(|(_, last)| *last > start)
    }

    fn is_closed(&self, lines: &Lines<'_>) -> bool {
        *self.is_closed.get_or_init(|| {
            // Ranges that lie over each other are refused, and are not counted again and again before that.
            let named: usize =
                self.ranges.iter().map(|(start, end)| end.min(&lines.len()).saturating_sub(*start)).sum();
            if named > lines.len() {
                return true;
            }
            let old = |hunk: &Hunk| range(hunk).map_or([0; 3], |(start, end)| brackets_in(lines, start, end));
            let opened =
                |hunk: &Hunk| sum(brackets_of(hunk.new_lines()), old(hunk).map(|count: isize| -count));
            let opened = self.hunks.iter().map(opened).fold([0; 3], sum);
            opened == [0; 3] || sum(opened, balance(lines.bytes())) == [0; 3]
        })
    }
}

/// The lines that a hunk replaces, counted from 0.
const fn range(hunk: &Hunk) -> Option<(usize, usize)> {
    match hunk.target {
        Target::Lines { first, last } => Some((first.line.saturating_sub(1), last.line)),
        _ => None,
    }
}

fn brackets_of<'t>(texts: impl Iterator<Item = &'t str>) -> Balance {
    texts.map(|text| balance(text.as_bytes())).fold([0; 3], sum)
}

fn brackets_in(lines: &Lines<'_>, start: usize, end: usize) -> Balance {
    (start..end.min(lines.len())).map(|line| balance(lines.text(line))).fold([0; 3], sum)
}

/// Leaves out what repeats the lines above `start` and those from `end` on, and says how many lines that are on each side.
pub(super) fn absorb<'n>(
    new: &'n [&'n str],
    old: &[&str],
    lines: &Lines<'_>,
    (start, end): (usize, usize),
    section: &Section<'_>,
) -> (&'n [&'n str], (usize, usize)) {
    let is_kept = match section.repeats {
        Repeats::Dropped => false,
        Repeats::DroppedFromReplacements => start == end,
        Repeats::Kept => true,
    };
    if is_kept {
        return (new, (0, 0));
    }
    let stands = |copies: &[&str], from: usize| {
        let is_same = |(line, at): (&&str, usize)| at < lines.len() && lines.text(at) == line.as_bytes();
        copies.iter().zip(from..).all(is_same) && !section.replaces(from, from + copies.len())
    };
    let more = |new: &[&str]| {
        let old = brackets_of(old.iter().copied()).map(|count| -count);
        sum(brackets_of(new.iter().copied()), old)
    };
    let is_copy = |copies: &[&str], new: &[&str]| {
        copies.iter().any(|line| is_telling(line) && !is_block_end(line)) || {
            let too_many = brackets_of(copies.iter().copied());
            too_many != [0; 3] && too_many == more(new) && !section.is_closed(lines)
        }
    };
    let most = new.len().saturating_sub(1).min(REPEATED);
    let above = (1..=most.min(start)).rev().find_map(|count| {
        let (first, rest) = new.split_at_checked(count)?;
        (stands(first, start - count) && !old.starts_with(first) && is_copy(first, new)).then_some(rest)
    });
    let kept = above.unwrap_or(new);
    let most = kept.len().saturating_sub(1).min(REPEATED);
    let below = (1..=most.min(lines.len().saturating_sub(end))).rev().find_map(|count| {
        let (rest, last) = kept.split_at_checked(kept.len() - count)?;
        (stands(last, end) && !old.ends_with(last) && is_copy(last, kept)).then_some(rest)
    });
    let (after_above, kept) = (kept.len(), below.unwrap_or(kept));
    (kept, (new.len() - after_above, after_above - kept.len()))
}
