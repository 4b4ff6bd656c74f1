//! Keeping what is not Relay's where its owner finds it.

use std::io;

use uuid::Uuid;

use super::Protocol;
use super::rollback::Work;
use crate::error::{At, TxnError};
use crate::fs::{Attributes, Fs, Rename};
use crate::layout::{self, RESCUED, STATE, TAKEN_BACK};
use crate::record::Record;
use crate::state_folder::{ensure_private_folder, unlink_if_there};

/// How many of them are kept.
const MAX_TAKEN_BACK: usize = 10;

/// Another program's bytes that was where a rollback had to restore a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescued {
    /// The path that was restored.
    pub path: String,
    /// Where the foreign file, or folder, is now, relative to the workspace.
    pub kept_as: String,
}

impl<F: Fs> Protocol<F> {
    /// Moves a foreign file, or a folder with foreign files in it, to where its owner finds it.
    pub(super) fn rescue(
        &self,
        n: usize,
        name: &str,
        path: &str,
        work: &mut Work<'_>,
    ) -> Result<(), TxnError> {
        let rescued = self.move_aside(n, name, path, work)?;
        work.rescued.push(rescued);
        Ok(())
    }

    /// Moves a staged original that is not what it was to where a person can look at it.
    pub(super) fn keep_damaged(
        &self,
        n: usize,
        name: &str,
        path: &str,
        work: &mut Work<'_>,
    ) -> Result<(), TxnError> {
        let damaged = self.move_aside(n, name, path, work)?;
        work.damaged.push(damaged);
        Ok(())
    }

    fn move_aside(&self, n: usize, name: &str, path: &str, work: &Work<'_>) -> Result<Rescued, TxnError> {
        let folder = format!("{RESCUED}/{}", work.record.uuid);
        ensure_private_folder(&self.fs, RESCUED)?;
        ensure_private_folder(&self.fs, &folder)?;
        // What is moved into a folder that a crash takes away would be lost with it.
        self.fs.sync(&[], &[STATE.to_owned(), RESCUED.to_owned()]).at("sync", RESCUED)?;
        let mut attempt = 0;
        let kept_as = loop {
            let number = if attempt == 0 { String::new() } else { format!(".{attempt}") };
            let kept_as = format!("{folder}/{n}-{}{number}", short(path));
            match self.fs.rename(name, &kept_as, Rename::NoReplace) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => attempt += 1,
                other => {
                    other.at("keep", path)?;
                    break kept_as;
                }
            }
        };
        // The folder it came from may be removed next, and a crash must not keep only that.
        self.fs.sync(&[], std::slice::from_ref(&folder)).at("sync", &folder)?;
        Ok(Rescued { path: path.to_owned(), kept_as })
    }

    /// Keeps the record of what commands had written when that is undone: a person may have saved a file while they
    /// ran, and Relay cannot tell those changes apart. Takes no disk space except for a folder; if that cannot be made,
    /// the rollback goes first.
    pub(super) fn keep_captured(&self, record: &Record) -> Option<String> {
        record.changes.iter().find(|change| change.by.is_some() && change.after.is_some())?;
        let folder = format!("{RESCUED}/{}", record.uuid);
        let kept_as = format!("{folder}/{TAKEN_BACK}");
        ensure_private_folder(&self.fs, RESCUED).ok()?;
        ensure_private_folder(&self.fs, &folder).ok()?;
        self.fs.sync(&[], &[RESCUED.to_owned()]).ok()?;
        self.fs.rename(&layout::pending(record.uuid), &kept_as, Rename::Replace).ok()?;
        if let Err(_kept_longer) = self.drop_old_captures() {}
        Some(kept_as)
    }

    /// Only the last few are kept. Folders in which there is anything else are a person's to look at.
    fn drop_old_captures(&self) -> Result<(), TxnError> {
        let mut kept = Vec::new();
        for name in self.fs.list(RESCUED).at("list", RESCUED)? {
            let folder = format!("{RESCUED}/{name}");
            if let [(file, stat)] = self.fs.list_stats(&folder).at("list", &folder)?.as_slice()
                && file == TAKEN_BACK
            {
                kept.push((stat.modified, folder));
            }
        }
        kept.sort();
        let surplus = kept.len().saturating_sub(MAX_TAKEN_BACK);
        for (_, folder) in kept.into_iter().take(surplus) {
            unlink_if_there(&self.fs, &format!("{folder}/{TAKEN_BACK}"))?;
            self.remove_if_empty(&folder)?;
        }
        Ok(())
    }

    /// Keeps a content where a person finds it, durably.
    pub(crate) fn keep_aside(&self, uuid: Uuid, path: &str, bytes: &[u8]) -> Result<String, TxnError> {
        let folder = format!("{RESCUED}/{uuid}");
        crate::state_folder::ensure(&self.fs)?;
        ensure_private_folder(&self.fs, RESCUED)?;
        ensure_private_folder(&self.fs, &folder)?;
        let digest = blake3::hash(path.as_bytes()).to_hex();
        let name = format!("{folder}/planned-{}-{}", digest.split_at(8).0, short(path));
        unlink_if_there(&self.fs, &name)?;
        self.fs.write_new(&name, bytes, Attributes::PRIVATE).at("write", &name)?;
        let folders = [STATE.to_owned(), RESCUED.to_owned(), folder];
        self.fs.sync(std::slice::from_ref(&name), &folders).at("sync", &name)?;
        Ok(name)
    }
}

/// A path's last name, short enough to get something in front of it.
fn short(path: &str) -> String {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.chars().take(50).collect()
}
