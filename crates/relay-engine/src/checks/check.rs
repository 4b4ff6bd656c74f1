//! Checks gate a transaction. Each runs on the changed files and decides whether to keep them.

use std::path::Path;
use std::time::Duration;

use relay_diagnostics::{Cancel, Diagnostic};
use relay_exec::{End, Run, Shell};
use relay_txn::{CheckRecord, FileChange};

use crate::approval::Observer;
use crate::checks::lint::{self, Errors};
use crate::codes;
use crate::engine::Engine;

/// How much of a command's output is read; the ledger keeps [`OUTPUT_TAIL_BYTES`] of it.
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
    /// Roll back, run the linter on the original files, and try again.
    Compare,
    /// Roll back.
    Fail(Diagnostic),
    /// The user interrupted it: roll back.
    Interrupted,
}

/// A check's result: the record for the ledger, and its consequence.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What is kept.
    pub record: CheckRecord,
    /// What follows.
    pub gate: Gate,
    /// Further findings.
    pub notes: Vec<Diagnostic>,
    /// The errors that it found, if it is a linter.
    pub errors: Option<Errors>,
}

/// What a check may use.
pub struct CheckContext<'a> {
    /// The workspace's root: where commands run.
    pub root: &'a Path,
    /// The limit for each command.
    pub timeout: Duration,
    /// The exact changes, which are already in the files, without the changes of earlier checks.
    pub changes: &'a [FileChange],
    /// Ends the command early.
    pub cancel: &'a Cancel,
    /// Hears about progress.
    pub observer: &'a mut dyn Observer,
}

impl<'a> CheckContext<'a> {
    /// The context for a check of these changes.
    pub(crate) fn new(engine: &'a Engine, changes: &'a [FileChange], observer: &'a mut dyn Observer) -> Self {
        let timeout = Duration::from_millis(engine.config().command_timeout_ms);
        Self { root: engine.workspace().root(), timeout, changes, cancel: engine.cancel(), observer }
    }
}

/// Something that gates a transaction by its result.
pub trait Check {
    /// What it runs, in a few words, in case Relay is killed meanwhile.
    fn line(&self) -> &str {
        "a check"
    }

    /// Runs it.
    fn run(&self, context: &mut CheckContext<'_>) -> Checked;
}

impl<C: Check + ?Sized> Check for &C {
    fn line(&self) -> &str {
        (**self).line()
    }

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
        let notes = ended_after(self.key, &run).into_iter().collect();
        Checked { record, gate, errors: None, notes }
    }
}

/// `linter`: its errors are counted, and too many of them need a person. Those from before the change do not count, where
/// they are known.
#[derive(Clone, Copy, Debug)]
pub struct Linter<'a> {
    /// The shell command.
    pub command: &'a str,
    /// How many errors are allowed.
    pub allowed_errors: u64,
    /// The errors from before the change.
    pub before: Option<&'a Errors>,
    /// Whether unknown ones can be determined.
    pub can_compare: bool,
}

impl Check for Linter<'_> {
    fn line(&self) -> &str {
        self.command
    }

    fn run(&self, context: &mut CheckContext<'_>) -> Checked {
        let run = run_command("linter", self.command, context);
        let started = !run.could_not_start();
        let errors = match run.end {
            End::Exited(code) if started => Some(lint::read_errors(&run.output.text(), code)),
            _ => None,
        };
        let total = errors.as_ref().map(|errors| errors.count.errors);
        let new = errors.as_ref().zip(self.before).map(|(errors, before)| errors.new_since(before));
        let record = CheckRecord { new_errors: new, ..record("linter", self.command, &run, total) };
        let gate = match (&run.end, total) {
            (End::Cancelled, _) => Gate::Interrupted,
            (_, Some(total)) if new.unwrap_or(total) <= self.allowed_errors => Gate::Pass,
            (_, Some(_)) if new.is_none() && self.can_compare => Gate::Compare,
            (_, Some(total)) => Gate::Ask(self.too_many(total, new)),
            (_, None) => Gate::Ask(self.unavailable(&run, context.timeout)),
        };
        context.observer.command_finished(&record);
        let notes = ended_after("linter", &run).into_iter().collect();
        Checked { record, gate, errors, notes }
    }
}

/// How many errors there are, in words: `2 new errors (14 from before)`, or `3 errors` without a baseline.
#[must_use]
pub fn errors_in_words(total: u64, new: Option<u64>) -> String {
    let counted = new.unwrap_or(total);
    let noun = if counted == 1 { "error" } else { "errors" };
    match new.map(|new| total.saturating_sub(new)) {
        None => format!("{counted} {noun}"),
        Some(0) => format!("{counted} new {noun}"),
        Some(before) => format!("{counted} new {noun} ({before} from before)"),
    }
}

impl Linter<'_> {
    fn too_many(&self, total: u64, new: Option<u64>) -> Diagnostic {
        Diagnostic::error(
            codes::TOO_MANY_ERRORS,
            format!(
                "the linter `{}` found {}, but {} are allowed",
                self.command,
                errors_in_words(total, new),
                self.allowed_errors
            ),
        )
        .hinted("Send the linter's output to the model, or land the change anyway with --yes.")
    }

    fn unavailable(&self, run: &Run, timeout: Duration) -> Diagnostic {
        let what = failure(&run.end, timeout).unwrap_or_else(|| "ended for an unknown reason".to_owned());
        Diagnostic::error(codes::LINTER_UNAVAILABLE, format!("the linter `{}` {what}", self.command))
            .hinted("Install it, or change `linter` in relaycode.config.json (\"\" for none).")
    }
}

pub(crate) fn run_command(key: &str, command: &str, context: &mut CheckContext<'_>) -> Run {
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

/// Reports processes that a command left running and Relay ended: their later changes would not be captured.
pub(crate) fn ended_after(name: &str, run: &Run) -> Option<Diagnostic> {
    (!run.ended.is_empty()).then(|| {
        let message = format!("{name} left something running, and Relay ended it: {}", run.ended.join(", "));
        Diagnostic::warning(codes::LEFT_RUNNING, message)
            .hinted("Start servers and build daemons yourself, or let the command end what it starts.")
    })
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
        new_errors: None,
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
