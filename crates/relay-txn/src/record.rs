//! What the ledger knows about one transaction.
//!
//! These are plain values: how they look on disk is `document`'s business, how they come about the protocol's.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::belongings::{Belongings, Owner};
use crate::draft::Header;

/// The version of the record format this build writes, and the newest it reads.
pub const RECORD_VERSION: u32 = 1;

/// One entry of the ledger: who changed what, why, and how it was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The version of the format the record was written in.
    pub version: u32,
    /// The transaction's identity, and the name of its file.
    pub uuid: Uuid,
    /// The place in the ledger: a later transaction has a larger number. Zero while it is pending.
    pub sequence: u64,
    /// When the transaction began.
    pub created_at: Timestamp,
    /// Where it came from and why.
    pub header: Header,
    /// The edits as they were asked for.
    pub operations: Vec<OperationRecord>,
    /// What they did to each file.
    pub changes: Vec<ChangeRecord>,
    /// Folders the transaction made, outermost first.
    pub folders: Vec<String>,
    /// Empty folders the transaction removed, innermost first.
    pub removed_folders: Vec<FolderRecord>,
    /// How the checks went.
    pub checks: Vec<CheckRecord>,
    /// Whether the transaction was approved; false while it is pending.
    pub approved: bool,
    /// Who approved it: `auto`, `user`, `--yes`, …
    pub approved_by: Option<String>,
}

impl Record {
    /// The changes a person would name: a rename is one, although it makes one path go and another come.
    pub fn files(&self) -> impl Iterator<Item = &ChangeRecord> {
        let renamed: BTreeSet<&str> =
            self.changes.iter().filter_map(|change| change.renamed_from.as_deref()).collect();
        self.changes
            .iter()
            .filter(move |change| change.after.is_some() || !renamed.contains(change.path.as_str()))
    }

    /// The paths the transaction changed, in the order of the record.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.changes.iter().map(|change| change.path.as_str())
    }
}

/// One edit, as it was asked for and as it was placed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationRecord {
    /// `write`, `patch`, `delete` or `rename`.
    pub operation: String,
    /// The file it is about.
    pub path: String,
    /// Where a rename leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The dialect the edit was written in.
    pub dialect: String,
    /// How the edit was placed.
    pub placement: String,
}

impl OperationRecord {
    /// An edit that gives a file no other name.
    #[must_use]
    pub fn new(operation: &str, path: &str, dialect: &str, placement: &str) -> Self {
        let [operation, path, dialect, placement] = [operation, path, dialect, placement].map(str::to_owned);
        Self { operation, path, to: None, dialect, placement }
    }
}

/// One block of a submission, and whether it was an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BlockRecord {
    /// Its first and last line in the submission.
    pub lines: (usize, usize),
    /// `edit`, `shown` or `unclear`.
    pub class: String,
    /// Why.
    pub reason: String,
    /// The file it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The dialect an edit was written in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
}

/// The change to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRecord {
    /// The file, relative to the workspace.
    pub path: String,
    /// Created, modified or deleted.
    pub operation: Operation,
    /// The path whose content this file continues.
    pub renamed_from: Option<String>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// The file before; `None` if there was none.
    pub before: Option<Stored>,
    /// The file after; `None` if it was deleted.
    pub after: Option<Stored>,
    /// The command that made the change, where it was not the submission itself: `postCommand`, `wrap`, …
    pub by: Option<String>,
}

/// The kind of a change, following from what was there before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Operation {
    /// There was no file before.
    Create,
    /// The content or the mode changed.
    Modify,
    /// There is no file after.
    Delete,
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Create => "create",
            Self::Modify => "modify",
            Self::Delete => "delete",
        })
    }
}

/// The state of a file that the ledger can give back: `Ledger::content` returns its bytes.
///
/// Two are equal when contents and modes are; where the bytes are kept does not matter.
#[derive(Debug, Clone)]
pub struct Stored {
    /// The BLAKE3 hash of the content, in hexadecimal.
    pub hash: String,
    /// The length of the content in bytes.
    pub size: u64,
    /// The file's type and permission bits, as `st_mode` has them.
    pub mode: u32,
    /// Whom the file belonged to, and its extended attributes, where the transaction did not leave them as they were.
    pub belongings: Option<Belongings>,
    /// Where the bytes are.
    pub(crate) content: Content,
}

impl Stored {
    /// The content where it is inside the record, and nothing where it is elsewhere.
    pub(crate) fn inline(&self) -> &[u8] {
        match &self.content {
            Content::Inline(text) => text,
            Content::Blob | Content::Elsewhere(_) => &[],
        }
    }

    /// Whether these are the bytes of the file.
    pub fn holds(&self, bytes: &[u8]) -> bool {
        self.size == bytes.len() as u64 && self.hash == content_hash(bytes)
    }
}

impl PartialEq for Stored {
    fn eq(&self, other: &Self) -> bool {
        (&self.hash, self.size, self.mode) == (&other.hash, other.size, other.mode)
    }
}

impl Eq for Stored {}

/// The name of a content: its BLAKE3 hash in hexadecimal.
pub(crate) fn content_hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Where the bytes of a stored file are.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// Inside the record. Always UTF-8; shared with the caller's copy.
    Inline(Arc<[u8]>),
    /// In `.relaycode/blobs/`, under the hash.
    Blob,
    /// Inside the record of this transaction, which has to be read for it.
    Elsewhere(Uuid),
}

/// A folder with its permission bits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FolderRecord {
    /// The folder, relative to the workspace.
    pub path: String,
    /// Its type and permission bits, as `st_mode` has them.
    #[serde(with = "crate::document::octal")]
    pub mode: u32,
    /// Whom it belongs to, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
}

/// How one check went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckRecord {
    /// What the check is called: `linter`, `postCommand`, …
    pub name: String,
    /// The command that was run.
    pub command: String,
    /// `passed`, `failed`, `timed_out`, …
    pub status: String,
    /// The command's exit code, if it ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// How many errors were counted in its output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<u64>,
    /// How many of them were not there before the change, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_errors: Option<u64>,
    /// How long it took.
    pub duration_ms: u64,
    /// The end of its output.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output_tail: String,
}
