//! Watching the commands of a transaction: what they do to the workspace becomes part of it.
//!
//! A formatter that touches forty files is rolled back, committed and undone with the change that made it run. If Relay
//! cannot watch, for example on a full disk, the commands do not run: their effect could not be undone, and a rollback
//! would leave half of the change in the files.

use std::collections::HashMap;

use relay_diagnostics::Diagnostic;
use relay_diagnostics::display::visible_line;
use relay_edit::{Stat, stat};
use relay_txn::capture::{Command, Effects, Running, Scan, Unattributed};
use relay_txn::{Draft, FileChange, Header, Pending, TxnError};
use relay_workspace::GitProgramChange;

use crate::codes;
use crate::effects::overtaken::enter_overtaken;
use crate::engine::Engine;
use crate::ledger::history::short;
use crate::outcome::Outcome;
use crate::outcome::file_reports;
use crate::outcome::stop::{Stop, transaction_failed};
use crate::project::git::listed;

/// Who made the changes of a check that was interrupted.
pub(crate) const CHECK: &str = "check";
/// Findings of one kind beyond this number are counted, not listed.
const MAX_LISTED: usize = 20;
/// At most this many added lines of one git file are quoted.
const MAX_QUOTED: usize = 5;

/// Scans the workspace before and after each command of a transaction.
pub(crate) struct Watch {
    /// The workspace before the next command.
    scan: Scan,
}

impl Watch {
    /// Starts watching.
    pub(crate) fn start(engine: &Engine, pending: &Pending) -> Result<Self, Stop> {
        let mut scan = engine.ledger().scan(engine.workspace(), None).map_err(|error| not_watched(&error))?;
        // Its changes are already in the files, so they do not count as changes made meanwhile.
        scan.know(pending.uuid());
        Ok(Self { scan })
    }

    /// The workspace at the last scan.
    pub(crate) fn scan(&self) -> &Scan {
        &self.scan
    }

    /// Records the scan before a command runs.
    pub(crate) fn journal(
        &self,
        engine: &Engine,
        line: &str,
        pending: &Pending,
        outcome: &Outcome,
    ) -> Result<Running, Stop> {
        let leased = outcome.changes.iter().map(|change| change.path.to_string()).collect();
        let command = Command { within: Some(pending.uuid()), leased, ..Command::new(CHECK, line) };
        engine.journal(&self.scan, command).map_err(|error| not_watched(&error))
    }

    /// Adds the changes of the command `by` to the transaction.
    pub(crate) fn take_up(
        &mut self,
        engine: &Engine,
        pending: &mut Pending,
        (by, running): (&str, Running),
        outcome: &mut Outcome,
    ) -> Result<(), Stop> {
        let mut extend = || -> Result<(Effects, Scan, Vec<Unattributed>), TxnError> {
            let (mut effects, after) = engine.ledger().effects_since(engine.workspace(), &self.scan)?;
            count_lines(&mut effects.changes, &outcome.changes);
            let others = pending.extend(&effects, by)?;
            Ok((effects, after, others))
        };
        let extended = match extend() {
            // Another transaction landed on the same files a moment ago.
            Err(TxnError::Changed { .. }) => extend(),
            ended => ended,
        };
        let take = || -> Result<Scan, TxnError> {
            let (mut effects, after, others) = extended?;
            let header = Header { channel: CHECK.to_owned(), reasoning: by.to_owned(), ..Header::default() };
            let draft = Draft { header, ..Draft::default() };
            outcome.diagnostics.extend(enter_overtaken(engine.ledger(), &draft, &effects, by, false)?);
            effects.changes.retain(|change| !others.iter().any(|other| other.path == change.path.as_str()));
            effects.unattributed.extend(others);
            outcome.diagnostics.extend(findings(&effects, by));
            enter(outcome, effects.changes, by);
            Ok(after)
        };
        match take() {
            Ok(mut after) => {
                after.know(pending.uuid());
                self.scan = after;
                Ok(())
            }
            Err(error) => Err(unrecorded(running, &error, by)),
        }
    }
}

/// Counts the lines of captured changes: against what the file was before the whole transaction.
pub(crate) fn count_lines(changes: &mut [FileChange], earlier: &[FileChange]) {
    let earlier: HashMap<&str, &FileChange> =
        earlier.iter().map(|change| (change.path.as_str(), change)).collect();
    let places: HashMap<&str, &FileChange> =
        changes.iter().map(|change| (change.path.as_str(), change)).collect();
    let counts: Vec<Stat> = changes
        .iter()
        .map(|change| {
            // A renamed file is compared with its content under the old name.
            let source = change.renamed_from.as_ref().and_then(|from| places.get(from.as_str()));
            let origin = source.copied().unwrap_or(change);
            let first = earlier.get(origin.path.as_str()).map_or(&origin.before, |first| &first.before);
            let before = first.as_ref().map(|image| &*image.bytes).unwrap_or_default();
            let after = change.after.as_ref().map(|target| &*target.bytes).unwrap_or_default();
            stat(before, after)
        })
        .collect();
    for (change, stat) in changes.iter_mut().zip(counts) {
        (change.added, change.removed) = (stat.added, stat.removed);
    }
}

/// Findings about an effect besides its changes.
pub(crate) fn findings(effects: &Effects, by: &str) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = effects
        .uncaptured
        .iter()
        .take(MAX_LISTED)
        .map(|missed| {
            let (name, words) = (visible_line(&missed.path), missed.obstacle.words());
            let message =
                format!("{name} was changed by {by}, but {words}: this stays when the rest is undone");
            Diagnostic::warning(codes::NOT_CAPTURED, message).on(&missed.path)
        })
        .collect();
    if let Some(more) = effects.uncaptured.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        let message = format!("{more} more files were changed by {by} and could not be captured");
        found.push(Diagnostic::warning(codes::NOT_CAPTURED, message));
    }
    found.extend(by_others(&effects.unattributed, by));
    found.extend(planted(&effects.git_programs, by));
    found
}

/// Warns about what git would now run, because it is not undone with the rest.
fn planted(changes: &[GitProgramChange], by: &str) -> Option<Diagnostic> {
    if changes.is_empty() {
        return None;
    }
    let one = |change: &GitProgramChange| {
        let added: Vec<String> =
            change.added.iter().take(MAX_QUOTED).map(|line| format!("`{}`", visible_line(line))).collect();
        let more = if change.added.len() > MAX_QUOTED { ", …" } else { "" };
        let quoted = if added.is_empty() { String::new() } else { format!(" ({}{more})", added.join(", ")) };
        format!("{} is {}{quoted}", visible_line(&change.path), change.what)
    };
    let message = format!("{by} changed what git runs: {}", listed(changes, MAX_LISTED, one).join("; "));
    let hint = "Relay does not restore git's own folder. Check it before git, or anything that uses git, runs here again.";
    Some(Diagnostic::warning(codes::GIT_PROGRAMS, message).hinted(hint))
}

/// One finding per other transaction.
pub(crate) fn by_others(others: &[Unattributed], by: &str) -> Vec<Diagnostic> {
    let mut by_transaction: Vec<(String, Vec<&str>)> = Vec::new();
    for other in others {
        let name = short(other.uuid);
        match by_transaction.iter_mut().find(|(known, _)| *known == name) {
            Some((_, paths)) => paths.push(&other.path),
            None => by_transaction.push((name, vec![&other.path])),
        }
    }
    by_transaction
        .into_iter()
        .map(|(name, paths)| {
            let listed = paths.iter().take(MAX_LISTED).copied().collect::<Vec<_>>().join(", ");
            Diagnostic::warning(
                codes::UNATTRIBUTED,
                format!("transaction {name} changed {listed} while {by} ran; that change belongs to {name}"),
            )
        })
        .collect()
}

/// The checks' changes could not be undone, so none of them runs.
fn not_watched(error: &TxnError) -> Stop {
    let failed = transaction_failed(error);
    let message =
        format!("the checks did not run, because what they change could not be captured: {}", failed.message);
    let refused = Diagnostic::error(codes::CHECK_NOT_RUN, message);
    Stop::RolledBack(vec![Diagnostic { hint: failed.hint, path: failed.path, ..refused }])
}

/// A check ran, but its changes could not be recorded. The next start may try again.
fn unrecorded(running: Running, error: &TxnError, by: &str) -> Stop {
    let failed = transaction_failed(error);
    let message = format!("{by} ran, but its changes could not be recorded: {}", failed.message);
    let refused = Diagnostic::error(codes::NOT_CAPTURED, message);
    if matches!(error, TxnError::TooLarge { .. }) {
        return Stop::RolledBack(vec![
            refused.hinted("Its changes stay in the files; inspect them with git."),
        ]);
    }
    running.leave();
    let hint =
        "Remove the cause, then run `relay recover`: it records what the check changed, for `relay undo`.";
    Stop::RolledBack(vec![Diagnostic { path: failed.path, ..refused }.hinted(hint)])
}

/// Adds captured changes to what is reported and shown.
fn enter(outcome: &mut Outcome, changes: Vec<FileChange>, by: &str) {
    let placement = format!("by {by}");
    let places: HashMap<String, usize> =
        outcome.changes.iter().enumerate().map(|(place, change)| (change.path.to_string(), place)).collect();
    let mut new = Vec::new();
    for change in changes {
        let Some(known) = places.get(change.path.as_str()).and_then(|place| outcome.changes.get_mut(*place))
        else {
            new.push(change);
            continue;
        };
        known.after = change.after;
        (known.added, known.removed) = (change.added, change.removed);
        if let Some(report) = outcome.files.iter_mut().find(|report| report.path == known.path.as_str()) {
            report.operation = file_reports::operation(known);
            (report.added, report.removed) = (known.added, known.removed);
            if !report.placement.is_empty() {
                report.placement.push_str(", ");
            }
            report.placement.push_str(&placement);
        }
    }
    outcome.files.extend(file_reports::of_changes(&new, |_| placement.clone()));
    outcome.changes.extend(new);
    // A file created and removed within the transaction is not one of its changes.
    let gone = |change: &FileChange| change.before.is_none() && change.after.is_none();
    let vanished: Vec<String> =
        outcome.changes.iter().filter(|change| gone(change)).map(|change| change.path.to_string()).collect();
    outcome.changes.retain(|change| !gone(change));
    outcome.files.retain(|report| !vanished.contains(&report.path));
}
