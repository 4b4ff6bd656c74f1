//! Repair: a refused reply and the answer that mends it land as one transaction.
//!
//! The refused reply waits on the user's shelf under its uuid. An answer that names the same uuid need only hold what
//! failed: everything else is taken from the waiting reply. Nothing about the files is remembered; which parts fail is
//! found out anew each time, on the files as they are then.

use std::collections::{BTreeMap, BTreeSet};

use relay_edit::{Diagnostic, Dialect, Edit, EditStatus, Hunk, Operation, Reply, parse};
use relay_store::Shelf;
use relay_workspace::Workspace;
use uuid::Uuid;

use crate::contain::contain;
use crate::engine::Engine;
use crate::planning::{Basis, try_plan};
use crate::receipt::{self, Receipt};
use crate::report;
use crate::stop::Stop;
use crate::submission::Submission;

/// The refused replies that wait for this one, the oldest first, and the reply itself; only itself when it mends nothing.
pub(crate) fn answers(engine: &Engine, submission: &Submission, reply: Reply) -> Vec<Reply> {
    let waiting = waiting(engine, &reply);
    if waiting.contains(&submission.text) {
        return vec![reply];
    }
    waiting.iter().map(|text| parse(text, submission.dialect)).chain([reply]).collect()
}

/// A reply joined with the refused ones it mends.
pub(crate) fn join(engine: &Engine, answers: Vec<Reply>, basis: &Basis) -> Result<Reply, Stop> {
    let mut answers = answers.into_iter();
    let first = answers.next().unwrap_or_default();
    answers.try_fold(first, |earlier, answer| mend(engine, earlier, answer, basis))
}

/// The message that asks a model for what failed. What it shows of files is masked, and from then on known to the model:
/// its receipt, or a new one, says so.
pub(crate) fn message(
    engine: &Engine,
    receipt: Option<&Receipt>,
    uuid: Uuid,
    edits: &[Edit],
    findings: &[Diagnostic],
) -> String {
    let paths: BTreeSet<&str> = findings.iter().filter_map(|finding| finding.path.as_deref()).collect();
    let workspace = engine.workspace();
    let text = |path: &str| {
        let file = workspace.read(&workspace.path(path).ok()?).ok()??;
        Some((path.to_owned(), relay_edit::text(&file.bytes)?))
    };
    let files: BTreeMap<String, String> = paths.into_iter().filter_map(text).collect();
    let mut findings = findings.to_vec();
    let (shown, receipt) = receipt::shown_again(engine, receipt, files, &mut findings);
    let project_id = engine.config().project_id.as_deref();
    let anchored = edits.iter().filter(|edit| edit.dialect == Dialect::Hashline);
    let anchored = anchored.map(|edit| edit.path.as_str()).collect();
    report::repair::prompt(project_id, uuid, receipt.as_deref(), &findings, &shown, &anchored)
}

/// Lets a refused reply wait for its repair, behind those it was to mend itself.
pub(crate) fn wait_for_repair(engine: &Engine, uuid: Uuid, text: &str) -> Option<Diagnostic> {
    let root = engine.workspace().root();
    let name = uuid.to_string();
    let mut texts = engine.store().look_up(Shelf::Repairs, root, &name).unwrap_or_default();
    if !texts.iter().any(|waiting| waiting == text) {
        texts.push(text.to_owned());
    }
    let kept = engine.store().put(Shelf::Repairs, root, &name, texts);
    kept.err().map(|error| {
        Diagnostic::warning(
            crate::codes::NOT_WAITING,
            format!("the reply cannot wait for its repair: {error}"),
        )
        .hinted("Ask the model for the whole reply instead of the failed parts.")
    })
}

/// What landed waits for nothing any more. A shelf that cannot be cleared only holds a text too many.
pub(crate) fn landed(engine: &Engine, uuid: Uuid) {
    let root = engine.workspace().root();
    let name = uuid.to_string();
    if engine.store().look_up(Shelf::Repairs, root, &name).is_ok_and(|texts| !texts.is_empty()) {
        drop(engine.store().put(Shelf::Repairs, root, &name, Vec::new()));
    }
}

fn waiting(engine: &Engine, reply: &Reply) -> Vec<String> {
    let written = reply.control.as_ref().and_then(|control| control.uuid.as_deref());
    let Some(uuid) = written.and_then(|written| Uuid::try_parse(written.trim()).ok()) else {
        return Vec::new();
    };
    engine.store().look_up(Shelf::Repairs, engine.workspace().root(), &uuid.to_string()).unwrap_or_default()
}

/// Takes out of `earlier` what fails, and puts the answer's edits of the same file in its place; what the answer says of
/// other files comes last.
fn mend(engine: &Engine, earlier: Reply, answer: Reply, basis: &Basis) -> Result<Reply, Stop> {
    let workspace = engine.workspace();
    let Reply { reasoning, edits, control, receipt, .. } = earlier;
    // What was wrong with the earlier reply is what the answer was asked for.
    let (edits, _) = contain(workspace, edits)?;
    let (mut fresh, refused) = contain(workspace, answer.edits)?;
    fresh.iter_mut().for_each(mean_what_is_there);
    let basis = basis.seeing(engine, &edits);
    let failed = failures(workspace, &edits, &basis);
    // A block that is sent again for its lines renames its file once more, which is done.
    let stands = |edit: &Edit| {
        let same =
            |(_, earlier): &(usize, &Edit)| earlier.path == edit.path && earlier.operation == edit.operation;
        let mut earlier = edits.iter().enumerate().filter(same);
        matches!(edit.operation, Operation::Rename { .. })
            && earlier.any(|(index, _)| !failed.iter().any(|failure| failure.edit == index))
    };
    fresh.retain(|edit| !stands(edit));
    let mut mended = Vec::with_capacity(edits.len() + fresh.len());
    for (index, edit) in edits.into_iter().enumerate() {
        match failed.iter().find(|failure| failure.edit == index) {
            None => mended.push(edit),
            Some(failure) => {
                let path = edit.path.clone();
                mended.extend(without(edit, &failure.lines));
                let (same_file, others) = fresh.into_iter().partition(|edit| edit.path == path);
                fresh = others;
                mended.extend::<Vec<Edit>>(same_file);
            }
        }
    }
    mended.extend(fresh);
    let mended = join_anchored(mended, &basis.options.views);
    let mut diagnostics = answer.diagnostics;
    diagnostics.extend(refused);
    Ok(Reply {
        reasoning: [reasoning, answer.reasoning].join("\n\n").trim().to_owned(),
        edits: mended,
        control: control.or(answer.control),
        receipt: receipt.or(answer.receipt),
        diagnostics,
    })
}

/// Makes the numbers and anchors of an answer mean the file as it is now, which the message it answers has shown.
fn mean_what_is_there(edit: &mut Edit) {
    if let Operation::Patch { hunks, .. } = &mut edit.operation {
        hunks.iter_mut().for_each(|hunk| hunk.shown_now = true);
    }
}

/// Joins the sections of a file: the answer's anchors mean the file as it is, like those of what they mend, unless those mean
/// what was read before.
fn join_anchored(edits: Vec<Edit>, views: &BTreeMap<String, Vec<u8>>) -> Vec<Edit> {
    let mut joined: Vec<Edit> = Vec::with_capacity(edits.len());
    for mut edit in edits {
        let is_same = |known: &&mut Edit| {
            known.dialect == Dialect::Hashline && known.path == edit.path && !views.contains_key(&edit.path)
        };
        if edit.dialect == Dialect::Hashline
            && let Operation::Patch { hunks: more, .. } = &mut edit.operation
            && let Some(Edit { operation: Operation::Patch { hunks, .. }, .. }) =
                joined.iter_mut().find(is_same)
        {
            hunks.append(more);
        } else {
            joined.push(edit);
        }
    }
    joined
}

/// An edit that fails, and the lines of the reply where its failing hunks begin.
struct Failed {
    edit: usize,
    lines: Vec<usize>,
}

fn failures(workspace: &Workspace, edits: &[Edit], basis: &Basis) -> Vec<Failed> {
    // Of a block that would land in part, only what does not fit is to be mended.
    let mut basis = basis.clone();
    basis.options.partial = false;
    let Ok(plan) = try_plan(workspace, edits, &basis) else { return Vec::new() };
    plan.outcomes
        .iter()
        .zip(edits)
        .enumerate()
        .filter(|(_, (outcome, _))| outcome.status == EditStatus::Failed)
        .map(|(index, (_, edit))| Failed {
            edit: index,
            lines: plan
                .diagnostics
                .iter()
                .filter(|found| found.is_error() && found.path.as_deref() == Some(&edit.path))
                .filter_map(|found| found.line)
                .collect(),
        })
        .collect()
}

/// The edit without its failing hunks; nothing when none is left, or when the edit failed as a whole.
fn without(edit: Edit, lines: &[usize]) -> Option<Edit> {
    let Operation::Patch { hunks, base } = edit.operation else { return None };
    let (failed, good): (Vec<Hunk>, Vec<Hunk>) =
        hunks.into_iter().partition(|hunk| lines.contains(&hunk.line));
    if failed.is_empty() || good.is_empty() {
        return None;
    }
    Some(Edit { operation: Operation::Patch { hunks: good, base }, ..edit })
}
