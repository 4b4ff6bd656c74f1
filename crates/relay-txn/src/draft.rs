//! What a caller hands over: the exact bytes before and after for every file, and the words for the ledger.

use std::collections::BTreeMap;

use relay_workspace::RelPath;
use uuid::Uuid;

use crate::belongings::Belongings;
use crate::record::{BlockRecord, CheckRecord, FolderRecord, OperationRecord};
use crate::undoes::Undoes;

/// A transaction to be made.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// The transaction's identity. It can land once.
    pub uuid: Uuid,
    /// The words for the ledger.
    pub header: Header,
    /// The edits as they were asked for.
    pub operations: Vec<OperationRecord>,
    /// What to do, one entry per path.
    pub changes: Vec<FileChange>,
    /// Folders to remove if the transaction leaves them empty: those the transaction being undone had made.
    pub prune: Vec<RelPath>,
    /// Folders to make, also if they stay empty: those the transaction being undone had removed.
    pub make: Vec<FolderRecord>,
    /// Whom files shall belong to and what extended attributes they get, by path. Those that are not named take over what
    /// the file they continue has.
    pub belongings: BTreeMap<String, Belongings>,
    /// Change files that have several hard links, parting them from their other names.
    pub break_links: bool,
}

/// The words a transaction carries into the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// The project the submission named.
    pub project_id: Option<String>,
    /// How the submission arrived.
    pub channel: String,
    /// The model that wrote it.
    pub model: Option<String>,
    /// What it belongs to together with others: the commands of one mail message, for instance.
    pub group: Option<String>,
    /// The reasoning that came with it.
    pub reasoning: String,
    /// Its summary of the request.
    pub prompt_summary: Option<String>,
    /// The commit message it proposes.
    pub git_commit_msg: Option<String>,
    /// The digest of its edits.
    pub submission: Option<String>,
    /// The transactions it takes back, newest first.
    pub undoes: Vec<Undoes>,
    /// What became of each block of it.
    pub blocks: Vec<BlockRecord>,
}

/// The exact bytes before and after for one path. Who only shows them may have those after in another form than whole.
#[derive(Debug, Clone)]
pub struct FileChange<C = Vec<u8>> {
    /// The file.
    pub path: RelPath,
    /// What the change was planned against; `None`: there must be no file.
    pub before: Option<Image>,
    /// What the file becomes; `None`: it is deleted.
    pub after: Option<Target<C>>,
    /// The path whose content this file continues. For the record only.
    pub renamed_from: Option<RelPath>,
    /// Lines added, for the record.
    pub added: usize,
    /// Lines removed, for the record.
    pub removed: usize,
}

/// A file as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The content.
    pub bytes: Vec<u8>,
    /// Type and permission bits, as `st_mode` has them.
    pub mode: u32,
}

/// A file as it shall be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target<C = Vec<u8>> {
    /// The content.
    pub bytes: C,
    /// The permission bits; `None`: what the file has, or what a new file gets here.
    pub mode: Option<u32>,
}

/// The decision that lets a transaction into the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// How the checks went.
    pub checks: Vec<CheckRecord>,
    /// Who approved it: `auto`, `user`, `--yes`, …
    pub approved_by: String,
}
