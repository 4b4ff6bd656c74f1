//! Finds the one place where a hunk belongs.
//!
//! The ladder: a tier is tried only if the one above found nothing. Two equally good places are ambiguous, never
//! "the first wins"; line numbers, headers and the order of the other hunks only break ties, and a tie that was
//! broken is named in the certificate. Nothing here writes: a [`Placement`] is a claim that [`crate::verify`] checks.

mod alike;
mod applied;
mod blank;
mod certificate;
mod copy;
mod depth;
pub(crate) mod diagnose;
mod elided;
mod escaped;
mod fuzzy;
mod index;
mod inline;
mod key;
mod literal;
mod margin;
mod numbered;
mod page;
mod pattern;
mod place;
mod sign;
mod sought;
mod table;
mod tier;

pub use certificate::{Applied, Certificate, How, Placement, Proof, Reading, Tie};
pub use indent::Reindent;
pub use tier::Tier;

pub(crate) use alike::without_look_alikes;
pub(crate) use brackets::{Balance, balance, sum};
pub(crate) use escaped::without_escapes;
pub(crate) use indent::is_oddly_spaced;
pub(crate) use index::FileIndex;
pub(crate) use inline::widen;
pub(crate) use key::Key;
pub(crate) use margin::{
    without_all_margins, without_last_blank, without_margins, without_prose, without_rule,
};
pub(crate) use marked::{Repeats, with_context_at_ends, with_context_between};
pub(crate) use numbered::{without_numbers, without_numbers_in};
pub(crate) use page::{has_escapes, without_page, without_page_in};
pub(crate) use pattern::{has_identity, is_block_end, is_telling};
pub(crate) use witness::witness;

use std::ops::Range;

use crate::Hunk;
use alike::Exchanged;
use applied::{present, proof, standing, witness};
use copy::{brackets, copied, marked};
use depth::{enclosed, indent, manner, movable, nested, shape, spelled, units, verbatim};
use diagnose::Nearest;
use ladder::{Search, search};
use pattern::Pattern;
use place::{candidate, ladder, rival, scope, settle};

/// What became of one hunk.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Located {
    /// It has exactly one place.
    Placed(Placement),
    /// Its new lines are there already, beginning at this line, counted from 0.
    AlreadyApplied(usize),
}

/// Why a hunk has no place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// Its old lines are nowhere.
    NotFound(Option<Nearest>),
    /// They are at several places, counted from 0.
    Ambiguous(Vec<Range<usize>>),
    /// The lines that both sides begin with are at several places, and they are taken literally.
    AnchorRepeated {
        /// Their first lines, counted from 0.
        places: Vec<usize>,
        /// How many lines they are.
        len: usize,
    },
    /// It is at one place, while something looser is where its line number says.
    HintContradicts {
        /// The better match, counted from 0.
        found: usize,
        /// The line the author named, counted from 0.
        hinted: usize,
    },
    /// It is at one place, and its new lines at another with the same lines around them.
    Applied {
        /// Where the old lines are, counted from 0.
        found: usize,
        /// Where the new lines are, counted from 0.
        done: usize,
    },
    /// It is at one place with other white space, and at another to the letter but for a slip.
    Rivalled {
        /// Where it is, counted from 0.
        found: usize,
        /// Where it is but for the slip, counted from 0.
        other: usize,
    },
    /// It is at one place, which is not in the block its header names.
    OutOfScope(usize),
    /// Its old lines are brackets and blanks, which tell no place from another.
    NoIdentity(usize),
    /// It is, not quite as written, at a line that breaks the order of the other hunks.
    Disorder(usize),
    /// New lines at its ends are next to its place already, and nothing proves that they are meant twice.
    Repeated(Repeats),
    /// Its new lines are whole blocks that would be inside the block which this line, counted from 0, ends.
    Enclosed(usize),
    /// A new line has the escapes of HTML or of a string, in a file that has none.
    Escaped(String),
    /// New lines have characters that look like those of the file, which has none of them.
    LookAlikes(Exchanged),
    /// It has no old lines and the file is not empty.
    NoAnchor,
    /// A new line cannot be indented as the file is.
    Indentation(String),
    /// A new line is in a text over several lines, in which indentation is content.
    Verbatim(String),
    /// The search was given up.
    TooMuchWork,
}

/// How much may differ between the old lines of a hunk and the lines of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strictness {
    /// Nothing but line endings.
    Exact,
    /// White space: at the ends of lines, indentation, blank lines.
    Whitespace,
    /// Also characters that look alike, elisions, and slips in lines that stay.
    #[default]
    Fuzzy,
}

impl Strictness {
    /// Every setting, from strict to tolerant.
    pub const ALL: &[Self] = &[Self::Exact, Self::Whitespace, Self::Fuzzy];

    /// The name used on the command line and in the config.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Whitespace => "whitespace",
            Self::Fuzzy => "fuzzy",
        }
    }
}

/// After this many hunks of one edit that are nowhere the others are not looked for.
const LOST: usize = 200;

/// Places all hunks of a diff against one file.
pub(crate) fn locate_all(
    hunks: &[Hunk],
    index: &FileIndex<'_>,
    strictness: Strictness,
) -> Vec<Result<Located, Failure>> {
    let patterns: Vec<Pattern<'_>> = hunks.iter().map(Pattern::new).collect();
    index.expect(&patterns);
    let mut lost = 0;
    let searches = patterns.iter().map(|pattern| {
        // One hunk without a place refuses them all, and nobody reads of more than this.
        let found = if lost < LOST { search(pattern, index, strictness) } else { Search::TooMuchWork };
        lost += usize::from(matches!(found, Search::Nothing | Search::TooMuchWork));
        // Of many hunks with many places each, all of those would be too much to remember.
        if hunks.len() > 1 { found.without_crowd() } else { found }
    });
    let searches: Vec<Search> = searches.collect();
    settle::settle(&patterns, searches, index, strictness)
}

/// Places one hunk.
pub(crate) fn locate(hunk: &Hunk, index: &FileIndex<'_>, strictness: Strictness) -> Result<Located, Failure> {
    locate_all(std::slice::from_ref(hunk), index, strictness).pop().unwrap_or(Err(Failure::NotFound(None)))
}

/// Places one hunk of which it is known that it is not applied yet.
pub(crate) fn locate_undone(
    hunk: &Hunk,
    index: &FileIndex<'_>,
    strictness: Strictness,
) -> Result<Located, Failure> {
    let pattern = Pattern { is_undone: true, ..Pattern::new(hunk) };
    let found = search(&pattern, index, strictness);
    let settled = settle::settle(std::slice::from_ref(&pattern), vec![found], index, strictness).pop();
    settled.unwrap_or(Err(Failure::NotFound(None)))
}

#[cfg(test)]
mod tests;
