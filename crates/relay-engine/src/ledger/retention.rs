//! How long the ledger keeps transactions, and how it deletes the rest.
//!
//! Only a beginning of the ledger is ever deleted: a transaction's undo is younger than it, so no remaining
//! transaction loses its undo. Deletion cannot be undone, so Relay asks.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use relay_diagnostics::Diagnostic;
use relay_txn::Forgotten;

use crate::approval::Decision;
use crate::codes;
use crate::engine::{Engine, EngineError};
use crate::ledger::history::{Entry, EntryStatus, History};
use crate::mail;

/// What is kept: everything younger than an age, and the newest transactions however old they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Everything younger than this is kept.
    pub younger_than: SignedDuration,
    /// This many of the newest are kept, at least one: numbers are never used twice.
    pub newest: usize,
}

impl Retention {
    /// 90 days and the newest 1,000.
    pub const DEFAULT: Self = Self { younger_than: SignedDuration::from_hours(90 * 24), newest: 1000 };

    /// The transactions that are not kept, oldest first.
    #[must_use]
    pub fn expired<'h>(&self, history: &'h History, now: Timestamp) -> Vec<&'h Entry> {
        let old = history.entries.iter().skip(self.newest.max(1)).rev();
        old.take_while(|entry| now.duration_since(entry.record.created_at) > self.younger_than).collect()
    }
}

/// The question before transactions are deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Farewell {
    /// How many transactions are to be forgotten.
    pub transactions: usize,
    /// How many of them are still in effect, so that the user may want to undo them.
    pub in_effect: usize,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectedStatus {
    /// Unneeded transactions were deleted.
    Collected,
    /// They would be deleted (`--dry-run`).
    Validated,
    /// The user did not agree to forget the transactions; only orphaned contents are gone.
    Kept,
}

impl CollectedStatus {
    /// The name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            CollectedStatus::Collected => "collected",
            CollectedStatus::Validated => "validated",
            CollectedStatus::Kept => "kept",
        }
    }
}

/// What was deleted.
#[derive(Clone, Debug)]
pub struct Collected {
    /// How it ended.
    pub status: CollectedStatus,
    /// What was deleted, or would be.
    pub forgotten: Forgotten,
    /// How many mail sessions were deleted, or would be.
    pub mail_sessions: usize,
    /// How many transactions remain.
    pub kept: usize,
    /// Everything a person should know.
    pub diagnostics: Vec<Diagnostic>,
}

/// Deletes contents that no transaction needs and mail sessions that ended long ago, and, after asking, transactions
/// beyond the retention.
///
/// # Errors
/// The state folder cannot be read or changed.
pub fn collect(
    engine: &Engine,
    retention: &Retention,
    now: Timestamp,
    dry_run: bool,
    ask: &mut dyn FnMut(&Farewell) -> Decision,
) -> Result<Collected, EngineError> {
    let history = engine.history()?;
    let expired = retention.expired(&history, now);
    let farewell = Farewell {
        transactions: expired.len(),
        in_effect: expired.iter().filter(|entry| entry.status != EntryStatus::Undone).count(),
    };
    let mut uuids: BTreeSet<_> = expired.iter().map(|entry| entry.record.uuid).collect();
    let mut diagnostics = Vec::new();
    let mut status = if dry_run { CollectedStatus::Validated } else { CollectedStatus::Collected };
    if !dry_run && !uuids.is_empty() {
        let decision = ask(&farewell);
        if decision != Decision::Yes {
            status = CollectedStatus::Kept;
            diagnostics.push(not_agreed(decision, &farewell));
            uuids.clear();
        }
    }
    let forgotten = engine.ledger().forget(&uuids, dry_run)?;
    if forgotten.busy {
        diagnostics.push(
            Diagnostic::warning(
                codes::IN_PROGRESS,
                "another transaction is in progress, so contents were left alone",
            )
            .hinted("Run `relay gc` again when it has ended."),
        );
    }
    if forgotten.unverified > 0 {
        let message = format!(
            "{} state file(s) cannot be verified, and may need contents that nothing else does: contents were left alone",
            forgotten.unverified
        );
        diagnostics.push(
            Diagnostic::warning(codes::DAMAGED_STATE, message)
                .hinted("`relay recover` names them. Restore what is damaged; remove what is not yours."),
        );
    }
    let mail_sessions = mail::forget_ended(engine, now, retention.younger_than, dry_run)?;
    Ok(Collected { status, forgotten, mail_sessions, kept: history.entries.len() - uuids.len(), diagnostics })
}

fn not_agreed(decision: Decision, farewell: &Farewell) -> Diagnostic {
    let message =
        format!("{} transactions were kept, because removing them was not confirmed", farewell.transactions);
    match decision {
        Decision::NobodyThere => Diagnostic::error(codes::APPROVAL_REQUIRED, message)
            .hinted("Look with --dry-run; run it in a terminal, or agree in advance with --yes."),
        Decision::Yes | Decision::No | Decision::Interrupted => {
            Diagnostic::error(codes::NOT_APPROVED, message)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::history::tests::{history, record};

    /// Transactions of these ages in hours, the oldest first; returns the numbers of those that go.
    fn expired(ages: &[i64], younger_than_hours: i64, newest: usize) -> Vec<u64> {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let records = (1u64..).zip(ages).map(|(number, age)| {
            let mut record = record(number, &["a"], &[]);
            record.created_at = now - SignedDuration::from_hours(*age);
            record
        });
        let retention = Retention { younger_than: SignedDuration::from_hours(younger_than_hours), newest };
        let history = history(records.collect());
        retention.expired(&history, now).iter().map(|entry| entry.record.sequence).collect()
    }

    #[test]
    fn transactions_that_are_old_and_not_among_the_newest_are_deleted() {
        assert_eq!(expired(&[50, 40, 30, 20, 10], 25, 1), [1, 2, 3]);
        assert_eq!(expired(&[50, 40, 30, 20, 10], 25, 4), [1]);
        assert_eq!(expired(&[50, 40, 30, 20, 10], 100, 1), [] as [u64; 0]);
        assert_eq!(expired(&[50, 40], 1, 0), [1], "the newest always stays");
        assert_eq!(expired(&[], 1, 0), [] as [u64; 0]);
    }

    #[test]
    fn only_a_beginning_of_the_ledger_is_deleted_even_if_clocks_were_wrong() {
        assert_eq!(expired(&[50, 5, 40, 30, 1], 25, 1), [1]);
    }
}
