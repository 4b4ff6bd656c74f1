//! What a plan is: exact changes, and what became of each edit.

use crate::Diagnostic;
use crate::matcher::Certificate;

/// What the edits come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan<C = Vec<u8>> {
    /// One change for each path that ends up different, in path order; empty when any edit failed.
    pub changes: Vec<Change<C>>,
    /// What became of each edit, in the order of the edits.
    pub outcomes: Vec<EditOutcome>,
    /// Why edits failed, and what else a person should know.
    pub diagnostics: Vec<Diagnostic>,
}

/// Exact bytes before and after for one path; those after are perhaps not put together yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<C = Vec<u8>> {
    /// The path.
    pub path: String,
    /// The bytes before; `None` when the file does not exist.
    pub before: Option<Vec<u8>>,
    /// The bytes after; `None` when the file shall be gone.
    pub after: Option<C>,
    /// The path this file's bytes and mode came from, when it was renamed here.
    pub renamed_from: Option<String>,
    /// Whether the file can be run as a program from now on; `None` when that stays as it is. Where the bytes are the
    /// same before and after, this is the whole change.
    pub executable: Option<bool>,
}

/// What became of one edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditOutcome {
    /// Whether it could be applied.
    pub status: EditStatus,
    /// How its hunks were placed, in words for the report (`exact`, `whole file`, …).
    pub placement: String,
    /// What was claimed and verified about its hunks, as the reply has them: where each goes, or why it is applied already.
    /// Empty for whole files, and for edits that were placed together with a later one, which carries the certificate of
    /// them all. An edit that says the same as an earlier one has a certificate for the hunks of both, one after the other.
    pub certificates: Vec<Certificate>,
    /// It names lines by number or by the ends of a range only, so a person must look at it before it lands.
    pub needs_review: bool,
}

/// What became of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditStatus {
    /// It changes the file.
    Applied,
    /// The file is already as the edit wants it.
    Unchanged,
    /// It could not be placed; a diagnostic says why.
    Failed,
    /// The file cannot be edited this way, for instance because it is binary.
    Skipped,
    /// The author did not have the file in view; the edit is put off and the others go on.
    NotInContext,
}

impl EditStatus {
    /// Whether the edit could not be applied, so that nothing of its reply lands unless only a part is asked for.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::Skipped)
    }
}

impl EditOutcome {
    pub(super) fn new(status: EditStatus, placement: impl Into<String>) -> Self {
        Self { status, placement: placement.into(), certificates: Vec::new(), needs_review: false }
    }

    pub(super) fn failed() -> Self {
        Self::new(EditStatus::Failed, "not placed")
    }
}
