//! `RUN_COMMAND`: asks, runs the command with limits, and lands what it did to the files as a transaction.
//!
//! A command runs at most once. Relay records a command before starting it, so a reply that was interrupted during a
//! command is finished without running it again, and the model learns about it.

use std::time::Duration;

use relay_exec::{End, Run, Shell};
use relay_txn::{CheckRecord, Draft, Header};
use relay_workspace::Ignored;
use uuid::Uuid;

use super::MailOptions;
use super::error::MailError;
use super::fold::{self, OUTPUT_CHARACTERS};
use super::result::CommandResult;
use super::work::{CHANNEL, Work};
use crate::approval::{Approver, Decision};
use crate::checks::check;
use crate::effects::adopt::{Ran, land_effects};
use crate::effects::refs::Refs;
use crate::land::landing::Landing;
use crate::outcome::stop::{Stop, transaction_failed};
use crate::outcome::{Outcome, Status};

const NAME: &str = "RUN_COMMAND";
/// How long a command may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How much of its output is read.
const OUTPUT_LIMIT_BYTES: usize = 1 << 20;

/// Whether a command may run, or why not, in words for the model.
///
/// # Errors
/// The person left.
pub(super) fn may_run(
    command: &str,
    options: &MailOptions,
    approver: &mut dyn Approver,
) -> Result<Option<CommandResult>, MailError> {
    let decision = if options.allow_commands { Decision::Yes } else { approver.run_command(command) };
    let reason = match decision {
        Decision::Yes => return Ok(None),
        Decision::Interrupted => return Err(MailError::Interrupted),
        Decision::No => "the user said no",
        Decision::NobodyThere => {
            "commands are not allowed here; the user can allow them with --allow-commands"
        }
    };
    Ok(Some(CommandResult::failed(NAME, format!("Not run '{}': {reason}", brief(command)))))
}

impl Work<'_> {
    /// Runs a command that may run.
    pub(super) fn run(
        &mut self,
        uuid: Uuid,
        command: &str,
        was_running: bool,
    ) -> Result<CommandResult, MailError> {
        if was_running {
            return self.after_interruption(uuid, command);
        }
        let (before, running) = match self.engine.watch(NAME, command, &Ignored::Not) {
            Ok(watched) => watched,
            Err(error) => {
                let reason = transaction_failed(&error).message;
                return Ok(CommandResult::failed(NAME, format!("Not run '{}': {reason}", brief(command))));
            }
        };
        let mut outcome = Outcome::rejected(Vec::new());
        let root = self.engine.workspace().root();
        let git = Refs::of(self.engine);
        self.observer.command_started(NAME, command);
        let observer = &mut *self.observer;
        let shell =
            Shell { command, cwd: root, timeout: TIMEOUT, output_limit_bytes: OUTPUT_LIMIT_BYTES, env: &[] };
        let run = shell.run(self.engine.cancel(), &mut |bytes| observer.command_output(bytes));
        let record = record(command, &run);
        self.observer.command_finished(&record);
        outcome.diagnostics.extend(Refs::changed_since(git, self.engine));
        outcome.diagnostics.extend(check::ended_after(NAME, &run));
        outcome.checks.push(record.clone());
        let ran = Ran {
            draft: Draft { uuid, header: self.header(command), ..Draft::default() },
            by: NAME,
            running,
            allow_sensitive: self.options.allow_sensitive,
            questions: Vec::new(),
        };
        let mut landing =
            Landing { engine: self.engine, approver: self.approver, observer: self.observer, outcome };
        let landed = land_effects(&mut landing, &before, ran);
        let outcome = landing.outcome;
        let mut result = result(&record);
        match landed {
            Ok(Status::Committed) => result.transaction = Some(uuid),
            Ok(_) => {}
            Err(stop) => result.refuse(stop),
        }
        self.diagnostics.extend(outcome.diagnostics);
        self.doubt_views();
        Ok(result)
    }

    /// An earlier run started the command and was interrupted before it ended.
    fn after_interruption(&mut self, uuid: Uuid, command: &str) -> Result<CommandResult, MailError> {
        self.doubt_views();
        let landed = self.engine.ledger().find(uuid).map_err(Stop::from)?;
        let kept = landed.as_ref().and_then(|found| found.checks.iter().find(|check| check.name == NAME));
        Ok(match kept {
            Some(record) => CommandResult { transaction: Some(uuid), ..result(record) },
            None => CommandResult::failed(
                NAME,
                format!(
                    "'{}' was started and interrupted; what it did until then is unknown, and it was not run again",
                    brief(command)
                ),
            ),
        })
    }

    fn header(&self, command: &str) -> Header {
        Header {
            model: self.options.model.clone(),
            group: Some(self.group.clone()),
            reasoning: format!("{}\n\n{command}", self.task),
            ..self.engine.header(CHANNEL, &format!("{NAME}: {}", brief(command)))
        }
    }
}

impl CommandResult {
    /// The command ran, but its changes may not stay.
    fn refuse(&mut self, stop: Stop) {
        let mut reasons = Vec::new();
        let undone = match stop.settle(&mut reasons) {
            Status::RolledBack | Status::Interrupted => "; its changes were undone: ",
            _ => "; ",
        };
        let reasons: Vec<String> = reasons.into_iter().map(|reason| reason.message).collect();
        self.success = false;
        self.summary = format!("{}{undone}{}", self.summary, reasons.join("; "));
    }
}

/// The ledger's record of it, with the output cut to what the model may see.
fn record(command: &str, run: &Run) -> CheckRecord {
    let mut record = check::record(NAME, command, run, None);
    let mut output = fold::output(&run.output.text(), OUTPUT_CHARACTERS);
    if let End::NotStarted(error) = &run.end {
        output = error.to_string();
    }
    if let End::Signalled(signal) = run.end {
        record.exit_code = Some(128 + signal);
    }
    record.output_tail = output;
    record
}

/// The result, from what the ledger keeps of it.
fn result(record: &CheckRecord) -> CommandResult {
    let command = brief(&record.command);
    let summary = match (record.status.as_str(), record.exit_code) {
        ("timed_out", _) => {
            format!("Command '{command}' timed out after {} seconds and was stopped", TIMEOUT.as_secs())
        }
        ("cancelled", _) => format!("Command '{command}' was stopped by the user"),
        (_, Some(code)) => format!("Ran '{command}' (exit code {code})"),
        (_, None) => format!("Command '{command}' could not be started"),
    };
    let result = if record.exit_code == Some(0) {
        CommandResult::ok(NAME, summary)
    } else {
        CommandResult::failed(NAME, summary)
    };
    result.with_output(&record.output_tail)
}

/// The first line of a command.
fn brief(command: &str) -> String {
    let mut lines = command.lines();
    let first: String = lines.next().unwrap_or_default().chars().take(200).collect();
    if first.len() < command.trim_end().len() { format!("{first} …") } else { first }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: &str, exit_code: Option<i32>, expected: &str) {
        let record = CheckRecord {
            name: NAME.to_owned(),
            command: "make\nall".to_owned(),
            status: status.to_owned(),
            exit_code,
            errors: None,
            new_errors: None,
            duration_ms: 1,
            output_tail: String::new(),
        };
        let result = result(&record);
        let word = if result.success { "OK" } else { "FAILED" };
        assert_eq!(format!("{word} {}", result.summary), expected);
    }

    #[test]
    fn every_end_of_a_command_has_its_words() {
        check("passed", Some(0), "OK Ran 'make …' (exit code 0)");
        check("failed", Some(2), "FAILED Ran 'make …' (exit code 2)");
        check("timed_out", None, "FAILED Command 'make …' timed out after 30 seconds and was stopped");
        check("cancelled", None, "FAILED Command 'make …' was stopped by the user");
        check("not_started", None, "FAILED Command 'make …' could not be started");
    }
}
