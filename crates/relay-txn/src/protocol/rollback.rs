//! Making every file old again, from whatever state a crash, a failure or somebody else left behind.
//!
//! What was displaced is put back as it is; a rename needs no disk space, and it returns even a file that somebody
//! changed at the last moment. Only where the displaced file did not survive is it written anew from the record.
//! Content that is neither ours nor the old one is moved to `.relaycode/rescued/`, never destroyed. Every step may
//! be repeated: running a rollback twice, or half and then again, gives the same files.

use std::collections::BTreeSet;
use std::io;

use uuid::Uuid;

use super::apply::is_not_empty_or_missing;
use super::{Open, Protocol, Seen};
use crate::error::{At, TxnError};
use crate::fs::{Attributes, Fs, Kind, Rename, ancestors, is_link, parent};
use crate::layout::{self, RESCUED, STAGE, STATE};
use crate::record::{ChangeRecord, Record, Stored};
use crate::state::{ensure_private_folder, unlink_if_there};

/// Somebody else's bytes that stood where a rollback had to restore a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescued {
    /// The path that was restored.
    pub path: String,
    /// Where the foreign file is now, relative to the workspace.
    pub kept_as: String,
}

/// How often a file is looked at again when somebody else keeps changing it during the rollback.
const ATTEMPTS: usize = 4;

/// One rollback under way: what has to be synced at its end, and what was rescued.
struct Work<'a> {
    record: &'a Record,
    folders: BTreeSet<String>,
    rescued: Vec<Rescued>,
}

/// The error for files that are neither all old nor all new, until recovery has run.
pub(super) fn not_rolled_back(uuid: Uuid, cause: Option<TxnError>, source: TxnError) -> TxnError {
    TxnError::RollbackFailed { uuid, cause: cause.map(Box::new), source: Box::new(source) }
}

impl<F: Fs> Protocol<F> {
    /// Rolls a living transaction back.
    pub(crate) fn abandon(&self, open: Open<F::Lock>) -> Result<Vec<Rescued>, TxnError> {
        let uuid = open.record.uuid;
        let _lock = self.lock().map_err(|busy| not_rolled_back(uuid, None, busy))?;
        self.roll_back(&open.record).map_err(|source| not_rolled_back(uuid, None, source))
    }

    /// Rolls back because of an error, and returns what is to be reported.
    pub(super) fn take_back(&self, record: &Record, cause: TxnError) -> TxnError {
        match self.roll_back(record) {
            Ok(rescued) if rescued.is_empty() => cause,
            Ok(rescued) => TxnError::Interfered { cause: Box::new(cause), rescued },
            Err(source) => not_rolled_back(record.uuid, Some(cause), source),
        }
    }

    /// Restores all files of a pending record and removes the record. The caller holds the lock.
    pub(super) fn roll_back(&self, record: &Record) -> Result<Vec<Rescued>, TxnError> {
        let mut work = Work { record, folders: BTreeSet::new(), rescued: Vec::new() };
        // Somebody may have cleaned up; what is displaced now still needs a place.
        for folder in [STAGE, &layout::stage(record.uuid)] {
            ensure_private_folder(&self.fs, folder)?;
        }
        for folder in record.removed_folders.iter().rev() {
            self.remake(&folder.path, Some(folder.mode & 0o7777), &mut work)?;
        }
        for (n, change) in record.changes.iter().enumerate() {
            work.folders.insert(parent(&change.path).to_owned());
            let mut attempt = 1;
            while let Err(error) = self.revert(n, change, &mut work) {
                // Somebody created or removed the file between the look and the rename: look again.
                if !matches!(error, TxnError::Changed { .. }) || attempt == ATTEMPTS {
                    return Err(error);
                }
                attempt += 1;
            }
        }
        for folder in record.folders.iter().rev() {
            match self.fs.rmdir(folder) {
                Err(error) if is_not_empty_or_missing(&error) => {}
                other => other.at("remove", folder)?,
            }
            work.folders.insert(parent(folder).to_owned());
        }
        self.finish_rollback(work)
    }

    /// The files must be durably old before the record that can restore them goes away.
    fn finish_rollback(&self, work: Work<'_>) -> Result<Vec<Rescued>, TxnError> {
        let folders = self.existing(work.folders.into_iter())?;
        self.fs.sync(&[], &folders).at("sync", STATE)?;
        unlink_if_there(&self.fs, &layout::pending(work.record.uuid))?;
        // Without this a crash could bring the record back, and with it a rollback over work done since.
        self.fs.sync(&[], &[STATE.to_owned()]).at("sync", STATE)?;
        self.clean_stage(work.record.uuid)?;
        Ok(work.rescued)
    }

    fn revert(&self, n: usize, change: &ChangeRecord, work: &mut Work<'_>) -> Result<(), TxnError> {
        match &change.before {
            Some(before) => self.restore(n, change, before, work),
            None => self.remove_created(n, change, work),
        }
    }

    /// Brings back a file that existed before.
    fn restore(
        &self,
        n: usize,
        change: &ChangeRecord,
        before: &Stored,
        work: &mut Work<'_>,
    ) -> Result<(), TxnError> {
        let path = change.path.as_str();
        let displaced = self.find_displaced(n, change, work.record.uuid)?;
        let current = self.see(path)?;
        if current.is(before) {
            return match displaced {
                Some((name, seen)) if !seen.is(before) => self.rescue(n, &name, path, work),
                _ => Ok(()),
            };
        }
        let ours = change.after.as_ref().is_some_and(|after| current.has_content(after));
        let source = match displaced {
            Some((name, _)) => name,
            // What a command changed was never displaced; whoever changed it since finds their bytes rescued.
            None if ours || change.by.is_some() || matches!(current, Seen::Missing) => {
                self.rewrite(n, before, like(&current, path), work)?
            }
            // The staged file is gone, so it had landed, and somebody changed the file afterwards.
            None if change.after.is_some() && !self.is_staged(n, work.record.uuid)? => {
                self.rewrite(n, before, like(&current, path), work)?
            }
            // Somebody changed the file before this change reached it.
            None => return Ok(()),
        };
        self.fs.touch(&source).at("touch", path)?;
        if matches!(current, Seen::Missing) {
            for folder in ancestors(path).collect::<Vec<_>>().into_iter().rev() {
                self.remake(folder, None, work)?;
            }
            return self.place(&source, path);
        }
        let replaced = self.put_over(&source, path)?;
        // What was there a moment ago counts, not what was seen before.
        match (self.see(&replaced)?, &change.after) {
            (seen, Some(after)) if seen.has_content(after) => Ok(()),
            (Seen::Missing, _) => Ok(()),
            _ => self.rescue(n, &replaced, path, work),
        }
    }

    /// Whether the new content of a change is, or what it displaced is kept, in its slot.
    fn is_staged(&self, n: usize, uuid: Uuid) -> Result<bool, TxnError> {
        let slot = layout::slot(uuid, n);
        Ok(self.fs.stat(&slot).at("look at", &slot)?.is_some())
    }

    /// Takes away a file that did not exist before.
    fn remove_created(&self, n: usize, change: &ChangeRecord, work: &mut Work<'_>) -> Result<(), TxnError> {
        let slot = layout::slot(work.record.uuid, n);
        let ours = |seen: &Seen| change.after.as_ref().is_some_and(|after| seen.has_content(after));
        match self.see(&slot)? {
            Seen::Missing => {}
            Seen::File(hash, staged) if change.after.as_ref().is_some_and(|after| after.hash == hash) => {
                // A rename that a crash cut in two leaves the one file under both names.
                return match self.fs.stat(&change.path).at("look at", &change.path)? {
                    Some(found) if found.inode.is_some() && found.inode == staged.inode => {
                        unlink_if_there(&self.fs, &change.path)
                    }
                    // Still staged, or already taken away: whatever is at the path is somebody else's.
                    _ => Ok(()),
                };
            }
            _ => return self.rescue(n, &slot, &change.path, work),
        }
        if matches!(self.see(&change.path)?, Seen::Missing) {
            return Ok(());
        }
        self.displace(&change.path, &slot)?;
        match self.see(&slot)? {
            seen if ours(&seen) => Ok(()),
            _ => self.rescue(n, &slot, &change.path, work),
        }
    }

    /// The file that was displaced by the `n`-th change, if it was and still exists.
    fn find_displaced(
        &self,
        n: usize,
        change: &ChangeRecord,
        uuid: Uuid,
    ) -> Result<Option<(String, Seen)>, TxnError> {
        let name = layout::displaced(uuid, n);
        let seen = self.see(&name)?;
        if !matches!(seen, Seen::Missing) {
            return Ok(Some((name, seen)));
        }
        let name = layout::slot(uuid, n);
        let seen = self.see(&name)?;
        let staged = change.after.as_ref().is_some_and(|after| seen.has_content(after))
            && !change.before.as_ref().is_some_and(|before| seen.is(before));
        Ok((!staged && !matches!(seen, Seen::Missing)).then_some((name, seen)))
    }

    /// Exchanges, or moves one away and the other in; returns the name under which the replaced file is kept.
    fn put_over(&self, source: &str, path: &str) -> Result<String, TxnError> {
        match self.fs.rename(source, path, Rename::Exchange) {
            Ok(()) => Ok(source.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                let aside = format!("{source}.aside");
                self.displace(path, &aside)?;
                self.place(source, path)?;
                Ok(aside)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(TxnError::Changed { path: path.to_owned() })
            }
            Err(error) => Err(TxnError::io("restore", path, error)),
        }
    }

    /// Writes the old content anew, where the displaced file did not survive.
    fn rewrite(
        &self,
        n: usize,
        before: &Stored,
        like: Option<&str>,
        work: &Work<'_>,
    ) -> Result<String, TxnError> {
        let name = format!("{}.again", layout::slot(work.record.uuid, n));
        unlink_if_there(&self.fs, &name)?;
        let bytes = self.content(before)?;
        if is_link(before.mode) {
            self.fs.symlink(&bytes, &name).at("write", &name)?;
            return Ok(name);
        }
        let attributes = Attributes { mode: Some(before.mode & 0o7777), like, folder: None };
        self.fs.write_new(&name, &bytes, attributes).at("write", &name)?;
        // Durable before it takes the path: half a file there would look like somebody else's.
        self.fs.sync(std::slice::from_ref(&name), &[]).at("sync", &name)?;
        Ok(name)
    }

    /// Moves a foreign file to where its owner finds it.
    fn rescue(&self, n: usize, name: &str, path: &str, work: &mut Work<'_>) -> Result<(), TxnError> {
        let folder = format!("{RESCUED}/{}", work.record.uuid);
        ensure_private_folder(&self.fs, RESCUED)?;
        ensure_private_folder(&self.fs, &folder)?;
        let file_name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        let short: String = file_name.chars().take(50).collect();
        let mut attempt = 0;
        let kept_as = loop {
            let number = if attempt == 0 { String::new() } else { format!(".{attempt}") };
            let kept_as = format!("{folder}/{n}-{short}{number}");
            match self.fs.rename(name, &kept_as, Rename::NoReplace) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => attempt += 1,
                other => {
                    other.at("keep", path)?;
                    break kept_as;
                }
            }
        };
        work.folders.extend([STATE.to_owned(), RESCUED.to_owned(), folder]);
        work.rescued.push(Rescued { path: path.to_owned(), kept_as });
        Ok(())
    }

    /// Keeps a content where a person finds it, durably.
    pub(crate) fn keep_aside(&self, uuid: Uuid, path: &str, bytes: &[u8]) -> Result<String, TxnError> {
        let folder = format!("{RESCUED}/{uuid}");
        crate::state::ensure(&self.fs)?;
        ensure_private_folder(&self.fs, RESCUED)?;
        ensure_private_folder(&self.fs, &folder)?;
        let file_name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        let short: String = file_name.chars().take(50).collect();
        let name =
            format!("{folder}/planned-{}-{short}", blake3::hash(path.as_bytes()).to_hex().split_at(8).0);
        unlink_if_there(&self.fs, &name)?;
        self.fs.write_new(&name, bytes, Attributes::PRIVATE).at("write", &name)?;
        let folders = [STATE.to_owned(), RESCUED.to_owned(), folder];
        self.fs.sync(std::slice::from_ref(&name), &folders).at("sync", &name)?;
        Ok(name)
    }

    /// Makes a folder that should be there.
    fn remake(&self, folder: &str, mode: Option<u32>, work: &mut Work<'_>) -> Result<(), TxnError> {
        match self.fs.mkdir(folder, mode) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            other => {
                work.folders.insert(parent(folder).to_owned());
                other.at("create", folder)
            }
        }
    }

    /// Removes a transaction's staging folder and all that is left in it.
    pub(super) fn clean_stage(&self, uuid: Uuid) -> Result<(), TxnError> {
        let stage = layout::stage(uuid);
        for name in self.fs.list(&stage).at("list", &stage)? {
            match self.fs.unlink(&format!("{stage}/{name}")) {
                // Relay makes no folders here; a planted one keeps the stage, and does no harm.
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::IsADirectory) => {}
                other => other.at("remove", &stage)?,
            }
        }
        match self.fs.rmdir(&stage) {
            Err(error) if is_not_empty_or_missing(&error) => Ok(()),
            other => other.at("remove", &stage),
        }
    }
}

/// The file whose owner and attributes a rewritten one takes over.
fn like<'a>(current: &Seen, path: &'a str) -> Option<&'a str> {
    matches!(current, Seen::File(_, stat) if stat.kind == Kind::File).then_some(path)
}
