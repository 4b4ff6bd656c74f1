//! A session that is open: entries are added to it, and its leaf moves around its tree.
//!
//! An append creates one child of the leaf, which becomes the new leaf, and is on the disk for good when the call returns.
//! Nothing is written before a model has answered: a conversation that never got an answer leaves no file. Only header and
//! representation are ever rewritten (names, migrations, pruned outputs), never the history itself.
//!
//! Opening and finding are in [`open`](self::open), navigation in [`tree`](self::tree), copies in [`fork`](self::fork).

mod adopt;
mod fork;
mod open;
mod rename;
mod tree;

use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::path::Path;

use relay_store::{Artifacts, Blobs, SessionFile, Sessions};

pub use open::Recent;
pub use rename::humanize_plan_title;
pub(super) use rename::name_of;
pub use tree::{Selection, Summary};

use super::body::Body;
use super::document::{Damage, Document};
use super::entry::Entry;
use super::error::SessionError;
use super::header::Header;
use super::labels::Labels;
use super::message::Message;
use super::persist;
use super::stamp::{Stamps, entry_id, iso};

/// The id of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId(Box<str>);

impl EntryId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for EntryId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for EntryId {
    fn from(id: &str) -> Self {
        Self(id.into())
    }
}

/// A session that is open. Only one process has it open at a time.
#[derive(Debug)]
pub struct SessionLog {
    document: Document,
    places: HashMap<Box<str>, usize>,
    labels: Labels,
    leaf: Option<EntryId>,
    backing: Backing,
    stamps: Box<dyn Stamps>,
}

/// Where a session is kept.
#[derive(Debug)]
enum Backing {
    /// Nowhere.
    Memory,
    /// In a file that is made when the model first answers.
    Deferred(Deferred),
    /// In a file.
    File { sessions: Sessions, file: Box<SessionFile> },
}

/// A file that is still to be made.
#[derive(Debug)]
struct Deferred {
    sessions: Sessions,
    path: std::path::PathBuf,
}

impl SessionLog {
    /// Adds an entry after the leaf and makes it the leaf. It is durable when this returns, once the model has answered
    /// for the first time; until then everything is kept in memory.
    ///
    /// # Errors
    /// The entry cannot be written. Then the session is as it was, and a later append fails too if the disk did.
    pub fn append(&mut self, body: impl Into<Body>) -> Result<EntryId, SessionError> {
        let mut ids = self.append_all(vec![body.into()])?;
        ids.pop().ok_or_else(|| SessionError::NoEntry { id: String::new() })
    }

    /// Adds an entry as [`SessionLog::append`] does. It survives the end of the process at once, and a power cut once
    /// [`SessionLog::settle`] has returned, so that a request need not wait for the disk.
    ///
    /// # Errors
    /// As [`SessionLog::append`].
    pub fn append_soon(&mut self, body: impl Into<Body>) -> Result<EntryId, SessionError> {
        let mut ids = self.add(vec![body.into()])?;
        ids.pop().ok_or_else(|| SessionError::NoEntry { id: String::new() })
    }

    /// Waits until everything that was added is durable.
    ///
    /// # Errors
    /// It cannot be made durable.
    pub fn settle(&mut self) -> Result<(), SessionError> {
        match &mut self.backing {
            Backing::File { file, .. } => Ok(file.settle()?),
            Backing::Memory | Backing::Deferred(_) => Ok(()),
        }
    }

    /// Adds several entries, each after the one before it, and makes the last one the leaf. They are written at once.
    ///
    /// # Errors
    /// As [`SessionLog::append`]; then none of them was added.
    pub fn append_all(&mut self, bodies: Vec<Body>) -> Result<Vec<EntryId>, SessionError> {
        let (length, leaf) = (self.document.entries.len(), self.leaf.clone());
        let ids = self.add(bodies)?;
        if let Err(error) = self.settle() {
            for entry in self.document.entries.drain(length..) {
                self.places.remove(entry.id());
            }
            self.labels = Labels::of(&self.document.entries);
            self.leaf = leaf;
            return Err(error);
        }
        Ok(ids)
    }

    fn add(&mut self, bodies: Vec<Body>) -> Result<Vec<EntryId>, SessionError> {
        let mut entries: Vec<Entry> = Vec::with_capacity(bodies.len());
        let blobs = self.blobs();
        for body in bodies {
            let parent = entries.last().map(Entry::id).or(self.leaf.as_deref());
            let (places, stamps) = (&self.places, self.stamps.as_mut());
            let is_taken = |id: &str| places.contains_key(id) || entries.iter().any(|entry| entry.id() == id);
            let id = entry_id(stamps, is_taken);
            let timestamp = iso(stamps.now());
            let place = (id.as_str(), parent, timestamp.as_str());
            let entry = Entry::prepared(place, body, |object| persist::prepare(object, blobs.as_ref()))?;
            entries.push(entry);
        }
        self.write(&entries)?;
        let ids: Vec<EntryId> = entries.iter().map(|entry| entry.id().into()).collect();
        self.leaf = ids.last().cloned().or(self.leaf.take());
        entries.into_iter().for_each(|entry| self.index(entry));
        Ok(ids)
    }

    /// Writes new entries to the disk, or decides that it is too early for that.
    fn write(&mut self, entries: &[Entry]) -> Result<(), SessionError> {
        match &mut self.backing {
            Backing::Memory => Ok(()),
            Backing::File { file, .. } => {
                let lines: Vec<&[u8]> = entries.iter().map(|entry| entry.line().as_bytes()).collect();
                Ok(file.append_soon(&lines)?)
            }
            Backing::Deferred(_) => {
                let has_answer = |entry: &Entry| matches!(entry.message(), Some(Message::Assistant(_)));
                if entries.iter().any(has_answer) { self.make_file(entries) } else { Ok(()) }
            }
        }
    }

    /// Makes the file now, although no model has answered yet. A session that is in memory stays there.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn persist(&mut self) -> Result<(), SessionError> {
        self.make_file(&[])
    }

    fn make_file(&mut self, more: &[Entry]) -> Result<(), SessionError> {
        let Backing::Deferred(deferred) = &self.backing else { return Ok(()) };
        let mut bytes = self.document.to_bytes();
        for entry in more {
            bytes.extend_from_slice(entry.line().as_bytes());
            bytes.push(b'\n');
        }
        let file = deferred.sessions.create(&deferred.path, &bytes)?;
        let sessions = deferred.sessions.clone();
        self.backing = Backing::File { sessions, file: Box::new(file) };
        self.leave_breadcrumb();
        Ok(())
    }

    /// Takes an entry into the session's memory.
    fn index(&mut self, entry: Entry) {
        self.labels.apply(&entry);
        self.places.insert(entry.id().into(), self.document.entries.len());
        self.document.entries.push(entry);
    }

    /// Replaces entries by what `change` makes of them, at their places, and writes the whole session in one step. Used to
    /// prune outputs and to correct arguments; the tree stays as it is. Says how many were replaced.
    ///
    /// # Errors
    /// The session cannot be written; then it is as it was.
    pub fn rewrite(&mut self, change: impl Fn(&Entry) -> Option<Entry>) -> Result<usize, SessionError> {
        let mut document = self.document.clone();
        let mut count = 0;
        for entry in &mut document.entries {
            let Some(new) = change(entry) else { continue };
            if (new.id(), new.parent_id()) != (entry.id(), entry.parent_id()) {
                let reason = "its place in the tree would change".to_owned();
                return Err(SessionError::Unwritable { id: entry.id().to_owned(), reason });
            }
            *entry = new;
            count += 1;
        }
        if count > 0 {
            self.replace_document(document)?;
        }
        Ok(count)
    }

    fn replace_document(&mut self, document: Document) -> Result<(), SessionError> {
        if let Backing::File { file, .. } = &mut self.backing {
            file.rewrite(&document.to_bytes())?;
        }
        self.document = document;
        Ok(())
    }

    /// The session's header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.document.header
    }

    /// The session's id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.document.header.id()
    }

    /// The folder the conversation is about.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        Path::new(self.document.header.cwd())
    }

    /// All entries, in the order in which they were added.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.document.entries
    }

    /// The entry of that id.
    #[must_use]
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.places.get(id).and_then(|place| self.document.entries.get(*place))
    }

    /// The entry the next one follows; none at the very beginning.
    #[must_use]
    pub fn leaf(&self) -> Option<&EntryId> {
        self.leaf.as_ref()
    }

    /// What could not be read when the session was opened. It is still in the file.
    #[must_use]
    pub fn damage(&self) -> &[Damage] {
        &self.document.damage
    }

    /// The session's file; none if it is in memory or not written yet.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.backing {
            Backing::File { file, .. } => Some(file.path()),
            Backing::Deferred(_) | Backing::Memory => None,
        }
    }

    /// Where the session's artifacts are kept; none if the session is in memory.
    #[must_use]
    pub fn artifacts(&self) -> Option<Artifacts> {
        match &self.backing {
            Backing::Memory => None,
            Backing::Deferred(deferred) => Some(deferred.sessions.artifacts(&deferred.path)),
            Backing::File { sessions, file } => Some(sessions.artifacts(file.path())),
        }
    }

    /// Where the session's pictures are kept; none if the session is in memory.
    #[must_use]
    pub fn blobs(&self) -> Option<Blobs> {
        self.sessions().map(Sessions::blobs)
    }

    fn sessions(&self) -> Option<&Sessions> {
        match &self.backing {
            Backing::Memory => None,
            Backing::Deferred(deferred) => Some(&deferred.sessions),
            Backing::File { sessions, .. } => Some(sessions),
        }
    }
}
