//! Adopts changes that already happened: a command's changes become part of a transaction.
//!
//! Nothing in the workspace is touched here. The bytes before and after are made durable together with a pending record;
//! from then on the changes are rolled back, recovered, committed and undone like any others. Files that another living
//! transaction works on are left to that one.

use std::collections::{BTreeSet, HashMap};

use uuid::Uuid;

use super::begin::{check, check_leases};
use super::prepare::{Contents, pending_record};
use super::recover::Leases;
use super::sealed::Sealed;
use super::{Open, Protocol};
use crate::capture::{Belonged, Effects, Unattributed};
use crate::draft::{Draft, FileChange};
use crate::error::{At, TxnError};
use crate::fs::{Attributes, Fs, Rename};
use crate::key::LedgerKey;
use crate::layout::{self, BLOBS, STATE};
use crate::limits::MAX_CHANGES;
use crate::record::{ChangeRecord, Operation, Record};
use crate::state_folder;

impl<F: Fs> Protocol<F> {
    /// Begins a transaction for changes that have happened. Returns what was left to other transactions.
    pub(crate) fn adopt(
        &self,
        mut draft: Draft,
        effects: &Effects,
        by: &str,
    ) -> Result<(Open<F::Lock>, Vec<Unattributed>), TxnError> {
        state_folder::ensure(&self.fs)?;
        let lock = self.lock()?;
        let (leases, _) = self.recover_dead()?;
        let (ours, others) = part(&effects.changes, &leases, draft.uuid);
        draft.changes = ours.into_iter().cloned().collect();
        check(&draft)?;
        let owner = self.reserve(&draft)?;
        drop(lock);
        let changes = std::mem::take(&mut draft.changes);
        let mut open =
            Open { record: pending_record(&draft, Vec::new()), disowned: Vec::new(), _owner: owner };
        let mut record = open.record.clone();
        draft.changes = changes;
        let marked = self.mark_to_be_kept(draft.uuid);
        let described =
            marked.and_then(|kept| self.describe(&mut record, &draft.changes, (effects, by), Some(kept)));
        let journalled = described.and_then(|staged| {
            let _lock = self.lock()?;
            check_leases(&draft, &self.recover_dead()?.0)?;
            self.check_still_ours(&draft.changes, effects)?;
            self.name(&staged, &record, Rename::NoReplace)?;
            self.mark_landing(draft.uuid)
        });
        if let Err(error) = journalled {
            return Err(self.give_up(&draft, error));
        }
        open.record = record;
        Ok((open, others))
    }

    /// Adds changes that have happened to a pending transaction. After an error the transaction is what it was.
    pub(crate) fn extend(
        &self,
        open: &mut Open<F::Lock>,
        effects: &Effects,
        by: &str,
    ) -> Result<Vec<Unattributed>, TxnError> {
        let lock = self.lock()?;
        let (leases, _) = self.recover_dead()?;
        let (ours, others) = part(&effects.changes, &leases, open.record.uuid);
        let ours: Vec<FileChange> = ours.into_iter().cloned().collect();
        drop(lock);
        if ours.is_empty() && effects.made_folders.is_empty() && effects.removed_folders.is_empty() {
            return Ok(others);
        }
        let mut record = open.record.clone();
        let staged = self.describe(&mut record, &ours, (effects, by), None)?;
        if record.changes.len() > MAX_CHANGES {
            let what = "the transaction with what the command changed".to_owned();
            return Err(TxnError::TooLarge {
                what,
                size: record.changes.len() as u64,
                limit: MAX_CHANGES as u64,
            });
        }
        let _lock = self.lock()?;
        self.check_still_ours(&ours, effects)?;
        self.name(&staged, &record, Rename::Replace)?;
        open.record = record;
        Ok(others)
    }

    /// Refuses what another transaction, committed since the second scan, may have done: the workspace has to be
    /// scanned again.
    fn check_still_ours(&self, changes: &[FileChange], effects: &Effects) -> Result<(), TxnError> {
        let Some(as_of) = &effects.as_of else { return Ok(()) };
        for record in self.records_of(self.record_names()?.difference(as_of))? {
            let paths: BTreeSet<&str> = record.paths().collect();
            if let Some(change) = changes.iter().find(|change| paths.contains(change.path.as_str())) {
                return Err(TxnError::Changed { path: change.path.to_string() });
            }
        }
        Ok(())
    }

    /// The transactions that are in the ledger now.
    pub(crate) fn record_names(&self) -> Result<BTreeSet<Uuid>, TxnError> {
        let names = self.fs.list(STATE).at("list", STATE)?;
        let records = names.iter().filter_map(|name| layout::parse_record_name(name));
        Ok(records.filter_map(|(uuid, pending)| (!pending).then_some(uuid)).collect())
    }

    /// These transactions, oldest first.
    pub(crate) fn records_of<'u>(
        &self,
        uuids: impl Iterator<Item = &'u Uuid>,
    ) -> Result<Vec<Record>, TxnError> {
        let mut records = Vec::new();
        for uuid in uuids {
            if let Sealed::Ours(record) = self.read_record(&layout::record(*uuid), *uuid)?
                && record.approved
            {
                records.push(*record);
            }
        }
        records.sort_by_key(|record| record.sequence);
        Ok(records)
    }

    /// The key that distinguishes this user's files from planted ones.
    pub(crate) fn key(&self) -> &LedgerKey {
        &self.key
    }

    /// Makes the folder for the cache of contents, and what belongs around it.
    pub(crate) fn ensure_state(&self, folder: &str) -> Result<(), TxnError> {
        state_folder::ensure(&self.fs)?;
        state_folder::ensure_private_folder(&self.fs, folder).map(|_| ())
    }

    /// Adds the changes to the record, and makes it and all contents durable, with the mark that they are to be `kept`.
    /// Returns where the record is staged.
    fn describe(
        &self,
        record: &mut Record,
        changes: &[FileChange],
        (effects, by): (&Effects, &str),
        kept: Option<String>,
    ) -> Result<String, TxnError> {
        let uuid = record.uuid;
        let mut contents = Contents::new(uuid);
        let places: HashMap<String, usize> =
            record.paths().enumerate().map(|(place, path)| (path.to_owned(), place)).collect();
        for change in changes {
            let place = places.get(change.path.as_str()).copied();
            self.take_up(record, place, change, by, &mut contents)?;
            let taken_up = match place {
                Some(place) => record.changes.get_mut(place),
                None => record.changes.last_mut(),
            };
            if let (Some(belonged), Some(known)) = (effects.belongings.get(change.path.as_str()), taken_up) {
                note_belongings(known, belonged);
            }
        }
        merge_folders(record, effects);
        let staged = format!("{}/record.{}", layout::stage(uuid), Uuid::new_v4().simple());
        let text = crate::document::write(record, &self.key)?;
        self.fs.write_new(&staged, text.as_bytes(), Attributes::PRIVATE).at("write", &staged)?;
        let mut files: Vec<String> = contents.blobs.into_iter().collect();
        files.push(staged.clone());
        files.extend(kept);
        let folders = [layout::stage(uuid), layout::STAGE.to_owned(), BLOBS.to_owned()];
        self.fs.sync(&files, &folders).at("sync", &staged)?;
        Ok(staged)
    }

    /// Describes one change. A path that the transaction changed already keeps its place and what was there first.
    pub(super) fn take_up(
        &self,
        record: &mut Record,
        place: Option<usize>,
        change: &FileChange,
        by: &str,
        contents: &mut Contents,
    ) -> Result<(), TxnError> {
        let after = match &change.after {
            Some(target) => Some(self.store(&target.bytes, target.mode.unwrap_or(0o100_644), contents)?),
            None => None,
        };
        let path = change.path.as_str();
        if let Some(known) = place.and_then(|place| record.changes.get_mut(place)) {
            known.operation = operation(known.before.is_some(), after.is_some());
            known.after = after;
            known.by = Some(by.to_owned());
            (known.added, known.removed) = (change.added, change.removed);
            return Ok(());
        }
        let before = match &change.before {
            Some(image) => Some(self.store(&image.bytes, image.mode, contents)?),
            None => None,
        };
        record.changes.push(ChangeRecord {
            path: path.to_owned(),
            operation: operation(before.is_some(), after.is_some()),
            renamed_from: change.renamed_from.as_ref().map(ToString::to_string),
            added: change.added,
            removed: change.removed,
            before,
            after,
            by: Some(by.to_owned()),
        });
        Ok(())
    }

    /// Gives the staged record its name. From here on the changes can be rolled back, also after a crash.
    fn name(&self, staged: &str, record: &Record, how: Rename) -> Result<(), TxnError> {
        let pending = layout::pending(record.uuid);
        self.fs.rename(staged, &pending, how).at("write", &pending)?;
        self.fs.sync(&[], &[STATE.to_owned()]).at("sync", STATE)
    }
}

/// Separates changes that may be adopted from those that another living transaction works on.
fn part<'a>(
    changes: &'a [FileChange],
    leases: &Leases,
    own: Uuid,
) -> (Vec<&'a FileChange>, Vec<Unattributed>) {
    let mut others = Vec::new();
    let ours = changes.iter().filter(|change| match leases.holder(change.path.as_str()) {
        Some(uuid) if uuid != own => {
            others.push(Unattributed { path: change.path.to_string(), uuid });
            false
        }
        _ => true,
    });
    (ours.collect(), others)
}

/// A rollback still restores the file's first content.
fn note_belongings(known: &mut ChangeRecord, belonged: &Belonged) {
    if let Some(before) = &mut known.before {
        before.belongings.get_or_insert_with(|| belonged.before.clone());
    }
    if let Some(after) = &mut known.after {
        after.belongings.clone_from(&belonged.after);
    }
}

/// A file that was created and removed again in one transaction is neither.
fn merge_folders(record: &mut Record, effects: &Effects) {
    for folder in &effects.removed_folders {
        match record.folders.iter().position(|made| *made == folder.path) {
            Some(at) => {
                record.folders.remove(at);
            }
            None => record.removed_folders.push(folder.clone()),
        }
    }
    for folder in &effects.made_folders {
        match record.removed_folders.iter().position(|removed| removed.path == *folder) {
            Some(at) => {
                record.removed_folders.remove(at);
            }
            None => record.folders.push(folder.clone()),
        }
    }
    // Outermost first, and innermost first.
    record.folders.sort();
    record.folders.dedup();
    record.removed_folders.sort_by(|a, b| b.path.cmp(&a.path));
}

fn operation(before: bool, after: bool) -> Operation {
    match (before, after) {
        (false, _) => Operation::Create,
        (true, true) => Operation::Modify,
        (true, false) => Operation::Delete,
    }
}
