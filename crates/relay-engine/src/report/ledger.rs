//! The JSON documents about the ledger: `relay log`, `show`, `blame` and `gc`.

use std::collections::{HashMap, HashSet};

use relay_txn::{ChangeRecord, OperationRecord, Undoes};
use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{CheckJson, value};
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
    value(&EntryJson { next: turns.of(entry.record.uuid), ..EntryJson::new(entry, false) })
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
    let mut document = value(&EntryJson::new(entry, true));
    if let Value::Object(map) = &mut document {
        map.insert("reasoning".to_owned(), Value::from(entry.record.header.reasoning.clone()));
        map.insert("blocks".to_owned(), value(&entry.record.header.blocks));
        map.insert("diff".to_owned(), Value::from(diff));
    }
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
// Large because the format has these keys.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryJson<'a> {
    number: u64,
    uuid: String,
    status: &'static str,
    /// The command that would be about this transaction next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    undone_files: Vec<&'a str>,
    created_at: String,
    channel: &'a str,
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    #[serde(
        skip_serializing_if = "<[Undoes]>::is_empty",
        serialize_with = "relay_txn::short_form::serialize"
    )]
    undoes: &'a [Undoes],
    project_id: Option<&'a str>,
    prompt_summary: Option<&'a str>,
    git_commit_msg: Option<&'a str>,
    approved_by: Option<&'a str>,
    files: Vec<EntryFileJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    checks: Vec<CheckJson<'a>>,
}

impl<'a> EntryJson<'a> {
    fn new(entry: &'a Entry, in_full: bool) -> Self {
        let record = &entry.record;
        let mut evidence: HashMap<&str, Vec<&'a OperationRecord>> = HashMap::new();
        for operation in record.operations.iter().filter(|_| in_full) {
            let other = operation.to.as_deref().filter(|to| *to != operation.path);
            for path in [Some(operation.path.as_str()), other].into_iter().flatten() {
                evidence.entry(path).or_default().push(operation);
            }
        }
        let evidence =
            |change: &ChangeRecord| evidence.get(change.path.as_str()).cloned().unwrap_or_default();
        Self {
            number: record.sequence,
            uuid: record.uuid.to_string(),
            status: entry.status.name(),
            next: None,
            undone_files: match entry.status {
                EntryStatus::PartlyUndone => entry.undone.iter().map(String::as_str).collect(),
                EntryStatus::Committed | EntryStatus::Undone | EntryStatus::Damaged => Vec::new(),
            },
            created_at: record.created_at.to_string(),
            channel: &record.header.channel,
            model: record.header.model.as_deref(),
            group: record.header.group.as_deref(),
            undoes: &record.header.undoes,
            project_id: record.header.project_id.as_deref(),
            prompt_summary: record.header.prompt_summary.as_deref(),
            git_commit_msg: record.header.git_commit_msg.as_deref(),
            approved_by: record.approved_by.as_deref(),
            files: record.files().map(|change| EntryFileJson::new(change, evidence(change))).collect(),
            checks: record.checks.iter().map(|check| CheckJson::new(check, in_full)).collect(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryFileJson<'a> {
    path: &'a str,
    operation: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed_from: Option<&'a str>,
    added: usize,
    removed: usize,
    /// The command that made the change, where it was not the submission.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'a str>,
    /// The edits it comes from, and how each was placed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    edits: Vec<&'a OperationRecord>,
}

impl<'a> EntryFileJson<'a> {
    fn new(change: &'a ChangeRecord, edits: Vec<&'a OperationRecord>) -> Self {
        Self {
            path: &change.path,
            operation: if change.renamed_from.is_some() {
                "rename".to_owned()
            } else {
                change.operation.to_string()
            },
            renamed_from: change.renamed_from.as_deref(),
            added: change.added,
            removed: change.removed,
            by: change.by.as_deref(),
            edits,
        }
    }
}
