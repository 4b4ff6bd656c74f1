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
    let Ok(entries) = engine.ledger().entries() else { return false };
    // A transaction is dated when it begins; on a slow disk its files change a good while later.
    let after = |record: &Record| record.created_at.as_second() + SLOWEST_BEGIN_SECONDS >= since.as_second();
    entries
        .records
        .iter()
        .rev()
        .take_while(|record| after(record))
        .any(|record| record.paths().any(|p| p == path))
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
