//! Landing what a command did: its whole effect on the workspace becomes one transaction, checked like any other.
//!
//! The command has run already, between a scan and this. Whether it may run at all is decided before.

use relay_edit::Diagnostic;
use relay_txn::capture::{Running, Scan};
use relay_txn::{Draft, Pending, TxnError, Verdict};

use crate::approval::{Approver, Observer};
use crate::capture::{count_lines, effects_since, findings};
use crate::contain::agree_to_changes;
use crate::engine::Engine;
use crate::outcome::{Outcome, Status};
use crate::stop::{Stop, transaction_failed};
use crate::transact::{Terms, commit, conclude};
use crate::{codes, file_reports, pipeline};

const SENSITIVE_HINT: &str = "Everything the command did was taken back; allow it with --allow-sensitive.";

/// A command that has run.
pub(crate) struct Ran {
    /// The transaction's name and words; the changes are found out.
    pub draft: Draft,
    /// Who made the changes, for the ledger.
    pub by: &'static str,
    /// The journal of what was there before, which goes once the effect is recorded.
    pub running: Running,
    /// Files that make other tools execute something may have changed.
    pub allow_sensitive: bool,
    /// What a person must agree to.
    pub questions: Vec<Diagnostic>,
}

/// Turns the effect into a transaction and decides about it.
pub(crate) fn land_effects(
    engine: &Engine,
    before: &Scan,
    mut ran: Ran,
    approver: &mut dyn Approver,
    observer: &mut dyn Observer,
    outcome: &mut Outcome,
) -> Result<Status, Stop> {
    let (allowed, questions) = (ran.allow_sensitive, std::mem::take(&mut ran.questions));
    let Some(pending) = adopt(engine, before, ran, outcome)? else { return Ok(Status::Unchanged) };
    observer.applied(&outcome.changes);
    let sensitive = match allowed {
        true => Ok(()),
        false => agree_to_changes(outcome.changes.iter(), SENSITIVE_HINT, approver),
    };
    let terms = Terms { checks: pipeline::checks(engine), questions, allow_sensitive: allowed };
    conclude(engine, pending, terms, sensitive, approver, observer, outcome)
}

/// Turns the effect of what should have had none into a transaction that can be undone. It is not judged and nothing is
/// taken back: somebody else may have worked at the same time.
pub(crate) fn record_effects(
    engine: &Engine,
    before: &Scan,
    ran: Ran,
    outcome: &mut Outcome,
) -> Result<Status, Stop> {
    let by = ran.by;
    let Some(pending) = adopt(engine, before, ran, outcome)? else { return Ok(Status::Unchanged) };
    let message = format!("files changed during the {by}, which was to change nothing; they were left so");
    let hint = "`relay show` shows what changed, `relay undo` takes it back.";
    outcome.diagnostics.push(Diagnostic::warning(codes::CHANGED_MEANWHILE, message).hinted(hint));
    commit(pending, Verdict { checks: Vec::new(), approved_by: "nobody".to_owned() }, outcome)
}

/// Makes the effect a pending transaction; `None` if there was none.
fn adopt(engine: &Engine, before: &Scan, ran: Ran, outcome: &mut Outcome) -> Result<Option<Pending>, Stop> {
    let mut effects = match effects_since(engine, before) {
        Ok((effects, _)) => effects,
        Err(error) => return Err(unrecorded(ran.running, &error)),
    };
    count_lines(&mut effects.changes, &[]);
    outcome.diagnostics.extend(findings(&effects, "the command"));
    if effects.changes.is_empty() {
        if !effects.is_empty() {
            let message =
                "the command made or removed only empty folders, which are not recorded by themselves";
            outcome.diagnostics.push(Diagnostic::warning(codes::NOT_CAPTURED, message));
        }
        return Ok(None);
    }
    let uuid = ran.draft.uuid;
    let (pending, others) = match engine.ledger().adopt(ran.draft, &effects, ran.by) {
        Ok(adopted) => adopted,
        Err(error) => return Err(unrecorded(ran.running, &error)),
    };
    // From here on the pending record knows what the command did.
    drop(ran.running);
    outcome.uuid = Some(uuid);
    effects.changes.retain(|change| !others.iter().any(|other| other.path == change.path.as_str()));
    effects.unattributed = others;
    effects.uncaptured.clear();
    effects.git_programs.clear();
    outcome.diagnostics.extend(findings(&effects, "the command"));
    outcome.files = file_reports::of_changes(&effects.changes, |_| "by the command".to_owned());
    outcome.changes = effects.changes;
    Ok(Some(pending))
}

/// The command has run, and Relay could not record what it did: the files stay as they are, and that is said. What may
/// work later is left to the next start.
fn unrecorded(running: Running, error: &TxnError) -> Stop {
    let failed = transaction_failed(error);
    if matches!(error, TxnError::TooLarge { .. }) {
        let message = format!(
            "the command ran, but what it did cannot be recorded, nor undone with Relay: {}",
            failed.message
        );
        return Stop::refused(Diagnostic::error(codes::NOT_CAPTURED, message));
    }
    running.leave();
    let message = format!("the command ran, but what it did could not be recorded yet: {}", failed.message);
    Stop::refused(Diagnostic {
        path: failed.path,
        ..Diagnostic::error(codes::NOT_CAPTURED, message).hinted(
            "Remove the cause, then run `relay recover`: it records what differs from before the command.",
        )
    })
}
