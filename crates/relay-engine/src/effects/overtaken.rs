//! Records a command's changes to files on which another transaction has landed since: on the ledger, before that
//! transaction.
//!
//! Relay cannot ask about it or undo it, because the files have changed since. Without this record, though, the
//! content from before the command would be lost: undoing the other transaction restores only what the command had
//! written.

use relay_diagnostics::Diagnostic;
use relay_diagnostics::display::visible_line;
use relay_txn::capture::Effects;
use relay_txn::{Draft, Ledger, TxnError};
use uuid::Uuid;

use crate::codes;
use crate::effects::capture::count_lines;
use crate::ledger::history::short;
use crate::project::git::listed;

/// Files beyond this number are counted, not named.
const MAX_NAMED: usize = 5;

/// Records it with the draft's description, and reports it. The last record gets the draft's own name if no other
/// transaction will.
pub(crate) fn enter_overtaken(
    ledger: &Ledger,
    draft: &Draft,
    effects: &Effects,
    by: &str,
    takes_name: bool,
) -> Result<Vec<Diagnostic>, TxnError> {
    let mut found = Vec::new();
    let all = effects.overtaken.len();
    for (at, overtaken) in effects.overtaken.iter().enumerate() {
        let uuid = if takes_name && at + 1 == all { draft.uuid } else { Uuid::new_v4() };
        let mut overtaken = overtaken.clone();
        count_lines(&mut overtaken.changes, &[]);
        let record = ledger.enter_overtaken(Draft { uuid, ..draft.clone() }, &overtaken, by)?;
        let names = listed(&record.changes, MAX_NAMED, |change| visible_line(&change.path).into_owned());
        let (first, later) = (record.sequence, short(overtaken.by));
        let message = format!(
            "{} was changed before transaction {later} landed on it; this is recorded as #{first}, before that one",
            names.join(", ")
        );
        let hint = format!("To restore what was there first, undo {later} and then {first}.");
        found.push(Diagnostic::warning(codes::OVERTAKEN, message).hinted(hint));
    }
    Ok(found)
}
