//! Copies of a session: the whole of it, or one branch, each in a file of its own.

use std::path::Path;

use relay_store::{Artifacts, Store};

use super::super::body::{Kind, Label};
use super::super::document::Document;
use super::super::entry::Entry;
use super::super::error::SessionError;
use super::super::header::Header;
use super::super::stamp::{Stamps, SystemStamps, entry_id, iso};
use super::open::new_header;
use super::{Backing, Deferred, SessionLog};

impl SessionLog {
    /// Copies the whole session, with its artifacts, into a new one about a folder. The copy is on the disk at once.
    ///
    /// # Errors
    /// The session is in memory, or the copy cannot be written.
    pub fn fork(&self, store: &Store, cwd: &Path) -> Result<Self, SessionError> {
        let path = self.path().ok_or(SessionError::InMemory { what: "forked" })?;
        let from = (path.display().to_string(), self.artifacts());
        fork_document(store, cwd, self.document.clone(), from)
    }

    /// Copies a session that need not be open, and may be in use, into a new one about a folder.
    ///
    /// # Errors
    /// It is not a session, or the copy cannot be written.
    pub fn fork_from(store: &Store, path: &Path, cwd: &Path) -> Result<Self, SessionError> {
        let document = Self::load(store, path)?;
        let from = (path.display().to_string(), Some(store.sessions().artifacts(path)));
        fork_document(store, cwd, document, from)
    }

    /// Copies the branch up to an entry into a new session about the same folder; nothing before that entry means an empty
    /// one. Labels are written anew for the entries that are copied. The session itself stays open as it is.
    ///
    /// # Errors
    /// There is no such entry, or the copy cannot be written.
    pub fn branch_into_new(&self, store: &Store, leaf: Option<&str>) -> Result<Self, SessionError> {
        let mut stamps: Box<dyn Stamps> = Box::new(SystemStamps);
        let (mut header, name) = new_header(stamps.as_mut(), self.cwd());
        header.set_text("parentSession", &self.lineage());
        let path = match leaf {
            Some(id) => {
                self.existing_branch(id)?.into_iter().filter(|entry| entry.kind() != Kind::Label).collect()
            }
            None => Vec::new(),
        };
        let entries = self.with_labels(&path, stamps.as_mut());
        let document = Document { entries, ..Document::new(header) };
        let backing = match self.sessions() {
            None => Backing::Memory,
            Some(_) => {
                let sessions = store.sessions();
                let path = sessions.folder_of(self.cwd()).join(name);
                Backing::Deferred(Deferred { sessions, path })
            }
        };
        let is_begun = !document.entries.is_empty();
        let mut branched = Self::from_document(document, backing, stamps);
        if is_begun {
            branched.persist()?;
        }
        Ok(branched)
    }

    fn existing_branch(&self, id: &str) -> Result<Vec<&Entry>, SessionError> {
        let path = self.branch_of(id);
        if path.is_empty() { Err(SessionError::NoEntry { id: id.to_owned() }) } else { Ok(path) }
    }

    /// What a copy says it came from.
    fn lineage(&self) -> String {
        self.path().map_or_else(|| self.id().to_owned(), |path| path.display().to_string())
    }

    /// Entries of one branch, linked to each other, and a label entry at the end for each of them that has a name.
    fn with_labels(&self, path: &[&Entry], stamps: &mut dyn Stamps) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::with_capacity(path.len());
        for entry in path {
            let parent = entries.last().map(|last| last.id().to_owned());
            entries.push(entry.with_parent(parent.as_deref()));
        }
        for entry in path {
            let Some(label) = self.labels().get(entry.id()) else { continue };
            let id = entry_id(stamps, |id| entries.iter().any(|known| known.id() == id));
            let body = Label { target_id: entry.id().to_owned(), label: Some(label.to_owned()) };
            let parent = entries.last().map(|last| last.id().to_owned());
            entries.push(Entry::new(&id, parent.as_deref(), &iso(stamps.now()), body.into()));
        }
        entries
    }
}

fn fork_document(
    store: &Store,
    cwd: &Path,
    mut document: Document,
    (from, artifacts): (String, Option<Artifacts>),
) -> Result<SessionLog, SessionError> {
    let mut stamps: Box<dyn Stamps> = Box::new(SystemStamps);
    let (fresh, name) = new_header(stamps.as_mut(), cwd);
    document.header = forked_header(&document.header, &fresh, &from);
    let sessions = store.sessions();
    let path = sessions.folder_of(cwd).join(name);
    if let Some(artifacts) = artifacts {
        artifacts.copy_to(&sessions.artifacts(&path))?;
    }
    let backing = Backing::Deferred(Deferred { sessions, path });
    let mut forked = SessionLog::from_document(document, backing, stamps);
    forked.persist()?;
    Ok(forked)
}

/// The header of a copy: a new session, with everything else that the old one knew.
fn forked_header(old: &Header, fresh: &Header, from: &str) -> Header {
    let mut header = old.clone();
    for key in ["id", "timestamp", "cwd"] {
        if let Some(value) = fresh.object().get(key).and_then(serde_json::Value::as_str) {
            header.set_text(key, value);
        }
    }
    header.set_text("parentSession", from);
    header
}
