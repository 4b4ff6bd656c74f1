//! Reading a record's file without trusting anything about it.

use std::io;

use uuid::Uuid;

use super::Protocol;
use crate::error::TxnError;
use crate::fs::{Found, Fs};
use crate::limits::MAX_RECORD_BYTES;
use crate::record::Record;

/// What a record's file turned out to be.
pub(super) enum Sealed {
    Missing,
    /// Not written by Relay for this user: never acted upon.
    Foreign,
    Ours(Box<Record>),
}

impl<F: Fs> Protocol<F> {
    /// Links, pipes, oversized files and records without this user's MAC are all the same here: foreign.
    pub(super) fn read_record(&self, path: &str, uuid: Uuid) -> Result<Sealed, TxnError> {
        let bytes = match self.fs.read(path, MAX_RECORD_BYTES) {
            Ok(Found::File(bytes, _)) => bytes,
            Ok(Found::Missing) => return Ok(Sealed::Missing),
            Ok(Found::Irregular(_)) => return Ok(Sealed::Foreign),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => return Ok(Sealed::Foreign),
            Err(error) => return Err(TxnError::io("read", path, error)),
        };
        let record = crate::document::read(&bytes, uuid, &self.key)?;
        // The MAC says who wrote it; the path check keeps even an own record from another place harmless.
        Ok(match record {
            Some(record) if self.may_touch(&record) => Sealed::Ours(Box::new(record)),
            _ => Sealed::Foreign,
        })
    }

    fn may_touch(&self, record: &Record) -> bool {
        let removed = record.removed_folders.iter().map(|folder| folder.path.as_str());
        let folders = record.folders.iter().map(String::as_str);
        record.paths().chain(folders).chain(removed).all(|path| self.fs.permits(path))
    }
}
