//! Logs in a folder of user data: files that grow line by line, may become much longer than other files, and may come
//! from another program under its own name.
//!
//! The writer of a log holds its lock elsewhere; this module only touches the file.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use super::{Access, Facts, Folder, Writer, system};
use crate::error::StoreError;

impl Folder {
    /// Opens a log to be read and added to; `None` when it does not exist.
    pub(crate) fn open_log(&self, name: &str) -> Result<Option<File>, StoreError> {
        system::open_log(&self.handle, name, &self.log_place(name)?, Access::Append)
    }

    /// Opens a log to be read; `None` when it does not exist.
    pub(crate) fn open_log_to_read(&self, name: &str) -> Result<Option<File>, StoreError> {
        system::open_log(&self.handle, name, &self.log_place(name)?, Access::Read)
    }

    /// Opens a database's file, and makes it if it is missing. However long it is, it must be the user's alone to write.
    pub(crate) fn open_database(&self, name: &str) -> Result<File, StoreError> {
        if let Some(file) = self.open_log(name)? {
            return Ok(file);
        }
        self.lock_file(name).map(|(file, _)| file)
    }

    /// The first bytes of a file of any length, however long it is; `None` when it does not exist.
    pub(crate) fn read_log(&self, name: &str, limit_bytes: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let place = self.log_place(name)?;
        let Some(file) = self.open_log_to_read(name)? else { return Ok(None) };
        let length = system::facts_of_open(&file, &place)?.map_or(0, |facts| facts.bytes);
        let mut bytes = Vec::with_capacity(usize::try_from(length.min(limit_bytes)).unwrap_or_default());
        file.take(limit_bytes).read_to_end(&mut bytes).map_err(|source| StoreError::io(&place, source))?;
        Ok(Some(bytes))
    }

    /// What is known about a file without opening it; `None` if there is no regular file of that name.
    pub(crate) fn facts(&self, name: &str) -> Result<Option<Facts>, StoreError> {
        system::facts(&self.handle, name, &self.path.join(name))
    }

    /// What is known about an open file.
    pub(crate) fn facts_of_open(&self, file: &File, name: &str) -> Result<Option<Facts>, StoreError> {
        system::facts_of_open(file, &self.path.join(name))
    }

    /// Makes a file that was not there.
    pub(crate) fn create_new(&self, name: &str) -> Result<File, StoreError> {
        let place = self.place(name)?;
        system::create_new(&self.handle, name, &place)
    }

    /// Removes a file that only this process uses; whether there was one.
    pub(crate) fn remove_own(&self, name: &str) -> Result<bool, StoreError> {
        let place = self.place(name)?;
        system::remove(&self.handle, name, &place)
    }

    /// Makes the folder's entries durable.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        system::sync(&self.handle, &self.path)
    }

    /// The log's path, if its name is valid: a single path component that is not hidden.
    fn log_place(&self, name: &str) -> Result<PathBuf, StoreError> {
        let is_single = !name.chars().any(|c| matches!(c, '/' | '\\' | '\0'));
        if name.is_empty() || name.starts_with('.') || name.len() > 240 || !is_single {
            return Err(StoreError::BadName { name: name.to_owned() });
        }
        Ok(self.path.join(name))
    }
}

impl Writer<'_> {
    /// As [`Writer::replace`], for a log.
    pub(crate) fn replace_log(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let place = self.folder.log_place(name)?;
        drop(self.folder.open_log_to_read(name)?);
        self.put(name, &place, bytes)
    }

    /// Removes a log; whether there was one.
    pub(crate) fn remove_log(&self, name: &str) -> Result<bool, StoreError> {
        let place = self.folder.log_place(name)?;
        // A file that is not sound does not come from Relay.
        drop(self.folder.open_log_to_read(name)?);
        let removed = system::remove(&self.folder.handle, name, &place)?;
        if removed {
            self.folder.sync()?;
        }
        Ok(removed)
    }
}
