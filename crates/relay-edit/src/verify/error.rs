//! What can be wrong with a result or its certificate.

use crate::matcher::Tier;

/// What the verifier found wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// The certificate was made for other bytes.
    #[error("the certificate belongs to another version of the file")]
    WrongFile,
    /// A placement does not fit its hunk.
    #[error("placement of hunk {hunk} does not account for its line {line}")]
    Unaccounted {
        /// The hunk, counted from 0.
        hunk: usize,
        /// Its line, counted from 0.
        line: usize,
    },
    /// A claimed line of the file is not what the hunk says.
    #[error("hunk {hunk} claims line {file_line} of the file, which reads otherwise")]
    Mismatch {
        /// The hunk, counted from 0.
        hunk: usize,
        /// The line of the file, counted from 1.
        file_line: usize,
    },
    /// Lines of the file lie between two lines of a hunk and nothing allows it.
    #[error("hunk {hunk} skips lines of the file before line {file_line}")]
    Skipped {
        /// The hunk, counted from 0.
        hunk: usize,
        /// The line of the file, counted from 1.
        file_line: usize,
    },
    /// Two hunks claim one line.
    #[error("line {0} of the file is claimed twice")]
    ClaimedTwice(usize),
    /// A hunk is accounted for twice or not at all.
    #[error("hunk {hunk} is not accounted for once")]
    NotOnce {
        /// The hunk, counted from 0.
        hunk: usize,
    },
    /// The hunk that was placed is not what the reply has, in none of the ways a hunk may be read.
    #[error("hunk {hunk} was not read as it is written")]
    WrongReading {
        /// The hunk, counted from 0.
        hunk: usize,
    },
    /// New lines are indented in a way that old lines and file do not show.
    #[error("hunk {hunk} is indented in a way that nothing shows")]
    WrongIndentation {
        /// The hunk, counted from 0.
        hunk: usize,
    },
    /// The lines need another tolerance than the one that is claimed.
    #[error("hunk {hunk} fits by {needed}, which is not what is claimed")]
    WrongTier {
        /// The hunk, counted from 0.
        hunk: usize,
        /// What the lines need.
        needed: Tier,
    },
    /// The old lines fit at more or fewer places than is claimed.
    #[error("hunk {hunk} fits in {places} places, which is not what is claimed")]
    WrongCount {
        /// The hunk, counted from 0.
        hunk: usize,
        /// How many there are, at least.
        places: usize,
    },
    /// What is said to have decided between places did not.
    #[error("nothing in hunk {hunk} chooses its place")]
    WrongTie {
        /// The hunk, counted from 0.
        hunk: usize,
    },
    /// A hunk is not applied already.
    #[error("hunk {hunk} is not applied already")]
    NotApplied {
        /// The hunk, counted from 0.
        hunk: usize,
    },
    /// The search was given up.
    #[error("there are too many places to look at")]
    TooMuchWork,
    /// The result differs from what the placements say.
    #[error("the result differs from what the placements say, at byte {0}")]
    WrongResult(usize),
}
