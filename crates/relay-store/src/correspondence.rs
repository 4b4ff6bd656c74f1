//! This machine's private data about mail sessions: one folder each, separate from the mailbox, to which others may
//! write.

use std::path::{Path, PathBuf};

use crate::error::StoreError;
use crate::folder::{Folder, LOCK};
use crate::place::digest;
use crate::store::Store;

/// The folder in the state folder.
const FOLDER: &str = "mail";

impl Store {
    /// The ids of a project's sessions, in order.
    ///
    /// # Errors
    /// The project does not exist, or the system refuses.
    pub fn mail_sessions(&self, root: &Path) -> Result<Vec<String>, StoreError> {
        let Some(folder) = Folder::open(&self.state_dir().join(FOLDER))? else { return Ok(Vec::new()) };
        let prefix = format!("{}-", digest(root)?);
        let names = folder.names()?;
        Ok(names.iter().filter_map(|name| name.strip_prefix(&prefix)).map(str::to_owned).collect())
    }

    /// The folder of one mail session of a project, made if it is missing: what its model was shown, and how far its last
    /// reply was carried out. Unlike the mailbox, it is private to the user.
    ///
    /// # Errors
    /// The project does not exist, the session's name is none, or the system refuses.
    pub fn mail_session(&self, root: &Path, session: &str) -> Result<Folder, StoreError> {
        Folder::create(&self.mail_place(root, session)?)
    }

    /// The same, if there is one.
    ///
    /// # Errors
    /// As [`Store::mail_session`].
    pub fn existing_mail_session(&self, root: &Path, session: &str) -> Result<Option<Folder>, StoreError> {
        Folder::open(&self.mail_place(root, session)?)
    }

    /// Removes everything kept of a thread, unless a process works on it.
    ///
    /// # Errors
    /// It is in use, the session's name is none, or the system refuses.
    pub fn forget_mail_session(&self, root: &Path, session: &str) -> Result<(), StoreError> {
        let place = self.mail_place(root, session)?;
        let Some(folder) = Folder::open(&place)? else { return Ok(()) };
        let writer = folder.lock()?;
        // The lock is removed last, so that a waiting process finds the session gone, never half removed.
        for name in folder.names()?.iter().filter(|name| *name != LOCK && !name.starts_with('.')) {
            writer.remove(name)?;
        }
        writer.remove(LOCK)?;
        drop(writer);
        std::fs::remove_dir(&place).map_err(|source| StoreError::io(&place, source))
    }

    fn mail_place(&self, root: &Path, session: &str) -> Result<PathBuf, StoreError> {
        if session.is_empty() || !session.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(StoreError::BadName { name: session.to_owned() });
        }
        Ok(self.state_dir().join(FOLDER).join(format!("{}-{session}", digest(root)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_listed_for_its_project_until_it_is_forgotten() {
        let home = tempfile::tempdir().unwrap();
        let (store, root) = (Store::at(&home.path().join("store")), home.path());
        assert!(store.mail_sessions(root).unwrap().is_empty());
        for id in ["0a", "0b"] {
            let folder = store.mail_session(root, id).unwrap();
            folder.lock().unwrap().replace("state.json", b"{}").unwrap();
        }
        assert_eq!(store.mail_sessions(root).unwrap(), ["0a", "0b"]);
        assert!(store.mail_sessions(&home.path().join("store")).unwrap().is_empty());
        store.forget_mail_session(root, "0a").unwrap();
        store.forget_mail_session(root, "0a").unwrap();
        assert_eq!(store.mail_sessions(root).unwrap(), ["0b"]);
        assert!(store.existing_mail_session(root, "0a").unwrap().is_none());
        assert!(store.forget_mail_session(root, "../0b").is_err());
    }
}
