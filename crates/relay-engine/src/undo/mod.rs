//! Undo and redo: a transaction that reverts others, and never makes anything worse.
//!
//! ```text
//! select (which transactions, which of their files) ─▶ invert (exact, merged, or a list of conflicts) ─▶ transaction
//! ```
//! A file that is as the transaction left it becomes exactly what it was. If other lines have changed since, the undo
//! is merged. If both touched the same lines, nothing is done at all, unless the user names the file to be restored
//! whole.

mod conflict;
mod files;
mod invert;
mod select;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use relay_diagnostics::Diagnostic;
use relay_txn::{Belongings, Draft, FolderRecord, Header, OperationRecord};
use relay_workspace::RelPath;
use uuid::Uuid;

use crate::approval::{Approver, Observer};
use crate::codes;
use crate::engine::{Engine, EngineError};
use crate::land::landing::Landing;
use crate::land::transact::{Terms, rehearse};
use crate::land::versions;
use crate::ledger::history::{EntryKind, History, REDO_CHANNEL};
use crate::outcome::file_reports;
use crate::outcome::stop::Stop;
use crate::outcome::{FileOperation, FileReport, FileStatus, Outcome, Status};
use crate::plan::contain::{agree_to, sensitive_changes, sensitive_warning};

use files::Inversion;
use select::{Selected, Selection, Step};

/// How to agree to changes of files that other tools execute.
const SENSITIVE_HINT: &str = "Look at the change with --dry-run; allow it with --allow-sensitive.";

/// Which transactions to undo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// The last one in effect.
    #[default]
    Last,
    /// The one a person names.
    One(String),
    /// The one a person names and everything after it.
    Since(String),
    /// Those of a group that are in effect; for a redo, the undos that took nothing but them.
    Group(String),
    /// Those of a group that landed from this number on and are in effect.
    GroupSince(String, u64),
}

/// How to undo them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoOptions {
    /// Which transactions.
    pub which: Which,
    /// Only these files; all where there are none.
    pub files: Vec<String>,
    /// These files become what they were before, whatever happened to them since.
    pub force_files: Vec<String>,
    /// Say what would happen and write nothing.
    pub dry_run: bool,
    /// Files with several hard links may be replaced, which separates them from their other names.
    pub break_links: bool,
    /// Files that make other tools execute something may be changed.
    pub allow_sensitive: bool,
}

/// Undoes the transactions a person names, or the last one in effect.
pub fn undo(
    engine: &Engine,
    options: &UndoOptions,
    approver: &mut dyn Approver,
    observer: &mut dyn Observer,
) -> Outcome {
    Landing::new(engine, approver, observer).run(|landing| run(landing, options, select::for_undo))
}

/// Reapplies what the last undo reverted, or the one a person names.
pub fn redo(
    engine: &Engine,
    options: &UndoOptions,
    approver: &mut dyn Approver,
    observer: &mut dyn Observer,
) -> Outcome {
    Landing::new(engine, approver, observer).run(|landing| run(landing, options, select::for_redo))
}

type Select = for<'h> fn(&'h History, &UndoOptions) -> Selected<'h>;

fn run(landing: &mut Landing<'_>, options: &UndoOptions, select: Select) -> Result<Status, Stop> {
    let Landing { engine, approver, outcome, .. } = landing;
    outcome.dry_run = options.dry_run;
    let history = engine.history().map_err(|error: EngineError| Stop::Refused(error.diagnostics()))?;
    let selection = select(&history, options).map_err(Stop::Refused)?;
    selection.check_sound().map_err(Stop::Refused)?;
    let (selection, inversion) = invert(engine, &history, selection, options)?;
    // What an undo within the range already reverted stays undone on the ledger.
    let unsettled = select::unsettled(&history, options).and_then(Result::ok);
    let named = unsettled.as_ref().unwrap_or(&selection);
    outcome.undoes = named.undoes();
    outcome.is_redo = is_redo(named);
    outcome.diagnostics.extend(select::rest_of_group(&history, named));
    outcome.files = reports(&inversion);
    if inversion.changes.is_empty() {
        return Ok(Status::Unchanged);
    }
    // Approval given once, perhaps long ago, does not count now.
    let sensitive = if options.allow_sensitive { Vec::new() } else { sensitive_changes(&inversion.changes) };
    let uuid = Uuid::new_v4();
    let prune = made_folders(engine, &selection.steps);
    let mut draft = Draft {
        uuid,
        header: header(engine, named),
        operations: operations(&outcome.files),
        belongings: belongings(&inversion, &selection.steps),
        changes: inversion.changes,
        make: removed_folders(engine, &selection.steps, &prune),
        prune,
        break_links: options.break_links,
    };
    if options.dry_run {
        let changes = std::mem::take(&mut draft.changes);
        rehearse(engine, &changes, draft, |_| false)?;
        let will_ask = sensitive.iter().map(|(path, reason)| sensitive_warning(path, *reason));
        outcome.diagnostics.extend(will_ask.map(|warning| warning.hinted(SENSITIVE_HINT)));
        outcome.changes = changes;
        return Ok(Status::Validated);
    }
    agree_to(&sensitive, SENSITIVE_HINT, *approver)
        .map_err(|refused| refused.map_or_else(Stop::interrupted, Stop::Refused))?;
    landing.require_approver(&[])?;
    landing.outcome.uuid = Some(uuid);
    landing.transact(draft, Terms::default()).map_err(|stop| versions::name_both(landing, stop))
}

/// Works out the changes. Where a range as a whole conflicts with what happened outside Relay, what its transactions
/// settled among themselves is left out.
fn invert<'h>(
    engine: &Engine,
    history: &'h History,
    selection: Selection<'h>,
    options: &UndoOptions,
) -> Result<(Selection<'h>, Inversion), Stop> {
    let conflicts = match invert::invert(engine, history, &selection, &options.force_files) {
        Err(Stop::Refused(conflicts)) => conflicts,
        ended => return ended.map(|inversion| (selection, inversion)),
    };
    let Some(fewer) = select::unsettled(history, options) else { return Err(Stop::Refused(conflicts)) };
    let fewer = fewer.map_err(Stop::Refused)?;
    match invert::invert(engine, history, &fewer, &options.force_files) {
        Ok(inversion) => Ok((fewer, inversion)),
        Err(_) => Err(Stop::Refused(conflicts)),
    }
}

/// Undoing only undos is a redo.
fn is_redo(selection: &Selection<'_>) -> bool {
    selection.steps.iter().all(|step| step.entry.kind() == EntryKind::Undo)
}

fn header(engine: &Engine, selection: &Selection<'_>) -> Header {
    let is_redo = is_redo(selection);
    let verb = if is_redo { REDO_CHANNEL } else { "undo" };
    let names: Vec<String> = selection.steps.iter().map(|step| step.entry.record.uuid.to_string()).collect();
    let summary = match selection.steps.as_slice() {
        [step] => {
            step.entry.record.header.prompt_summary.as_ref().map(|summary| format!("{verb}: {summary}"))
        }
        _ => None,
    };
    Header {
        prompt_summary: summary,
        undoes: selection.undoes(),
        ..engine.header(verb, &format!("{verb} of {}", names.join(", ")))
    }
}

/// How each file was restored, for the ledger.
fn operations(files: &[FileReport]) -> Vec<OperationRecord> {
    files
        .iter()
        .filter(|file| file.status != FileStatus::Unchanged)
        .map(|file| OperationRecord::new("restore", &file.path, "ledger", &file.placement))
        .collect()
}

/// What files had besides content and mode, where the transactions took that away. One that goes on under another name
/// takes what it has along.
fn belongings(inversion: &Inversion, steps: &[Step<'_>]) -> BTreeMap<String, Belongings> {
    let back =
        inversion.changes.iter().filter(|change| change.after.is_some() && change.renamed_from.is_none());
    let back: HashSet<&str> = back.map(|change| change.path.as_str()).collect();
    // Newest first, so that what is found last was there first.
    let taken = steps.iter().flat_map(|step| &step.entry.record.changes);
    taken
        .filter(|change| back.contains(change.path.as_str()))
        .filter_map(|change| Some((change.path.clone(), change.before.as_ref()?.belongings.clone()?)))
        .collect()
}

/// The folders the transactions had created: the undo removes those that are then empty.
fn made_folders(engine: &Engine, steps: &[Step<'_>]) -> Vec<RelPath> {
    steps
        .iter()
        .flat_map(|step| &step.entry.record.folders)
        .filter_map(|folder| engine.workspace().path(folder).ok())
        .collect()
}

/// The folders the transactions had removed, where they are undone whole.
fn removed_folders(engine: &Engine, steps: &[Step<'_>], made: &[RelPath]) -> Vec<FolderRecord> {
    let whole = steps.iter().filter(|step| step.entry.record.paths().all(|path| step.paths.contains(path)));
    whole
        .flat_map(|step| &step.entry.record.removed_folders)
        .filter(|folder| engine.workspace().path(&folder.path).is_ok_and(|path| !made.contains(&path)))
        .cloned()
        .collect()
}

fn reports(inversion: &Inversion) -> Vec<FileReport> {
    let how = |path: &RelPath| inversion.how(path.as_str()).name().to_owned();
    let mut reports = file_reports::of_changes(&inversion.changes, how);
    let unchanged = |path: &String| FileReport {
        status: FileStatus::Unchanged,
        ..FileReport::new(path, FileOperation::Modify)
    };
    reports.extend(inversion.already_so.iter().map(unchanged));
    reports
}

/// There is nothing to undo.
fn nothing(what: &str) -> Vec<Diagnostic> {
    let hint = match what {
        "redo" => "Only what was undone can be redone; `relay log` shows what is on the ledger.",
        _ => "`relay log` shows what is on the ledger.",
    };
    vec![Diagnostic::error(codes::NO_SUCH_TRANSACTION, format!("there is nothing to {what}")).hinted(hint)]
}
