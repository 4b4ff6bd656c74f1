//! A caller's input: the exact bytes before and after for every file, and the description for the ledger.

use std::collections::BTreeMap;
use std::sync::Arc;

use relay_workspace::RelPath;
use uuid::Uuid;

use crate::belongings::Belongings;
use crate::record::{BlockRecord, CheckRecord, FolderRecord, OperationRecord};
use crate::undoes::Undoes;

/// A transaction to perform.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// The transaction's identity. It can land once.
    pub uuid: Uuid,
    /// Where it comes from and why.
    pub header: Header,
    /// The edits as requested.
    pub operations: Vec<OperationRecord>,
    /// What to do, one entry per path.
    pub changes: Vec<FileChange>,
    /// Folders to remove if the transaction leaves them empty: those the transaction being undone had made.
    pub prune: Vec<RelPath>,
    /// Folders to make, also if they stay empty: those the transaction being undone had removed.
    pub make: Vec<FolderRecord>,
    /// The owner and extended attributes for files, by path. Other files take them over from the file they continue.
    pub belongings: BTreeMap<String, Belongings>,
    /// Change files that have several hard links, parting them from their other names.
    pub break_links: bool,
}

/// Where a transaction comes from and why: what a caller says about it, and the ledger keeps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// The project the submission named, if it named one.
    pub project_id: Option<String>,
    /// How the submission arrived: `file`, `stdin`, `clipboard`, `undo`, …
    pub channel: String,
    /// The model that wrote it, if it is known.
    pub model: Option<String>,
    /// The group it belongs to: the commands of one mail message, for instance, all name the same one.
    pub group: Option<String>,
    /// The reasoning that came with the submission.
    pub reasoning: String,
    /// The submission's own summary of the request.
    pub prompt_summary: Option<String>,
    /// The commit message the submission proposes.
    pub git_commit_msg: Option<String>,
    /// The digest of the submission's edits, which identifies a repeated submission.
    pub submission: Option<String>,
    /// The transactions this one undoes, newest first.
    pub undoes: Vec<Undoes>,
    /// Each block of the submission, and how it was classed.
    pub blocks: Vec<BlockRecord>,
}

/// The exact bytes before and after for one path. Contents are shared, so a change is cheap to copy. A caller that only
/// shows changes may have the new content in another form than whole.
#[derive(Debug, Clone)]
pub struct FileChange<C = Arc<[u8]>> {
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

impl FileChange {
    /// A change of one path. The record's counts of lines are those outside what both contents begin and end with; a caller
    /// that has compared them line by line knows better, and sets `added` and `removed`.
    #[must_use]
    pub fn new(path: RelPath, before: Option<Image>, after: Option<Target>) -> Self {
        let old = before.as_ref().map(|image| &*image.bytes).unwrap_or_default();
        let new = after.as_ref().map(|target| &*target.bytes).unwrap_or_default();
        let (removed, added) = differing_lines(old, new);
        Self { path, before, after, renamed_from: None, added, removed }
    }
}

/// How many lines of each content are left without those that both begin and end with.
fn differing_lines(old: &[u8], new: &[u8]) -> (usize, usize) {
    let old: Vec<&[u8]> = old.split_inclusive(|byte| *byte == b'\n').collect();
    let new: Vec<&[u8]> = new.split_inclusive(|byte| *byte == b'\n').collect();
    let first = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let shorter = old.len().min(new.len());
    let last = old.iter().rev().zip(new.iter().rev()).take(shorter - first);
    let same = first + last.take_while(|(old, new)| old == new).count();
    (old.len() - same, new.len() - same)
}

/// A file as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The content.
    pub bytes: Arc<[u8]>,
    /// Type and permission bits, as `st_mode` has them.
    pub mode: u32,
}

impl Image {
    /// A file with this content; `mode` has its type and permission bits.
    #[must_use]
    pub fn new(bytes: impl Into<Arc<[u8]>>, mode: u32) -> Self {
        Self { bytes: bytes.into(), mode }
    }
}

/// A file as it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target<C = Arc<[u8]>> {
    /// The content.
    pub bytes: C,
    /// The permission bits; `None`: what the file has, or what a new file gets here.
    pub mode: Option<u32>,
}

impl Target {
    /// A file with this content, and with the permissions that it has or that a new file gets here.
    #[must_use]
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self { bytes: bytes.into(), mode: None }
    }

    /// The same with these permission bits.
    #[must_use]
    pub fn with_mode(self, mode: u32) -> Self {
        Self { mode: Some(mode), ..self }
    }
}

/// The decision that lets a transaction into the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// How the checks went.
    pub checks: Vec<CheckRecord>,
    /// Who approved it: `auto`, `user`, `--yes`, …
    pub approved_by: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_outside_the_common_beginning_and_end_are_counted() {
        let check = |old: &str, new: &str, expected| {
            assert_eq!(differing_lines(old.as_bytes(), new.as_bytes()), expected, "{old:?} {new:?}");
        };
        check("", "a\nb\n", (0, 2));
        check("a\nb\n", "", (2, 0));
        check("a\nb\nc\n", "a\nB\nBB\nc\n", (1, 2));
        check("a\na\n", "a\na\na\n", (0, 1));
        check("a\nb", "a\nb\n", (1, 1));
        check("a\n", "a\n", (0, 0));
    }
}
