//! Which transactions are undone, and in which of their files.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use relay_diagnostics::Diagnostic;
use relay_txn::{Record, Undoes};
use uuid::Uuid;

use super::files::How;
use super::{UndoOptions, Which, nothing};
use crate::codes;
use crate::ledger::damaged;
use crate::ledger::group::contains;
use crate::ledger::history::{Entry, EntryKind, EntryStatus, History, Next, short};

/// What to undo, or every reason why not.
pub(super) type Selected<'h> = Result<Selection<'h>, Vec<Diagnostic>>;

/// One transaction to undo.
#[derive(Debug)]
pub(super) struct Step<'h> {
    pub entry: &'h Entry,
    /// The files to undo it in; a rename's two names always go together.
    pub paths: BTreeSet<String>,
}

/// What to undo, newest first.
#[derive(Debug)]
pub(super) struct Selection<'h> {
    pub steps: Vec<Step<'h>>,
}

impl Selection<'_> {
    /// The same, if anything is selected.
    fn unless_empty(self, why: impl FnOnce() -> Vec<Diagnostic>) -> Result<Self, Vec<Diagnostic>> {
        if self.steps.is_empty() { Err(why()) } else { Ok(self) }
    }

    /// The selection as the ledger keeps it.
    pub fn undoes(&self) -> Vec<Undoes> {
        self.steps
            .iter()
            .map(|step| {
                let record = &step.entry.record;
                let whole = record.paths().all(|path| step.paths.contains(path));
                let files = if whole { Vec::new() } else { step.paths.iter().cloned().collect() };
                Undoes { uuid: record.uuid, files }
            })
            .collect()
    }

    /// Refuses to undo what cannot be read.
    pub fn check_sound(&self) -> Result<(), Vec<Diagnostic>> {
        let damaged = self.steps.iter().filter(|step| step.entry.status == EntryStatus::Damaged);
        let found: Vec<Diagnostic> = damaged.map(|step| damaged::record(step.entry)).collect();
        if found.is_empty() { Ok(()) } else { Err(found) }
    }

    /// Whether a transaction is among them.
    pub fn contains(&self, uuid: Uuid) -> bool {
        self.steps.iter().any(|step| step.entry.record.uuid == uuid)
    }
}

pub(super) fn for_undo<'h>(history: &'h History, options: &UndoOptions) -> Selected<'h> {
    let entry = match &options.which {
        Which::Last => {
            let next = history.next_undo().ok_or_else(|| nothing("undo"))?;
            return last_step(history, next, &options.files);
        }
        Which::One(selector) => history.find(selector).map_err(|error| vec![error])?,
        Which::Since(selector) => {
            return since(history, history.find(selector).map_err(|error| vec![error])?, &options.files);
        }
        Which::Group(group) => return in_group(history, group, 0, &options.files),
        Which::GroupSince(group, first) => return in_group(history, group, *first, &options.files),
    };
    one(history, forced_back(history, entry, &options.files).unwrap_or(entry), &options.files)
}

/// The newest step: a landing, or everything that a redo brought back.
fn last_step<'h>(history: &'h History, next: Next<'h>, files: &[String]) -> Selected<'h> {
    if next.step.kind() == EntryKind::Change || is_forced(&next.step.record) {
        return one(history, next.step, files);
    }
    let name = format!("what #{} reapplied", next.step.record.sequence);
    let steps = next.changes.into_iter().map(|(entry, paths)| Step { entry, paths }).collect();
    limited(steps, files, &name)
}

/// Whether a record overwrote what others had written since. What that was is known to this record alone.
fn is_forced(record: &Record) -> bool {
    record.operations.iter().any(|operation| operation.placement == How::Forced.name())
}

/// The redo that brought a transaction back by force. What it overwrote is known to the redo alone, so that is what has to
/// be undone.
fn forced_back<'h>(history: &'h History, entry: &Entry, files: &[String]) -> Option<&'h Entry> {
    let takes_only =
        |record: &Record, uuid: Uuid| matches!(record.header.undoes.as_slice(), [one] if one.uuid == uuid);
    let undid = |uuid: Uuid| {
        let undo = history.entries.iter().find(|undo| undo.record.uuid == uuid);
        undo.is_some_and(|undo| takes_only(&undo.record, entry.record.uuid))
    };
    let redo = history.entries.iter().find(|redo| {
        let record = &redo.record;
        redo.kind() == EntryKind::Redo
            && redo.status == EntryStatus::Committed
            && is_forced(record)
            && matches!(record.header.undoes.as_slice(), [undo] if undid(undo.uuid))
    })?;
    let mut newer = history.entries.iter().take_while(|other| other.record.sequence > redo.record.sequence);
    let is_outdated =
        newer.any(|other| other.record.header.undoes.iter().any(|target| target.uuid == entry.record.uuid));
    let has = |file: &String| redo.record.paths().any(|path| path == file);
    (!is_outdated && files.iter().all(has)).then_some(redo)
}

pub(super) fn for_redo<'h>(history: &'h History, options: &UndoOptions) -> Selected<'h> {
    let entry = match &options.which {
        Which::Last => {
            let next = history.next_redo().ok_or_else(|| nothing("redo"))?;
            next.landed_since.map_or(Ok(next.step), |landed| Err(vec![landed_since(&next, landed)]))?
        }
        Which::One(selector) | Which::Since(selector) => {
            let named = history.find(selector).map_err(|error| vec![error])?;
            taker(history, named)?
        }
        Which::Group(group) | Which::GroupSince(group, _) => {
            return takers_of_group(history, group, &options.files);
        }
    };
    one(history, entry, &options.files)
}

/// Something landed after the last undo, so that a redo needs a name.
fn landed_since(next: &Next<'_>, landed: &Entry) -> Diagnostic {
    let (undo, landed) = (next.step.record.sequence, landed.record.sequence);
    let what = match next.changes.as_slice() {
        [(entry, _)] => format!("#{}", entry.record.sequence),
        several => format!("{} transactions", several.len()),
    };
    let message = format!("there is nothing to redo: #{landed} landed after #{undo} undid {what}");
    Diagnostic::error(codes::LANDED_SINCE, message)
        .hinted(format!("`relay redo {}` reapplies {what} to the files as they are now.", next.redo_name()))
}

/// The undo to revert when a person names it, or what it undid.
fn taker<'h>(history: &'h History, named: &'h Entry) -> Result<&'h Entry, Vec<Diagnostic>> {
    if named.kind() == EntryKind::Undo && named.status != EntryStatus::Undone {
        return Ok(named);
    }
    let Some(undo) = history.undone_by(named.record.uuid) else {
        let message = format!("#{} is in effect, so there is nothing to redo", named.record.sequence);
        return Err(vec![
            Diagnostic::error(codes::NO_SUCH_TRANSACTION, message)
                .hinted("`relay log --status undone` lists what can be redone."),
        ]);
    };
    if undo.record.header.undoes.len() > 1 {
        let (number, all) = (undo.record.sequence, undo.record.header.undoes.len());
        let message = format!("#{number} undid #{} together with {} others", named.record.sequence, all - 1);
        return Err(vec![
            Diagnostic::error(codes::AMBIGUOUS_TRANSACTION, message)
                .hinted(format!("`relay redo {number}` reapplies all {all}.")),
        ]);
    }
    Ok(undo)
}

/// One transaction, where it is still in effect.
fn one<'h>(history: &History, entry: &'h Entry, files: &[String]) -> Selected<'h> {
    let name = format!("#{} ({})", entry.record.sequence, short(entry.record.uuid));
    let already = |what: &str| {
        let by = history.undone_by(entry.record.uuid).map(|by| format!(" by #{}", by.record.sequence));
        Diagnostic::error(
            codes::ALREADY_UNDONE,
            format!("{what} is already undone{}", by.unwrap_or_default()),
        )
        .hinted("`relay redo` reapplies what the last undo undid.")
    };
    if entry.status == EntryStatus::Undone {
        return Err(vec![already(&name)]);
    }
    let in_effect = entry.in_effect();
    if files.is_empty() {
        return Ok(Selection { steps: vec![Step { entry, paths: in_effect }] });
    }
    let mut found = Vec::new();
    for file in files {
        if !entry.record.paths().any(|path| path == file) {
            found.push(not_in(file, &name, entry.record.paths()));
        } else if !in_effect.contains(file) {
            found.push(already(&format!("{file} of {name}")).on(file));
        }
    }
    if !found.is_empty() {
        return Err(found);
    }
    let paths = with_other_names(&entry.record, files.iter().cloned().collect());
    Ok(Selection { steps: vec![Step { entry, paths }] })
}

/// A transaction and everything after it, so that everything becomes what it was before. Every step is undone, also
/// undos and what they took: each then finds its files exactly as it left them, whatever was renamed in between.
fn since<'h>(history: &'h History, first: &'h Entry, files: &[String]) -> Selected<'h> {
    let records: Vec<String> = history.unverified_records().map(str::to_owned).collect();
    if !records.is_empty() {
        // One of them may belong into the range.
        return Err(vec![damaged::unknown(&records)]);
    }
    let whole = |entry: &Entry| entry.record.paths().map(str::to_owned).collect();
    let steps = range(history, first).map(|entry| Step { entry, paths: whole(entry) }).collect();
    let name = format!("#{} or anything after it", first.record.sequence);
    limited(steps, files, &name)?.unless_empty(|| nothing("undo"))
}

/// The same without what the transactions have settled among themselves: the way around lines that were changed outside
/// Relay, where an undo and what it undid cancel out.
pub(super) fn unsettled<'h>(history: &'h History, options: &UndoOptions) -> Option<Selected<'h>> {
    let Which::Since(selector) = &options.which else { return None };
    let first = history.find(selector).ok()?;
    Some(without_settled(history, first, &options.files))
}

fn without_settled<'h>(history: &'h History, first: &'h Entry, files: &[String]) -> Selected<'h> {
    let range: Vec<&Entry> = range(history, first).collect();
    let mut left = without_pairs(&range);
    let steps = range
        .into_iter()
        .map(|entry| Step { entry, paths: left.remove(&entry.record.uuid).unwrap_or_default() })
        .filter(|step| !step.paths.is_empty())
        .collect();
    let name = format!("#{} or anything after it", first.record.sequence);
    limited(steps, files, &name)?.unless_empty(|| nothing("undo"))
}

/// A transaction and everything after it, newest first.
fn range<'h>(history: &'h History, first: &Entry) -> impl Iterator<Item = &'h Entry> {
    let from = first.record.sequence;
    history.entries.iter().filter(move |entry| entry.record.sequence >= from)
}

/// The transactions of a group, where they are in effect, so that the group is undone as one.
fn in_group<'h>(history: &'h History, group: &str, first: u64, files: &[String]) -> Selected<'h> {
    let members = members(history, group)?;
    let since = members.iter().copied().filter(|entry| entry.record.sequence >= first);
    let in_effect = since.filter(|entry| entry.status != EntryStatus::Undone);
    let steps = in_effect.map(|entry| Step { entry, paths: entry.in_effect() }).collect();
    limited(steps, files, &format!("the group {group}"))?.unless_empty(|| {
        let message = format!("all of the group {group} is already undone");
        let hint = format!("`relay redo --group {group}` reapplies it.");
        vec![Diagnostic::error(codes::ALREADY_UNDONE, message).hinted(hint)]
    })
}

/// The undos in effect that undid transactions of a group and nothing else.
fn takers_of_group<'h>(history: &'h History, group: &str, files: &[String]) -> Selected<'h> {
    let members: HashSet<Uuid> =
        members(history, group)?.into_iter().map(|entry| entry.record.uuid).collect();
    let takes = |entry: &&Entry| {
        let mut targets = entry.record.header.undoes.iter();
        entry.kind() == EntryKind::Undo
            && entry.status != EntryStatus::Undone
            && targets.all(|target| members.contains(&target.uuid))
    };
    let takers = history.entries.iter().filter(takes);
    let steps = takers.map(|entry| Step { entry, paths: entry.in_effect() }).collect();
    limited(steps, files, &format!("the group {group}"))?.unless_empty(|| nothing("redo"))
}

/// The transactions of a group, newest first.
fn members<'h>(history: &'h History, group: &str) -> Result<Vec<&'h Entry>, Vec<Diagnostic>> {
    let members: Vec<&Entry> = history
        .entries
        .iter()
        .filter(|entry| contains(group, entry.record.header.group.as_deref()))
        .collect();
    if members.is_empty() {
        return Err(vec![
            Diagnostic::error(
                codes::NO_SUCH_TRANSACTION,
                format!("no transaction on the ledger belongs to a group `{group}`"),
            )
            .hinted("`relay log` names the groups; a group is written in full."),
        ]);
    }
    Ok(members)
}

/// The steps in these files only; in all of theirs where none is named.
fn limited<'h>(steps: Vec<Step<'h>>, files: &[String], name: &str) -> Selected<'h> {
    if files.is_empty() {
        return Ok(Selection { steps });
    }
    let strangers: Vec<Diagnostic> = files
        .iter()
        .filter(|file| !steps.iter().any(|step| step.paths.contains(*file)))
        .map(|file| not_in(file, name, steps.iter().flat_map(|step| step.paths.iter().map(String::as_str))))
        .collect();
    if !strangers.is_empty() {
        return Err(strangers);
    }
    let mut names: BTreeSet<String> = files.iter().cloned().collect();
    let mut limited = Vec::new();
    for Step { entry, paths } in steps {
        // Going back, a renamed file goes on under its old name.
        let wanted = with_other_names(&entry.record, paths.intersection(&names).cloned().collect());
        let paths: BTreeSet<String> = paths.into_iter().filter(|path| wanted.contains(path)).collect();
        names.extend(paths.iter().cloned());
        if !paths.is_empty() {
            limited.push(Step { entry, paths });
        }
    }
    Ok(Selection { steps: limited })
}

/// Warns when a transaction is undone while others of its group stay.
pub(super) fn rest_of_group(history: &History, selection: &Selection<'_>) -> Option<Diagnostic> {
    let [step] = selection.steps.as_slice() else { return None };
    let group = step.entry.record.header.group.as_deref()?;
    let stays = |entry: &&Entry| {
        entry.record.header.group.as_deref() == Some(group)
            && entry.status != EntryStatus::Undone
            && !selection.contains(entry.record.uuid)
    };
    let count = history.entries.iter().filter(stays).count();
    (count > 0).then(|| {
        let message = format!("it belongs to the group {group}, of which {count} more stay in effect");
        Diagnostic::warning(codes::GROUP_IN_EFFECT, message)
            .hinted(format!("`relay undo --group {group}` undoes them too."))
    })
}

/// The files of each transaction that are not settled among themselves: what one of them undid of another needs
/// no further undoing, in neither.
fn without_pairs(range: &[&Entry]) -> BTreeMap<Uuid, BTreeSet<String>> {
    let paths = |entry: &&Entry| {
        (entry.record.uuid, entry.record.paths().map(str::to_owned).collect::<BTreeSet<_>>())
    };
    let mut left: BTreeMap<Uuid, BTreeSet<String>> = range.iter().map(paths).collect();
    let here: HashMap<Uuid, HashSet<&str>> =
        range.iter().map(|entry| (entry.record.uuid, entry.record.paths().collect())).collect();
    for undo in range.iter().filter(|entry| !entry.record.header.undoes.is_empty()) {
        for path in left.get(&undo.record.uuid).cloned().unwrap_or_default() {
            let has = |uuid: Uuid| {
                // Nothing is known about one that is not here; it is left to the general case.
                here.get(&uuid).is_none_or(|paths| paths.contains(path.as_str()))
            };
            let covering = undo.record.header.undoes.iter().filter(|target| target.covers(&path));
            let targets: Vec<Uuid> = covering.map(|target| target.uuid).filter(|uuid| has(*uuid)).collect();
            let all_here = !targets.is_empty()
                && targets.iter().all(|uuid| left.get(uuid).is_some_and(|paths| paths.contains(&path)));
            if all_here {
                for uuid in targets.iter().chain([&undo.record.uuid]) {
                    if let Some(paths) = left.get_mut(uuid) {
                        paths.remove(&path);
                    }
                }
            }
        }
    }
    left
}

/// Adds the other name of every renamed file.
fn with_other_names(record: &Record, mut paths: BTreeSet<String>) -> BTreeSet<String> {
    for change in &record.changes {
        let Some(from) = &change.renamed_from else { continue };
        if paths.contains(&change.path) || paths.contains(from) {
            paths.insert(change.path.clone());
            paths.insert(from.clone());
        }
    }
    paths
}

/// The transaction does not have the file a person named.
pub(super) fn not_in<'a>(file: &str, name: &str, paths: impl Iterator<Item = &'a str>) -> Diagnostic {
    let paths: Vec<&str> = paths.take(10).collect();
    let hint = if paths.is_empty() {
        format!("`relay log --path {file}` lists what changed it.")
    } else {
        format!("It changed {}.", paths.join(", "))
    };
    Diagnostic::error(codes::NOT_IN_TRANSACTION, format!("{file} was not changed by {name}"))
        .on(file)
        .hinted(hint)
}
