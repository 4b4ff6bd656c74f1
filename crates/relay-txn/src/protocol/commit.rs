//! The verdict was yes: the record gets its place in the ledger, and with it the transaction becomes history.

use std::collections::BTreeSet;
use std::io;

use super::history::Head;
use super::rollback::not_rolled_back;
use super::{Open, Protocol};
use crate::draft::Verdict;
use crate::error::{At, TxnError};
use crate::fs::{Attributes, Fs, Kind, Rename, Stat, parent};
use crate::index;
use crate::layout::{self, STATE};
use crate::record::Record;
use crate::state_folder::unlink_if_there;

/// How often folders are looked for again when another program keeps removing them.
const SYNC_ATTEMPTS: usize = 4;

impl<F: Fs> Protocol<F> {
    /// Commits, or rolls back and says why. Only after [`TxnError::NotDurable`] have the files stayed new.
    pub(crate) fn commit(&self, open: Open<F::Lock>, verdict: Verdict) -> Result<Record, TxnError> {
        let uuid = open.record.uuid;
        let synced = self.sync_touched(&open.record);
        let lock = self.lock().map_err(|busy| not_rolled_back(uuid, None, busy))?;
        let mut record = approved(&open.record, verdict);
        let head = match synced.and_then(|()| self.enter(&mut record)) {
            Ok(head) => head,
            Err(cause) => return Err(self.take_back(&open.record, None, cause)),
        };
        if let Err(source) = self.fs.sync(&[], &[STATE.to_owned()]).at("sync", STATE) {
            return Err(TxnError::NotDurable { uuid, source: Box::new(source) });
        }
        // The transaction is in the ledger and stays there. Recovery will clean up what cannot be removed now.
        let tidied = self.tidy_up(&record, head);
        drop(lock);
        // Removing many files takes a while, and nothing has to wait for it: the stage still has its owner.
        if let Err(_left_for_recovery) = tidied.and_then(|()| self.clean_stage(uuid)) {}
        Ok(record)
    }

    /// Enters the effect of a command after its Relay died before approval or rejection: a command's work is never
    /// undone automatically. The caller holds the lock.
    pub(super) fn keep(&self, pending: &Record) -> Result<(), TxnError> {
        self.sync_touched(pending)?;
        let verdict = Verdict { checks: Vec::new(), approved_by: "recovery".to_owned() };
        let mut record = approved(pending, verdict);
        let head = self.enter(&mut record)?;
        self.fs.sync(&[], &[STATE.to_owned()]).at("sync", STATE)?;
        self.tidy_up(&record, head)?;
        self.clean_stage(record.uuid)
    }

    /// The names of the new files must be durable before the record that says so.
    fn sync_touched(&self, record: &Record) -> Result<(), TxnError> {
        let mut touched: BTreeSet<&str> = record.paths().map(parent).collect();
        touched.extend(record.folders.iter().map(|folder| parent(folder)));
        touched.extend(record.removed_folders.iter().map(|folder| parent(&folder.path)));
        let touched = touched.into_iter().map(str::to_owned).collect();
        self.sync_existing(&touched, || self.captured_files(record), "the changed folders")
    }

    /// The files that a command wrote: unlike staged ones, their content is not synced yet.
    fn captured_files(&self, record: &Record) -> Result<Vec<String>, TxnError> {
        let mut files = Vec::new();
        for change in record.changes.iter().filter(|change| change.by.is_some() && change.after.is_some()) {
            let stat = self.look(&change.path)?;
            if stat.is_some_and(|stat| stat.kind == Kind::File) {
                files.push(change.path.clone());
            }
        }
        Ok(files)
    }

    /// Makes names and contents in the workspace durable, as far as they are still there: the transaction itself, or
    /// another program, may have removed some, even after they were looked for.
    pub(super) fn sync_existing(
        &self,
        folders: &BTreeSet<String>,
        files: impl Fn() -> Result<Vec<String>, TxnError>,
        what: &str,
    ) -> Result<(), TxnError> {
        let mut attempt = 1;
        loop {
            match self.fs.sync(&files()?, &self.existing(folders)?) {
                // Nothing failed to be written: what was not found was not synced.
                Err(error) if is_missing(&error) && attempt < SYNC_ATTEMPTS => attempt += 1,
                other => return other.at("sync", what),
            }
        }
    }

    fn existing(&self, folders: &BTreeSet<String>) -> Result<Vec<String>, TxnError> {
        let mut existing = Vec::new();
        for folder in folders {
            let is_folder = |stat: Stat| stat.kind == Kind::Folder;
            if folder.is_empty() || self.look(folder)?.is_some_and(is_folder) {
                existing.push(folder.clone());
            }
        }
        Ok(existing)
    }

    /// One rename, and the transaction is in the ledger.
    fn enter(&self, record: &mut Record) -> Result<Head, TxnError> {
        let head = self.head()?;
        // Each command under way may have written a file before this transaction landed on it, and that comes first.
        record.sequence = head.sequence + 1 + self.captures_under_way()?;
        self.name_final(record)?;
        Ok(head)
    }

    /// Writes the final record and gives it its name.
    pub(super) fn name_final(&self, record: &Record) -> Result<(), TxnError> {
        let text = crate::document::write(record, &self.key)?;
        let staged = format!("{}/final", layout::stage(record.uuid));
        unlink_if_there(&self.fs, &staged)?;
        self.fs.write_new(&staged, text.as_bytes(), Attributes::PRIVATE).at("write", &staged)?;
        self.fs.sync(std::slice::from_ref(&staged), &[]).at("sync", &staged)?;
        let path = layout::record(record.uuid);
        self.fs.rename(&staged, &path, Rename::NoReplace).at("write", &path)
    }

    /// Removes what was only needed for a rollback, and updates the index.
    fn tidy_up(&self, record: &Record, mut head: Head) -> Result<(), TxnError> {
        unlink_if_there(&self.fs, &layout::pending(record.uuid))?;
        let path = layout::record(record.uuid);
        if let Some(stat) = self.fs.stat(&path).at("look at", &path)? {
            let names = head.names.with(record.uuid);
            let Some(index) = head.index else {
                return index::append(&self.fs, &self.key, record, &stat, names);
            };
            head.missing.push((record.clone(), stat));
            let staged = format!("{}/index", layout::stage(record.uuid));
            index.add(&self.fs, &self.key, &head.missing, names, &staged)?;
        }
        Ok(())
    }
}

/// The record as it is in the ledger.
fn approved(pending: &Record, verdict: Verdict) -> Record {
    let mut record = Record {
        checks: verdict.checks,
        approved: true,
        approved_by: Some(verdict.approved_by),
        ..pending.clone()
    };
    // A file that a submission created and a command removed is not recorded.
    record.changes.retain(|change| change.before.is_some() || change.after.is_some());
    record
}

/// Whether something was not there, or is something else by now.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
