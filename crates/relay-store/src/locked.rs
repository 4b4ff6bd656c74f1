//! A lock on a file, released the moment it is dropped.
//!
//! Closing the file is not enough: a child that another thread is just starting has inherited the handle, and keeps the
//! lock until it calls exec.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::error::StoreError;

/// A file whose lock is held. The system releases it with the process at the latest.
#[derive(Debug)]
pub(crate) struct Locked(File);

impl Locked {
    /// Takes the lock if it is free; gives the file back if it is held.
    pub(crate) fn try_new(file: File, place: &Path) -> Result<Result<Self, File>, StoreError> {
        match file.try_lock() {
            Ok(()) => Ok(Ok(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(Err(file)),
            Err(TryLockError::Error(source)) => Err(StoreError::io(place, source)),
        }
    }

    /// The file itself.
    pub(crate) fn file(&self) -> &File {
        &self.0
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // Then the lock is released when the last handle is closed.
        self.0.unlock().ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_inherited_the_handle_does_not_keep_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("lock");
        let take = || {
            let file = File::options().create(true).append(true).open(&place).unwrap();
            Locked::try_new(file, &place).unwrap().ok()
        };
        let held = take().expect("no one holds it");
        let _inherited = held.0.try_clone().unwrap();
        assert!(take().is_none());
        drop(held);
        assert!(take().is_some());
    }
}
