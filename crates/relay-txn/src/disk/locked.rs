//! A lock on a file, released the moment it is dropped.
//!
//! Closing the file is not enough: a child that another thread is just starting has inherited the handle, and keeps the
//! lock until it calls exec. On a busy machine that takes a while.

use std::fs::{File, TryLockError};
use std::io;

/// A file whose lock is held.
#[derive(Debug)]
pub(crate) struct Locked(File);

impl Locked {
    /// Takes the lock if it is free; `None` if it is held.
    pub(crate) fn try_new(file: File) -> io::Result<Option<Self>> {
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// The file.
    pub(crate) fn file(&self) -> &File {
        &self.0
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // Then the lock is released when the last handle is closed.
        if let Err(_goes_with_the_handle) = self.0.unlock() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_inherited_the_handle_does_not_keep_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let open =
            || File::options().create(true).append(true).open(folder.path().join("lock")).expect("a file");
        let held = Locked::try_new(open()).unwrap().expect("no one holds it");
        let _inherited = held.file().try_clone().unwrap();
        assert!(Locked::try_new(open()).unwrap().is_none());
        drop(held);
        assert!(Locked::try_new(open()).unwrap().is_some());
    }
}
