//! Landing what a command did: its whole effect on the workspace becomes one transaction, checked like any other.
//!
//! The command has already run, after a first scan. Whether it may run at all was decided earlier.

use std::time::{Duration, Instant};

use relay_diagnostics::Diagnostic;
use relay_txn::capture::{Effects, Running, Scan, Unattributed};
use relay_txn::{Draft, Pending, TxnError, Verdict};

use crate::approval::Observer;
use crate::checks::{self, baseline};
use crate::codes;
use crate::effects::capture::{by_others, count_lines, findings};
use crate::effects::overtaken::enter_overtaken;
use crate::engine::Engine;
use crate::land::landing::Landing;
use crate::land::transact::{Terms, commit};
use crate::outcome::file_reports;
use crate::outcome::stop::{Stop, transaction_failed};
use crate::outcome::{Outcome, Status};
use crate::plan::contain::agree_to_changes;

const SENSITIVE_HINT: &str = "Everything the command did was undone; allow it with --allow-sensitive.";

/// How often to check a path that another transaction works on.
const LEASE_POLL: Duration = Duration::from_millis(25);
/// How many times the effect is recomputed because others landed on its files at the same moment.
const MAX_ATTEMPTS: usize = 10;

/// A command that has run.
pub(crate) struct Ran {
    /// The transaction's name and description; its changes are determined here.
    pub draft: Draft,
    /// Who made the changes, for the ledger.
    pub by: &'static str,
    /// The journal of the state before, which is removed once the effect is recorded.
    pub running: Running,
    /// Files that make other tools execute something may have changed.
    pub allow_sensitive: bool,
    /// What a person must agree to.
    pub questions: Vec<Diagnostic>,
}

/// The question about the changes of an interrupted command.
pub(crate) fn interrupted(what: &str) -> Diagnostic {
    let message = format!("{what} was interrupted; its changes so far are in the files");
    Diagnostic::error(codes::INTERRUPTED, message)
        .hinted("Approve it to keep these changes, or have Relay undo them.")
}

/// Turns the effect into a transaction and decides about it.
pub(crate) fn land_effects(landing: &mut Landing<'_>, before: &Scan, mut ran: Ran) -> Result<Status, Stop> {
    let Landing { engine, approver, observer, outcome } = landing;
    let (allowed, questions) = (ran.allow_sensitive, std::mem::take(&mut ran.questions));
    let pending = match adopt(engine, before, ran, Some(*observer), outcome)? {
        Adopted::Pending(pending) => *pending,
        Adopted::Ended(status) => return Ok(status),
    };
    observer.applied(&outcome.changes);
    let sensitive = match allowed {
        true => Ok(()),
        false => agree_to_changes(outcome.changes.iter(), SENSITIVE_HINT, *approver),
    };
    let known = baseline::known_of(engine, before);
    let checks = checks::of_project(engine, known.as_ref(), false);
    let terms = Terms { checks, questions, allow_sensitive: allowed };
    landing.conclude(pending, terms, sensitive)
}

/// Turns an effect that should not exist into a transaction that can be undone. It is neither checked nor undone,
/// because another program may have made the changes.
pub(crate) fn record_effects(
    engine: &Engine,
    before: &Scan,
    ran: Ran,
    outcome: &mut Outcome,
) -> Result<Status, Stop> {
    let by = ran.by;
    let pending = match adopt(engine, before, ran, None, outcome)? {
        Adopted::Pending(pending) => *pending,
        Adopted::Ended(status) => return Ok(status),
    };
    let message = format!(
        "files changed during the {by}, which should have changed nothing; they were left as they are"
    );
    let hint = "`relay show` shows what changed, `relay undo` undoes it.";
    outcome.diagnostics.push(Diagnostic::warning(codes::CHANGED_MEANWHILE, message).hinted(hint));
    commit(pending, Verdict { checks: Vec::new(), approved_by: "nobody".to_owned() }, outcome)
}

/// How an effect entered the ledger.
enum Adopted {
    /// As a transaction that waits for a decision.
    Pending(Box<Pending>),
    /// Nothing to decide.
    Ended(Status),
}

/// A pending transaction, and what was left to other running transactions.
type TakenOn = (Pending, Vec<Unattributed>);

/// Makes the effect a pending transaction. Changes that other transactions have already built on are entered at once:
/// it is too late to decide about them.
fn adopt(
    engine: &Engine,
    before: &Scan,
    ran: Ran,
    mut observer: Option<&mut dyn Observer>,
    outcome: &mut Outcome,
) -> Result<Adopted, Stop> {
    let (draft, by) = (&ran.draft, ran.by);
    let mut entered = Vec::new();
    let mut attempt = || -> Result<(Effects, Option<TakenOn>), TxnError> {
        let mut effects = settled_effects(engine, before, observer.as_deref_mut())?;
        count_lines(&mut effects.changes, &[]);
        let is_all = effects.changes.is_empty();
        entered.extend(enter_overtaken(engine.ledger(), draft, &effects, by, is_all)?);
        if is_all {
            return Ok((effects, None));
        }
        let adopted = engine.ledger().adopt(draft.clone(), &effects, by)?;
        Ok((effects, Some(adopted)))
    };
    let adopted = (1..MAX_ATTEMPTS).find_map(|_| match attempt() {
        // Another transaction landed on the same files a moment ago.
        Err(TxnError::Changed { .. } | TxnError::Leased { .. }) => None,
        ended => Some(ended),
    });
    let (mut effects, adopted) = match adopted.unwrap_or_else(&mut attempt) {
        Ok(adopted) => adopted,
        Err(error) => return Err(unrecorded(ran.running, &error)),
    };
    outcome.diagnostics.extend(findings(&effects, "the command"));
    outcome.diagnostics.extend(entered);
    let Some((pending, others)) = adopted else { return Ok(Adopted::Ended(ended(draft, effects, outcome))) };
    // From here on the pending record knows what the command did.
    drop(ran.running);
    outcome.uuid = Some(ran.draft.uuid);
    effects.changes.retain(|change| !others.iter().any(|other| other.path == change.path.as_str()));
    outcome.diagnostics.extend(by_others(&others, "the command"));
    outcome.files = file_reports::of_changes(&effects.changes, |_| "by the command".to_owned());
    outcome.changes = effects.changes;
    Ok(Adopted::Pending(Box::new(pending)))
}

/// What to report if nothing is left to decide.
fn ended(draft: &Draft, mut effects: Effects, outcome: &mut Outcome) -> Status {
    if !effects.overtaken.is_empty() {
        outcome.uuid = Some(draft.uuid);
        outcome.changes = effects.overtaken.drain(..).flat_map(|overtaken| overtaken.changes).collect();
        count_lines(&mut outcome.changes, &[]);
        outcome.files = file_reports::of_changes(&outcome.changes, |_| "by the command".to_owned());
        return Status::Committed;
    }
    if !effects.is_empty() && effects.uncaptured.is_empty() {
        let message = "the command only made or removed empty folders, which Relay does not record";
        outcome.diagnostics.push(Diagnostic::warning(codes::NOT_CAPTURED, message));
    }
    Status::Unchanged
}

/// The effect, once every other transaction on the same files is decided. Inside a command that Relay runs, it does
/// not wait, because the others may be waiting for that command.
fn settled_effects(
    engine: &Engine,
    before: &Scan,
    mut observer: Option<&mut (dyn Observer + '_)>,
) -> Result<Effects, TxnError> {
    let patience = Duration::from_millis(engine.config().command_timeout_ms);
    let started = Instant::now();
    loop {
        let (effects, _) = engine.ledger().effects_since(engine.workspace(), before)?;
        let lease = || engine.ledger().lease_on(effects.changes.iter().map(|change| change.path.as_str()));
        let Some(undecided) = lease()?.filter(|_| !relay_exec::is_inside_a_run()) else { return Ok(effects) };
        if let Some(observer) = observer.take() {
            observer.waiting(&undecided.to_string());
        }
        while lease()?.is_some() {
            if engine.cancel().is_cancelled() || started.elapsed() > patience {
                return Ok(effects);
            }
            std::thread::sleep(LEASE_POLL);
            // A process that has died will never decide.
            engine.ledger().recover()?;
        }
    }
}

/// The command ran, but Relay could not record its changes: the files stay as they are, and Relay says so. The next
/// start may try again.
fn unrecorded(running: Running, error: &TxnError) -> Stop {
    let failed = transaction_failed(error);
    if matches!(error, TxnError::TooLarge { .. }) {
        let message = format!(
            "the command ran, but its changes can be neither recorded nor undone with Relay: {}",
            failed.message
        );
        return Stop::refused(Diagnostic::error(codes::NOT_CAPTURED, message));
    }
    running.leave();
    let message = format!("the command ran, but its changes could not be recorded yet: {}", failed.message);
    Stop::refused(Diagnostic {
        path: failed.path,
        ..Diagnostic::error(codes::NOT_CAPTURED, message).hinted(
            "Remove the cause, then run `relay recover`: it records what differs from before the command.",
        )
    })
}
