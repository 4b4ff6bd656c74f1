//! Planning against the disk: reads the files the edits name, lets `relay-edit` place everything, and adds modes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use relay_diagnostics::Diagnostic;
use relay_diagnostics::display::all_hidden;
use relay_edit::{
    After, Change, Content, Edit, EditOutcome, EditStatus, Operation, Options as PlanOptions, Plan, Snapshot,
    Stat, plan_taking, stat, text_of,
};
use relay_txn::{FileChange, Image, OperationRecord, Target};
use relay_workspace::{ReadError, RelPath, Workspace};

use crate::codes;
use crate::context::receipt::{Receipt, Resolved};
use crate::context::selection;
use crate::context::views::{self, Views};
use crate::engine::Engine;
use crate::intake::prepared::ByAnchor;
use crate::intake::submission::LandOptions;
use crate::land::drafting;
use crate::outcome::Outcome;
use crate::outcome::file_reports;
use crate::outcome::stop::Stop;
use crate::plan::contain::{Contained, did_you_mean, lines_of, unreadable};
use crate::plan::{elsewhere, forecast, namesake, odd_names};

/// For how many misspelt paths to suggest a better one.
const SUGGESTED: usize = 50;

/// What a person must approve, even if changes land automatically.
const QUESTIONS: [relay_diagnostics::Code; 2] =
    [relay_edit::codes::LINES_UNVERIFIED, relay_edit::codes::DOUBTFUL_NAME];

/// Exact changes, and how each edit was placed.
pub(crate) struct Planned<'e> {
    /// The changes, in path order. The new contents are not assembled until they are written.
    pub changes: Vec<FileChange<Content>>,
    /// The edits of files that could be read.
    edits: Cow<'e, [Edit]>,
    /// The outcome of each edit.
    outcomes: Vec<EditOutcome>,
    /// What a person must approve before it lands.
    pub questions: Vec<Diagnostic>,
    /// What the model will know of the files, where a receipt says what it knew.
    pub written: BTreeMap<String, Option<String>>,
    /// Files that have further names (hard links).
    pub linked: BTreeSet<String>,
}

impl Planned<'_> {
    /// What the ledger says about each edit that could be placed.
    pub fn operations(&self) -> Vec<OperationRecord> {
        let is_placed =
            |outcome: &EditOutcome| matches!(outcome.status, EditStatus::Applied | EditStatus::Unchanged);
        let placed = self.edits.iter().zip(&self.outcomes).filter(|(_, outcome)| is_placed(outcome));
        placed.map(|(edit, outcome)| drafting::operation(edit, &outcome.placement)).collect()
    }
}

/// What edits are planned on: the files as they are, or what a receipt says the model saw of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Basis {
    pub options: PlanOptions,
    pub receipt: Option<Receipt>,
}

impl Basis {
    /// How the edits of a submission are placed: the command line decides, else the config.
    pub fn new(engine: &Engine, options: &LandOptions, receipt: Option<Receipt>) -> Self {
        let options = PlanOptions {
            strictness: options.strictness.unwrap_or(engine.config().strictness),
            allow_shrink: options.allow_shrink,
            partial: options.partial,
            context: selection::in_view(engine, options),
            ..PlanOptions::default()
        };
        Self { options, receipt }
    }

    /// The same, with what models were shown of the files that are edited by line. A receipt says more than a view that may be
    /// of another conversation.
    pub fn seeing(&self, engine: &Engine, edits: &[Edit]) -> Self {
        self.with_views(if self.receipt.is_some() { Views::default() } else { views::of(engine, edits) })
    }

    /// The same, letting whole content replace a file even if it seems to be part of it.
    pub fn shrinking(&self) -> Self {
        let mut basis = self.clone();
        basis.options.allow_shrink = true;
        basis
    }

    /// The same, for edits by anchor that are taken in this way.
    pub fn by_anchor(mut self, by_anchor: ByAnchor) -> Self {
        self.options.repeats = by_anchor.repeats;
        self.options.allow_generated = by_anchor.allow_generated;
        self
    }

    /// The same, with these views.
    pub fn with_views(&self, views: Views) -> Self {
        let mut basis = self.clone();
        (basis.options.views, basis.options.shown) = (views.contents, views.shown);
        basis
    }

    /// Plans edits. The contents of changed files may be taken out of the snapshot instead of being copied.
    fn plan(&self, edits: &[Edit], files: &mut Snapshot) -> Resolved {
        match &self.receipt {
            Some(receipt) => receipt.plan(edits, files, &self.options),
            None => {
                let plan = plan_taking(edits, files, &self.options);
                Resolved::without_receipt(edits, plan, self.options.partial)
            }
        }
    }
}

/// Plans the edits on the files as they are now. Fills in the outcome's files; refuses if any edit failed, unless
/// only a part was asked for.
pub(crate) fn plan_on_disk<'e>(
    workspace: &Workspace,
    contained: &'e Contained,
    basis: &Basis,
    outcome: &mut Outcome,
) -> Result<Planned<'e>, Stop> {
    let options = &basis.options;
    let Found { disk, mut snapshot, linked, unreadable } = read_files(workspace, contained);
    let edits = without(&contained.edits, &unreadable);
    outcome.lose(unreadable.into_values().collect(), options.partial)?;
    let Resolved { plan, written } = basis.plan(&edits, &mut snapshot);

    let (errors, warnings): (Vec<_>, Vec<_>) = plan.diagnostics.into_iter().partition(Diagnostic::is_error);
    let is_named = |warning: &Diagnostic| warning.code == relay_edit::codes::DOUBTFUL_NAME;
    let warnings =
        warnings.into_iter().filter(|warning| !(is_named(warning) && has_folder(workspace, warning)));
    let (questions, warnings): (Vec<_>, Vec<_>) =
        warnings.partition(|warning| QUESTIONS.contains(&warning.code));
    outcome.diagnostics.extend(warnings);
    let stats = stats(&plan.changes, &snapshot);
    let changes = file_changes(contained, plan.changes, &stats, &disk)?;
    let outcomes = plan.outcomes;
    let files = file_reports::of_edits(&edits, &outcomes, &changes, |path| disk.contains_key(path));
    let refused = std::mem::replace(&mut outcome.files, files).into_iter().filter(file_reports::is_refused);
    outcome.files.extend(refused);
    if !errors.is_empty() && !options.partial {
        let good = contained.with(forecast::good(&edits, &outcomes));
        forecast::fill_in(workspace, &good, basis, &mut outcome.files);
    }
    // A suggestion reads folders, and hundreds of them would not help.
    let suggest = |(at, error)| if at < SUGGESTED { suggest_path(workspace, error) } else { error };
    let errors = errors.into_iter().enumerate().map(suggest).collect();
    let errors = elsewhere::name(workspace, &edits, errors);
    outcome.lose(errors, options.partial)?;
    let invisible = |(change, stat)| invisible_characters(change, stat);
    outcome.diagnostics.extend(changes.iter().zip(&stats).filter_map(invisible));
    outcome.diagnostics.extend(odd_names::warnings(workspace, &changes));
    Ok(Planned { changes, edits, outcomes, questions, written, linked })
}

/// Whether the file that a finding is about would be in a folder that is there already, so that it is not a title.
fn has_folder(workspace: &Workspace, finding: &Diagnostic) -> bool {
    let folder = finding.path.as_deref().and_then(|path| path.rsplit_once('/')).map(|(folder, _)| folder);
    let folder = folder.and_then(|folder| workspace.path(folder).ok());
    folder.is_some_and(|folder| matches!(workspace.read(&folder), Err(ReadError::Directory { .. })))
}

/// The edits that name no file which could not be read.
fn without<'e>(edits: &'e [Edit], unreadable: &BTreeMap<String, Diagnostic>) -> Cow<'e, [Edit]> {
    if unreadable.is_empty() {
        return Cow::Borrowed(edits);
    }
    let names_one = |edit: &Edit| edit.paths().any(|path| unreadable.contains_key(path));
    edits.iter().filter(|edit| !names_one(edit)).cloned().collect()
}

/// The result of the edits on the current files, only for display.
pub(crate) fn try_plan(workspace: &Workspace, contained: &Contained, basis: &Basis) -> Plan<Content> {
    let mut found = read_files(workspace, contained);
    basis.plan(&contained.edits, &mut found.snapshot).plan
}

/// The exact changes that the edits make to the current files, only for display.
pub(crate) fn exact_changes(
    workspace: &Workspace,
    contained: &Contained,
    basis: &Basis,
) -> Result<Vec<FileChange<Content>>, Stop> {
    let Found { disk, mut snapshot, .. } = read_files(workspace, contained);
    let plan = basis.plan(&contained.edits, &mut snapshot).plan;
    let stats = stats(&plan.changes, &snapshot);
    file_changes(contained, plan.changes, &stats, &disk)
}

/// The names and modes of the files that exist.
type Disk = HashMap<RelPath, u32>;

/// The existing files among those that edits name.
struct Found {
    disk: Disk,
    snapshot: Snapshot,
    /// Files that have further names.
    linked: BTreeSet<String>,
    /// Why files could not be read, or are not the ones that are meant.
    unreadable: BTreeMap<String, Diagnostic>,
}

/// Reads the files that edits name.
fn read_files(workspace: &Workspace, contained: &Contained) -> Found {
    let edits = &contained.edits;
    let mut disk = Disk::with_capacity(edits.len());
    // In the order of the paths, from which the map is made at once.
    let mut contents = Vec::with_capacity(edits.len());
    let (mut executable, mut linked) = (BTreeSet::new(), BTreeSet::new());
    let mut refused = BTreeMap::new();
    let freed = freed(edits);
    for path in contained.paths() {
        let name = path.as_str();
        match workspace.read(path) {
            Ok(Some(file)) => {
                contents.push((name.to_owned(), file.bytes));
                if is_executable(file.mode) {
                    executable.insert(name.to_owned());
                }
                if file.links > 1 {
                    linked.insert(name.to_owned());
                }
                disk.insert(path.clone(), file.mode);
            }
            Ok(None) => {}
            Err(error) if makes_room(&error, &freed) => {}
            Err(error) => {
                refused.insert(name.to_owned(), unreadable(&error));
            }
        }
    }
    if !refused.is_empty() {
        let lines = lines_of(edits);
        for (name, finding) in &mut refused {
            finding.line = lines.get(name.as_str()).copied();
        }
    }
    let snapshot = Snapshot { files: contents.into_iter().collect(), executable };
    refused.extend(namesake::doubtful(workspace, edits, &snapshot));
    Found { disk, snapshot, linked, unreadable: refused }
}

/// The names that edits remove.
fn freed(edits: &[Edit]) -> BTreeSet<&str> {
    let gives_up = |edit: &&Edit| matches!(edit.operation, Operation::Delete | Operation::Rename { .. });
    edits.iter().filter(gives_up).map(|edit| edit.path.as_str()).collect()
}

/// Whether a file cannot be read because a folder has its place, or a file that of its folder, and the reply takes that
/// away. Whether nothing else is left in such a folder is for the transaction to see.
pub(crate) fn makes_room(error: &ReadError, freed: &BTreeSet<&str>) -> bool {
    match error {
        ReadError::Directory { path } => {
            let inside = format!("{path}/");
            freed.range(inside.as_str()..).next().is_some_and(|freed| freed.starts_with(&inside))
        }
        ReadError::NotADirectory { parent, .. } => freed.contains(parent.as_str()),
        _ => false,
    }
}

/// What each change adds and removes. A file that is renamed is compared with what it was under its old name.
fn stats(changes: &[Change<Content>], snapshot: &Snapshot) -> Vec<Stat> {
    let renamed_away: BTreeSet<&str> =
        changes.iter().filter_map(|change| change.renamed_from.as_deref()).collect();
    let before = |path: &str| {
        let changed = changes.binary_search_by(|change| change.path.as_str().cmp(path)).ok();
        let changed = changed.and_then(|at| changes.get(at)?.before.as_ref());
        changed.or_else(|| snapshot.files.get(path)).map(Vec::as_slice)
    };
    let count = |change: &Change<Content>| match &change.after {
        None if renamed_away.contains(change.path.as_str()) => Stat::default(),
        after => {
            let origin = change.renamed_from.as_deref().and_then(before).or(change.before.as_deref());
            stat(origin.unwrap_or_default(), after.as_ref().map_or(After::Whole(&[]), After::from))
        }
    };
    changes.iter().map(count).collect()
}

/// The changes with typed paths and with modes. A plan never changes a file that no edit names; if it did, the path
/// would be unchecked, so nothing may happen.
fn file_changes(
    contained: &Contained,
    changes: Vec<Change<Content>>,
    stats: &[Stat],
    disk: &Disk,
) -> Result<Vec<FileChange<Content>>, Stop> {
    let typed = |change: Change<Content>, stat: &Stat| match contained.path(&change.path) {
        Some(path) => Ok(file_change(path.clone(), change, stat, disk)),
        None => Err(Stop::refused(
            Diagnostic::error(codes::TRANSACTION_FAILED, "a change was planned of a file that no edit names")
                .on(&change.path),
        )),
    };
    changes.into_iter().zip(stats).map(|(change, stat)| typed(change, stat)).collect()
}

fn file_change(path: RelPath, change: Change<Content>, stat: &Stat, disk: &Disk) -> FileChange<Content> {
    // A file that was made and renamed in the same reply was never on disk under its first name: it is new.
    let from = change.renamed_from.as_deref().and_then(|from| disk.get_key_value(from));
    let here = disk.get_key_value(change.path.as_str());
    let origin = from.or(here);
    let mode = mode(origin.map(|(_, mode)| *mode), change.executable);
    FileChange {
        path,
        before: here.zip(change.before).map(|((_, mode), bytes)| Image::new(bytes, *mode)),
        after: change.after.map(|bytes| Target { bytes, mode }),
        renamed_from: from.map(|(path, _)| path.clone()),
        added: stat.added,
        removed: stat.removed,
    }
}

/// A change with all the bytes of what the file becomes.
pub(crate) fn whole(change: FileChange<Content>) -> FileChange {
    let FileChange { path, before, after, renamed_from, added, removed } = change;
    let old = before.as_ref().map(|image| &*image.bytes).unwrap_or_default();
    let after = after.map(|Target { bytes, mode }| Target { bytes: bytes.into_bytes(old).into(), mode });
    FileChange { path, before, after, renamed_from, added, removed }
}

/// Whether a file can be run, as git sees it: by its owner.
pub(crate) const fn is_executable(mode: u32) -> bool {
    mode & 0o100 != 0
}

/// The mode a file gets: everyone who may read it may also run it, or no one may. `None` is the default for a new file.
const fn mode(before: Option<u32>, executable: Option<bool>) -> Option<u32> {
    match (before, executable) {
        (before, None) => before,
        (Some(mode), Some(true)) => Some(mode | (mode & 0o444) >> 2),
        (Some(mode), Some(false)) => Some(mode & !0o111),
        (None, Some(true)) => Some(0o100_755),
        (None, Some(false)) => None,
    }
}

/// Adds "did you mean" to a complaint about a path that does not exist.
fn suggest_path(workspace: &Workspace, error: Diagnostic) -> Diagnostic {
    if error.code != relay_edit::codes::MISSING_FILE {
        return error;
    }
    let Some(path) = error.path.as_deref().and_then(|path| workspace.path(path).ok()) else { return error };
    match did_you_mean(workspace, &path) {
        Some(hint) => error.hinted(hint),
        None => error,
    }
}

/// Whether text holds nothing but visible ASCII characters and ordinary white space. Most text does, and needs no closer
/// look; this is written so that many bytes are looked at together.
fn is_plain(text: &[u8]) -> bool {
    let is_odd = |byte: u8| {
        let is_space = (byte == b'\n') | (byte == b'\t') | (byte == b'\r') | (byte == b'\x0c');
        (byte < b' ') & !is_space | (byte > b'~')
    };
    text.chunks(4096).all(|part| !part.iter().fold(false, |odd, byte| odd | is_odd(*byte)))
}

/// A warning when a change brings characters into a file that a reviewer cannot see.
fn invisible_characters(change: &FileChange<Content>, stat: &Stat) -> Option<Diagnostic> {
    let after = &change.after.as_ref()?.bytes;
    // What was there before is nothing new, unless it was there under another name.
    let is_plain = match (after, &change.renamed_from) {
        (Content::Spliced(spliced), _) => is_plain(spliced.fresh()),
        (Content::Whole(bytes), Some(_)) => is_plain(bytes),
        (Content::Whole(bytes), None) => {
            let text = text_of(bytes);
            stat.new.iter().all(|new| is_plain(text.get(new.clone()).unwrap_or_default()))
        }
    };
    if change.added == 0 || is_plain {
        return None;
    }
    let before = change.before.as_ref().map(|image| &*image.bytes).unwrap_or_default();
    let after = After::from(after).bytes(before);
    let after = std::str::from_utf8(&after).ok()?;
    let before = std::str::from_utf8(before).unwrap_or_default();
    let (at, found, _) =
        all_hidden(after).find(|(_, c, _)| !matches!(c, '\r' | '\u{c}') && !before.contains(*c))?;
    let line = after.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
    Some(
        Diagnostic::warning(
            codes::INVISIBLE_CHARACTERS,
            format!(
                "line {line} of {} gets an invisible or direction-changing character (U+{:04X})",
                change.path,
                u32::from(found)
            ),
        )
        .on(change.path.as_str())
        .hinted("Check what that line really says before you keep it."),
    )
}
