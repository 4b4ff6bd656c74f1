//! Whether a placement is the only one of its kind, or what the author said really chooses it.

use super::file::File;
use super::places::{Fit, MANY, Place, is_only_way, runner_up};
use super::reading::Read;
use super::tolerance::{is_blind, is_elision};
use super::{Claim, VerifyError};
use crate::edit::{Anchor, Target};
use crate::matcher::{Certificate, How, Proof, Tie, Tier};
use crate::{EndOfFile, Hunk, HunkLine};

/// What is known of a certificate as a whole.
pub(super) struct Choice<'c> {
    pub certificate: &'c Certificate,
    pub claims: &'c [Claim<'c>],
    pub file: &'c File<'c>,
    /// All hunks of the edit.
    pub hunks: &'c [Hunk],
}

impl Choice<'_> {
    /// Checks that the place of a claim is chosen as its certificate says. `fit` is how well its lines fit there.
    pub fn check(&self, claim: &Claim<'_>, fit: Fit, others: &[Place]) -> Result<(), VerifyError> {
        let (placement, hunk) = (claim.placement, claim.placement.hunk);
        if claim.read.written.target != Target::Quoted {
            return if self.is_named(claim) { Ok(()) } else { Err(VerifyError::WrongTie { hunk }) };
        }
        if matches!(placement.tier, Tier::Anchors | Tier::Seen | Tier::LinesUnverified) {
            return Err(VerifyError::WrongTier { hunk, needed: fit.0 });
        }
        // Where nothing comes or goes, nothing can be in the wrong place.
        if claim.read.added_lines().chain(claim.read.removed_lines()).next().is_none() {
            return self.check_tier(claim, fit.0);
        }
        if placement.map.iter().all(Option::is_none) {
            return self.check_addition(claim);
        }
        self.check_tier(claim, fit.0)?;
        let places = if is_elided(claim) {
            match is_only_way(&claim.read, &placement.map, placement.tier, self.file) {
                true => 1..=1,
                false => 2..=usize::MAX,
            }
        } else if placement.tier == Tier::Fuzzy {
            self.fuzzy_places(claim)
        } else {
            let best = others.iter().filter(|other| other.fit.0 <= fit.0 && other.fit.1 <= fit.1).count();
            let all = if others.len() > MANY { usize::MAX } else { 1 + others.len() };
            1 + best..=all
        };
        let counted = match placement.tie {
            None => placement.candidates == 1 && *places.start() == 1,
            Some(_) => placement.candidates > 1 && *places.end() > 1,
        };
        let few = *places.end() == usize::MAX || placement.candidates <= *places.end();
        if !counted || !few || placement.candidates < (*places.start()).min(MANY) {
            return Err(VerifyError::WrongCount { hunk, places: *places.start() });
        }
        match placement.tie {
            Some(tie) if !self.is_said(claim, tie, others) => Err(VerifyError::WrongTie { hunk }),
            _ => Ok(()),
        }
    }

    /// New lines without any old ones belong in an empty file, or at the end if the author said so.
    fn check_addition(&self, claim: &Claim<'_>) -> Result<(), VerifyError> {
        let (placement, hunk) = (claim.placement, claim.placement.hunk);
        let empty = self.file.bytes.len() == self.file.body;
        let tie = (!empty).then_some(Tie::EndOfFile);
        let said = empty || claim.read.end != EndOfFile::Unsaid;
        if placement.insert_at != self.file.len() || !said || placement.tie != tie {
            return Err(VerifyError::WrongTie { hunk });
        }
        match (placement.candidates, placement.tier) {
            (1, Tier::Exact) => Ok(()),
            (1, _) => Err(VerifyError::WrongTier { hunk, needed: Tier::Exact }),
            _ => Err(VerifyError::WrongCount { hunk, places: 1 }),
        }
    }

    /// A looser tier than the lines need is claimed only where a stricter one says nothing: it ignores what the hunk changes,
    /// or has other places that are as good.
    fn check_tier(&self, claim: &Claim<'_>, needed: Tier) -> Result<(), VerifyError> {
        let (tier, read) = (claim.placement.tier, &claim.read);
        let needed =
            if needed == Tier::Exact && self.has_other_endings(claim) { Tier::LineEndings } else { needed };
        let several = claim.placement.candidates > 1;
        let is_excused = |stricter: &Tier| match stricter {
            Tier::Exact | Tier::LineEndings => several && tier <= Tier::TrailingWhitespace,
            stricter => is_blind(read, *stricter),
        };
        const TIERS: [Tier; 7] = [
            Tier::Exact,
            Tier::LineEndings,
            Tier::TrailingWhitespace,
            Tier::Indentation,
            Tier::Spacing,
            Tier::LookAlikes,
            Tier::BlankLines,
        ];
        let between = TIERS.iter().filter(|other| needed <= **other && **other < tier);
        if tier >= needed && between.clone().all(is_excused) {
            return Ok(());
        }
        Err(VerifyError::WrongTier { hunk: claim.placement.hunk, needed })
    }

    fn has_other_endings(&self, claim: &Claim<'_>) -> bool {
        let mut lines = claim.placement.map.iter().flatten().filter_map(|line| self.file.span(*line));
        lines.any(|span| {
            let line = self.file.bytes.get(span.clone()).unwrap_or_default();
            line.ends_with(b"\r\n") || line.ends_with(b"\r")
        })
    }

    /// With slips in lines, no other place may have as many of the lines.
    fn fuzzy_places(&self, claim: &Claim<'_>) -> std::ops::RangeInclusive<usize> {
        let here = claim
            .read
            .lines
            .iter()
            .zip(&claim.placement.map)
            .filter(|(line, place)| place.is_some() && super::tolerance::is_distinctive(line.text()));
        let others = runner_up(&claim.read, claim.start(), self.file);
        if others < here.count() { 1..=1 } else { 2..=usize::MAX }
    }

    /// Whether what the author said chooses the place of a claim, and none of the others.
    fn is_said(&self, claim: &Claim<'_>, tie: Tie, others: &[Place]) -> bool {
        let (start, end) = (claim.start(), claim.placement.end_line());
        match tie {
            Tie::LineNumber => self.is_numbered(&claim.read, claim.placement.hunk, start),
            Tie::EndOfFile => claim.read.end != EndOfFile::Unsaid && end == self.file.len(),
            Tie::Scope => self.is_below_header(&claim.read, start, end, others),
            Tie::Order => self.is_in_order(claim, others, false) || self.is_in_order(claim, others, true),
        }
    }

    /// Whether a claim is the only place between the hunks before and after it that have one place each; those that are
    /// applied may be among these.
    fn is_in_order(&self, claim: &Claim<'_>, others: &[Place], applied: bool) -> bool {
        let only = |other: &&Claim<'_>| other.placement.tie.is_none() && other.placement.candidates == 1;
        let placed = self.claims.iter().filter(only);
        let placed = placed.map(|other| (other.placement.hunk, other.start(), other.placement.end_line()));
        let done = self.certificate.applied.iter().filter(|_| applied).filter_map(|applied| {
            let Proof::Lines { map } = &applied.proof else { return None };
            Some((applied.hunk, *map.iter().flatten().next()?, map.iter().flatten().last()? + 1))
        });
        let [mut above, mut below]: [Option<(usize, usize)>; 2] = [None, None];
        for (hunk, start, end) in placed.chain(done) {
            if hunk < claim.placement.hunk {
                above = above.max(Some((hunk, end)));
            } else if hunk > claim.placement.hunk && below.is_none_or(|(nearest, _)| hunk < nearest) {
                below = Some((hunk, start));
            }
        }
        let between = |start: usize, end: usize| {
            above.is_none_or(|(_, above)| above <= start) && below.is_none_or(|(_, below)| end <= below)
        };
        (above.is_some() || below.is_some())
            && between(claim.start(), claim.placement.end_line())
            && !others.iter().any(|other| between(other.start, other.end))
    }

    /// Whether the line number of a hunk is that of a line, but for how far other hunks have moved it.
    pub fn is_numbered(&self, read: &Read<'_>, hunk: usize, start: usize) -> bool {
        let Some(hint) = read.hint.and_then(|hint| hint.checked_sub(1)) else { return false };
        let drift = |other: &Claim<'_>| {
            let hint = other.read.hint?.cast_signed() - 1;
            let pinned = other.placement.tie.is_none() && other.placement.hunk != hunk;
            pinned.then_some(other.start().cast_signed() - hint)
        };
        let off = start.cast_signed() - hint.cast_signed();
        off == 0
            || off.unsigned_abs() <= self.certificate.moved + self.moved()
            || self.claims.iter().filter_map(drift).any(|drift| drift == off)
    }

    /// Whether a line is that of a hunk's number, moved by the hunks before it, all of which are applied.
    pub fn is_moved(&self, read: &Read<'_>, hunk: usize, line: usize) -> bool {
        let before = self.hunks.get(..hunk).unwrap_or_default();
        let sides = before.iter().map(|hunk| (hunk.new_lines().count(), hunk.old_lines().count()));
        let (new, old) = sides.fold((0, 0), |(new, old), (more, less)| (new + more, old + less));
        let placed = self.claims.iter().any(|claim| claim.placement.hunk < hunk);
        !placed && read.hint.is_some_and(|hint| hint + new == line + 1 + old)
    }

    /// By how many lines the hunks of the edit may move others.
    fn moved(&self) -> usize {
        self.hunks.iter().map(|hunk| hunk.old_lines().count().abs_diff(hunk.new_lines().count())).sum()
    }

    /// Whether the innermost line that the author named is above a place, or in it, and no other place is between the two.
    pub fn is_below_header(&self, read: &Read<'_>, start: usize, end: usize, others: &[Place]) -> bool {
        let Some(header) = read.written.scope.last().map(|scope| scope.trim().as_bytes()) else {
            return false;
        };
        let names = |line: &usize| {
            self.file.text(*line).is_some_and(|text| memchr::memmem::find(text, header).is_some())
        };
        let is_nearest = |line: usize| !others.iter().any(|other| line < other.end && other.start < start);
        (0..end.min(self.file.len())).filter(names).any(is_nearest)
    }

    /// What an anchor proves about its line by itself; nothing where the file has no such line or other letters. A bare
    /// number proves nothing, and letters of an earlier version of Relay only where the line was seen.
    fn proof(&self, anchor: Anchor) -> Option<Tier> {
        let line = self.file.text(anchor.line.checked_sub(1)?)?;
        match anchor.hash {
            None => Some(Tier::LinesUnverified),
            Some(hash) if hash.is_of(anchor.line, line) => Some(Tier::Anchors),
            Some(hash) => hash.was_of(anchor.line, line).then_some(Tier::Seen),
        }
    }

    /// Whether the lines that a hunk names by number are those it is placed at, and are what their anchors say.
    fn is_named(&self, claim: &Claim<'_>) -> bool {
        let placement = claim.placement;
        let named =
            placement.readings.last().is_some_and(|reading| matches!(reading.how, How::Quoted { .. }));
        let tier = |anchor: Option<Anchor>| anchor.map_or(Some(Tier::Anchors), |anchor| self.proof(anchor));
        let is_proved = |anchors: &[Option<Anchor>]| {
            let needed: Option<Vec<Tier>> = anchors.iter().map(|anchor| tier(*anchor)).collect();
            needed.is_some_and(|needed| match needed.iter().find(|tier| **tier != Tier::Anchors) {
                // Beside a line that was only seen, letters that fit prove no more.
                Some(Tier::Seen) => placement.tier == Tier::Seen,
                Some(_) => matches!(placement.tier, Tier::Seen | Tier::LinesUnverified),
                None => placement.tier == Tier::Anchors,
            })
        };
        let lines = || placement.map.iter().flatten().copied();
        let adds = || lines().next().is_none();
        let is_there = match claim.read.written.target {
            Target::Quoted | Target::End => {
                placement.insert_at == self.file.len() && adds() && is_proved(&[None])
            }
            Target::Start => placement.insert_at == 0 && adds() && is_proved(&[None]),
            Target::Before(anchor) => {
                placement.insert_at + 1 == anchor.line && adds() && is_proved(&[Some(anchor)])
            }
            Target::After(anchor) => {
                placement.insert_at == anchor.line && adds() && is_proved(&[Some(anchor)])
            }
            Target::Lines { first, last } => {
                is_proved(&[Some(first), Some(last)]) && lines().eq(first.line - 1..last.line)
            }
        };
        named && is_there && placement.candidates == 1 && placement.tie.is_none()
    }
}

/// Whether a hunk leaves out lines of the file between its own.
pub(super) fn is_elided(claim: &Claim<'_>) -> bool {
    let lines = claim.read.lines.iter().zip(&claim.placement.map);
    lines.clone().any(|(line, place)| {
        place.is_none()
            && matches!(line, HunkLine::Context(text) if !text.trim().is_empty() && is_elision(text))
    })
}
