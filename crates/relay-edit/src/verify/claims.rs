//! What the placements of a certificate say about each line of the file.

use std::borrow::Cow;
use std::collections::HashMap;

use super::file::File;
use super::indent::indented;
use super::key;
use super::tolerance::{fits, is_elision, tolerates_blanks};
use super::{Claim, VerifyError};
use crate::matcher::{Placement, Tier};
use crate::{EndOfFile, HunkLine};

/// What the placements say about the lines of the file.
#[derive(Debug)]
pub(super) struct Claims<'h> {
    /// Lines, and whether they are removed.
    pub lines: Vec<(usize, bool)>,
    /// Lines, and what is new before them.
    pub inserted: Vec<(usize, NewLine<'h>)>,
}

/// A new line.
#[derive(Debug)]
pub(super) struct NewLine<'h> {
    /// What must be written for it: as the author has it, indented by the rule, or the bytes of the line of the file that
    /// its hunk takes away there and puts here.
    pub bytes: Cow<'h, [u8]>,
    /// What its hunk says about the end of the file.
    pub end: EndOfFile,
}

/// Checks that every old line of a claim is accounted for, in order and with nothing else between; says which tier that needs.
pub(super) fn check_lines(file: &File<'_>, claim: &Claim<'_>) -> Result<Tier, VerifyError> {
    let (placement, lines) = (claim.placement, claim.read.lines);
    let (hunk, tier) = (placement.hunk, placement.tier);
    let mut needed = Tier::Exact;
    // Where the line before ends.
    let mut end: Option<usize> = None;
    let mut may_skip = false;
    for (at, line) in lines.iter().enumerate() {
        let claimed = placement.map.get(at).copied().ok_or(VerifyError::Unaccounted { hunk, line: at })?;
        let Some(claimed) = claimed else {
            match line {
                HunkLine::Added(_) => {}
                HunkLine::Context(text) if text.trim().is_empty() && tolerates_blanks(tier) => {
                    needed = needed.max(Tier::BlankLines);
                }
                HunkLine::Context(text) if is_elision(text) => may_skip = true,
                _ => return Err(VerifyError::Unaccounted { hunk, line: at }),
            }
            continue;
        };
        let mismatch = VerifyError::Mismatch { hunk, file_line: claimed + 1 };
        let (Some(span), Some(found)) = (file.span(claimed), file.claimed(claimed)) else {
            return Err(mismatch);
        };
        let is_same = line.text().as_bytes() == found;
        if matches!(line, HunkLine::Added(_)) || !is_same && !fits(line, found, tier) {
            return Err(mismatch);
        }
        if !is_same {
            needed = needed.max(key::cost(line.text().as_bytes(), found));
        }
        if let Some(end) = end {
            let Some(skipped) = file.bytes.get(end..span.start) else { return Err(mismatch) };
            let blank = tolerates_blanks(tier) && skipped.trim_ascii().is_empty();
            if !skipped.is_empty() && !may_skip {
                if !blank {
                    return Err(VerifyError::Skipped { hunk, file_line: claimed + 1 });
                }
                needed = needed.max(Tier::BlankLines);
            }
        }
        (end, may_skip) = (Some(span.end), false);
    }
    if placement.map.len() == lines.len() {
        Ok(needed)
    } else {
        Err(VerifyError::Unaccounted { hunk, line: lines.len() })
    }
}

impl<'h> Claims<'h> {
    /// Room for what placements claim.
    pub fn with_room(placements: &[Placement]) -> Self {
        let room = placements.iter().map(|placement| placement.map.len()).sum();
        Self { lines: Vec::with_capacity(room), inserted: Vec::new() }
    }

    /// Adds what a placement says.
    pub fn collect(&mut self, file: &File<'h>, claim: &Claim<'h>) -> Result<(), VerifyError> {
        let Claim { placement, read } = claim;
        let mut pending: Vec<&str> = Vec::new();
        let mut last: Option<usize> = None;
        let mut anchored = false;
        let moves = moves(file, claim);
        let mut unreached = false;
        let mut place = |at: usize, text: &'h str| {
            let moved = moves.get(text).copied().flatten().map(Cow::Borrowed);
            match moved.or_else(|| indented(&placement.reindent, text.as_bytes())) {
                Some(bytes) => self.inserted.push((at, NewLine { bytes, end: read.end })),
                None => unreached = true,
            }
        };
        for (line, claimed) in read.lines.iter().zip(&placement.map) {
            match (line, claimed) {
                (HunkLine::Added(text), _) => match last.filter(|_| anchored) {
                    Some(last) => place(last + 1, text),
                    None => pending.push(text),
                },
                (_, Some(claimed)) => {
                    pending.drain(..).for_each(|text| place(*claimed, text));
                    self.lines.push((*claimed, matches!(line, HunkLine::Removed(_))));
                    last = Some(*claimed);
                    anchored = true;
                }
                (HunkLine::Context(text), None) if text.trim().is_empty() => {}
                (_, None) => anchored = false,
            }
        }
        if !pending.is_empty() {
            // Only a hunk without any old line may leave new lines without a neighbour.
            if last.is_some() || file.offset(placement.insert_at).is_none() {
                return Err(VerifyError::Unaccounted { hunk: placement.hunk, line: 0 });
            }
            pending.drain(..).for_each(|text| place(placement.insert_at, text));
        }
        if unreached { Err(VerifyError::WrongIndentation { hunk: placement.hunk }) } else { Ok(()) }
    }

    /// Brings the claims into the order of the file; no line may be claimed twice, unless it stays.
    pub fn settle(&mut self) -> Result<(), VerifyError> {
        // Hunks mostly come in the order of the file.
        if !self.lines.is_sorted_by_key(|(line, _)| *line) {
            self.lines.sort_by_key(|(line, _)| *line);
        }
        if !self.inserted.is_sorted_by_key(|(line, _)| *line) {
            self.inserted.sort_by_key(|(line, _)| *line);
        }
        let pairs = self.lines.iter().zip(self.lines.iter().skip(1));
        let mut twice = pairs.filter(|(one, other)| one.0 == other.0 && (one.1 || other.1));
        twice.next().map_or(Ok(()), |(_, (line, _))| Err(VerifyError::ClaimedTwice(line + 1)))
    }
}

/// What a hunk whose old lines are not quite the file's takes away, by how the author wrote it. Two lines that read
/// alike in the reply and not in the file show nothing, and neither does one that is there more often afterwards.
fn moves<'h>(file: &File<'h>, claim: &Claim<'h>) -> HashMap<&'h str, Option<&'h [u8]>> {
    let Claim { placement, read } = claim;
    let mut moves = HashMap::new();
    let literal = matches!(
        placement.tier,
        Tier::Exact | Tier::LineEndings | Tier::Anchors | Tier::Seen | Tier::LinesUnverified
    );
    for (line, claimed) in read.lines.iter().zip(&placement.map).filter(|_| !literal) {
        let HunkLine::Removed(wanted) = line else { continue };
        let Some(found) = claimed.and_then(|claimed| file.claimed(claimed)) else { continue };
        if wanted.trim().is_empty() {
            continue;
        }
        let known = moves.entry(wanted.as_str()).or_insert(Some(found));
        *known = known.filter(|known| *known == found);
    }
    let multiplies = |wanted: &str| {
        let balance = read.lines.iter().filter(|line| line.text() == wanted).map(|line| match line {
            HunkLine::Added(_) => 1,
            HunkLine::Removed(_) => -1,
            HunkLine::Context(_) => 0,
        });
        balance.sum::<isize>() > 0
    };
    moves.retain(|wanted, found| found.is_none_or(|found| found == wanted.as_bytes()) || !multiplies(wanted));
    moves
}
