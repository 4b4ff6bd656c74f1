//! A command whose Relay was killed, or whose changes could not be recorded: everything that differs from the state
//! before it goes on the ledger, and the user gets a report.
//!
//! Nothing is undone automatically. The user may have continued working since, and Relay cannot tell those changes
//! from the command's; on the ledger the user can inspect and undo them.

use relay_diagnostics::Diagnostic;
use relay_txn::capture::Interrupted;
use relay_txn::{Draft, Header, Ledger, TxnError, Verdict};
use relay_workspace::Workspace;
use uuid::Uuid;

use crate::codes;
use crate::effects::capture::{CHECK, count_lines, findings};
use crate::effects::overtaken::enter_overtaken;
use crate::ledger::history::short;
use crate::outcome::stop::transaction_failed;

/// Stops a check that is still running, as its Relay would have done. Wrapped programs belong to a person and are left
/// alone.
pub(crate) fn end_check(interrupted: &Interrupted) -> Option<Diagnostic> {
    let command = &interrupted.command;
    if command.by != CHECK || !relay_exec::end_left_running(&command.runs) {
        return None;
    }
    let message = format!("`{}` was still running after Relay was killed; Relay ended it", command.line);
    Some(Diagnostic::warning(codes::LEFT_RUNNING, message))
}

/// Records what differs from before the command, and reports it. Changes that cannot be recorded now do not block work:
/// Relay reports them, and the next start tries again.
pub(crate) fn settle(ledger: &Ledger, workspace: &Workspace, interrupted: Interrupted) -> Vec<Diagnostic> {
    if relay_exec::is_left_running(&interrupted.command.runs) {
        let line = &interrupted.command.line;
        let message = format!(
            "`{line}` is still running, though its Relay was killed; its changes are not recorded yet"
        );
        let hint = "Let it finish, or stop it; the next `relay` command then records its changes.";
        let found = Diagnostic::warning(codes::LEFT_RUNNING, message).hinted(hint);
        interrupted.leave();
        return vec![found];
    }
    let error = match record(ledger, workspace, &interrupted) {
        Ok(found) => return found,
        Err(error) => error,
    };
    let (line, failed) = (interrupted.command.line.clone(), transaction_failed(&error));
    if matches!(error, TxnError::TooLarge { .. }) {
        let message =
            format!("`{line}` was interrupted, and its changes cannot be recorded: {}", failed.message);
        return vec![Diagnostic::warning(codes::NOT_CAPTURED, message)];
    }
    interrupted.leave();
    let message =
        format!("`{line}` was interrupted, and its changes cannot be recorded yet: {}", failed.message);
    vec![Diagnostic { code: codes::RECOVERY_STUCK, message, ..failed }]
}

fn record(
    ledger: &Ledger,
    workspace: &Workspace,
    interrupted: &Interrupted,
) -> Result<Vec<Diagnostic>, TxnError> {
    let mut effects = ledger.effects_of(workspace, interrupted)?;
    let line = &interrupted.command.line;
    let mut found = findings(&effects, &format!("`{line}`"));
    count_lines(&mut effects.changes, &[]);
    let uuid = Uuid::new_v4();
    let header = Header {
        channel: interrupted.command.by.clone(),
        prompt_summary: Some(format!("interrupted: {line}")),
        reasoning: format!(
            "The changes of `{line}` were not recorded when it ended. These are the differences found at the next start."
        ),
        ..Header::default()
    };
    let draft = Draft { uuid, header, ..Draft::default() };
    found.extend(enter_overtaken(ledger, &draft, &effects, &interrupted.command.by, false)?);
    if effects.changes.is_empty() {
        return Ok(found);
    }
    let (pending, _) = ledger.adopt(draft, &effects, &interrupted.command.by)?;
    let record = pending.commit(Verdict { checks: Vec::new(), approved_by: "recovery".to_owned() })?;
    let (count, name) = (record.files().count(), short(uuid));
    found.push(
        Diagnostic::warning(
            codes::INTERRUPTED_COMMAND,
            format!("`{line}` was interrupted; {count} file(s) differ from the state before it, recorded as {name}"),
        )
        .hinted(format!("`relay show {name}` shows them, `relay undo {name}` undoes them.")),
    );
    Ok(found)
}
