//! The ways a submission can end early, and the errors of the crates below turned into them.

use relay_diagnostics::Diagnostic;
use relay_txn::{Rescued, RolledBack, TxnError};

use crate::codes;
use crate::outcome::Status;

/// Why the pipeline stops.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Nothing was touched.
    Refused(Vec<Diagnostic>),
    /// Nothing was touched, because a file changed after the plan was made: planning again may help.
    Outdated(Vec<Diagnostic>),
    /// Everything was rolled back.
    RolledBack(Vec<Diagnostic>),
    /// Everything was rolled back, and the linter's result for the original files decides what happens next.
    Compare(Vec<Diagnostic>),
    /// It could not be rolled back yet: some files still have the new content.
    Stuck(Vec<Diagnostic>),
    /// The user interrupted it; everything is as it was. Carries other diagnostics.
    Interrupted(Vec<Diagnostic>),
    /// There is nothing to do.
    Done(Status, Box<Diagnostic>),
}

impl Stop {
    /// The user interrupted it.
    pub(crate) const fn interrupted() -> Self {
        Stop::Interrupted(Vec::new())
    }

    /// The reasons; empty if there is nothing to do.
    fn reasons(&mut self) -> Option<&mut Vec<Diagnostic>> {
        match self {
            Stop::Refused(reasons)
            | Stop::Outdated(reasons)
            | Stop::RolledBack(reasons)
            | Stop::Compare(reasons)
            | Stop::Stuck(reasons)
            | Stop::Interrupted(reasons) => Some(reasons),
            Stop::Done(..) => None,
        }
    }

    /// Adds findings without changing how it ends.
    pub(crate) fn and(mut self, more: Vec<Diagnostic>) -> Self {
        if let Some(reasons) = self.reasons() {
            reasons.extend(more);
        }
        self
    }

    /// The files could not be rolled back.
    pub(crate) fn stuck(mut self, error: &TxnError) -> Self {
        let mut reasons = self.reasons().map(std::mem::take).unwrap_or_default();
        if let Stop::Done(_, note) = self {
            reasons.push(*note);
        }
        reasons.push(transaction_failed(error));
        Stop::Stuck(reasons)
    }

    /// A refusal for one reason.
    pub(crate) fn refused(diagnostic: Diagnostic) -> Self {
        Stop::Refused(vec![diagnostic])
    }

    /// The status this ends in; the reasons go to `diagnostics`.
    pub(crate) fn settle(self, diagnostics: &mut Vec<Diagnostic>) -> Status {
        let (status, reasons) = match self {
            Stop::Refused(reasons) | Stop::Outdated(reasons) => (Status::Rejected, reasons),
            Stop::RolledBack(reasons) | Stop::Compare(reasons) => (Status::RolledBack, reasons),
            Stop::Stuck(reasons) => (Status::RecoveryNeeded, reasons),
            Stop::Interrupted(reasons) => {
                diagnostics
                    .push(Diagnostic::error(codes::INTERRUPTED, "interrupted; every file is as it was"));
                (Status::Interrupted, reasons)
            }
            Stop::Done(status, note) => (status, vec![*note]),
        };
        diagnostics.extend(reasons);
        status
    }
}

impl From<TxnError> for Stop {
    fn from(error: TxnError) -> Self {
        let reasons = vec![transaction_failed(&error)];
        match error {
            TxnError::RollbackFailed { .. } => Stop::Stuck(reasons),
            TxnError::Changed { .. } | TxnError::Exists { .. } => Stop::Outdated(reasons),
            _ => Stop::Refused(reasons),
        }
    }
}

/// A transaction error as a person reads it: what it is, and the way out.
pub(crate) fn transaction_failed(error: &TxnError) -> Diagnostic {
    let (code, path, hint) = match error {
        TxnError::Changed { path } | TxnError::Exists { path } => (
            codes::CHANGED_SINCE,
            Some(path),
            "Nothing was changed. Check the file, then run the command again.",
        ),
        TxnError::Occupied { path, .. } => (
            codes::FILE_IS_FOLDER,
            Some(path),
            "Nothing was changed. Remove or move the folder's content too, or choose another name.",
        ),
        TxnError::HardLinked { path, .. } => (
            codes::HARD_LINKED,
            Some(path),
            "Pass --break-links to let the other names keep the old content.",
        ),
        TxnError::Leased { path, .. } => (
            codes::IN_PROGRESS,
            Some(path),
            "Wait until that transaction is approved or refused, then try again.",
        ),
        TxnError::InProgress { .. } | TxnError::Busy { .. } => {
            (codes::IN_PROGRESS, None, "Wait until the other relay process has finished, then try again.")
        }
        TxnError::AlreadyProcessed { .. } => (codes::ALREADY_PROCESSED, None, "`relay log` shows it."),
        TxnError::NoSpace { path, .. } => {
            (codes::TRANSACTION_FAILED, Some(path), "Make room on the disk and try again.")
        }
        TxnError::Denied { path, .. } => {
            (codes::TRANSACTION_FAILED, Some(path), "Give yourself the right to write there and try again.")
        }
        TxnError::ForeignOwner { path, .. } => (
            codes::TRANSACTION_FAILED,
            Some(path),
            "Run Relay as the file's owner, or change the owner, and try again.",
        ),
        TxnError::OtherFileSystem { path, .. } => (
            codes::TRANSACTION_FAILED,
            Some(path),
            "One transaction cannot span two file systems. Work there with `--root` and the mounted folder.",
        ),
        TxnError::Foreign { name } => (
            codes::FOREIGN_STATE,
            Some(name),
            "It came with the repository or from another user. Inspect it, remove it, and try again.",
        ),
        TxnError::RollbackFailed { .. } => (
            codes::TRANSACTION_FAILED,
            None,
            "Remove the cause, then run `relay recover`: everything it needs is kept.",
        ),
        _ => (
            codes::TRANSACTION_FAILED,
            None,
            "`relay doctor` looks at the workspace; `relay recover` cleans up.",
        ),
    };
    Diagnostic { path: path.cloned(), ..Diagnostic::error(code, with_sources(error)).hinted(hint) }
}

/// Bytes that another program had written to a file meanwhile, and where they are saved.
pub(crate) fn rescued(rescued: &Rescued) -> Diagnostic {
    let message =
        format!("another program had changed {}; its version is kept in {}", rescued.path, rescued.kept_as);
    Diagnostic::warning(codes::RESCUED, message).on(&rescued.path)
}

/// What a rollback left to the user.
pub(crate) fn rolled_back(done: &RolledBack) -> Vec<Diagnostic> {
    let kept = done.kept.as_ref().map(|kept| {
        let message =
            format!("what the commands changed was undone; if any of it is yours, it is kept in {kept}");
        Diagnostic::warning(codes::RESCUED, message).on(kept)
    });
    let rescued = done.rescued.iter().map(rescued);
    rescued.chain(done.damaged.iter().map(damaged)).chain(disowned(&done.disowned)).chain(kept).collect()
}

/// A staged original that had changed by the time it was needed.
fn damaged(kept: &Rescued) -> Diagnostic {
    let message = format!(
        "the staged original of {} was changed or damaged; the file was restored from the record, and what was staged is in {}",
        kept.path, kept.kept_as
    );
    let hint = "Compare the two; a check that writes into .relaycode, or a failing disk, can cause this.";
    Diagnostic::error(codes::ORIGINAL_DAMAGED, message).on(&kept.path).hinted(hint)
}

/// Files that came back as another program's than they were, in one line.
pub(crate) fn disowned(paths: &[String]) -> Option<Diagnostic> {
    let first = paths.first()?;
    let more = match paths.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!(
        "{first}{more} came back without the owner, group or extended attributes of before, which this user may not give"
    );
    let hint = "The record in .relaycode has them (`owner`, `attributes`); root can restore them.";
    Some(Diagnostic::warning(codes::DISOWNED, message).on(first).hinted(hint))
}

/// The error with its causes, in one line.
#[must_use]
pub fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let more = inner.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        source = inner.source();
    }
    text
}
