//! Swapping the staged files in, one after another, each only if the file is still the one that was compared.
//!
//! Where the disk can exchange two names there is no moment at which somebody else's write could get lost: the file
//! that was displaced is looked at afterwards, and if it is not the expected one the rollback puts it back.

use std::io;

use super::prepare::Prepared;
use super::{Protocol, Seen};
use crate::error::{At, TxnError};
use crate::fs::{Fs, Kind, Rename, Stat};
use crate::layout;
use crate::record::{ChangeRecord, Record, Stored};

impl<F: Fs> Protocol<F> {
    /// Makes the files new. After an error some are; the caller rolls back.
    pub(super) fn apply(&self, prepared: &Prepared) -> Result<(), TxnError> {
        let record = &prepared.record;
        for folder in &record.folders {
            match self.fs.mkdir(folder, prepared.modes.get(folder).copied()) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                other => other.at("create", folder)?,
            }
        }
        for (n, (change, observed)) in record.changes.iter().zip(&prepared.observed).enumerate() {
            self.land(record, n, change, *observed)?;
        }
        for folder in &record.removed_folders {
            match self.fs.rmdir(&folder.path) {
                // Somebody put a file there meanwhile, or removed the folder already: both are fine.
                Err(error) if is_not_empty_or_missing(&error) => {}
                other => other.at("remove", &folder.path)?,
            }
        }
        Ok(())
    }

    fn land(
        &self,
        record: &Record,
        n: usize,
        change: &ChangeRecord,
        observed: Option<Stat>,
    ) -> Result<(), TxnError> {
        let path = change.path.as_str();
        let slot = layout::slot(record.uuid, n);
        let Some(before) = &change.before else {
            return self.place(&slot, path).map_err(|error| match error {
                TxnError::Changed { path } => TxnError::Exists { path },
                other => other,
            });
        };
        // The cheap look first: it spares an exchange that would have to be taken back.
        if self.fs.stat(path).at("look at", path)? != observed {
            self.expect(path, path, before)?;
        }
        if change.after.is_none() {
            self.displace(path, &slot)?;
            return self.expect(&slot, path, before);
        }
        match self.fs.rename(&slot, path, Rename::Exchange) {
            Ok(()) => self.expect(&slot, path, before),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                let displaced = layout::displaced(record.uuid, n);
                self.displace(path, &displaced)?;
                self.expect(&displaced, path, before)?;
                self.place(&slot, path)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(TxnError::Changed { path: path.to_owned() })
            }
            Err(error) => Err(TxnError::io("replace", path, error)),
        }
    }

    /// Whether `name` holds what `path` was expected to hold.
    fn expect(&self, name: &str, path: &str, before: &Stored) -> Result<(), TxnError> {
        match self.see(name)? {
            seen @ Seen::File(..) if seen.has_content(before) => Ok(()),
            Seen::Other(kind) if kind != Kind::File => {
                Err(TxnError::NotRegular { path: path.to_owned(), kind: kind.words() })
            }
            Seen::Other(_) | Seen::File(..) | Seen::Missing => {
                Err(TxnError::Changed { path: path.to_owned() })
            }
        }
    }

    /// Moves a file out of the workspace into the stage, where nobody else writes.
    pub(super) fn displace(&self, path: &str, into: &str) -> Result<(), TxnError> {
        match self.fs.rename(path, into, Rename::Replace) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(TxnError::Changed { path: path.to_owned() })
            }
            other => other.at("remove", path),
        }
    }

    /// Moves a file from the stage to a path that must be free.
    pub(super) fn place(&self, from: &str, path: &str) -> Result<(), TxnError> {
        match self.fs.rename(from, path, Rename::NoReplace) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(TxnError::Changed { path: path.to_owned() })
            }
            other => other.at("write", path),
        }
    }
}

/// The reasons for which a folder that may stay is left alone: it is in use, gone, or something else by now.
pub(super) fn is_not_empty_or_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
