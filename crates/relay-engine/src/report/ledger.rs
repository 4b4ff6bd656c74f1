//! The JSON documents about the ledger: `relay log`, `show`, `blame` and `gc`.

use std::collections::{HashMap, HashSet};

use relay_txn::{ChangeRecord, OperationRecord, Undoes};
use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{add, check};
use crate::ledger::blame::Blame;
use crate::ledger::history::{Entry, EntryStatus, History, Next};
use crate::ledger::retention::Collected;

/// Which transactions a plain `relay undo` or `relay redo` would be about.
#[derive(Debug, Default)]
pub struct Turns {
    undo: HashSet<Uuid>,
    redo: HashSet<Uuid>,
}

impl Turns {
    /// Those of a ledger.
    #[must_use]
    pub fn new(history: &History) -> Self {
        let uuids = |next: Option<Next<'_>>| {
            let next = next.filter(|next| next.landed_since.is_none());
            next.iter().flat_map(|next| &next.changes).map(|(entry, _)| entry.record.uuid).collect()
        };
        Self { undo: uuids(history.next_undo()), redo: uuids(history.next_redo()) }
    }

    fn of(&self, uuid: Uuid) -> Option<&'static str> {
        let undo = self.undo.contains(&uuid).then_some("undo");
        undo.or_else(|| self.redo.contains(&uuid).then_some("redo"))
    }
}

/// One line of `relay log --json`.
#[must_use]
pub fn entry(entry: &Entry, turns: &Turns) -> Value {
    entry_document(entry, Some(turns))
}

/// A line of `relay log --json` for a record that cannot be verified.
#[must_use]
pub fn unverified(name: &str) -> Value {
    json!({
        "number": null,
        "uuid": name.strip_suffix(".yml").unwrap_or(name),
        "status": EntryStatus::Damaged.name(),
        "files": [],
    })
}

/// The document of `relay show --json`: the entry, with its checks, reasoning, evidence and diff.
#[must_use]
pub fn entry_in_full(entry: &Entry, diff: &str) -> Value {
    let mut document = entry_document(entry, None);
    add(&mut document, "reasoning", Some(&entry.record.header.reasoning));
    add(&mut document, "blocks", Some(&entry.record.header.blocks));
    add(&mut document, "diff", Some(diff));
    document
}

/// The document of `relay blame --json`: each line with the transaction that wrote it, and those transactions.
#[must_use]
pub fn blame(blame: &Blame<'_>) -> Value {
    let lines: Vec<Value> = blame
        .lines
        .iter()
        .map(|line| json!({ "line": line.number, "uuid": line.entry.map(|entry| entry.record.uuid), "text": line.text }))
        .collect();
    let mut transactions = Map::new();
    for entry in blame.lines.iter().filter_map(|line| line.entry) {
        let record = &entry.record;
        transactions.entry(record.uuid.to_string()).or_insert_with(|| {
            json!({
                "number": record.sequence,
                "status": entry.status.name(),
                "createdAt": record.created_at.to_string(),
                "channel": record.header.channel,
                "model": record.header.model,
                "promptSummary": record.header.prompt_summary,
                "gitCommitMsg": record.header.git_commit_msg,
                "reasoning": record.header.reasoning,
            })
        });
    }
    json!({ "path": blame.path, "lines": lines, "transactions": transactions })
}

/// The document of `relay gc --json`.
#[must_use]
pub fn collected(collected: &Collected) -> Value {
    json!({
        "status": collected.status.name(),
        "transactions": collected.forgotten.records,
        "blobs": collected.forgotten.blobs,
        "bytes": collected.forgotten.bytes,
        "mailSessions": collected.mail_sessions,
        "kept": collected.kept,
        "diagnostics": super::diagnostics(&collected.diagnostics),
    })
}

/// One transaction.
fn entry_document(entry: &Entry, turns: Option<&Turns>) -> Value {
    let (record, in_full) = (&entry.record, turns.is_none());
    let mut evidence: HashMap<&str, Vec<&OperationRecord>> = HashMap::new();
    for operation in record.operations.iter().filter(|_| in_full) {
        let other = operation.to.as_deref().filter(|to| *to != operation.path);
        for path in [Some(operation.path.as_str()), other].into_iter().flatten() {
            evidence.entry(path).or_default().push(operation);
        }
    }
    let mut document = json!({
        "number": record.sequence,
        "uuid": record.uuid,
        "status": entry.status.name(),
    });
    add(&mut document, "next", turns.and_then(|turns| turns.of(record.uuid)));
    add(&mut document, "undoneFiles", (entry.status == EntryStatus::PartlyUndone).then_some(&entry.undone));
    add(&mut document, "createdAt", Some(record.created_at));
    add(&mut document, "channel", Some(&record.header.channel));
    add(&mut document, "model", Some(&record.header.model));
    add(&mut document, "group", record.header.group.as_ref());
    add(&mut document, "undoes", Some(Written(&record.header.undoes)).filter(|undoes| !undoes.0.is_empty()));
    add(&mut document, "projectId", Some(&record.header.project_id));
    add(&mut document, "promptSummary", Some(&record.header.prompt_summary));
    add(&mut document, "gitCommitMsg", Some(&record.header.git_commit_msg));
    add(&mut document, "approvedBy", Some(&record.approved_by));
    let files = record.files().map(|change| file(change, evidence.get(change.path.as_str())));
    add(&mut document, "files", Some(files.collect::<Vec<_>>()));
    let checks: Vec<Value> = record.checks.iter().map(|record| check(record, in_full)).collect();
    add(&mut document, "checks", Some(checks).filter(|checks| !checks.is_empty()));
    document
}

/// What a transaction undoes, in the form that the ledger has.
#[derive(Serialize)]
struct Written<'a>(#[serde(serialize_with = "relay_txn::short_form::serialize")] &'a [Undoes]);

/// A file of a transaction: the command that changed it, where that was not the submission, and the edits it comes from
/// with how each was placed.
fn file(change: &ChangeRecord, edits: Option<&Vec<&OperationRecord>>) -> Value {
    let operation = match change.renamed_from {
        Some(_) => "rename".to_owned(),
        None => change.operation.to_string(),
    };
    let mut document = json!({ "path": change.path, "operation": operation });
    add(&mut document, "renamedFrom", change.renamed_from.as_ref());
    add(&mut document, "added", Some(change.added));
    add(&mut document, "removed", Some(change.removed));
    add(&mut document, "by", change.by.as_ref());
    add(&mut document, "edits", edits);
    document
}
