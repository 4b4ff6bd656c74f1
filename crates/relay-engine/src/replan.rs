//! Planning again when another transaction of Relay's came in between.
//!
//! A plan is made without holding anything, so that nobody waits for a slow reply. When a file it needs was changed by
//! another transaction meanwhile, nothing has happened yet, and the edits are placed anew on what is there now. A file
//! that an editor changed is another matter: its owner is at work, so the submission is refused and says so.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use relay_edit::Diagnostic;
use relay_txn::Record;
use uuid::Uuid;

use crate::engine::Engine;
use crate::outcome::{Outcome, Status};
use crate::stop::Stop;
use crate::{codes, versions};

/// How often; whoever loses that many races is told.
const ATTEMPTS: usize = 100;

/// How long a transaction may take from its date to its changed files.
const SLOWEST_BEGIN_SECONDS: i64 = 60;

/// Runs `attempt` until its plan is not overtaken by another transaction.
pub(crate) fn until_current(
    engine: &Engine,
    outcome: &mut Outcome,
    mut attempt: impl FnMut(&mut Outcome) -> Result<Status, Stop>,
) -> Result<Status, Stop> {
    let said = outcome.diagnostics.len();
    for _ in 1..ATTEMPTS {
        let started = Timestamp::now();
        match attempt(outcome) {
            Err(Stop::Outdated(reasons)) if by_relay(engine, &reasons, started) => {
                outcome.diagnostics.truncate(said);
                outcome.incomplete = false;
            }
            ended => return ended.map_err(|stop| versions::name_both(engine, outcome, stop)),
        }
    }
    attempt(outcome).map_err(|stop| versions::name_both(engine, outcome, stop))
}

/// Whether it was a transaction that changed the file which is complained about.
fn by_relay(engine: &Engine, reasons: &[Diagnostic], since: Timestamp) -> bool {
    if reasons.iter().any(|reason| reason.code == codes::IN_PROGRESS) {
        return true;
    }
    let Some(path) = reasons.iter().find_map(|reason| reason.path.as_deref()) else { return false };
    engine.ledger().entries().is_ok_and(|entries| was_changed(&entries.records, path, since))
}

/// Whether a transaction of these may have changed the path since then. They are in the order in which they were
/// committed, and dated when they began: one with slow checks stands behind others that are younger.
fn was_changed(records: &[Record], path: &str, since: Timestamp) -> bool {
    // On a slow disk its files change a good while after it began.
    let after = |record: &Record| record.created_at.as_second() + SLOWEST_BEGIN_SECONDS >= since.as_second();
    records.iter().rev().any(|record| after(record) && record.paths().any(|changed| changed == path))
}

/// Waits while another process lands the same uuid. Nothing is to be done for a reply whose changes are in the files
/// already; but whether they stay is not decided yet.
pub(crate) fn wait_for_twin(engine: &Engine, uuid: Uuid) -> Result<(), Stop> {
    let patience = Duration::from_millis(engine.config().command_timeout_ms);
    let started = Instant::now();
    let mut waited = false;
    while engine.ledger().pending(uuid)? {
        if engine.cancel().is_cancelled() {
            return Err(Stop::interrupted());
        }
        let busy =
            Diagnostic::error(codes::IN_PROGRESS, format!("{uuid} is being landed by another process"));
        if started.elapsed() > patience {
            return Err(Stop::refused(busy.hinted("Wait until it has finished, then try again.")));
        }
        waited = true;
        std::thread::sleep(Duration::from_millis(25));
    }
    // Decided by now: the reply is looked at anew.
    let again = || Stop::Outdated(vec![Diagnostic::error(codes::IN_PROGRESS, "decided meanwhile")]);
    if waited { Err(again()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::tests::record;

    #[test]
    fn one_with_slow_checks_does_not_hide_those_that_overtook_it() {
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
