//! One report per file a person would name, from the edits, their outcomes, and the changes they make.

use std::collections::{HashMap, HashSet};

use relay_edit::{Edit, EditOutcome, EditStatus, Operation};
use relay_txn::{FileChange, Image};
use relay_workspace::RelPath;

use crate::outcome::mode_change::ModeChange;
use crate::outcome::{FileOperation, FileReport, FileStatus};
use crate::plan::contain::Refused;

/// The operation of a change on its path.
#[must_use]
pub fn operation<C>(change: &FileChange<C>) -> FileOperation {
    match (&change.before, &change.after, &change.renamed_from) {
        (_, Some(_), Some(_)) => FileOperation::Rename,
        (None, _, _) => FileOperation::Create,
        (Some(_), Some(_), None) => FileOperation::Modify,
        (Some(_), None, _) => FileOperation::Delete,
    }
}

/// The paths that files were renamed from.
fn renamed_from<C>(changes: &[FileChange<C>]) -> HashSet<&RelPath> {
    changes.iter().filter_map(|change| change.renamed_from.as_ref()).collect()
}

/// The changes that a person would name: a rename is one, although two paths change.
fn reported<C>(changes: &[FileChange<C>]) -> impl Iterator<Item = &FileChange<C>> {
    let renamed = renamed_from(changes);
    changes.iter().filter(move |change| change.after.is_some() || !renamed.contains(&change.path))
}

/// Reports for changes, each with how it comes about. A rename is one file, although two paths change.
pub(crate) fn of_changes<C>(
    changes: &[FileChange<C>],
    placement: impl Fn(&RelPath) -> String,
) -> Vec<FileReport> {
    let renamed = renamed_from(changes);
    let sources: HashMap<&RelPath, &Image> = changes
        .iter()
        .filter(|change| renamed.contains(&change.path))
        .filter_map(|change| Some((&change.path, change.before.as_ref()?)))
        .collect();
    let mut reports = Vec::with_capacity(changes.len());
    reports.extend(reported(changes).map(|change| FileReport {
        renamed_from: change.renamed_from.as_ref().map(|from| from.as_str().to_owned()),
        added: change.added,
        removed: change.removed,
        mode: match &change.renamed_from {
            Some(from) => ModeChange::of(change, sources.get(from).copied()),
            None => ModeChange::of(change, change.before.as_ref()),
        },
        placement: placement(&change.path),
        ..FileReport::new(change.path.as_str(), operation(change))
    }));
    reports
}

/// The label of an edit that names a path where Relay never writes.
const REFUSED: &str = "path refused";

/// A report for an edit with a refused path, under the path that the reason names.
pub(crate) fn of_refused(refused: &Refused) -> FileReport {
    let (edit, path) = (&refused.edit, refused.why.path.as_deref().unwrap_or_default());
    let report = FileReport { renamed_from: None, ..unplaced(edit, path, true) };
    FileReport { status: FileStatus::Skipped, placement: REFUSED.to_owned(), ..report }
}

/// Whether a report is about a refused path, which no planned change can affect.
pub(crate) fn is_refused(report: &FileReport) -> bool {
    report.status == FileStatus::Skipped && report.placement == REFUSED
}

/// The name of an edit's file afterwards.
fn final_name(edit: &Edit) -> &str {
    match &edit.operation {
        Operation::Rename { to } => to,
        _ => &edit.path,
    }
}

/// Reports for edits. `exists` says whether a path is on disk now.
pub(crate) fn of_edits<C>(
    edits: &[Edit],
    outcomes: &[EditOutcome],
    changes: &[FileChange<C>],
    exists: impl Fn(&str) -> bool,
) -> Vec<FileReport> {
    let mut reports = of_changes(changes, |_| String::new());
    let changed = reports.len();
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(edits.len().max(changed));
    places.extend(reported(changes).map(|change| change.path.as_str()).zip(0..));
    for ((edit, outcome), name) in edits.iter().zip(outcomes).zip(final_names(edits)) {
        let at = *places.entry(name).or_insert_with(|| {
            reports.push(unplaced(edit, name, exists(&edit.path)));
            reports.len() - 1
        });
        if let Some(report) = reports.get_mut(at) {
            note(report, outcome, at < changed);
        }
    }
    reports
}

/// Adds the outcome of one edit to its file's report. The worst outcome of several edits wins.
fn note(report: &mut FileReport, outcome: &EditOutcome, changes: bool) {
    let changes_nothing = !changes && report.operation == FileOperation::Modify;
    match outcome.status {
        // The file changes all the same, by the other edits.
        EditStatus::Failed if changes => report.status = FileStatus::Partial,
        EditStatus::Failed => report.status = FileStatus::Failed,
        EditStatus::Skipped => report.status = FileStatus::Skipped,
        EditStatus::NotInContext => report.status = FileStatus::NotInContext,
        EditStatus::Unchanged if changes_nothing && report.status == FileStatus::NotApplied => {
            report.status = FileStatus::Unchanged;
        }
        EditStatus::Applied if report.status == FileStatus::Unchanged => {
            report.status = FileStatus::NotApplied;
        }
        EditStatus::Applied | EditStatus::Unchanged => {}
    }
    if report.placement.is_empty() {
        report.placement.clone_from(&outcome.placement);
    } else if !outcome.placement.is_empty()
        && !report.placement.split(", ").any(|words| words == outcome.placement)
    {
        report.placement.extend([", ", &outcome.placement]);
    }
}

/// The name each edit's file has in the end: a later rename in the same reply gives it another one.
fn final_names(edits: &[Edit]) -> Vec<&str> {
    let mut later: HashMap<&str, &str> = HashMap::new();
    let mut names = Vec::with_capacity(edits.len());
    for edit in edits.iter().rev() {
        let named = final_name(edit);
        let name = later.get(named).copied().unwrap_or(named);
        if named != edit.path {
            later.remove(named);
            later.insert(&edit.path, name);
        }
        names.push(name);
    }
    names.reverse();
    names
}

/// A report for a file that does not change, because it is already so or its edit failed.
fn unplaced(edit: &Edit, name: &str, exists: bool) -> FileReport {
    let (operation, renamed_from) = match &edit.operation {
        Operation::Delete => (FileOperation::Delete, None),
        Operation::Rename { .. } => (FileOperation::Rename, Some(edit.path.clone())),
        _ if exists => (FileOperation::Modify, None),
        _ => (FileOperation::Create, None),
    };
    FileReport { renamed_from, ..FileReport::new(name, operation) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rename(from: &str, to: &str) -> Edit {
        let text = format!("```json // rename-file\n{{\"from\": \"{from}\", \"to\": \"{to}\"}}\n```\n");
        relay_edit::parse(&text, None).edits.remove(0)
    }

    fn write(path: &str) -> Edit {
        relay_edit::parse(&format!("```text // {{{path}}}\nx\n```\n"), None).edits.remove(0)
    }

    #[test]
    fn an_edit_is_reported_under_the_name_its_file_has_in_the_end() {
        assert_eq!(final_names(&[write("z"), rename("z", "y")]), ["y", "y"]);
        assert_eq!(final_names(&[rename("a", "b"), write("b"), rename("b", "c")]), ["c", "c", "c"]);
        assert_eq!(final_names(&[rename("x", "t"), rename("y", "x"), rename("t", "y")]), ["y", "x", "y"]);
        assert_eq!(final_names(&[rename("a", "b"), write("a")]), ["b", "a"]);
    }
}
