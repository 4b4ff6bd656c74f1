//! Checks: what gates a transaction. Each runs on the changed files and says whether they may stay.

use std::path::Path;
use std::time::Duration;

use relay_edit::Diagnostic;
use relay_exec::{Cancel, End, Run, Shell};
use relay_txn::{CheckRecord, FileChange};

use crate::approval::Observer;
use crate::{codes, lint};

/// How much of a command's output is looked at; what is kept on the ledger is [`OUTPUT_TAIL_BYTES`].
const OUTPUT_LIMIT_BYTES: usize = 4 << 20;

/// How much of a command's output the ledger keeps: enough to see what went wrong.
pub const OUTPUT_TAIL_BYTES: usize = 8 << 10;

/// What a check means for the transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Go on.
    Pass,
    /// Go on if a person agrees.
    Ask(Diagnostic),
    /// Roll back.
    Fail(Diagnostic),
    /// Somebody interrupted it: roll back.
    Interrupted,
}

/// A check's result: the record for the ledger, and what follows from it.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What is kept.
    pub record: CheckRecord,
    /// What follows.
    pub gate: Gate,
}

/// What a check may use.
pub struct CheckContext<'a> {
    /// The workspace's root: where commands run.
    pub root: &'a Path,
    /// The limit for each command.
    pub timeout: Duration,
    /// The exact changes, which are in the files already. What earlier checks did is not among them.
    pub changes: &'a [FileChange],
    /// Ends the command early.
    pub cancel: &'a Cancel,
    /// Is told of progress.
    pub observer: &'a mut dyn Observer,
}

/// Something whose result gates a transaction.
pub trait Check {
    /// What it runs, in a few words: for the case that Relay is killed meanwhile.
    fn line(&self) -> &str {
        "a check"
    }

    /// Runs it.
    fn run(&self, context: &mut CheckContext<'_>) -> Checked;
}

impl<C: Check + ?Sized> Check for &C {
    fn run(&self, context: &mut CheckContext<'_>) -> Checked {
        (**self).run(context)
    }
}

/// `preCommand` or `postCommand`: anything but success is a failure.
#[derive(Clone, Copy, Debug)]
pub struct MustSucceed<'a> {
    /// The config key, which is the check's name.
    pub key: &'static str,
    /// The shell command.
    pub command: &'a str,
}

impl Check for MustSucceed<'_> {
    fn line(&self) -> &str {
        self.command
    }

    fn run(&self, context: &mut CheckContext<'_>) -> Checked {
        let run = run_command(self.key, self.command, context);
        let record = record(self.key, self.command, &run, None);
        let gate = match (&run.end, failure(&run.end, context.timeout)) {
            (End::Cancelled, _) => Gate::Interrupted,
            (_, None) => Gate::Pass,
            (_, Some(what)) => {
                let code = if self.key == "preCommand" {
                    codes::PRE_COMMAND_FAILED
                } else {
                    codes::POST_COMMAND_FAILED
                };
                Gate::Fail(Diagnostic::error(code, format!("{} `{}` {what}", self.key, self.command)).hinted(
                    format!(
                        "Run `{}` yourself to see why, or change {} in the config.",
                        self.command, self.key
                    ),
                ))
            }
        };
        context.observer.command_finished(&record);
        Checked { record, gate }
    }
}

/// `linter`: its errors are counted, and too many of them need a person.
#[derive(Clone, Copy, Debug)]
pub struct Linter<'a> {
    /// The shell command.
    pub command: &'a str,
    /// How many errors still pass.
    pub allowed_errors: u64,
}

impl Check for Linter<'_> {
    fn line(&self) -> &str {
        self.command
    }

    fn run(&self, context: &mut CheckContext<'_>) -> Checked {
        let run = run_command("linter", self.command, context);
        let started = !run.could_not_start();
        let errors = match run.end {
            End::Exited(code) if started => Some(lint::count_errors(&run.output.text(), code).errors),
            _ => None,
        };
        let record = record("linter", self.command, &run, errors);
        let gate = match (&run.end, errors) {
            (End::Cancelled, _) => Gate::Interrupted,
            (_, Some(errors)) if errors <= self.allowed_errors => Gate::Pass,
            (_, Some(errors)) => Gate::Ask(self.too_many(errors)),
            (_, None) => Gate::Ask(self.unavailable(&run, context.timeout)),
        };
        context.observer.command_finished(&record);
        Checked { record, gate }
    }
}

impl Linter<'_> {
    fn too_many(&self, errors: u64) -> Diagnostic {
        let noun = if errors == 1 { "error" } else { "errors" };
        Diagnostic::error(
            codes::TOO_MANY_ERRORS,
            format!(
                "the linter `{}` found {errors} {noun}, {} are allowed",
                self.command, self.allowed_errors
            ),
        )
        .hinted("Give the linter's output back to the model, or land it all the same with --yes.")
    }

    fn unavailable(&self, run: &Run, timeout: Duration) -> Diagnostic {
        let what =
            failure(&run.end, timeout).unwrap_or_else(|| "ended in a way nobody understands".to_owned());
        Diagnostic::error(codes::LINTER_UNAVAILABLE, format!("the linter `{}` {what}", self.command))
            .hinted("Install it, or change `linter` in relaycode.config.json (\"\" for none).")
    }
}

fn run_command(key: &'static str, command: &str, context: &mut CheckContext<'_>) -> Run {
    context.observer.command_started(key, command);
    let observer = &mut *context.observer;
    Shell {
        command,
        cwd: context.root,
        timeout: context.timeout,
        output_limit_bytes: OUTPUT_LIMIT_BYTES,
        env: &[],
    }
    .run(context.cancel, &mut |bytes| observer.command_output(bytes))
}

/// Why a command did not succeed, as the end of a sentence; `None` when it did.
pub(crate) fn failure(end: &End, timeout: Duration) -> Option<String> {
    match end {
        End::Exited(0) => None,
        End::Exited(127) => Some("was not found (exit 127)".to_owned()),
        End::Exited(126) => Some("cannot be executed (exit 126)".to_owned()),
        End::Exited(code) => Some(format!("failed with exit {code}")),
        End::Signalled(signal) => Some(format!("was ended by signal {signal}")),
        End::TimedOut => Some(format!("did not end within {} s", timeout.as_secs_f64())),
        End::Cancelled => Some("was interrupted".to_owned()),
        End::NotStarted(error) => Some(format!("could not be started: {error}")),
    }
}

pub(crate) fn record(key: &'static str, command: &str, run: &Run, errors: Option<u64>) -> CheckRecord {
    let status = match run.end {
        _ if run.could_not_start() => "not_started",
        End::Exited(0) if errors.unwrap_or(0) == 0 => "passed",
        End::Exited(_) | End::Signalled(_) => "failed",
        End::TimedOut => "timed_out",
        End::Cancelled => "cancelled",
        End::NotStarted(_) => "not_started",
    };
    CheckRecord {
        name: key.to_owned(),
        command: command.to_owned(),
        status: status.to_owned(),
        exit_code: match run.end {
            End::Exited(code) => Some(code),
            _ => None,
        },
        errors,
        duration_ms: u64::try_from(run.duration.as_millis()).unwrap_or(u64::MAX),
        output_tail: tail(&run.output.text()),
    }
}

/// The last part of a text, beginning at a line where possible.
fn tail(text: &str) -> String {
    if text.len() <= OUTPUT_TAIL_BYTES {
        return text.to_owned();
    }
    let mut start = text.len() - OUTPUT_TAIL_BYTES;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let kept = text.get(start..).unwrap_or_default();
    kept.split_once('\n').map_or(kept, |(_, rest)| rest).to_owned()
}
