//! Which process has a session open.
//!
//! The lock is a file of its own in the state folder, named after the session's path: a session file is replaced when
//! it is rewritten, so a lock on the file itself would end there. The system releases the lock when its process dies.
//! The file says which process holds it, for the message, and is removed when the session is closed.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use crate::error::StoreError;
use crate::folder::Folder;
use crate::locked::Locked;

/// Held as long as a session is open.
#[derive(Debug)]
pub(super) struct SessionLock {
    folder: Folder,
    name: String,
    lock: Option<Locked>,
}

impl SessionLock {
    /// Takes the lock of a session, which need not exist yet.
    pub(super) fn take(session: &Path, locks: &Path) -> Result<Self, StoreError> {
        let folder = Folder::create(locks)?;
        let name = lock_name(session);
        loop {
            let (file, place) = folder.lock_file(&name)?;
            let file = match Locked::try_new(file, &place)? {
                Ok(lock) => lock,
                Err(file) => {
                    return Err(StoreError::InUse { path: session.to_path_buf(), holder: holder(file) });
                }
            };
            // The previous holder removes the file before it releases the lock, so this may be a lock on a deleted
            // file.
            let is_there = folder.facts(&name)? == folder.facts_of_open(file.file(), &name)?;
            if is_there {
                // The process id is for people; the lock works without it.
                write_holder(file.file()).ok();
                return Ok(Self { folder, name, lock: Some(file) });
            }
        }
    }
}

impl Drop for SessionLock {
    fn drop(&mut self) {
        if self.lock.is_some() {
            // A file that cannot be removed does no harm: the next process takes its lock.
            self.folder.remove_own(&self.name).ok();
        }
        drop(self.lock.take());
    }
}

fn lock_name(session: &Path) -> String {
    // The folder of a session exists, or is about to; the file itself may not.
    let folder = session.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
    let place = match (folder, session.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => session.to_path_buf(),
    };
    let digest = blake3::hash(place.as_os_str().as_encoded_bytes()).to_hex();
    format!("{}.lock", digest.chars().take(32).collect::<String>())
}

fn write_holder(mut file: &File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    write!(file, "{}", std::process::id())
}

/// The process that says it holds the lock.
fn holder(file: File) -> Option<u32> {
    let mut text = String::new();
    file.take(20).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
