//! An index of sessions, so that they need not be read again: a table in the cache, one row per file.
//!
//! A row is valid as long as the file's length, time and inode are unchanged. The table can be lost at any time; a
//! damaged one is thrown away.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Row, params};

use super::Sessions;
use crate::database::{Database, broken};
use crate::error::StoreError;
use crate::folder::Facts;

const SCHEMA: &str = "
    DROP TABLE IF EXISTS session;
    CREATE TABLE session(
        folder TEXT NOT NULL, name TEXT NOT NULL,
        bytes INTEGER NOT NULL, modified_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
        counted_bytes INTEGER NOT NULL, messages INTEGER NOT NULL, cost REAL NOT NULL,
        header TEXT NOT NULL, details TEXT NOT NULL,
        PRIMARY KEY(folder, name)
    ) WITHOUT ROWID;
";

/// What is known about a session's file.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexedSession {
    /// The file as it was when it was read.
    pub facts: Facts,
    /// How many bytes of it are in the sums below.
    pub counted_bytes: u64,
    /// How many messages it has.
    pub messages: u64,
    /// What they cost, in US dollars.
    pub cost: f64,
    /// The header's line; empty if the file is not a session.
    pub header: String,
    /// Whatever else the reader wants to remember, as JSON.
    pub details: String,
}

/// The table. If it cannot be used, the sessions themselves are read.
#[derive(Debug)]
pub struct SessionIndex {
    database: Database,
    root: PathBuf,
}

impl Sessions {
    /// What is known about sessions. Nothing is opened yet.
    #[must_use]
    pub fn index(&self) -> SessionIndex {
        let database =
            Database { folder: self.cache.clone(), name: "sessions.db", version: 1, schema: SCHEMA };
        SessionIndex { database, root: self.root.clone() }
    }
}

impl SessionIndex {
    /// What is known about the sessions of a folder, or about all of them, by file. Empty if there is no readable
    /// table.
    #[must_use]
    pub fn load(&self, folder: Option<&Path>) -> HashMap<PathBuf, IndexedSession> {
        self.try_load(folder).unwrap_or_default()
    }

    fn try_load(&self, folder: Option<&Path>) -> Result<HashMap<PathBuf, IndexedSession>, StoreError> {
        let Some(connection) = self.database.open()? else { return Ok(HashMap::new()) };
        let sql = "SELECT folder, name, bytes, modified_ns, inode, counted_bytes, messages, cost, header, details \
             FROM session WHERE ?1 IS NULL OR folder = ?1";
        let place = self.database.path();
        let failed = |error: rusqlite::Error| broken(&place, &error);
        let mut statement = connection.prepare(sql).map_err(failed)?;
        let folder = folder.and_then(Path::file_name).and_then(|name| name.to_str());
        let rows = statement.query_map(params![folder], |row| self.read(row)).map_err(failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }

    fn read(&self, row: &Row<'_>) -> rusqlite::Result<(PathBuf, IndexedSession)> {
        let (folder, name) = (row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?);
        let facts = Facts {
            bytes: row.get::<_, i64>(2)?.unsigned_abs(),
            modified_ns: row.get(3)?,
            inode: row.get::<_, i64>(4)?.cast_unsigned(),
        };
        let known = IndexedSession {
            facts,
            counted_bytes: row.get::<_, i64>(5)?.unsigned_abs(),
            messages: row.get::<_, i64>(6)?.unsigned_abs(),
            cost: row.get(7)?,
            header: row.get(8)?,
            details: row.get(9)?,
        };
        Ok((self.root.join(folder).join(name), known))
    }

    /// Remembers sessions that were read, and forgets files that are gone.
    ///
    /// # Errors
    /// The system refuses. A table that is damaged is thrown away, and is made anew the next time.
    pub fn save(&self, known: &[(PathBuf, IndexedSession)], gone: &[PathBuf]) -> Result<(), StoreError> {
        let mut connection = match self.database.create() {
            Err(StoreError::Corrupt { .. } | StoreError::Newer { .. }) => {
                self.database.discard()?;
                self.database.create()?
            }
            connection => connection?,
        };
        write(&mut connection, known, gone).or_else(|error| {
            drop(connection);
            self.database.discard()?;
            Err(broken(&self.database.path(), &error))
        })
    }
}

fn write(
    connection: &mut Connection,
    known: &[(PathBuf, IndexedSession)],
    gone: &[PathBuf],
) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    {
        let mut put = transaction
            .prepare("INSERT OR REPLACE INTO session VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?;
        for (path, session) in known {
            let Some((folder, name)) = names(path) else { continue };
            let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
            put.execute(params![
                folder,
                name,
                signed(session.facts.bytes),
                session.facts.modified_ns,
                session.facts.inode.cast_signed(),
                signed(session.counted_bytes),
                signed(session.messages),
                session.cost,
                session.header,
                session.details,
            ])?;
        }
        let mut forget = transaction.prepare("DELETE FROM session WHERE folder = ?1 AND name = ?2")?;
        for (folder, name) in gone.iter().filter_map(|path| names(path)) {
            forget.execute(params![folder, name])?;
        }
    }
    transaction.commit()
}

/// The names of a session's folder and file.
fn names(path: &Path) -> Option<(&str, &str)> {
    Some((path.parent()?.file_name()?.to_str()?, path.file_name()?.to_str()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    fn session(bytes: u64) -> IndexedSession {
        IndexedSession {
            facts: Facts { bytes, modified_ns: 5, inode: u64::MAX },
            counted_bytes: bytes,
            messages: 3,
            cost: 0.5,
            header: "{}".to_owned(),
            details: "{}".to_owned(),
        }
    }

    #[test]
    fn saved_rows_are_loaded_until_the_file_is_gone() {
        let home = tempfile::tempdir().unwrap();
        let sessions = Store::at(home.path()).sessions();
        let index = sessions.index();
        assert!(index.load(None).is_empty() && !home.path().join("cache").exists());
        let (one, other) = (sessions.root().join("--a--/1.jsonl"), sessions.root().join("--b--/2.jsonl"));
        index.save(&[(one.clone(), session(1)), (other.clone(), session(2))], &[]).unwrap();
        index.save(&[(one.clone(), session(9))], &[]).unwrap();
        let all = index.load(None);
        assert_eq!((all.len(), &all[&one], &all[&other]), (2, &session(9), &session(2)));
        assert_eq!(index.load(Some(&sessions.root().join("--b--"))).len(), 1);
        index.save(&[], &[one]).unwrap();
        assert_eq!(index.load(None).len(), 1);
    }

    #[test]
    fn a_damaged_table_is_thrown_away() {
        let home = tempfile::tempdir().unwrap();
        let sessions = Store::at(home.path()).sessions();
        let index = sessions.index();
        index.save(&[(sessions.root().join("--a--/1.jsonl"), session(1))], &[]).unwrap();
        for suffix in ["-wal", "-shm"] {
            std::fs::remove_file(home.path().join(format!("cache/sessions.db{suffix}"))).ok();
        }
        std::fs::write(home.path().join("cache/sessions.db"), "x".repeat(4096)).unwrap();
        assert!(index.load(None).is_empty());
        let again = sessions.root().join("--a--/1.jsonl");
        index.save(&[(again, session(1))], &[]).unwrap();
        assert_eq!(index.load(None).len(), 1);
    }
}
