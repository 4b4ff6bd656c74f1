//! Plans again after another transaction of Relay's changed the files.
//!
//! Planning takes no lock, so a slow reply blocks no other. If another transaction changed a file meanwhile, nothing
//! has happened yet, and the edits are placed again on the file as it is now. If an editor changed it, the user is at
//! work on it, so the submission is refused with that reason.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use relay_diagnostics::Diagnostic;
use relay_txn::{Record, TxnError};
use uuid::Uuid;

use crate::approval::Observer;
use crate::codes;
use crate::engine::Engine;
use crate::land::landing::Landing;
use crate::land::versions;
use crate::outcome::Status;
use crate::outcome::stop::Stop;

/// How many times; a reply that loses this many races is refused.
const ATTEMPTS: usize = 100;

/// How long a transaction may take from its date to writing its files.
const SLOWEST_BEGIN_SECONDS: i64 = 60;

/// Runs `attempt` until its plan is not overtaken by another transaction.
pub(crate) fn until_current(
    landing: &mut Landing<'_>,
    mut attempt: impl FnMut(&mut Landing<'_>) -> Result<Status, Stop>,
) -> Result<Status, Stop> {
    let said = landing.outcome.diagnostics.len();
    let mut attempts = 1;
    loop {
        let started = Timestamp::now();
        match attempt(landing) {
            Err(Stop::Outdated(reasons))
                if attempts < ATTEMPTS && by_relay(landing.engine, &reasons, started) =>
            {
                attempts += 1;
                landing.outcome.diagnostics.truncate(said);
                landing.outcome.incomplete = false;
            }
            ended => return ended.map_err(|stop| versions::name_both(landing, stop)),
        }
    }
}

/// Whether a transaction changed the file that caused the failure.
fn by_relay(engine: &Engine, reasons: &[Diagnostic], since: Timestamp) -> bool {
    if reasons.iter().any(|reason| reason.code == codes::IN_PROGRESS) {
        return true;
    }
    let Some(path) = reasons.iter().find_map(|reason| reason.path.as_deref()) else { return false };
    engine.ledger().entries().is_ok_and(|entries| was_changed(&entries.records, path, since))
}

/// Whether a transaction of these may have changed the path since then. They are in the order in which they were
/// committed, and dated when they began: one with slow checks comes after younger ones.
fn was_changed(records: &[Record], path: &str, since: Timestamp) -> bool {
    // On a slow disk, its files change long after it began.
    let after = |record: &Record| record.created_at.as_second() + SLOWEST_BEGIN_SECONDS >= since.as_second();
    records.iter().rev().any(|record| after(record) && record.paths().any(|changed| changed == path))
}

/// Waits while another process lands the same uuid. The changes of this reply are already in the files, but whether
/// they stay is not decided yet.
pub(crate) fn wait_for_twin(engine: &Engine, uuid: Uuid) -> Result<(), Stop> {
    let twin = || Ok(engine.ledger().pending(uuid)?.then_some(TxnError::InProgress { uuid }));
    wait_while(engine, twin, |_| {})
}

/// Waits while other transactions work on these files, in which edits did not fit: their content may be rolled back.
/// Does not wait inside a command that Relay runs, because the others may be waiting for that command.
pub(crate) fn wait_for_others<'p>(
    engine: &Engine,
    paths: impl Iterator<Item = &'p str> + Clone,
    observer: &mut dyn Observer,
) -> Result<(), Stop> {
    if relay_exec::is_inside_a_run() {
        return Ok(());
    }
    let lease = || engine.ledger().lease_on(paths.clone());
    wait_while(engine, lease, |lease| observer.waiting(&lease.to_string()))
}

/// Waits while something is undecided, and then makes the caller start over.
fn wait_while(
    engine: &Engine,
    mut undecided: impl FnMut() -> Result<Option<TxnError>, TxnError>,
    report: impl FnOnce(&TxnError),
) -> Result<(), Stop> {
    let patience = Duration::from_millis(engine.config().command_timeout_ms);
    let started = Instant::now();
    let mut report = Some(report);
    while let Some(reason) = undecided()? {
        if engine.cancel().is_cancelled() {
            return Err(Stop::interrupted());
        }
        if started.elapsed() > patience {
            return Err(reason.into());
        }
        if let Some(report) = report.take() {
            report(&reason);
        }
        std::thread::sleep(Duration::from_millis(25));
        // A process that died meanwhile will not decide any more.
        engine.ledger().recover()?;
    }
    if report.is_none() { Err(decided_meanwhile()) } else { Ok(()) }
}

/// The plan was made on files with an undecided change.
pub(crate) fn decided_meanwhile() -> Stop {
    let message = "another transaction was working on the same files and has ended since";
    let hint = "Nothing was changed. Run the command again.";
    Stop::Outdated(vec![Diagnostic::error(codes::IN_PROGRESS, message).hinted(hint)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::history::tests::record;

    #[test]
    fn a_transaction_with_slow_checks_does_not_hide_those_that_overtook_it() {
        let now = Timestamp::from_second(1_000_000).unwrap();
        let at = |number, path: &str, age_seconds: i64| {
            let created_at = Timestamp::from_second(now.as_second() - age_seconds).unwrap();
            Record { created_at, ..record(number, &[path], &[]) }
        };
        let records = [at(1, "old", 1000), at(2, "a", 1), at(3, "slow", 1000)];
        assert!(was_changed(&records, "a", now));
        for path in ["old", "slow", "b"] {
            assert!(!was_changed(&records, path, now), "{path}");
        }
    }
}
