//! A transaction from its first byte on disk to its end: apply, check, approve, then commit or roll back.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use relay_diagnostics::{Diagnostic, Severity};
use relay_txn::{Draft, FileChange, Image, Pending, Target, TxnError, Verdict};
use relay_workspace::RelPath;
use uuid::Uuid;

use crate::approval::{Approver, Decision, Observer, Proposal};
use crate::checks::check::Check;
use crate::checks::gate;
use crate::codes;
use crate::engine::Engine;
use crate::land::landing::Landing;
use crate::land::replan;
use crate::outcome::stop::{Stop, disowned, transaction_failed};
use crate::outcome::{Outcome, Status};
use crate::plan::contain::agree_to_changes;
use crate::project::config::ApprovalMode;

const SENSITIVE_HINT: &str =
    "A check did this, and everything was undone; look at what it runs, or allow it with --allow-sensitive.";

/// The conditions for changes to stay.
#[derive(Default)]
pub(crate) struct Terms<'a> {
    /// The checks.
    pub checks: Vec<Box<dyn Check + 'a>>,
    /// What a person must agree to in any case.
    pub questions: Vec<Diagnostic>,
    /// The checks may change files that make other tools execute something.
    pub allow_sensitive: bool,
}

/// If every change needs approval and there is no one to ask, nothing is applied just to be rolled back.
pub(crate) fn require_approver(
    engine: &Engine,
    approver: &dyn Approver,
    questions: &[Diagnostic],
) -> Result<(), Stop> {
    let mut questions = questions.to_vec();
    if engine.config().approval == ApprovalMode::No {
        questions.push(wants_confirmation());
    }
    if questions.is_empty() || approver.can_approve() {
        return Ok(());
    }
    Err(Stop::Refused(vec![no_one_to_ask(&questions)]))
}

impl Landing<'_> {
    /// Carries out a transaction. Whatever goes wrong, the files are as they were when this returns an error.
    pub fn transact(&mut self, draft: Draft, terms: Terms<'_>) -> Result<Status, Stop> {
        if self.engine.cancel().is_cancelled() {
            return Err(Stop::interrupted());
        }
        self.outcome.changes.clone_from(&draft.changes);
        let pending = begin(self.engine, &draft, self.observer)?;
        self.say(disowned(pending.disowned()));
        self.observer.applied(&self.outcome.changes);
        self.conclude(pending, terms, Ok(()))
    }

    /// Puts a reply that changes no file on the ledger, so that its uuid counts as processed. There is nothing to check or
    /// to approve.
    pub fn note_processed(&mut self, draft: &Draft) -> Result<(), Stop> {
        let pending = begin(self.engine, draft, self.observer)?;
        let verdict = Verdict { checks: Vec::new(), approved_by: "policy".to_owned() };
        commit(pending, verdict, &mut self.outcome).map(drop)
    }

    /// Decides about changes that are in the files: checks them, asks, and commits or rolls back. An existing objection
    /// rolls back at once.
    pub fn conclude(
        &mut self,
        mut pending: Pending,
        terms: Terms<'_>,
        objection: Result<(), Stop>,
    ) -> Result<Status, Stop> {
        match objection.and_then(|()| self.judge(&mut pending, terms)) {
            Ok(approved_by) => {
                let verdict = Verdict { checks: self.outcome.checks.clone(), approved_by };
                commit(pending, verdict, &mut self.outcome)
            }
            Err(stop) => Err(roll_back(pending, stop)),
        }
    }

    /// Runs the checks and asks if they leave the decision open. Returns who approved.
    fn judge(&mut self, pending: &mut Pending, terms: Terms<'_>) -> Result<String, Stop> {
        let Terms { checks, mut questions, allow_sensitive } = terms;
        let agreed: HashSet<RelPath> =
            self.outcome.changes.iter().map(|change| change.path.clone()).collect();
        questions.extend(gate::run_all(self, pending, &checks)?);
        if !allow_sensitive {
            // A check may run code from the change, so Relay asks about the files it touches as about the change
            // itself.
            let by_checks = self.outcome.changes.iter().filter(|change| !agreed.contains(&change.path));
            agree_to_changes(by_checks, SENSITIVE_HINT, self.approver)?;
        }
        if self.engine.config().approval == ApprovalMode::No {
            questions.push(wants_confirmation());
        }
        let Some(reason) = questions.first() else { return Ok("policy".to_owned()) };
        let Outcome { changes, checks, diagnostics, .. } = &self.outcome;
        match self.approver.approve(&Proposal { changes, checks, diagnostics, reason }) {
            Decision::Yes => {
                let asked = questions.into_iter().filter(|q| q.code != codes::APPROVAL_REQUIRED);
                self.say(asked.map(|q| Diagnostic { severity: Severity::Warning, hint: None, ..q }));
                Ok(self.approver.approved_by().to_owned())
            }
            Decision::No => Err(Stop::RolledBack(vec![Diagnostic::error(
                codes::NOT_APPROVED,
                "the change was not approved; every file is as it was",
            )])),
            Decision::Interrupted => Err(Stop::interrupted()),
            Decision::NobodyThere => {
                let unanswered = no_one_to_ask(&questions);
                questions.retain(|question| question.code != codes::APPROVAL_REQUIRED);
                Err(Stop::RolledBack(vec![unanswered]).and(questions))
            }
        }
    }
}

/// Refuses changes that would be refused later, without writing anything. Neither their contents nor the draft's
/// description matter for that. Files that only get new content and were just read (`is_seen`) need no further check.
pub(crate) fn rehearse<C>(
    engine: &Engine,
    changes: &[FileChange<C>],
    draft: Draft,
    is_seen: impl Fn(&FileChange<C>) -> bool,
) -> Result<(), Stop> {
    let mounts = engine.workspace().mounts();
    if let Some(change) = changes.iter().find(|change| mounts.cover(change.path.as_str())) {
        let source = std::io::ErrorKind::CrossesDevices.into();
        return Err(TxnError::OtherFileSystem { path: change.path.to_string(), source }.into());
    }
    relay_txn::limits::check_count(changes.len())?;
    let is_replaced = |change: &FileChange<C>| change.before.is_some() && change.after.is_some();
    let changes = changes.iter().filter(|change| !(is_replaced(change) && is_seen(change)));
    let changes = changes.map(|change| {
        let before = change.before.as_ref().map(|image| Image::new([], image.mode));
        let after = change.after.as_ref().map(|target| Target { mode: target.mode, ..Target::new([]) });
        FileChange::new(change.path.clone(), before, after)
    });
    let changes: Vec<FileChange> = changes.collect();
    if changes.is_empty() {
        return Ok(());
    }
    Ok(engine.ledger().rehearse(&Draft { changes, ..draft })?)
}

/// Begins it, waiting while another transaction works on one of its files. Inside a command that Relay runs, it is
/// refused instead, because the transaction around the command is waiting for us.
fn begin(engine: &Engine, draft: &Draft, observer: &mut dyn Observer) -> Result<Pending, Stop> {
    let inside_a_command = relay_exec::is_inside_a_run();
    let patience = Duration::from_millis(engine.config().command_timeout_ms);
    let started = Instant::now();
    let mut has_waited = false;
    let begun = engine.ledger().begin_when_free(draft, |error| {
        let waits = !inside_a_command && !engine.cancel().is_cancelled() && started.elapsed() < patience;
        if waits && !has_waited {
            observer.waiting(&error.to_string());
            has_waited = true;
        }
        waits
    });
    if engine.cancel().is_cancelled() && begun.is_err() {
        return Err(Stop::interrupted());
    }
    match begun {
        // Another process landed this uuid since the last check.
        Err(TxnError::AlreadyProcessed { uuid }) => Err(landed_meanwhile(engine, draft, uuid)?),
        // The other transaction changed the files since this one was planned.
        Err(TxnError::Changed { .. } | TxnError::Exists { .. }) if has_waited => {
            Err(replan::decided_meanwhile())
        }
        other => Ok(other?),
    }
}

/// The same reply twice at once lands once; another reply under the same uuid is refused.
fn landed_meanwhile(engine: &Engine, draft: &Draft, uuid: Uuid) -> Result<Stop, Stop> {
    let same =
        engine.ledger().find(uuid)?.is_some_and(|record| record.header.submission == draft.header.submission);
    let error = TxnError::AlreadyProcessed { uuid };
    Ok(if same {
        let note = Diagnostic { severity: Severity::Warning, ..transaction_failed(&error) };
        Stop::Done(Status::AlreadyProcessed, Box::new(note))
    } else {
        Stop::refused(transaction_failed(&error))
    })
}

/// The last step. If the disk did not confirm it, Relay warns, but the change has landed.
pub(crate) fn commit(pending: Pending, verdict: Verdict, outcome: &mut Outcome) -> Result<Status, Stop> {
    match pending.commit(verdict) {
        Ok(_) => Ok(Status::Committed),
        Err(error @ TxnError::NotDurable { .. }) => {
            outcome
                .diagnostics
                .push(Diagnostic { severity: Severity::Warning, ..transaction_failed(&error) });
            Ok(Status::Committed)
        }
        Err(error @ TxnError::RollbackFailed { .. }) => Err(Stop::from(error)),
        Err(error) => Err(Stop::RolledBack(vec![transaction_failed(&error)])),
    }
}

fn roll_back(pending: Pending, stop: Stop) -> Stop {
    match pending.rollback() {
        Ok(done) => stop.and(crate::outcome::stop::rolled_back(&done)),
        Err(error) => stop.stuck(&error),
    }
}

fn wants_confirmation() -> Diagnostic {
    Diagnostic::error(
        codes::APPROVAL_REQUIRED,
        "this project requires approval for every change (`approval` is set to \"no\")",
    )
}

/// A channel that takes any text cannot know that a text was meant to be landed.
pub(crate) fn unaddressed() -> Diagnostic {
    Diagnostic::error(
        codes::APPROVAL_REQUIRED,
        "every text is accepted here, so each change needs your approval",
    )
}

fn no_one_to_ask(questions: &[Diagnostic]) -> Diagnostic {
    let reasons: Vec<&str> = questions.iter().map(|question| question.message.as_str()).collect();
    Diagnostic::error(
        codes::APPROVAL_REQUIRED,
        format!("this needs approval and there is no terminal to ask in: {}", reasons.join("; ")),
    )
    .hinted("Run it in a terminal, or approve in advance with --yes.")
}
