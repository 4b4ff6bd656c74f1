//! Searching in files and finding them, with ripgrep's libraries, below the workspace's root.
//!
//! - [`Workspace::search`](crate::Workspace::search) looks for a pattern in files; all of them are read, so that counts are true, and the
//!   first matches in the order of paths are kept.
//! - [`Workspace::find`](crate::Workspace::find) looks for files by glob; [`fuzzy`] ranks them for what a person typed.
//! - [`ScanCache`] keeps a listing for a moment, for several questions in a row.
//!
//! Folders are listed and files opened through handles, as everywhere in this crate: no link is followed, no FIFO or
//! device is opened, `.git` and `.relaycode` are never entered.

mod cache;
mod collect;
mod crawl;
mod find;
pub mod fuzzy;
mod pattern;
mod scope;
mod text;

pub use cache::{CACHE_ENTRIES, CACHE_LIFE, EMPTY_RECHECK, Entry, ScanCache, ScanKey};
pub use find::{FindQuery, FoundPath, FoundPaths, Wanted};
pub use pattern::{Case, Query};
pub use scope::Scope;
pub use text::{has_match, search_text};

use relay_diagnostics::Cancel;

use crate::workspace::Workspace;

/// What is kept of the matches.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Matches that are left out at the beginning.
    pub skip: usize,
    /// Matches that are kept after that.
    pub matches: usize,
    /// Bytes of a line that are kept.
    pub columns: usize,
    /// Lines kept before each match.
    pub before: usize,
    /// Lines kept after each match.
    pub after: usize,
    /// Whether lines are kept at all; otherwise only counts.
    pub lines: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { skip: 0, matches: 500, columns: 1_024, before: 0, after: 0, lines: true }
    }
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its number, from 1.
    pub number: u64,
    /// Its text without the line end; what is not UTF-8 is replaced.
    pub text: String,
    /// Whether the pattern matches in it; otherwise it is context.
    pub is_match: bool,
    /// Whether the text was cut.
    pub is_cut: bool,
}

/// The matches in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMatches {
    /// The file, from the root.
    pub path: String,
    /// How many lines match, also those that were not kept.
    pub count: usize,
    /// Lines with a match, and those around them, in order.
    pub lines: Vec<Line>,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Files with kept matches, sorted by path.
    pub files: Vec<FileMatches>,
    /// All matching lines, kept or not.
    pub matches: usize,
    /// All files with a match, kept or not.
    pub matching_files: usize,
    /// Files that were read.
    pub searched_files: usize,
    /// Files skipped because they are binary.
    pub binary_files: usize,
    /// Files and folders that could not be read.
    pub unreadable: Vec<String>,
    /// Named paths that do not exist.
    pub missing: Vec<String>,
    /// Whether the search was ended before it had read everything.
    pub is_cancelled: bool,
}

impl Found {
    /// How many matching lines are in [`Found::files`].
    #[must_use]
    pub fn kept(&self) -> usize {
        self.files.iter().map(|file| file.lines.iter().filter(|line| line.is_match).count()).sum()
    }

    /// The same with at most `shown` matches, taken from the files in turn, so that one file does not hide the others.
    #[must_use]
    pub fn round_robin(self, shown: usize) -> Self {
        self.round_robin_page(0, shown)
    }

    /// The same for a later page: `skip` matches of that order are passed over first.
    #[must_use]
    pub fn round_robin_page(mut self, skip: usize, shown: usize) -> Self {
        let counts: Vec<usize> =
            self.files.iter().map(|file| file.lines.iter().filter(|line| line.is_match).count()).collect();
        let passed = shares(&counts, skip);
        let reached = shares(&counts, skip.saturating_add(shown));
        for ((file, from), to) in self.files.iter_mut().zip(passed).zip(reached) {
            collect::keep_matches(&mut file.lines, from, to - from);
        }
        self.files.retain(|file| !file.lines.is_empty());
        self
    }
}

/// How many of each file's matches are among the first ones, if the files take turns.
fn shares(counts: &[usize], first: usize) -> Vec<usize> {
    let mut shares = vec![0usize; counts.len()];
    let mut left = first.min(counts.iter().sum());
    while left > 0 {
        for (share, count) in shares.iter_mut().zip(counts) {
            if left > 0 && *share < *count {
                *share += 1;
                left -= 1;
            }
        }
    }
    shares
}

/// Why there was no search.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The pattern is not a regular expression.
    #[error("invalid pattern: {0}")]
    Pattern(String),
    /// A glob is not one.
    #[error("invalid glob `{glob}`: {message}")]
    Glob {
        /// The glob.
        glob: String,
        /// What is wrong with it.
        message: String,
    },
    /// A file type that is not known.
    #[error("unknown file type `{0}`")]
    Type(String),
    /// A path outside, or one that is protected.
    #[error(transparent)]
    Path(#[from] crate::refusal::PathRefusal),
    /// None of the named paths exists.
    #[error("not found: {}", .0.join(", "))]
    Missing(Vec<String>),
}

impl Workspace {
    /// Looks for a pattern in files.
    ///
    /// # Errors
    /// The pattern, a glob or a path is not valid, or none of the named paths exists.
    pub fn search(
        &self,
        query: &Query,
        scope: &Scope,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<Found, SearchError> {
        collect::search(self, query, scope, limits, cancel)
    }

    /// Looks for files and folders by glob.
    ///
    /// # Errors
    /// A glob or a path is not valid, or none of the named paths exists.
    pub fn find(&self, query: &FindQuery, cancel: &Cancel) -> Result<FoundPaths, SearchError> {
        find::find(self, query, cancel)
    }
}
