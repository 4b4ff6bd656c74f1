//! The written form of a record: YAML that a person can read, sealed with a MAC.
//!
//! A record is parsed only after its MAC was verified, so the parser never sees bytes that Relay did not write. The
//! format is described in `docs/formats/state-file.md`.

mod contents;
mod lists;
pub(crate) mod octal;
mod saved;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use self::saved::Saved;
use crate::belongings::{Belongings, Extended, Owner};
use crate::draft::Header;
use crate::error::TxnError;
use crate::key::LedgerKey;
use crate::limits::MAX_RECORD_BYTES;
use crate::record::{
    BlockRecord, ChangeRecord, CheckRecord, Content, FolderRecord, Operation, OperationRecord,
    RECORD_VERSION, Record, Stored,
};
use crate::undoes::Undoes;

/// Writes a record with its MAC.
///
/// # Errors
/// [`TxnError::TooLarge`] when it exceeds what would be read again.
pub(crate) fn write(record: &Record, key: &LedgerKey) -> Result<String, TxnError> {
    type Push = fn(&mut String, &Record) -> Result<(), TxnError>;
    const PARTS: [(&str, Push); 3] = [
        (lists::NO_OPERATIONS, lists::push_operations),
        (lists::NO_CHANGES, lists::push_changes),
        (contents::NONE, contents::push),
    ];
    let words = yaml(&Document::words(record), record.uuid)?;
    let mut body = String::with_capacity(words.len() + contents::size(record));
    let mut rest = words.as_str();
    for (place, push) in PARTS {
        let (above, below) = rest
            .split_once(place)
            .ok_or_else(|| unreadable(record.uuid, "there is no place for its files"))?;
        body.push_str(above);
        push(&mut body, record)?;
        // The end of the line is the first thing below.
        if body.ends_with('\n') {
            body.pop();
        }
        rest = below;
    }
    body.push_str(rest);
    let sealed = key.seal(body);
    let size = sealed.len() as u64;
    if size > MAX_RECORD_BYTES {
        return Err(TxnError::TooLarge { what: "the record".to_owned(), size, limit: MAX_RECORD_BYTES });
    }
    Ok(sealed)
}

/// Something as YAML. Folding long lines would save width and cost exactness and readability of code.
fn yaml(value: &impl Serialize, uuid: Uuid) -> Result<String, TxnError> {
    let options = serde_saphyr::ser_options! { folded_wrap_chars: usize::MAX, min_fold_chars: usize::MAX };
    serde_saphyr::to_string_with_options(value, options).map_err(|error| unreadable(uuid, error))
}

/// Reads a record, or nothing if it does not carry a MAC of `key`.
///
/// # Errors
/// [`TxnError::Record`] when the MAC is right and the content is not, which a newer version could cause.
pub(crate) fn read(sealed: &[u8], uuid: Uuid, key: &LedgerKey) -> Result<Option<Record>, TxnError> {
    let Some(body) = key.verify(sealed) else { return Ok(None) };
    let document: Document = serde_saphyr::from_str_with_options(body, trusted_options())
        .map_err(|error| unreadable(uuid, error))?;
    if document.uuid != uuid {
        return Ok(None);
    }
    if document.version > RECORD_VERSION {
        return Err(unreadable(uuid, format!("version {} is newer than this program", document.version)));
    }
    document.into_record(false).map(Some)
}

/// The record without the contents of its files, as one line of JSON for the index.
pub(crate) fn write_brief(record: &Record) -> Result<String, TxnError> {
    serde_json::to_string(&Document::without_contents(record)).map_err(|error| unreadable(record.uuid, error))
}

/// Reads what [`write_brief`] wrote. Contents are then looked up in the record itself.
pub(crate) fn read_brief(json: &str, uuid: Uuid) -> Result<Record, TxnError> {
    let document: Document = serde_json::from_str(json).map_err(|error| unreadable(uuid, error))?;
    document.into_record(true)
}

/// The size was checked and the MAC verified, so the parser's own budgets would only refuse honest large records.
fn trusted_options() -> serde_saphyr::Options {
    let mut options = serde_saphyr::Options::default();
    options.budget = None;
    options.with_snippet = false;
    options
}

fn unreadable(uuid: Uuid, reason: impl ToString) -> TxnError {
    TxnError::Record { name: format!("{uuid}.yml"), reason: reason.to_string() }
}

/// The record as it is written, keys in the order a reader wants them.
// Large because the format has these keys.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    version: u32,
    uuid: Uuid,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project_id: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    sequence: u64,
    created_at: Timestamp,
    channel: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt_summary: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    git_commit_msg: Option<String>,
    #[serde(default)]
    reasoning: String,
    #[serde(default)]
    operations: Vec<OperationRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    blocks: Vec<BlockRecord>,
    changes: Vec<Change>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    folders: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    removed_folders: Vec<FolderRecord>,
    #[serde(default)]
    snapshot: BTreeMap<String, Saved<'static>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    result: BTreeMap<String, Saved<'static>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    checks: Vec<CheckRecord>,
    approved: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    approved_by: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "crate::undoes::short_form")]
    undoes: Vec<Undoes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    submission: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(sequence: &u64) -> bool {
    *sequence == 0
}

/// One entry of `changes`; the contents are apart under `snapshot` and `result`, so that the list stays short.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Change {
    path: String,
    operation: Operation,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    renamed_from: Option<String>,
    added: usize,
    removed: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<Facts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<Facts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

/// What is known of a file without its content.
#[derive(Serialize, Deserialize)]
struct Facts {
    hash: String,
    size: u64,
    #[serde(with = "octal")]
    mode: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<Owner>,
    #[serde(default, skip_serializing_if = "Extended::is_empty")]
    attributes: Extended,
}

impl Facts {
    fn of(stored: &Stored) -> Self {
        let belongings = stored.belongings.as_ref();
        Self {
            hash: stored.hash.clone(),
            size: stored.size,
            mode: stored.mode,
            owner: belongings.map(|belongings| belongings.owner),
            attributes: belongings.map(|belongings| belongings.extended.clone()).unwrap_or_default(),
        }
    }
}

impl Document {
    /// All of a record but the contents of its files.
    fn without_contents(record: &Record) -> Self {
        Self {
            operations: record.operations.clone(),
            changes: record.changes.iter().map(Change::from).collect(),
            ..Self::words(record)
        }
    }

    /// All of a record but what there is of each file.
    fn words(record: &Record) -> Self {
        let header = record.header.clone();
        Self {
            version: record.version,
            uuid: record.uuid,
            project_id: header.project_id,
            sequence: record.sequence,
            created_at: record.created_at,
            channel: header.channel,
            model: header.model,
            group: header.group,
            prompt_summary: header.prompt_summary,
            git_commit_msg: header.git_commit_msg,
            reasoning: header.reasoning,
            operations: Vec::new(),
            blocks: header.blocks,
            changes: Vec::new(),
            folders: record.folders.clone(),
            removed_folders: record.removed_folders.clone(),
            snapshot: BTreeMap::new(),
            result: BTreeMap::new(),
            checks: record.checks.clone(),
            approved: record.approved,
            approved_by: record.approved_by.clone(),
            undoes: header.undoes,
            submission: header.submission,
        }
    }
}

impl From<&ChangeRecord> for Change {
    fn from(change: &ChangeRecord) -> Self {
        Self {
            path: change.path.clone(),
            operation: change.operation,
            renamed_from: change.renamed_from.clone(),
            added: change.added,
            removed: change.removed,
            before: change.before.as_ref().map(Facts::of),
            after: change.after.as_ref().map(Facts::of),
            by: change.by.clone(),
        }
    }
}

impl Document {
    /// With `brief`, contents that are not here are said to be in the record of the same transaction.
    fn into_record(mut self, brief: bool) -> Result<Record, TxnError> {
        let uuid = self.uuid;
        let mut changes = Vec::with_capacity(self.changes.len());
        for change in std::mem::take(&mut self.changes) {
            let elsewhere = brief.then_some(Content::Elsewhere(uuid));
            let before = joined(change.before, self.snapshot.remove(&change.path), elsewhere.as_ref());
            let after = joined(change.after, self.result.remove(&change.path), elsewhere.as_ref());
            let (Ok(before), Ok(after)) = (before, after) else {
                return Err(unreadable(uuid, format!("{} has no content", change.path)));
            };
            changes.push(ChangeRecord {
                path: change.path,
                operation: change.operation,
                renamed_from: change.renamed_from,
                added: change.added,
                removed: change.removed,
                before,
                after,
                by: change.by,
            });
        }
        Ok(Record {
            version: self.version,
            uuid,
            sequence: self.sequence,
            created_at: self.created_at,
            header: Header {
                project_id: self.project_id,
                channel: self.channel,
                model: self.model,
                group: self.group,
                reasoning: self.reasoning,
                prompt_summary: self.prompt_summary,
                git_commit_msg: self.git_commit_msg,
                submission: self.submission,
                undoes: self.undoes,
                blocks: self.blocks,
            },
            operations: self.operations,
            changes,
            folders: self.folders,
            removed_folders: self.removed_folders,
            checks: self.checks,
            approved: self.approved,
            approved_by: self.approved_by,
        })
    }
}

/// Facts and content of one file belong together; one without the other is a damaged record.
fn joined(
    facts: Option<Facts>,
    saved: Option<Saved<'_>>,
    elsewhere: Option<&Content>,
) -> Result<Option<Stored>, ()> {
    let content = match (&facts, saved) {
        (None, None | Some(Saved::Nothing)) => return Ok(None),
        (Some(_), None) => elsewhere.cloned().ok_or(())?,
        (Some(facts), Some(Saved::Blob(hash))) if hash == facts.hash => Content::Blob,
        (Some(_), Some(Saved::Text(text))) => Content::Inline(text.into_owned().into_bytes().into()),
        _ => return Err(()),
    };
    Ok(facts.map(|Facts { hash, size, mode, owner, attributes }| {
        let belongings = owner.map(|owner| Belongings { owner, extended: attributes });
        Stored { hash, size, mode, belongings, content }
    }))
}
