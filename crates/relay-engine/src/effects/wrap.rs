//! Wrapping a command: whatever it is, its whole effect on the workspace lands as one transaction.
//!
//! ```text
//! trust ─▶ scan ─▶ the command, with the user's terminal ─▶ scan ─▶ transaction ─▶ checks ─▶ approval ─▶ commit | rollback
//! ```
//! While the command runs, no lock is held and no path reserved, so it may run Relay itself, whose landings are separate
//! transactions.

use std::ffi::OsString;
use std::path::Path;

use relay_diagnostics::{Cancel, Diagnostic};
use relay_exec::{End, Passed, Passthrough};
use relay_txn::capture::{Running, Scan};
use relay_txn::{Draft, Header};
use relay_workspace::Ignored;
use uuid::Uuid;

use crate::approval::trust::TrustAnswer;
use crate::approval::{Approver, Observer};
use crate::codes;
use crate::effects::adopt::{Ran, interrupted, land_effects};
use crate::effects::refs::Refs;
use crate::engine::Engine;
use crate::land::landing::Landing;
use crate::outcome::stop::Stop;
use crate::outcome::{Outcome, Status};

/// The channel of wrapped commands, and the author of their changes.
const CHANNEL: &str = "wrap";
/// The signals with which a person ends a program: hang up, interrupt, terminate.
const INTERRUPTS: [i32; 3] = [1, 2, 15];

/// A command to wrap.
#[derive(Clone, Copy, Debug)]
pub struct Wrapped<'a> {
    /// The program and its arguments.
    pub command: &'a [OsString],
    /// Where it runs.
    pub cwd: &'a Path,
    /// Sends its output to standard error, because Relay's own output is a document.
    pub output_to_errors: bool,
    /// The answer to the trust question, if given in advance.
    pub trust: TrustAnswer,
    /// Files that make other tools execute something may be changed.
    pub allow_sensitive: bool,
    /// The model that the command runs, for the ledger.
    pub model: Option<&'a str>,
    /// Ends the command early.
    pub stop: &'a Cancel,
}

/// The result of a wrapped command.
#[derive(Debug)]
pub struct WrapOutcome {
    /// Whether its changes landed.
    pub outcome: Outcome,
    /// The command as one line.
    pub command: String,
    /// The command's own exit code; 128 and the signal's number if a signal ended it. `None` if it never ran.
    pub command_code: Option<u8>,
}

impl WrapOutcome {
    /// The exit code: the command's own, or Relay's if the command succeeded and its changes did not land.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self.command_code {
            Some(0) | None => self.outcome.status.exit_code(),
            Some(code) => code,
        }
    }
}

/// Runs a command and lands its changes. Calls `ended` when the command has ended; from then on, signals are for
/// Relay itself.
pub fn wrap(
    engine: &Engine,
    wrapped: &Wrapped<'_>,
    ended: &mut dyn FnMut(),
    approver: &mut dyn Approver,
    observer: &mut dyn Observer,
) -> WrapOutcome {
    let mut code = None;
    let outcome = Landing::new(engine, approver, observer).run(|landing| {
        let (before, running, passed) = run(landing, wrapped)?;
        ended();
        code = exit_code(&passed.end);
        land(landing, wrapped, &before, running, &passed)
    });
    WrapOutcome { outcome, command: line(wrapped.command), command_code: code }
}

/// Runs the command after a first scan.
fn run(landing: &mut Landing<'_>, wrapped: &Wrapped<'_>) -> Result<(Scan, Running, Passed), Stop> {
    landing.require_trust(wrapped.trust)?;
    landing.require_approver(&[])?;
    let engine = landing.engine;
    let Some((program, args)) = wrapped.command.split_first() else {
        return Err(Stop::refused(Diagnostic::error(
            codes::COMMAND_NOT_STARTED,
            "there is no command to run",
        )));
    };
    if wrapped.stop.is_cancelled() {
        return Err(Stop::interrupted());
    }
    let git = Refs::of(engine);
    let (before, running) = engine.watch(CHANNEL, &line(wrapped.command), &Ignored::Not)?;
    let passthrough =
        Passthrough { program, args, cwd: wrapped.cwd, output_to_errors: wrapped.output_to_errors };
    let passed = passthrough.run(wrapped.stop);
    landing.say(Refs::changed_since(git, engine));
    Ok((before, running, passed))
}

/// Turns the effect into a transaction and decides about it.
fn land(
    landing: &mut Landing<'_>,
    wrapped: &Wrapped<'_>,
    before: &Scan,
    running: Running,
    passed: &Passed,
) -> Result<Status, Stop> {
    let command = line(wrapped.command);
    if let End::NotStarted(error) = &passed.end {
        let message = format!("`{command}` could not be started: {error}");
        return Err(Stop::refused(Diagnostic::error(codes::COMMAND_NOT_STARTED, message)));
    }
    if !passed.left_running.is_empty() {
        let message = format!(
            "something the command started is still running: {}; what it changes from now on is not captured",
            passed.left_running.join(", ")
        );
        landing.say([Diagnostic::warning(codes::LEFT_RUNNING, message)]);
    }
    let header =
        Header { model: wrapped.model.map(str::to_owned), ..landing.engine.header(CHANNEL, &command) };
    let was_interrupted = was_interrupted(&passed.end);
    let ran = Ran {
        draft: Draft { uuid: Uuid::new_v4(), header, ..Draft::default() },
        by: CHANNEL,
        running,
        allow_sensitive: wrapped.allow_sensitive,
        questions: was_interrupted.then(|| interrupted("the command")).into_iter().collect(),
    };
    land_effects(landing, before, ran)
}

/// Whether the command was interrupted before it was done.
fn was_interrupted(end: &End) -> bool {
    match end {
        End::Cancelled => true,
        End::Signalled(signal) => INTERRUPTS.contains(signal),
        // Shells report an interrupted child this way.
        End::Exited(code) => *code == 130,
        End::TimedOut | End::NotStarted(_) => false,
    }
}

/// The exit code a shell would report.
fn exit_code(end: &End) -> Option<u8> {
    match end {
        End::Exited(code) => Some(u8::try_from(code & 0xff).unwrap_or(1)),
        End::Signalled(signal) => Some(u8::try_from(128 + (signal & 0x7f)).unwrap_or(1)),
        End::Cancelled | End::TimedOut => Some(130),
        End::NotStarted(error) if error.kind() == std::io::ErrorKind::NotFound => Some(127),
        End::NotStarted(_) => Some(126),
    }
}

/// The command as one line that a shell would understand.
fn line(command: &[OsString]) -> String {
    let word = |word: &OsString| {
        let word = word.to_string_lossy();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+@%^".contains(c);
        if !word.is_empty() && word.chars().all(is_plain) {
            word.into_owned()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    command.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &[&str], expected: &str) {
        assert_eq!(line(&command.iter().map(OsString::from).collect::<Vec<_>>()), expected);
    }

    #[test]
    fn a_command_line_can_be_pasted_into_a_shell() {
        check(&["sed", "-i", "s/a b/c/", "x.txt"], "sed -i 's/a b/c/' x.txt");
        check(&["echo", "it's", "", "$HOME"], r"echo 'it'\''s' '' '$HOME'");
    }

    #[test]
    fn exit_codes_match_a_shells() {
        assert_eq!(exit_code(&End::Exited(3)), Some(3));
        assert_eq!(exit_code(&End::Signalled(9)), Some(137));
        assert_eq!(exit_code(&End::Cancelled), Some(130));
        assert_eq!(exit_code(&End::NotStarted(std::io::ErrorKind::NotFound.into())), Some(127));
    }
}
