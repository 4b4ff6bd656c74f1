//! Making, opening and finding sessions.

use std::path::{Path, PathBuf};

use relay_store::{Breadcrumb, FoundSession, LOG_LIMIT_BYTES, SESSION_SUFFIX, Sessions, Store, terminal_id};

use super::super::document::Document;
use super::super::error::{Candidate, SessionError};
use super::super::header::Header;
use super::super::labels::Labels;
use super::super::stamp::{Stamps, SystemStamps, iso};
use super::{Backing, Deferred, EntryId, SessionLog};

/// How much of a file is read for its header.
const HEADER_BYTES: u64 = 64 << 10;

/// What [`SessionLog::continue_recent`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recent {
    /// The session this terminal used last.
    OfTerminal,
    /// The session of this project that was used last.
    Newest,
    /// There was none; a new one was begun.
    New,
}

impl SessionLog {
    /// Begins a session about a folder. Its file is made when a model first answers.
    #[must_use]
    pub fn create(store: &Store, cwd: &Path) -> Self {
        Self::create_with(store, cwd, Box::new(SystemStamps))
    }

    /// As [`SessionLog::create`], for a session that goes on from another one's file.
    #[must_use]
    pub fn create_after(store: &Store, cwd: &Path, parent: &str) -> Self {
        let mut log = Self::create(store, cwd);
        log.document.header.set_text("parentSession", parent);
        log
    }

    /// As [`SessionLog::create`], with times and ids from `stamps`.
    #[must_use]
    pub fn create_with(store: &Store, cwd: &Path, mut stamps: Box<dyn Stamps>) -> Self {
        let sessions = store.sessions();
        let (header, name) = new_header(stamps.as_mut(), cwd);
        let path = sessions.folder_of(cwd).join(name);
        Self::from_document(Document::new(header), Backing::Deferred(Deferred { sessions, path }), stamps)
    }

    /// Begins a session that is never written to the disk.
    #[must_use]
    pub fn in_memory(cwd: &Path) -> Self {
        Self::in_memory_with(cwd, Box::new(SystemStamps))
    }

    /// As [`SessionLog::in_memory`], with times and ids from `stamps`.
    #[must_use]
    pub fn in_memory_with(cwd: &Path, mut stamps: Box<dyn Stamps>) -> Self {
        let (header, _) = new_header(stamps.as_mut(), cwd);
        Self::from_document(Document::new(header), Backing::Memory, stamps)
    }

    /// Opens a session's file. One of an older version is brought up to date and written at once; the old file is kept
    /// beside it.
    ///
    /// # Errors
    /// Another process has it open, it does not exist, it is not a session, or it cannot be read. A file that is not a
    /// session stays as it is.
    pub fn open(store: &Store, path: &Path) -> Result<Self, SessionError> {
        Self::open_with(store, path, Box::new(SystemStamps))
    }

    /// As [`SessionLog::open`], with times and ids from `stamps`.
    ///
    /// # Errors
    /// As [`SessionLog::open`].
    pub fn open_with(store: &Store, path: &Path, mut stamps: Box<dyn Stamps>) -> Result<Self, SessionError> {
        let sessions = store.sessions();
        let Some((mut file, bytes)) = sessions.open(path)? else {
            return Err(SessionError::NotFound { query: path.display().to_string() });
        };
        let document = Document::parse_with(bytes, stamps.as_mut())
            .map_err(|source| SessionError::Invalid { path: path.to_path_buf(), source })?;
        if document.is_migrated {
            file.keep_old()?;
            file.rewrite(&document.to_bytes())?;
        }
        let backing = Backing::File { sessions, file: Box::new(file) };
        let log = Self::from_document(document, backing, stamps);
        log.leave_breadcrumb();
        Ok(log)
    }

    /// Reads a session to look at it, also one that is in use. Nothing is written, not even for an older version.
    ///
    /// # Errors
    /// It does not exist, is not a session, or cannot be read.
    pub fn load(store: &Store, path: &Path) -> Result<Document, SessionError> {
        let bytes = store.sessions().read(path, LOG_LIMIT_BYTES)?;
        let bytes = bytes.ok_or_else(|| SessionError::NotFound { query: path.display().to_string() })?;
        Document::parse(bytes).map_err(|source| SessionError::Invalid { path: path.to_path_buf(), source })
    }

    /// Continues the session this terminal used last in a folder, else the newest one of the folder, else a new one.
    ///
    /// # Errors
    /// The session cannot be opened.
    pub fn continue_recent(store: &Store, cwd: &Path) -> Result<(Self, Recent), SessionError> {
        Self::continue_recent_in(store, cwd, terminal_id().as_deref())
    }

    /// As [`SessionLog::continue_recent`], in a terminal of that name.
    ///
    /// # Errors
    /// As [`SessionLog::continue_recent`].
    pub fn continue_recent_in(
        store: &Store,
        cwd: &Path,
        terminal: Option<&str>,
    ) -> Result<(Self, Recent), SessionError> {
        let sessions = store.sessions();
        let crumb = terminal.and_then(|terminal| sessions.breadcrumb(terminal));
        if let Some(crumb) = crumb.filter(|crumb| is_same_place(&crumb.cwd, cwd))
            && sessions.facts(&crumb.session).is_ok_and(|facts| facts.is_some())
        {
            return Ok((Self::open(store, &crumb.session)?, Recent::OfTerminal));
        }
        let mut found = sessions.files_in(&sessions.folder_of(cwd))?;
        found.sort_by_key(|session| std::cmp::Reverse(session.facts.modified_ns));
        // Two places may share a folder, and a file that is not a session must not be in the way of those that are.
        let newest = found.iter().find(|session| is_about(&sessions, &session.path, cwd));
        match newest {
            Some(session) => Ok((Self::open(store, &session.path)?, Recent::Newest)),
            None => Ok((Self::create(store, cwd), Recent::New)),
        }
    }

    /// Opens the session that a text names: a path, an id, or the beginning of one. Sessions of this project come first.
    ///
    /// # Errors
    /// There is none, there are several, it belongs to another project, or it cannot be opened.
    pub fn resume(store: &Store, query: &str, cwd: &Path) -> Result<Self, SessionError> {
        Self::open(store, &Self::find(store, query, cwd)?)
    }

    /// The file that a text names; see [`SessionLog::resume`].
    ///
    /// # Errors
    /// There is none, there are several, or it belongs to another project.
    pub fn find(store: &Store, query: &str, cwd: &Path) -> Result<PathBuf, SessionError> {
        if query.contains(['/', '\\']) || query.ends_with(SESSION_SUFFIX) {
            return Ok(PathBuf::from(query));
        }
        let sessions = store.sessions();
        let here = matching(&sessions, sessions.files_in(&sessions.folder_of(cwd))?, query);
        if let Some(found) = only(query, here)? {
            return Ok(found.path);
        }
        let found = Self::find_anywhere(store, query)?;
        let header = read_header(&sessions, &found.path)?;
        let other = PathBuf::from(header.cwd());
        if is_same_place(&other, cwd) {
            return Ok(found.path);
        }
        Err(SessionError::OtherProject { id: found.id, cwd: other, path: found.path })
    }

    /// The session of any project whose id is this, or begins like this.
    ///
    /// # Errors
    /// There is none, or there are several.
    pub fn find_anywhere(store: &Store, query: &str) -> Result<Candidate, SessionError> {
        let sessions = store.sessions();
        let mut all = Vec::new();
        for folder in sessions.folders()? {
            all.extend(matching(&sessions, sessions.files_in(&folder)?, query));
        }
        only(query, all)?.ok_or_else(|| SessionError::NotFound { query: query.to_owned() })
    }

    pub(super) fn from_document(document: Document, backing: Backing, stamps: Box<dyn Stamps>) -> Self {
        let places =
            document.entries.iter().enumerate().map(|(place, entry)| (entry.id().into(), place)).collect();
        let labels = Labels::of(&document.entries);
        let leaf = document.entries.last().map(|entry| EntryId::from(entry.id()));
        Self { document, places, labels, leaf, backing, stamps }
    }

    /// Remembers that this terminal uses this session. It works without that.
    pub(super) fn leave_breadcrumb(&self) {
        if let (Some(terminal), Backing::File { sessions, file }) = (terminal_id(), &self.backing) {
            let crumb = Breadcrumb { cwd: self.cwd().to_path_buf(), session: file.path().to_path_buf() };
            sessions.leave_breadcrumb(&terminal, &crumb).ok();
        }
    }
}

/// A header for a new session, and the name of its file.
pub(super) fn new_header(stamps: &mut dyn Stamps, cwd: &Path) -> (Header, String) {
    let timestamp = iso(stamps.now());
    let id = format!("{:016x}", stamps.random());
    let name = format!("{}_{id}{SESSION_SUFFIX}", timestamp.replace([':', '.'], "-"));
    (Header::new(&id, &timestamp, &cwd.to_string_lossy()), name)
}

/// The header of a session's file.
///
/// # Errors
/// It is not a session, or cannot be read.
pub(crate) fn read_header(sessions: &Sessions, path: &Path) -> Result<Header, SessionError> {
    let bytes = sessions.read(path, HEADER_BYTES)?.unwrap_or_default();
    let header = Document::parse_header_of(bytes);
    header.map_err(|source| SessionError::Invalid { path: path.to_path_buf(), source })
}

fn is_about(sessions: &Sessions, path: &Path, cwd: &Path) -> bool {
    read_header(sessions, path)
        .is_ok_and(|header| header.cwd().is_empty() || is_same_place(Path::new(header.cwd()), cwd))
}

fn is_same_place(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    one == other || real(one) == real(other)
}

/// The sessions whose ids begin with a text.
fn matching(sessions: &Sessions, found: Vec<FoundSession>, query: &str) -> Vec<Candidate> {
    let with_id = found.into_iter().filter_map(|session| {
        let name = session.path.file_stem()?.to_str()?;
        // Other programs may name their files otherwise; then only the header knows.
        let id = match name.rsplit_once('_') {
            Some((_, id)) if !id.is_empty() => id.to_owned(),
            _ => read_header(sessions, &session.path).ok()?.id().to_owned(),
        };
        Some(Candidate { id, path: session.path })
    });
    with_id.filter(|candidate| candidate.id.starts_with(query)).collect()
}

/// The one candidate; none if there is none.
fn only(query: &str, mut candidates: Vec<Candidate>) -> Result<Option<Candidate>, SessionError> {
    if let Some(exact) = candidates.iter().position(|candidate| candidate.id == query) {
        return Ok(Some(candidates.swap_remove(exact)));
    }
    if candidates.len() > 1 {
        candidates.sort_by(|one, other| one.id.cmp(&other.id));
        return Err(SessionError::Ambiguous { query: query.to_owned(), candidates });
    }
    Ok(candidates.pop())
}
