//! What the matcher claims about a placement, so that somebody else can check it.

use std::borrow::Cow;
use std::ops::Range;

use super::indent::Reindent;
use super::tier::Tier;
use crate::{Hunk, HunkLine};

/// Everything needed to check that hunks were put where they belong, without searching again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The fingerprint of the file the placements refer to.
    pub file: u64,
    /// The hunks of the edit it accounts for: each of them is placed or applied already. Hunks that follow each other have
    /// one certificate each, because each of them refers to the file as those before it leave it.
    pub hunks: Range<usize>,
    /// One placement for each hunk that changes something, in the order of the file.
    pub placements: Vec<Placement>,
    /// The hunks that change nothing any more.
    pub applied: Vec<Applied>,
    /// By how many lines the edits and hunks before it may have moved the lines of the file since the author counted them.
    pub moved: usize,
}

/// Where one hunk goes, and how that was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Which hunk of the edit it is, counted from 0.
    pub hunk: usize,
    /// How closely its old lines are in the file.
    pub tier: Tier,
    /// For each line of the hunk, the line of the file it represents, counted from 0. `None` for new lines, for
    /// elisions, and for blank context lines the file does not have.
    pub map: Vec<Option<usize>>,
    /// The line before which the new lines go when the hunk has no old lines, counted from 0.
    pub insert_at: usize,
    /// How the hunk was read, one step after the other, where that is not how it is written; `map` has the lines of the
    /// last step.
    pub readings: Vec<Reading>,
    /// How the new lines were indented.
    pub reindent: Reindent,
    /// How many places came into question at this tier.
    pub candidates: usize,
    /// What decided between them, when there were several.
    pub tie: Option<Tie>,
}

/// A hunk that is applied already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Which hunk of the edit it is, counted from 0.
    pub hunk: usize,
    /// How the hunk was read, one step after the other, where that is not how it is written.
    pub readings: Vec<Reading>,
    /// What shows that it is applied.
    pub proof: Proof,
}

/// What shows that a hunk is applied already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The lines that it leaves are lines of the file.
    Lines {
        /// For each line of the hunk, the line of the file it is, counted from 0. `None` for removed lines, for elisions,
        /// and for blank lines the file does not have.
        map: Vec<Option<usize>>,
    },
    /// It neither adds nor removes a line.
    ChangesNothing,
    /// Another hunk makes the same change: one that is placed by the same certificate, or one that was before it.
    Repeats {
        /// The other hunk, counted from 0.
        hunk: usize,
        /// Where it would be placed itself: for each line of the hunk, the line of the file. Empty where the other hunk was
        /// placed before and has changed these lines.
        map: Vec<Option<usize>>,
    },
}

/// One step from a hunk as it is written to the hunk that was placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What was done.
    pub how: How,
    /// The lines of the hunk afterwards.
    pub lines: Vec<HunkLine>,
}

/// What may be done to a hunk that is not found as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Without the anchors of lines that were copied into new lines.
    WithoutAnchors,
    /// Without the byte order mark, which the file has itself.
    WithoutMark,
    /// The whole lines of the file that its text is a part of.
    WithinLine,
    /// Without blank lines around its old and new text.
    WithoutMargins,
    /// Without the dashes above its old text.
    WithoutRule,
    /// Without line numbers.
    WithoutNumbers,
    /// Without backslashes before quotes and the like.
    WithoutEscapes,
    /// Without the escapes of HTML.
    WithoutEntities,
    /// With plain characters in place of typographic ones.
    Plain,
    /// With lines as context that are marked as new.
    WithContext,
    /// Without the sentences after it.
    WithoutProse,
    /// Without the blank line at its end, which is the end of the file.
    WithoutLastBlank,
    /// With context lines that were removed and written again.
    Rewritten,
    /// With the lines that it names by number, and without new lines that repeat the lines above and below those.
    Quoted {
        /// New lines left out at the beginning.
        above: usize,
        /// New lines left out at the end.
        below: usize,
    },
}

impl How {
    /// How a hunk was read, in words for a report.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::WithoutMark => " without the byte order mark",
            Self::WithinLine => " within a line",
            Self::WithoutMargins => " without the blank lines around it",
            Self::WithoutRule => " without the dashes above it",
            Self::WithoutNumbers => " without line numbers",
            Self::WithoutEscapes => " without escapes",
            Self::WithoutEntities => " without the escapes of HTML",
            Self::Plain => " with plain characters",
            Self::WithContext => ", with lines marked as new that are already there",
            Self::WithoutProse => " without the prose behind it",
            Self::WithoutLastBlank => " without the blank line at its end",
            Self::WithoutAnchors | Self::Rewritten | Self::Quoted { .. } => "",
        }
    }
}

/// What decided between places that were equally good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// The line number the author gave.
    LineNumber,
    /// The line of the file the author named above the hunk.
    Scope,
    /// The hunks before and after it, which have one place each.
    Order,
    /// The author said the hunk reaches the end of the file.
    EndOfFile,
}

impl Certificate {
    /// What it says of the first hunks it accounts for.
    pub(crate) fn of_first(mut self, hunks: usize) -> Self {
        self.hunks.end = self.hunks.end.min(self.hunks.start + hunks);
        self.placements.retain(|placement| self.hunks.contains(&placement.hunk));
        self.applied.retain(|applied| self.hunks.contains(&applied.hunk));
        self
    }

    /// Tells one version of a file from another. It guards against mistakes, not against people: whoever could choose
    /// the bytes a plan is made on could choose the plan. So it is as fast as reading.
    #[must_use]
    pub fn fingerprint(bytes: &[u8]) -> u64 {
        const KEYS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];
        let mix = |state: u64, [one, other]: [u64; 2]| {
            let product = u128::from(state ^ one ^ KEYS[0]) * u128::from(other ^ KEYS[1]);
            (product as u64) ^ (product >> 64) as u64
        };
        let words = |block: &[u8; 16]| {
            let block = u128::from_le_bytes(*block);
            [block as u64, (block >> 64) as u64]
        };
        // Four states side by side: each waits for its own last product only.
        let (wide, rest) = bytes.as_chunks::<64>();
        let mut states = [0, 1, 2, 3];
        for block in wide {
            let parts = block.as_chunks::<16>().0;
            states.iter_mut().zip(parts).for_each(|(state, part)| *state = mix(*state, words(part)));
        }
        let state = states.into_iter().fold(bytes.len() as u64, |state, part| mix(state, [part, 0]));
        let (blocks, rest) = rest.as_chunks::<16>();
        let mut last = [0; 16];
        last.iter_mut().zip(rest).for_each(|(slot, byte)| *slot = *byte);
        mix(blocks.iter().fold(state, |state, block| mix(state, words(block))), words(&last))
    }
}

/// A line that goes, or a new one after a line of the file.
type Effect<'h> = (Option<usize>, Option<Cow<'h, [u8]>>);

impl Placement {
    /// The first line of the file it touches or is before, counted from 0.
    #[must_use]
    pub fn first_line(&self) -> usize {
        self.map.iter().flatten().next().copied().unwrap_or(self.insert_at)
    }

    /// The line after the last one it touches, counted from 0.
    #[must_use]
    pub fn end_line(&self) -> usize {
        self.map.iter().flatten().last().map_or(self.insert_at, |line| line + 1)
    }

    /// What its hunk does: each line that goes, and each new one, as it is indented, with the old line above it.
    pub(crate) fn effect<'h>(&self, hunk: &'h Hunk) -> Vec<Effect<'h>> {
        let mut above = self.first_line().checked_sub(1);
        let lines = hunk.lines.iter().zip(&self.map);
        let effect = lines.filter_map(|(line, place)| {
            above = place.or(above);
            match line {
                HunkLine::Context(_) => None,
                HunkLine::Removed(_) => Some((above, None)),
                HunkLine::Added(text) => Some((above, self.reindent.apply(text.as_bytes()))),
            }
        });
        effect.collect()
    }

    /// Whether a line of its hunk represents lines of the file that the author left out.
    fn leaves_out(&self, hunk: &Hunk) -> bool {
        let is_written = |line: &HunkLine| matches!(line, HunkLine::Context(text) if !text.trim().is_empty());
        hunk.lines.iter().zip(&self.map).any(|(line, place)| place.is_none() && is_written(line))
    }

    /// How its hunk was placed, in words for a report.
    #[must_use]
    pub fn words(&self, hunk: &Hunk) -> Cow<'static, str> {
        let reindented = self.reindent != Reindent::Keep && self.tier < Tier::Indentation;
        let mut tier = Cow::Borrowed(self.tier.name());
        if self.leaves_out(hunk) {
            tier.to_mut().push_str(", with lines left out");
        }
        if reindented {
            tier.to_mut().push_str(", indented as the file is");
        }
        let tie = match self.tie {
            None => return tier,
            Some(Tie::LineNumber) => "its line number",
            Some(Tie::Scope) => "the line named above it",
            Some(Tie::Order) => "the order of the hunks",
            Some(Tie::EndOfFile) => "the end of the file",
        };
        Cow::Owned(format!("{tier}, one of {} places, chosen by {tie}", self.candidates))
    }
}

#[cfg(test)]
mod tests {
    use super::Certificate;

    #[test]
    fn every_byte_counts() {
        let bytes: Vec<u8> = (0..200).collect();
        let mut seen: Vec<u64> =
            (0..=bytes.len()).map(|end| Certificate::fingerprint(&bytes[..end])).collect();
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 0x80;
            seen.push(Certificate::fingerprint(&other));
        }
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
    }
}
