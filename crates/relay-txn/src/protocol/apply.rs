//! Swaps the staged files in, one after another, each only if the file is still the one that was compared.
//!
//! If the disk can exchange two names, another program's write cannot get lost at any moment: the displaced file is
//! checked afterwards, and if it is not the expected one the rollback puts it back.

use std::collections::BTreeSet;
use std::io;

use super::folders::open_mode;
use super::prepare::{Observed, Staged};
use super::{Protocol, Seen};
use crate::error::{At, TxnError};
use crate::fs::{Fs, Kind, Rename};
use crate::layout;
use crate::record::{ChangeRecord, Record, Stored};

impl<F: Fs> Protocol<F> {
    /// Makes the files new. After an error some are; the caller rolls back.
    ///
    /// Deletions make room for creations: a folder may take the place of a file, and vice versa.
    pub(super) fn apply(&self, prepared: &mut Staged) -> Result<(), TxnError> {
        let Staged { record, observed, known_folders, unreached, disowned, .. } = prepared;
        let changes = || record.changes.iter().zip(observed.iter()).enumerate();
        for (n, (change, observed)) in changes().filter(|(_, (change, _))| change.after.is_none()) {
            self.land(record, n, change, observed.as_ref(), unreached)?;
        }
        for folder in &record.removed_folders {
            // If another program put a file into it, the folder stays; if a file was to come there, that is noticed
            // then.
            self.remove_if_empty(&folder.path)?;
        }
        for folder in &record.folders {
            let known = known_folders.get(folder);
            self.make_folder(folder, known.map(|known| open_mode(known.mode)))?;
            if let Some(known) = known
                && !self.give_folder(known)?
            {
                disowned.push(folder.clone());
            }
        }
        for (n, (change, observed)) in changes().filter(|(_, (change, _))| change.after.is_some()) {
            self.land(record, n, change, observed.as_ref(), unreached)?;
        }
        for folder in record.folders.iter().rev() {
            if let Some(known) = known_folders.get(folder) {
                self.close_folder(folder, known.mode & 0o7777)?;
            }
        }
        Ok(())
    }

    /// Makes a folder, unless it is there by now.
    pub(super) fn make_folder(&self, folder: &str, mode: Option<u32>) -> Result<(), TxnError> {
        match self.fs.mkdir(folder, mode) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match self.look(folder)? {
                Some(stat) if stat.kind == Kind::Folder => Ok(()),
                _ => Err(TxnError::Exists { path: folder.to_owned() }),
            },
            other => other.at("create", folder),
        }
    }

    fn land(
        &self,
        record: &Record,
        n: usize,
        change: &ChangeRecord,
        observed: Option<&Observed>,
        unreached: &mut BTreeSet<usize>,
    ) -> Result<(), TxnError> {
        let path = change.path.as_str();
        let slot = layout::slot(record.uuid, n);
        let Some(before) = &change.before else {
            return match self.place(&slot, path) {
                Err(TxnError::Changed { path }) if self.look(&path)?.is_some() => {
                    Err(TxnError::Exists { path })
                }
                other => other,
            };
        };
        // The cheap check comes first, to avoid an exchange that would have to be undone.
        if self.look(path)? != observed.map(|observed| observed.stat) {
            self.expect(path, path, before)?;
        }
        // Whatever becomes of the rename, only one that found nothing to rename has certainly done nothing.
        unreached.remove(&n);
        let displace = |into: &str, unreached: &mut BTreeSet<usize>| {
            self.displace(path, into).inspect_err(|error| {
                if matches!(error, TxnError::Changed { .. }) {
                    unreached.insert(n);
                }
            })
        };
        if change.after.is_none() {
            displace(&slot, unreached)?;
            return self.expect(&slot, path, before);
        }
        match self.fs.rename(&slot, path, Rename::Exchange) {
            Ok(()) => self.expect(&slot, path, before),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                let displaced = layout::displaced(record.uuid, n);
                displace(&displaced, unreached)?;
                self.expect(&displaced, path, before)?;
                self.place(&slot, path)
            }
            Err(error) if self.is_gone(path, &error) => {
                unreached.insert(n);
                Err(TxnError::Changed { path: path.to_owned() })
            }
            Err(error) => Err(TxnError::io("replace", path, error)),
        }
    }

    /// Whether `name` holds what `path` was expected to hold, with the permissions it was expected to have.
    fn expect(&self, name: &str, path: &str, before: &Stored) -> Result<(), TxnError> {
        match self.see(name)? {
            seen @ Seen::File(..) if seen.is(before) => Ok(()),
            Seen::Other(kind) if kind != Kind::File => {
                Err(TxnError::NotRegular { path: path.to_owned(), kind: kind.words() })
            }
            Seen::Other(_) | Seen::File(..) | Seen::Missing => {
                Err(TxnError::Changed { path: path.to_owned() })
            }
        }
    }

    /// Moves a file out of the workspace into the stage, where no other program writes.
    pub(super) fn displace(&self, path: &str, into: &str) -> Result<(), TxnError> {
        match self.fs.rename(path, into, Rename::Replace) {
            Err(error) if self.is_gone(path, &error) => Err(TxnError::Changed { path: path.to_owned() }),
            other => other.at("remove", path),
        }
    }

    /// Moves a file from the stage to a path that must be free.
    pub(super) fn place(&self, from: &str, path: &str) -> Result<(), TxnError> {
        match self.fs.rename(from, path, Rename::NoReplace) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists || self.is_gone(path, &error) => {
                Err(TxnError::Changed { path: path.to_owned() })
            }
            other => other.at("write", path),
        }
    }

    /// Whether a rename failed because the file, or its folder, was removed.
    pub(super) fn is_gone(&self, path: &str, error: &io::Error) -> bool {
        matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
            || self.is_below_link(path)
    }

    /// Removes a folder that is empty. One that is in use, gone, or something else by now is left alone.
    pub(super) fn remove_if_empty(&self, folder: &str) -> Result<bool, TxnError> {
        match self.fs.rmdir(folder) {
            Err(error) if is_not_empty_or_missing(&error) => Ok(false),
            Err(_) if self.is_below_link(folder) => Ok(false),
            other => other.at("remove", folder).map(|()| true),
        }
    }
}

/// The reasons for which a folder cannot be removed, and need not be.
fn is_not_empty_or_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
