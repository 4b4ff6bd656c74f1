//! Computes what the valid files of a refused reply would have changed, so that its report has true numbers.

use std::collections::{BTreeMap, BTreeSet};

use relay_edit::{Edit, EditOutcome, EditStatus};
use relay_workspace::Workspace;

use crate::outcome::{FileReport, FileStatus};
use crate::plan::contain::Contained;
use crate::plan::planning::{Basis, exact_changes};

/// Fills in the lines of files with fitting edits, by planning those alone. If they do not fit together either,
/// nothing is filled in.
pub(crate) fn fill_in(workspace: &Workspace, good: &Contained, basis: &Basis, reports: &mut [FileReport]) {
    if good.edits.is_empty() {
        return;
    }
    let Ok(changes) = exact_changes(workspace, good, basis) else { return };
    let counts: BTreeMap<&str, (usize, usize)> =
        changes.iter().map(|change| (change.path.as_str(), (change.added, change.removed))).collect();
    for report in reports.iter_mut().filter(|report| report.status == FileStatus::NotApplied) {
        if let Some((added, removed)) = counts.get(report.path.as_str()) {
            (report.added, report.removed) = (*added, *removed);
        }
    }
}

/// The edits of files in which every edit fits.
pub(crate) fn good(edits: &[Edit], outcomes: &[EditOutcome]) -> Vec<Edit> {
    let is_good =
        |outcome: &EditOutcome| matches!(outcome.status, EditStatus::Applied | EditStatus::Unchanged);
    let bad = edits.iter().zip(outcomes).filter(|(_, outcome)| !is_good(outcome));
    let bad: BTreeSet<&str> = bad.flat_map(|(edit, _)| edit.paths()).collect();
    edits.iter().filter(|edit| !edit.paths().any(|name| bad.contains(name))).cloned().collect()
}
