//! From a draft to files that have landed and a record that can undo them.

use std::collections::HashMap;
use std::io;

use uuid::Uuid;

use super::prepare::Staged;
use super::recover::Leases;
use super::sealed::Sealed;
use super::{Open, Protocol};
use crate::draft::{Draft, FileChange};
use crate::error::{At, TxnError};
use crate::fs::{Fs, Rename, ancestors};
use crate::layout::{self, STATE};
use crate::limits::{MAX_FILE_BYTES, check_count};
use crate::state_folder;

impl<F: Fs> Protocol<F> {
    /// Makes the changes of `draft`. After an error the files are as they were.
    pub(crate) fn begin(&self, draft: &Draft) -> Result<Open<F::Lock>, TxnError> {
        check(draft)?;
        state_folder::ensure(&self.fs)?;
        let owner = {
            let _lock = self.lock()?;
            self.reserve(draft)?
        };
        let mut prepared = self.prepare(draft).map_err(|cause| self.give_up(draft, cause))?;

        // Without the lock the stage stays as it is: recovery removes it.
        let _lock = self.lock()?;
        self.recover_dead()
            .and_then(|(leases, _)| check_leases(draft, &leases))
            .inspect_err(|_| self.discard_stage(draft.uuid))?;
        match self.journal(&prepared).and_then(|()| self.apply(&mut prepared)) {
            Ok(()) => Ok(Open { record: prepared.record, disowned: prepared.disowned, _owner: owner }),
            Err(cause) => Err(self.take_back(&prepared.record, Some(&prepared.unreached), cause)),
        }
    }

    /// Under the lock: makes sure the transaction is new and its paths are free, and claims its staging folder.
    pub(super) fn reserve(&self, draft: &Draft) -> Result<F::Lock, TxnError> {
        let uuid = draft.uuid;
        let (leases, _) = self.recover_dead()?;
        match self.read_record(&layout::record(uuid), uuid)? {
            Sealed::Missing => {}
            Sealed::Ours(_) => return Err(TxnError::AlreadyProcessed { uuid }),
            Sealed::Foreign => return Err(TxnError::Foreign { name: layout::record(uuid) }),
        }
        match self.read_record(&layout::pending(uuid), uuid)? {
            Sealed::Missing => {}
            Sealed::Ours(_) => return Err(TxnError::InProgress { uuid }),
            Sealed::Foreign => return Err(TxnError::Foreign { name: layout::pending(uuid) }),
        }
        check_leases(draft, &leases)?;
        let (stage, owner) = (layout::stage(uuid), layout::owner(uuid));
        match self.fs.mkdir(&stage, Some(0o700)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(TxnError::InProgress { uuid });
            }
            other => other.at("create", &stage)?,
        }
        match self.fs.try_lock(&owner, true).at("lock", &owner) {
            Ok(Some(lock)) => Ok(lock),
            Ok(None) => Err(TxnError::InProgress { uuid }),
            Err(error) => {
                self.discard_stage(uuid);
                Err(error)
            }
        }
    }

    /// Gives the record its name. From here on, the next process that opens the ledger undoes a crash.
    fn journal(&self, prepared: &Staged) -> Result<(), TxnError> {
        let pending = layout::pending(prepared.record.uuid);
        self.fs.rename(&prepared.staged_record, &pending, Rename::NoReplace).at("write", &pending)?;
        self.fs.sync(&[], &[STATE.to_owned()]).at("sync", STATE)?;
        self.mark_landing(prepared.record.uuid)
    }

    /// Ends a transaction that could not be prepared, and returns what is to be reported. A file that is not what was
    /// expected may be the work of a transaction that began meanwhile; whether that stays is not decided yet, so this
    /// waits for it as if it had existed from the beginning.
    pub(super) fn give_up(&self, draft: &Draft, cause: TxnError) -> TxnError {
        let Ok(_lock) = self.lock() else { return cause };
        self.discard_stage(draft.uuid);
        let is_surprise = matches!(
            cause,
            TxnError::Changed { .. }
                | TxnError::Exists { .. }
                | TxnError::Occupied { .. }
                | TxnError::NotRegular { .. }
        );
        match self.recover_dead().and_then(|(leases, _)| check_leases(draft, &leases)) {
            Err(leased @ TxnError::Leased { .. }) if is_surprise => leased,
            _ => cause,
        }
    }

    /// Removes a stage without a pending record. The caller holds the lock: otherwise another process with the same
    /// uuid could be making it. If it fails, the next recovery removes it; the error worth reporting is the one that
    /// led here.
    pub(super) fn discard_stage(&self, uuid: Uuid) {
        if let Err(_left_for_recovery) = self.clean_stage(uuid) {}
    }
}

/// Refuses what cannot be one transaction, before anything is written.
pub(super) fn check(draft: &Draft) -> Result<(), TxnError> {
    // A reply that changes no file is recorded too, so that its uuid counts as processed.
    if draft.changes.is_empty() && draft.header.submission.is_none() {
        return Err(TxnError::Empty);
    }
    check_count(draft.changes.len())?;
    let mut paths = HashMap::with_capacity(draft.changes.len());
    for change in &draft.changes {
        let path = change.path.as_str();
        if paths.insert(path, change).is_some() {
            return Err(TxnError::Conflicting { path: path.to_owned() });
        }
        for image in [change.before.as_ref().map(|i| &i.bytes), change.after.as_ref().map(|t| &t.bytes)] {
            let size = image.map_or(0, |bytes| bytes.len() as u64);
            if size > MAX_FILE_BYTES {
                return Err(TxnError::TooLarge { what: path.to_owned(), size, limit: MAX_FILE_BYTES });
            }
        }
        if change.before.is_none() && change.after.is_none() {
            return Err(TxnError::Conflicting { path: path.to_owned() });
        }
        let modes = [change.before.as_ref().map(|i| i.mode), change.after.as_ref().and_then(|t| t.mode)];
        // Links come from captured commands and their undo; what a reply writes is always a file.
        if modes.into_iter().flatten().any(|mode| !matches!(mode & 0o170_000, 0 | 0o100_000 | 0o120_000)) {
            return Err(TxnError::NotRegular { path: path.to_owned(), kind: "a folder or device" });
        }
    }
    // A file cannot be inside another one, neither before nor after; the two may take each other's place.
    for change in &draft.changes {
        let outer = ancestors(change.path.as_str()).filter_map(|folder| paths.get(folder));
        let is_at_once = |outer: &FileChange| {
            (change.before.is_some() && outer.before.is_some())
                || (change.after.is_some() && outer.after.is_some())
        };
        if outer.copied().any(is_at_once) {
            return Err(TxnError::Conflicting { path: change.path.to_string() });
        }
    }
    Ok(())
}

/// Refuses paths on which an undecided transaction works.
pub(super) fn check_leases(draft: &Draft, leases: &Leases) -> Result<(), TxnError> {
    for change in &draft.changes {
        if let Some(uuid) = leases.holder(change.path.as_str()) {
            return Err(TxnError::Leased { path: change.path.to_string(), uuid });
        }
    }
    Ok(())
}
