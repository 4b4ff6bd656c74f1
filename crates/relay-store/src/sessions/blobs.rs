//! Pictures and other large bytes of sessions, each stored once under the SHA-256 digest of its content.

use std::path::{Path, PathBuf};

use crate::error::StoreError;
use crate::folder::Folder;

/// The largest blob that is read back: 256 MiB.
const BLOB_LIMIT_BYTES: u64 = 256 << 20;

/// The blobs of all sessions.
#[derive(Clone, Debug)]
pub struct Blobs {
    path: PathBuf,
}

impl Blobs {
    pub(super) fn at(path: &Path) -> Self {
        Self { path: path.to_path_buf() }
    }

    /// Stores bytes and says what they are called: 64 hexadecimal digits. What is there already is not written again.
    ///
    /// # Errors
    /// The system refuses.
    pub fn put(&self, bytes: &[u8]) -> Result<String, StoreError> {
        let name = digest(bytes);
        let folder = Folder::create(&self.path)?;
        let is_there = folder.facts(&name)?.is_some_and(|facts| facts.bytes == bytes.len() as u64);
        if !is_there {
            folder.lock()?.replace_log(&name, bytes)?;
        }
        Ok(name)
    }

    /// The bytes of that name; `None` when they are missing, or are not what the name says.
    ///
    /// # Errors
    /// The file is not sound, or the system refuses.
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        if !is_digest(name) {
            return Ok(None);
        }
        let Some(folder) = Folder::open(&self.path)? else { return Ok(None) };
        let bytes = folder.read_log(name, BLOB_LIMIT_BYTES)?;
        Ok(bytes.filter(|bytes| digest(bytes) == name))
    }
}

fn digest(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    digest.as_ref().iter().fold(String::with_capacity(64), |text, byte| text + &format!("{byte:02x}"))
}

fn is_digest(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_are_stored_once_and_damaged_ones_are_missing() {
        let home = tempfile::tempdir().unwrap();
        let blobs = Blobs::at(&home.path().join("blobs"));
        assert_eq!(blobs.get(&digest(b"x")).unwrap(), None, "looking makes nothing");
        assert!(!home.path().join("blobs").exists());
        let name = blobs.put(b"abc").unwrap();
        assert_eq!(name, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(blobs.put(b"abc").unwrap(), name);
        assert_eq!(blobs.get(&name).unwrap().as_deref(), Some(&b"abc"[..]));
        std::fs::write(home.path().join("blobs").join(&name), "abd").unwrap();
        assert_eq!(blobs.get(&name).unwrap(), None);
        assert_eq!(blobs.get("../trust.json").unwrap(), None);
    }
}
