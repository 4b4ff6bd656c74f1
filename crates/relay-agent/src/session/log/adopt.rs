//! Sessions that came from elsewhere, stored as sessions of Relay.

use std::path::Path;

use relay_store::{Blobs, Store, StoreError};

use super::super::document::Document;
use super::super::entry::Entry;
use super::super::error::SessionError;
use super::super::persist;
use super::super::stamp::{Stamps, SystemStamps};
use super::open::new_header;
use super::{Backing, Deferred, SessionLog};

/// The longest id that may be a part of a file's name.
const ID_CHARS: usize = 64;

impl SessionLog {
    /// Stores a session that another program wrote. It keeps its id and its folder; an id that cannot be a part of a
    /// file's name is replaced, and a session without a folder is about `cwd`. Large pictures move to the blob store.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn adopt(store: &Store, mut document: Document, cwd: &Path) -> Result<Self, SessionError> {
        let mut stamps: Box<dyn Stamps> = Box::new(SystemStamps);
        let (fresh, _) = new_header(stamps.as_mut(), cwd);
        if !is_id(document.header.id()) {
            document.header.set_text("id", fresh.id());
        }
        if !Path::new(document.header.cwd()).is_absolute() {
            document.header.set_text("cwd", fresh.cwd());
        }
        let sessions = store.sessions();
        let blobs = sessions.blobs();
        let entries: Result<Vec<Entry>, StoreError> =
            document.entries.iter().map(|entry| prepared(entry, &blobs)).collect();
        document.entries = entries?;
        let folder = sessions.folder_of(Path::new(document.header.cwd()));
        let path = folder.join(file_name(document.header.timestamp(), document.header.id()));
        let backing = Backing::Deferred(Deferred { sessions, path });
        let mut adopted = Self::from_document(document, backing, stamps);
        adopted.persist()?;
        Ok(adopted)
    }
}

/// The entry as Relay would have written it.
fn prepared(entry: &Entry, blobs: &Blobs) -> Result<Entry, StoreError> {
    // An entry that is nested too deeply to be read as a whole stays as it is.
    let Ok(mut object) = entry.object() else { return Ok(entry.clone()) };
    if !persist::prepare(&mut object, Some(blobs))? {
        return Ok(entry.clone());
    }
    Ok(entry.patched(|fields| *fields = object).unwrap_or_else(|_| entry.clone()))
}

fn is_id(id: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=ID_CHARS).contains(&id.len()) && id.bytes().all(is_part)
}

fn file_name(timestamp: &str, id: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let time: String = timestamp.chars().take(40).map(plain).collect();
    format!("{time}_{id}.jsonl")
}
