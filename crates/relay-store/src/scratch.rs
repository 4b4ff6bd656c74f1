//! A private folder for one run: outside every repository, and removed afterwards.

use std::path::{Path, PathBuf};

use crate::error::StoreError;
use crate::folder::Folder;
use crate::store::Store;

/// The folder of all such folders.
const SCRATCH: &str = "scratch";

/// A folder that is removed with everything in it when this is dropped. A killed Relay leaves its folder in the
/// cache, where anything may be removed at any time.
#[derive(Debug)]
pub struct Scratch {
    folder: Folder,
}

impl Store {
    /// Makes a folder for one run.
    ///
    /// # Errors
    /// The cache folder is not sound, or the system refuses.
    pub fn scratch(&self) -> Result<Scratch, StoreError> {
        let mut number = [0; 16];
        getrandom::fill(&mut number)
            .map_err(|error| StoreError::io(self.cache_dir(), std::io::Error::other(error.to_string())))?;
        let path = self.cache_dir().join(SCRATCH).join(format!("{:032x}", u128::from_le_bytes(number)));
        Ok(Scratch { folder: Folder::create(&path)? })
    }
}

impl Store {
    /// Makes a folder for one run in this one, with a short name: sockets may not have long paths.
    ///
    /// # Errors
    /// The system refuses.
    pub fn short_scratch(&self, parent: &Path) -> Result<Scratch, StoreError> {
        let mut number = [0; 4];
        getrandom::fill(&mut number)
            .map_err(|error| StoreError::io(parent, std::io::Error::other(error.to_string())))?;
        let path = parent.join(format!("relay-{:08x}", u32::from_le_bytes(number)));
        Ok(Scratch { folder: Folder::create(&path)? })
    }
}

impl Scratch {
    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file into it, and says where that is.
    ///
    /// # Errors
    /// The name is none, or the system refuses.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, StoreError> {
        self.folder.lock()?.replace(name, bytes)?;
        Ok(self.path().join(name))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now stays in the cache, where it is harmless.
        std::fs::remove_dir_all(self.path()).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_removed_afterwards() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::at(home.path());
        let (one, other) = (store.scratch().unwrap(), store.scratch().unwrap());
        let written = one.write("schema.json", b"{}").unwrap();
        assert_eq!(std::fs::read(&written).unwrap(), b"{}");
        std::fs::create_dir(one.path().join("by-somebody-else")).unwrap();
        let (gone, kept) = (one.path().to_path_buf(), other.path().to_path_buf());
        drop(one);
        assert!(!gone.exists() && kept.exists());
    }
}
