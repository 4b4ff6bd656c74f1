//! Repair: a refused reply and the answer that repairs it land as one transaction.
//!
//! The refused reply waits on the user's shelf under its uuid. An answer that names the same uuid need only hold what
//! failed: everything else is taken from the waiting reply. Nothing about the files is stored; which parts fail is
//! determined again each time, on the current files.

pub mod message;

use std::collections::{BTreeMap, BTreeSet};

use relay_diagnostics::Diagnostic;
use relay_edit::{Dialect, Edit, EditStatus, Hunk, Operation, Reply, parse};
use relay_store::Shelf;
use relay_workspace::Workspace;
use uuid::Uuid;

use crate::codes;
use crate::context::receipt;
use crate::engine::Engine;
use crate::intake::address;
use crate::intake::ready::Ready;
use crate::intake::submission::Submission;
use crate::outcome::stop::Stop;
use crate::outcome::{Outcome, Status};
use crate::plan::contain::{Contained, contain, paths};
use crate::plan::planning::{Basis, try_plan};

/// The refused replies that wait for this one, the oldest first, and the reply itself; only itself when it repairs nothing.
pub(crate) fn answers(engine: &Engine, submission: &Submission, reply: Reply) -> Vec<Reply> {
    let waiting = waiting(engine, &reply);
    if waiting.contains(&submission.text) {
        return vec![reply];
    }
    let read = |text: &String| {
        let mut reply = parse(text, submission.dialect);
        address::resolve(engine.workspace(), submission.dialect, &mut reply);
        reply
    };
    waiting.iter().map(read).chain([reply]).collect()
}

/// A reply joined with the refused ones it repairs.
pub(crate) fn join(engine: &Engine, answers: Vec<Reply>, basis: &Basis) -> Result<Reply, Stop> {
    let mut answers = answers.into_iter();
    let first = answers.next().unwrap_or_default();
    answers.try_fold(first, |earlier, answer| repaired(engine, earlier, answer, basis))
}

/// The subject of a message.
pub(crate) struct Failed<'a> {
    /// The receipt of the reply, and how its edits are placed.
    pub basis: &'a Basis,
    /// The reply's edits.
    pub contained: &'a Contained,
    /// What is wrong.
    pub findings: &'a [Diagnostic],
    /// The uuid that the answer is to name.
    pub uuid: Uuid,
    /// The rest of the reply has landed.
    pub has_landed: bool,
}

/// The message that asks a model for what failed. What it shows of files is masked, and from then on known to the model:
/// its receipt, or a new one, says so.
pub(crate) fn message(engine: &Engine, failed: &Failed<'_>) -> String {
    let workspace = engine.workspace();
    let mut findings: Vec<Diagnostic> =
        failed.findings.iter().map(|finding| as_on_disk(engine, failed, finding)).collect();
    let paths: BTreeSet<String> = findings.iter().filter_map(|finding| finding.path.clone()).collect();
    let text = |path: String| {
        let file = workspace.read(&workspace.path(&path).ok()?).ok()??;
        Some((path, relay_edit::text(&file.bytes)?))
    };
    let files: BTreeMap<String, String> = paths.into_iter().filter_map(text).collect();
    let (shown, receipt) = receipt::shown_again(engine, failed.basis.receipt.as_ref(), files, &mut findings);
    let changed_in = |dialect: Dialect| {
        let edits = failed.contained.edits.iter().filter(move |edit| edit.dialect == dialect);
        edits.map(|edit| edit.path.as_str()).collect()
    };
    message::prompt(&message::Request {
        project_id: engine.config().project_id.as_deref(),
        uuid: failed.uuid,
        receipt: receipt.as_deref(),
        findings: &findings,
        files: &shown,
        by_anchor: changed_in(Dialect::Hashline),
        by_number: changed_in(Dialect::Commands),
        has_landed: failed.has_landed,
    })
}

/// Edits could not be read or placed: where it is wanted, the reply waits, and a message asks the model for those parts.
pub(crate) fn ask(engine: &Engine, ready: &Ready<'_>, outcome: &mut Outcome, stop: Stop) -> Stop {
    let uuid = ready.admitted.uuid;
    if let (true, Stop::Refused(findings)) = (ready.options.repair, &stop) {
        let Ready { basis, contained, .. } = ready;
        let failed = Failed { basis, contained, findings, uuid, has_landed: false };
        outcome.repair_prompt = Some(message(engine, &failed));
        outcome.diagnostics.extend(wait_for_repair(engine, uuid, &ready.submission.text));
    }
    stop
}

/// After `--partial`: the message that asks for what did not land. Where nothing did, the reply waits like any other.
pub(crate) fn ask_for_rest(engine: &Engine, submission: &Submission, basis: &Basis, outcome: &mut Outcome) {
    let findings: Vec<Diagnostic> =
        outcome.diagnostics.iter().filter(|finding| finding.is_error()).cloned().collect();
    let has_landed = matches!(outcome.status, Status::Partial);
    if outcome.repair_prompt.is_some() || findings.is_empty() || !(has_landed || outcome.incomplete) {
        return;
    }
    let edits = parse(&submission.text, submission.dialect).edits;
    let (contained, _) = contain(engine.workspace(), edits).unwrap_or_default();
    // What has landed is on the ledger under its uuid, so the answer needs another.
    let uuid = outcome.uuid.filter(|_| !has_landed).unwrap_or_else(Uuid::new_v4);
    let failed = Failed { basis, contained: &contained, findings: &findings, uuid, has_landed };
    outcome.repair_prompt = Some(message(engine, &failed));
    if !has_landed {
        outcome.diagnostics.extend(wait_for_repair(engine, uuid, &submission.text));
    }
}

/// A finding about the file as it is on disk. A hunk is looked for after the edits before it, so a finding may quote what
/// those wrote, which the model will not find in the file; so the hunk is looked for once more, alone.
fn as_on_disk(engine: &Engine, failed: &Failed<'_>, finding: &Diagnostic) -> Diagnostic {
    let is_alone = || {
        let same = failed.contained.edits.iter().filter(|edit| Some(&edit.path) == finding.path.as_ref());
        let count = |edit: &Edit| match &edit.operation {
            Operation::Patch { hunks, .. } => hunks.len(),
            _ => 1,
        };
        same.map(count).sum::<usize>() < 2
    };
    if finding.code != relay_edit::codes::NOT_FOUND || is_alone() {
        return finding.clone();
    }
    let hunk = failed.contained.edits.iter().find_map(|edit| {
        let is_this = Some(&edit.path) == finding.path.as_ref();
        is_this.then(|| only(edit, finding.line?)).flatten()
    });
    let Some(alone) = hunk else { return finding.clone() };
    let plan = try_plan(engine.workspace(), &failed.contained.with(vec![alone]), failed.basis);
    let found = plan.diagnostics.into_iter().find(|found| found.is_error() && found.line == finding.line);
    found.unwrap_or_else(|| {
        let hint = "these lines are in the file, but another block of your reply changes them first: send one block that \
                    makes both changes";
        Diagnostic { hint: Some(hint.to_owned()), file_lines: None, ..finding.clone() }
    })
}

/// The edit with nothing but the hunk that begins in this line of the reply.
fn only(edit: &Edit, line: usize) -> Option<Edit> {
    let Operation::Patch { hunks, base } = &edit.operation else { return None };
    let hunk = hunks.iter().find(|hunk| hunk.line == line)?;
    Some(Edit { operation: Operation::Patch { hunks: vec![hunk.clone()], base: *base }, ..edit.clone() })
}

/// A reply that names no uuid may be meant as the answer to one that waits for its repair. It lands alone, and Relay says
/// so.
pub(crate) fn unanswered(engine: &Engine, reply: &Reply) -> Option<Diagnostic> {
    if reply.control.as_ref().is_some_and(|control| control.uuid.is_some()) {
        return None;
    }
    let changed: BTreeSet<&str> = reply.edits.iter().map(|edit| edit.path.as_str()).collect();
    let waiting = engine.store().look_through(Shelf::Repairs, engine.workspace().root()).ok()?;
    let (uuid, paths) = waiting.into_iter().rev().find_map(|(uuid, texts)| {
        let edits = texts.iter().flat_map(|text| parse(text, None).edits);
        let paths: BTreeSet<String> = edits.map(|edit| edit.path).collect();
        paths.iter().any(|path| changed.contains(path.as_str())).then_some((uuid, paths))
    })?;
    let paths: Vec<String> = paths.into_iter().map(|path| format!("`{path}`")).collect();
    Some(
        Diagnostic::warning(
            codes::STILL_WAITING,
            format!(
                "a refused reply is still waiting for its repair, with edits of {}; this reply names no uuid, so those \
                 edits are not part of it",
                paths.join(", ")
            ),
        )
        .hinted(format!(
            "If this reply is the answer, undo it, add a control block with `uuid: {uuid}`, and apply it again: both land \
             together."
        )),
    )
}

/// Lets a refused reply wait for its repair, after those that it was to repair itself.
pub(crate) fn wait_for_repair(engine: &Engine, uuid: Uuid, text: &str) -> Option<Diagnostic> {
    let root = engine.workspace().root();
    let name = uuid.to_string();
    let mut texts = engine.store().look_up(Shelf::Repairs, root, &name).unwrap_or_default();
    if !texts.iter().any(|waiting| waiting == text) {
        texts.push(text.to_owned());
    }
    let kept = engine.store().put(Shelf::Repairs, root, &name, texts);
    kept.err().map(|error| {
        Diagnostic::warning(codes::NOT_WAITING, format!("the reply cannot wait for its repair: {error}"))
            .hinted("Ask the model for the whole reply instead of the failed parts.")
    })
}

/// A landed reply no longer waits. A shelf that cannot be cleared only keeps an unneeded text.
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

/// Removes the failing edits from `earlier`, and inserts the answer's edits of the same file in their place; the
/// answer's edits of other files come last.
fn repaired(engine: &Engine, earlier: Reply, answer: Reply, basis: &Basis) -> Result<Reply, Stop> {
    let workspace = engine.workspace();
    let Reply { reasoning, edits, control, receipt, .. } = earlier;
    // The answer replaces what was wrong with the earlier reply.
    let (contained, unwritable) = contain(workspace, edits)?;
    let (Contained { edits: mut fresh, .. }, mut refused) = contain(workspace, answer.edits)?;
    let edits = &contained.edits;
    // A path that cannot be written comes back as another one. What the answer leaves out is still refused.
    let named = paths(edits);
    let renamed = paths(&fresh).difference(&named).count();
    refused.extend(unwritable.into_iter().skip(renamed));
    fresh.iter_mut().for_each(mean_what_is_there);
    let basis = basis.seeing(engine, edits);
    let failed = failures(workspace, &contained, &basis);
    // A block that is sent again for its lines renames its file once more, which is done.
    let is_done = |edit: &Edit| {
        let same =
            |(_, earlier): &(usize, &Edit)| earlier.path == edit.path && earlier.operation == edit.operation;
        let mut earlier = edits.iter().enumerate().filter(same);
        matches!(edit.operation, Operation::Rename { .. })
            && earlier.any(|(index, _)| !failed.iter().any(|failure| failure.edit == index))
    };
    fresh.retain(|edit| !is_done(edit));
    let mut joined = Vec::with_capacity(edits.len() + fresh.len());
    for (index, edit) in contained.edits.into_iter().enumerate() {
        match failed.iter().find(|failure| failure.edit == index) {
            None => joined.push(edit),
            Some(failure) => {
                let path = edit.path.clone();
                joined.extend(without(edit, &failure.lines));
                let (same_file, others) = fresh.into_iter().partition(|edit| edit.path == path);
                fresh = others;
                joined.extend::<Vec<Edit>>(same_file);
            }
        }
    }
    joined.extend(fresh);
    let joined = join_anchored(joined, &basis.options.views);
    let mut diagnostics = answer.diagnostics;
    diagnostics.extend(refused.into_iter().map(|refused| refused.why));
    Ok(Reply {
        reasoning: [reasoning, answer.reasoning].join("\n\n").trim().to_owned(),
        edits: joined,
        control: control.or(answer.control),
        receipt: receipt.or(answer.receipt),
        diagnostics,
        passages: answer.passages,
    })
}

/// Makes the numbers and anchors of an answer mean the file as it is now, which the message it answers has shown.
fn mean_what_is_there(edit: &mut Edit) {
    if let Operation::Patch { hunks, .. } = &mut edit.operation {
        hunks.iter_mut().for_each(|hunk| hunk.shown_now = true);
    }
}

/// Joins the sections of a file: the answer's anchors mean the file as it is, like those of what they repair, unless those mean
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
struct Failing {
    edit: usize,
    lines: Vec<usize>,
}

fn failures(workspace: &Workspace, contained: &Contained, basis: &Basis) -> Vec<Failing> {
    // Of a block that would land in part, only what does not fit is to be repaired.
    let mut basis = basis.clone();
    basis.options.partial = false;
    let plan = try_plan(workspace, contained, &basis);
    plan.outcomes
        .iter()
        .zip(&contained.edits)
        .enumerate()
        .filter(|(_, (outcome, _))| outcome.status == EditStatus::Failed)
        .map(|(index, (_, edit))| Failing {
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
