//! Makes every file old again, from whatever state a crash, a failure or another program caused.
//!
//! Displaced files are put back as they are; a rename needs no disk space, and it returns even a file that another
//! program changed at the last moment. A file is written anew from the record only if the displaced one did not
//! survive. Content that is neither ours nor the old one is moved to `.relaycode/rescued/`, never destroyed. Every step
//! may be repeated: running a rollback twice, or half and then again, gives the same files.
//!
//! What came goes first, because it may be where something has to come back: a file in place of a folder, or a folder
//! in place of a file.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::folders::open_mode;
use super::rescue::Rescued;
use super::{Open, Protocol};
use crate::error::{At, TxnError};
use crate::fs::{Fs, Kind, Rename, ancestors, parent};
use crate::layout::{self, STAGE, STATE};
use crate::record::{FolderRecord, Record};
use crate::state_folder::{ensure_private_folder, unlink_if_there};

/// How often a file is looked at again when another program keeps changing it during the rollback.
const ATTEMPTS: usize = 4;

/// One rollback under way: what has to be synced at its end, and what was rescued.
pub(super) struct Work<'a> {
    pub(super) record: &'a Record,
    pub(super) folders: BTreeSet<String>,
    pub(super) rescued: Vec<Rescued>,
    pub(super) disowned: Vec<String>,
    pub(super) damaged: Vec<Rescued>,
    /// Every displaced file was compared with the record when it was displaced, or this is no longer known. One that is
    /// something else now is not the original, and does not come back as if it were.
    pub(super) distrusts_stage: bool,
    /// The changes whose displaced file was not the original.
    pub(super) damaged_slots: BTreeSet<usize>,
}

/// What has to be said about a rollback besides that every file is what it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RolledBack {
    /// Foreign files that had to be moved for it.
    pub rescued: Vec<Rescued>,
    /// Staged originals that were no longer what the record says. The files came back from the record; what was in the
    /// stage is kept beside.
    pub damaged: Vec<Rescued>,
    /// Files and folders that came back without the owner, group or extended attributes they had, because this process
    /// may not give them.
    pub disowned: Vec<String>,
    /// Where everything is kept that was written while commands ran, if there was any.
    pub kept: Option<String>,
}

/// The error for files that are neither all old nor all new, until recovery has run.
pub(super) fn not_rolled_back(uuid: Uuid, cause: Option<TxnError>, source: TxnError) -> TxnError {
    TxnError::RollbackFailed { uuid, cause: cause.map(Box::new), source: Box::new(source) }
}

impl<F: Fs> Protocol<F> {
    /// Rolls a living transaction back.
    pub(crate) fn abandon(&self, open: Open<F::Lock>) -> Result<RolledBack, TxnError> {
        let uuid = open.record.uuid;
        let _lock = self.lock().map_err(|busy| not_rolled_back(uuid, None, busy))?;
        self.roll_back(&open.record, None).map_err(|source| not_rolled_back(uuid, None, source))
    }

    /// Rolls back because of an error, and returns what is to be reported.
    pub(super) fn take_back(
        &self,
        record: &Record,
        unreached: Option<&BTreeSet<usize>>,
        cause: TxnError,
    ) -> TxnError {
        match self.roll_back(record, unreached) {
            // What Relay itself displaced comes back as it is, so nothing is disowned here.
            Ok(RolledBack { mut rescued, damaged, .. }) => {
                rescued.extend(damaged);
                if rescued.is_empty() {
                    cause
                } else {
                    TxnError::Interfered { cause: Box::new(cause), rescued }
                }
            }
            Err(source) => not_rolled_back(record.uuid, Some(cause), source),
        }
    }

    /// Restores all files of a pending record and removes the record. The caller holds the lock.
    ///
    /// `unreached` is given while the files are being made new: those stay as they are, even if they were deleted, and
    /// a displaced file that is not the expected one was another program's a moment ago and goes back to its place.
    /// Later, and after a crash, whatever differs from the record was changed in the stage.
    pub(super) fn roll_back(
        &self,
        record: &Record,
        unreached: Option<&BTreeSet<usize>>,
    ) -> Result<RolledBack, TxnError> {
        let mut work = Work {
            record,
            folders: BTreeSet::new(),
            rescued: Vec::new(),
            disowned: Vec::new(),
            damaged: Vec::new(),
            distrusts_stage: unreached.is_none(),
            damaged_slots: BTreeSet::new(),
        };
        self.decide_against(record.uuid)?;
        // The stage may have been cleaned up; what is displaced now still needs a place.
        for folder in [STAGE, &layout::stage(record.uuid)] {
            ensure_private_folder(&self.fs, folder)?;
        }
        for (n, change) in record.changes.iter().enumerate() {
            work.folders.insert(parent(&change.path).to_owned());
            if change.before.is_none() {
                patiently(|| self.remove_created(n, change, &mut work))?;
            }
        }
        for folder in record.folders.iter().rev() {
            self.remove_if_empty(folder)?;
            work.folders.insert(parent(folder).to_owned());
        }
        self.put_folders_back(&mut work)?;
        for (n, change) in record.changes.iter().enumerate() {
            if let Some(before) = &change.before
                && !unreached.is_some_and(|unreached| unreached.contains(&n))
            {
                patiently(|| self.restore(n, change, before, &mut work))?;
            }
        }
        for folder in &record.removed_folders {
            self.close_folder(&folder.path, folder.mode)?;
        }
        self.finish_rollback(work)
    }

    /// The files must be durably old before the record that can restore them goes away.
    fn finish_rollback(&self, work: Work<'_>) -> Result<RolledBack, TxnError> {
        let (uuid, mut folders) = (work.record.uuid, work.folders);
        unlink_if_there(&self.fs, &layout::landing_mark(uuid))?;
        folders.insert(layout::stage(uuid));
        self.sync_existing(&folders, || Ok(Vec::new()), "the restored folders")?;
        let kept = self.keep_captured(work.record);
        if kept.is_none() {
            unlink_if_there(&self.fs, &layout::pending(uuid))?;
        }
        // Without this a crash could bring the record back, and with it a rollback over work done since.
        self.fs.sync(&[], &[STATE.to_owned()]).at("sync", STATE)?;
        self.clean_stage(uuid)?;
        Ok(RolledBack { rescued: work.rescued, damaged: work.damaged, disowned: work.disowned, kept })
    }

    /// Brings back the folders that were removed.
    fn put_folders_back(&self, work: &mut Work<'_>) -> Result<(), TxnError> {
        let record = work.record;
        for (k, folder) in record.removed_folders.iter().enumerate().rev() {
            patiently(|| self.put_folder_back(k, folder, work))?;
        }
        if record.removed_folders.is_empty() {
            return Ok(());
        }
        // Otherwise a crash could move a folder back into the stage, together with the files that are put into it now.
        let parents = record.removed_folders.iter().map(|folder| parent(&folder.path).to_owned()).collect();
        self.sync_existing(&parents, || Ok(Vec::new()), "the restored folders")
    }

    /// Brings back a folder that was removed.
    fn put_folder_back(&self, k: usize, folder: &FolderRecord, work: &mut Work<'_>) -> Result<(), TxnError> {
        let path = folder.path.as_str();
        self.make_way(path, work)?;
        match self.look(path)? {
            Some(stat) if stat.kind == Kind::Folder => return Ok(()),
            Some(_) => self.rescue(k, path, path, work)?,
            None => {}
        }
        work.folders.insert(parent(path).to_owned());
        // What a command removed has no spare.
        match self.fs.rename(&layout::spare(work.record.uuid, k), path, Rename::NoReplace) {
            Ok(()) => {}
            Err(_no_spare) => self.make_folder(path, Some(open_mode(folder.mode))).map_err(look_again)?,
        }
        if !self.give_folder(folder)? {
            work.disowned.push(path.to_owned());
        }
        Ok(())
    }

    /// Makes the folders a path is in, where they are missing. Something else in the place of one that the transaction
    /// did not touch is for its owner to sort out.
    pub(super) fn make_way(&self, path: &str, work: &mut Work<'_>) -> Result<(), TxnError> {
        for folder in ancestors(path).collect::<Vec<_>>().into_iter().rev() {
            match self.look(folder)? {
                Some(stat) if stat.kind == Kind::Folder => {}
                Some(stat) => {
                    let kind = if stat.kind == Kind::Symlink { "below a link" } else { "below a file" };
                    return Err(TxnError::NotRegular { path: path.to_owned(), kind });
                }
                None => {
                    work.folders.insert(parent(folder).to_owned());
                    self.make_folder(folder, None).map_err(look_again)?;
                }
            }
        }
        Ok(())
    }

    /// Removes a transaction's staging folder and all that is left in it.
    pub(super) fn clean_stage(&self, uuid: Uuid) -> Result<(), TxnError> {
        let stage = layout::stage(uuid);
        for name in self.fs.list(&stage).at("list", &stage)? {
            let name = format!("{stage}/{name}");
            let Err(error) = unlink_if_there(&self.fs, &name) else { continue };
            match self.fs.stat(&name).at("look at", &name)? {
                Some(stat) if stat.kind == Kind::Folder => self.remove_spare(&name)?,
                _ => return Err(error),
            }
        }
        self.remove_if_empty(&stage).map(|_| ())
    }

    /// Removes a folder in which there are at most empty folders: a crash may have put one spare into another. One with
    /// a file in it is a planted one; it keeps the stage, and does no harm.
    fn remove_spare(&self, folder: &str) -> Result<(), TxnError> {
        if self.remove_if_empty(folder)? {
            return Ok(());
        }
        for (name, stat) in self.fs.list_stats(folder).at("list", folder)? {
            if stat.kind == Kind::Folder {
                self.remove_spare(&format!("{folder}/{name}"))?;
            }
        }
        self.remove_if_empty(folder).map(|_| ())
    }
}

/// Another program created or removed something between the look and the rename: look again, a few times.
fn patiently(mut step: impl FnMut() -> Result<(), TxnError>) -> Result<(), TxnError> {
    let mut attempt = 1;
    loop {
        match step() {
            Err(TxnError::Changed { .. }) if attempt < ATTEMPTS => attempt += 1,
            other => return other,
        }
    }
}

/// Something appeared where a folder was to be made.
fn look_again(error: TxnError) -> TxnError {
    match error {
        TxnError::Exists { path } => TxnError::Changed { path },
        other => other,
    }
}
