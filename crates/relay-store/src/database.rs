//! SQLite databases in folders of user data.
//!
//! A database is a file like any other: private to the user, never a link, never another user's. It is checked before
//! SQLite opens it by its path.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use crate::error::StoreError;
use crate::folder::Folder;

/// How long one process waits for another that writes.
const BUSY_LIMIT: Duration = Duration::from_secs(5);

/// A database and what its tables look like.
#[derive(Clone, Debug)]
pub(crate) struct Database {
    pub folder: PathBuf,
    pub name: &'static str,
    /// The version of `schema`; SQLite keeps it in the file.
    pub version: i64,
    pub schema: &'static str,
}

impl Database {
    /// Where it is.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(self.name)
    }

    /// Opens the database and makes it first if it is missing.
    pub(crate) fn create(&self) -> Result<Connection, StoreError> {
        let folder = Folder::create(&self.folder)?;
        // Creates the file with private permissions; SQLite gives its other files the same ones.
        drop(folder.open_database(self.name)?);
        self.connect()
    }

    /// Opens the database; `None` when there is none.
    pub(crate) fn open(&self) -> Result<Option<Connection>, StoreError> {
        let Some(folder) = Folder::open(&self.folder)? else { return Ok(None) };
        if folder.facts(self.name)?.is_none() {
            return Ok(None);
        }
        drop(folder.open_database(self.name)?);
        self.connect().map(Some)
    }

    fn connect(&self) -> Result<Connection, StoreError> {
        let place = self.path();
        let failed = |error: rusqlite::Error| broken(&place, &error);
        let connection = Connection::open(&place).map_err(failed)?;
        connection.busy_timeout(BUSY_LIMIT).map_err(failed)?;
        // Readers and the one writer do not wait for each other.
        connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
        connection.pragma_update(None, "synchronous", "NORMAL").map_err(failed)?;
        let version: i64 =
            connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
        if version > self.version {
            return Err(StoreError::Newer {
                path: place,
                found: version.unsigned_abs(),
                known: self.version.unsigned_abs(),
            });
        }
        if version < self.version {
            let script =
                format!("BEGIN IMMEDIATE; {} PRAGMA user_version = {}; COMMIT;", self.schema, self.version);
            connection.execute_batch(&script).map_err(failed)?;
        }
        Ok(connection)
    }

    /// Removes the database with all its files. Only for data that can be rebuilt.
    pub(crate) fn discard(&self) -> Result<(), StoreError> {
        let Some(folder) = Folder::open(&self.folder)? else { return Ok(()) };
        for suffix in ["", "-wal", "-shm"] {
            folder.remove_own(&format!("{}{suffix}", self.name))?;
        }
        Ok(())
    }
}

/// SQLite's error, with the file's path.
pub(crate) fn broken(path: &Path, error: &rusqlite::Error) -> StoreError {
    StoreError::Corrupt { path: path.to_path_buf(), reason: error.to_string() }
}
