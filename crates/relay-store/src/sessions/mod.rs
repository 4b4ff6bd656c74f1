//! The agent's sessions on disk: one log each, in a folder per project.
//!
//! `relay-agent` defines what a line of a log means. This module handles paths, names, locks and writing.
//!
//! ```text
//! data/sessions/--<cwd>--/<timestamp>_<id>.jsonl    a session
//! data/sessions/--<cwd>--/<timestamp>_<id>.jsonl.old  the same before it was brought up to date, if it was
//! data/sessions/--<cwd>--/<timestamp>_<id>/         its artifacts
//! data/blobs/<sha256>                               pictures, shared by all sessions
//! state/terminal-sessions/<terminal>                which session a terminal used last
//! state/session-locks/<digest>.lock                 which sessions are in use
//! cache/sessions.db                                 what lists show, so that files are not read again
//! ```

mod artifacts;
mod blobs;
mod breadcrumb;
mod file;
mod index;
mod lock;
mod old;
mod place;

use std::path::{Path, PathBuf};

pub use artifacts::{Artifact, ArtifactFile, Artifacts};
pub use blobs::Blobs;
pub use breadcrumb::{Breadcrumb, terminal_id};
pub use file::SessionFile;
pub use index::{IndexedSession, SessionIndex};

use crate::error::StoreError;
use crate::folder::{Facts, Folder};
use crate::store::Store;

/// How session files end.
pub const SESSION_SUFFIX: &str = ".jsonl";

/// What is added to the name of a session's file for the copy that is kept when it is brought up to date.
const OLD_SUFFIX: &str = ".old";

/// Where sessions are. Creating the value touches nothing on disk.
#[derive(Clone, Debug)]
pub struct Sessions {
    root: PathBuf,
    blobs: PathBuf,
    locks: PathBuf,
    terminals: PathBuf,
    cache: PathBuf,
}

/// An existing session file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSession {
    /// Where it is.
    pub path: PathBuf,
    /// What is known about it without reading it.
    pub facts: Facts,
}

impl Store {
    /// The agent's sessions.
    #[must_use]
    pub fn sessions(&self) -> Sessions {
        Sessions {
            root: self.sessions_dir(),
            blobs: self.data_dir().join("blobs"),
            locks: self.state_dir().join("session-locks"),
            terminals: self.state_dir().join("terminal-sessions"),
            cache: self.cache_dir().to_path_buf(),
        }
    }
}

impl Sessions {
    /// The folder of all projects' folders.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of one project's sessions.
    #[must_use]
    pub fn folder_of(&self, cwd: &Path) -> PathBuf {
        self.root.join(place::folder_name(cwd))
    }

    /// The folders of all projects that have sessions.
    ///
    /// # Errors
    /// The system refuses.
    pub fn folders(&self) -> Result<Vec<PathBuf>, StoreError> {
        let Some(root) = Folder::open(&self.root)? else { return Ok(Vec::new()) };
        let mut folders: Vec<PathBuf> = Vec::new();
        for name in root.names()? {
            let path = self.root.join(&name);
            if !name.starts_with('.') && path.is_dir() {
                folders.push(path);
            }
        }
        Ok(folders)
    }

    /// The session files in a folder, in no particular order. Whether they are sessions is not known yet.
    ///
    /// # Errors
    /// The folder is not sound, or the system refuses.
    pub fn files_in(&self, folder: &Path) -> Result<Vec<FoundSession>, StoreError> {
        let Some(opened) = Folder::open(folder)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for name in opened.names()? {
            if name.starts_with('.') || !name.ends_with(SESSION_SUFFIX) {
                continue;
            }
            if let Some(facts) = opened.facts(&name)? {
                found.push(FoundSession { path: folder.join(name), facts });
            }
        }
        Ok(found)
    }

    /// What is known about a session file without reading it; `None` when there is none.
    ///
    /// # Errors
    /// The folder is not sound, or the system refuses.
    pub fn facts(&self, path: &Path) -> Result<Option<Facts>, StoreError> {
        let (folder, name) = place::split(path)?;
        Folder::open(&folder)?.map_or(Ok(None), |folder| folder.facts(&name))
    }

    /// Opens a session to write to it, with what is in it; `None` when there is none.
    ///
    /// # Errors
    /// Another process has it open, the file is not sound, or the system refuses.
    pub fn open(&self, path: &Path) -> Result<Option<(SessionFile, Vec<u8>)>, StoreError> {
        SessionFile::open(path, &self.locks)
    }

    /// Creates a session with its first content, in one step.
    ///
    /// # Errors
    /// There is a file of that name, or the system refuses.
    pub fn create(&self, path: &Path, bytes: &[u8]) -> Result<SessionFile, StoreError> {
        SessionFile::create(path, &self.locks, bytes)
    }

    /// Reads a session, or its beginning, without locking it; `None` when there is none.
    ///
    /// # Errors
    /// The file is not sound, or the system refuses.
    pub fn read(&self, path: &Path, limit_bytes: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let (folder, name) = place::split(path)?;
        Folder::open(&folder)?.map_or(Ok(None), |folder| folder.read_log(&name, limit_bytes))
    }

    /// Reads what was added to a session after an offset; `None` when it does not exist or is shorter.
    ///
    /// # Errors
    /// The file is not sound, or the system refuses.
    pub fn read_from(&self, path: &Path, offset: u64) -> Result<Option<Vec<u8>>, StoreError> {
        use std::io::{Read as _, Seek as _, SeekFrom};
        let (folder, name) = place::split(path)?;
        let Some(folder) = Folder::open(&folder)? else { return Ok(None) };
        let Some(mut file) = folder.open_log_to_read(&name)? else { return Ok(None) };
        if folder.facts_of_open(&file, &name)?.is_none_or(|facts| facts.bytes < offset) {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.read_to_end(&mut bytes))
            .map_err(|source| StoreError::io(path, source))?;
        Ok(Some(bytes))
    }

    /// Removes a session and its artifacts; whether there was one.
    ///
    /// # Errors
    /// Another process has it open, or the system refuses.
    pub fn remove(&self, path: &Path) -> Result<bool, StoreError> {
        let _lock = lock::SessionLock::take(path, &self.locks)?;
        let (folder, name) = place::split(path)?;
        let Some(folder) = Folder::open(&folder)? else { return Ok(false) };
        let writer = folder.lock()?;
        let removed = writer.remove_log(&name)?;
        writer.remove_log(&format!("{name}{OLD_SUFFIX}"))?;
        drop(writer);
        if removed {
            self.artifacts(path).remove()?;
        }
        Ok(removed)
    }

    /// The artifacts of a session.
    #[must_use]
    pub fn artifacts(&self, session: &Path) -> Artifacts {
        Artifacts::beside(session)
    }

    /// The pictures of all sessions.
    #[must_use]
    pub fn blobs(&self) -> Blobs {
        Blobs::at(&self.blobs)
    }

    /// Which session a terminal used last; nothing when that is not known.
    #[must_use]
    pub fn breadcrumb(&self, terminal: &str) -> Option<Breadcrumb> {
        Breadcrumb::read(&self.terminals, terminal)
    }

    /// Remembers which session a terminal uses.
    ///
    /// # Errors
    /// The system refuses. A session works without it.
    pub fn leave_breadcrumb(&self, terminal: &str, crumb: &Breadcrumb) -> Result<(), StoreError> {
        crumb.write(&self.terminals, terminal)
    }
}
