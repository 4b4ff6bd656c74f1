//! What the matcher claims about a placement, so that somebody else can check it.

use super::indent::Reindent;
use super::tier::Tier;

/// Everything needed to check that hunks were put where they belong, without searching again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The BLAKE3 hash of the file the placements refer to.
    pub file: [u8; 32],
    /// One placement for each hunk that changes something, in the order of the hunks.
    pub placements: Vec<Placement>,
}

/// Where one hunk goes, and how that was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Which hunk of the edit it is, counted from 0.
    pub hunk: usize,
    /// How closely its old lines stand in the file.
    pub tier: Tier,
    /// For each line of the hunk, the line of the file it stands for, counted from 0. `None` for new lines, for
    /// elisions, and for blank context lines the file does not have.
    pub map: Vec<Option<usize>>,
    /// The line before which the new lines go when the hunk has no old lines, counted from 0.
    pub insert_at: usize,
    /// How the new lines were indented.
    pub reindent: Reindent,
    /// How many places came into question at this tier.
    pub candidates: usize,
    /// What decided between them, when there were several.
    pub tie: Option<Tie>,
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

impl Placement {
    /// The first line of the file it touches or stands before, counted from 0.
    #[must_use]
    pub fn first_line(&self) -> usize {
        self.map.iter().flatten().next().copied().unwrap_or(self.insert_at)
    }

    /// The line after the last one it touches, counted from 0.
    #[must_use]
    pub fn end_line(&self) -> usize {
        self.map.iter().flatten().last().map_or(self.insert_at, |line| line + 1)
    }

    /// How it was placed, in words for a report.
    #[must_use]
    pub fn words(&self) -> String {
        let reindented = self.reindent != Reindent::Keep && self.tier < Tier::Indentation;
        let tier = if reindented {
            format!("{}, indented as the file is", self.tier)
        } else {
            self.tier.to_string()
        };
        let tie = match self.tie {
            None => return tier,
            Some(Tie::LineNumber) => "its line number",
            Some(Tie::Scope) => "the line named above it",
            Some(Tie::Order) => "the order of the hunks",
            Some(Tie::EndOfFile) => "the end of the file",
        };
        format!("{tier}, one of {} places, chosen by {tie}", self.candidates)
    }
}
