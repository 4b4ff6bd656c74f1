//! The lock that a watcher holds for its project, so that a second watcher notices.

use std::path::Path;

use crate::error::StoreError;
use crate::folder::Folder;
use crate::locked::Locked;
use crate::place::digest;
use crate::store::Store;

/// The folder in the state folder.
const FOLDER: &str = "watchers";

/// The holder of this lock is the watcher of a project. The system releases it with the process.
#[derive(Debug)]
pub struct Watching {
    _lock: Locked,
}

impl Store {
    /// Becomes the watcher of a project; `None` if another process is.
    ///
    /// # Errors
    /// The project does not exist, or the system refuses.
    pub fn watch(&self, root: &Path) -> Result<Option<Watching>, StoreError> {
        let folder = Folder::create(&self.state_dir().join(FOLDER))?;
        let (file, place) = folder.lock_file(&format!("{}.lock", digest(root)?))?;
        Ok(Locked::try_new(file, &place)?.ok().map(|lock| Watching { _lock: lock }))
    }
}

impl Store {
    /// Whether a process watches the project now. Creates nothing.
    ///
    /// # Errors
    /// The project does not exist, or the system refuses.
    pub fn is_watched(&self, root: &Path) -> Result<bool, StoreError> {
        let Some(folder) = Folder::open(&self.state_dir().join(FOLDER))? else { return Ok(false) };
        let name = format!("{}.lock", digest(root)?);
        if folder.read(&name)?.is_none() {
            return Ok(false);
        }
        let (file, place) = folder.lock_file(&name)?;
        Ok(Locked::try_new(file, &place)?.is_err())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_has_one_watcher_at_a_time() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::at(&home.path().join("store"));
        let first = store.watch(home.path()).unwrap();
        assert!(first.is_some() && store.watch(home.path()).unwrap().is_none());
        assert!(store.is_watched(home.path()).unwrap());
        drop(first);
        assert!(!store.is_watched(home.path()).unwrap());
        assert!(store.watch(home.path()).unwrap().is_some());
    }
}
