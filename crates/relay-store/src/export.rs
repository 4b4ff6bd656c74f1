//! Writes a file to a path that the user named.
//!
//! An existing file is replaced only if the caller recognises it, and links are never written through: the new file is
//! made in the same folder and renamed into place.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::error::StoreError;

/// How much of an existing file is shown to the caller.
const HEAD_BYTES: u64 = 256;

/// Writes a private file in one step. Its folder has to exist. `may_replace` gets the beginning of an existing file.
///
/// # Errors
/// Something else is there, the folder is missing, or the system refuses; then nothing has changed.
pub fn export(path: &Path, bytes: &[u8], may_replace: impl Fn(&[u8]) -> bool) -> Result<(), StoreError> {
    let failed = |source| StoreError::io(path, source);
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => return Err(StoreError::Symlink { path: path.to_path_buf() }),
        Ok(found) if !found.is_file() => {
            return Err(StoreError::WrongKind { path: path.to_path_buf(), expected: "file" });
        }
        Ok(_) => {
            let mut head = Vec::new();
            let file = File::open(path).map_err(failed)?;
            file.take(HEAD_BYTES).read_to_end(&mut head).map_err(failed)?;
            if !may_replace(&head) {
                return Err(StoreError::Exists { path: path.to_path_buf() });
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let temporary = beside(path)?;
    let written = create_private(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&temporary, path));
    written.map_err(|source| {
        // The first error is the one to report.
        std::fs::remove_file(&temporary).ok();
        failed(source)
    })
}

/// An unpredictable name in the same folder.
fn beside(path: &Path) -> Result<PathBuf, StoreError> {
    let mut random = [0_u8; 8];
    getrandom::fill(&mut random)
        .map_err(|error| StoreError::io(path, std::io::Error::other(error.to_string())))?;
    let random = random.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    Ok(path.with_file_name(format!(".relay-{random}.tmp")))
}

#[cfg(unix)]
fn create_private(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn create_private(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_recognised_files_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("pack.md");
        let known = |head: &[u8]| head.starts_with(b"pack");
        export(&place, b"pack one", known).unwrap();
        export(&place, b"pack two", known).unwrap();
        assert_eq!(std::fs::read(&place).unwrap(), b"pack two");
        std::fs::write(&place, "mine").unwrap();
        assert!(matches!(export(&place, b"pack", known), Err(StoreError::Exists { .. })));
        assert_eq!(std::fs::read(&place).unwrap(), b"mine");
        assert!(matches!(export(folder.path(), b"x", known), Err(StoreError::WrongKind { .. })));
        assert!(export(&folder.path().join("missing/pack.md"), b"x", known).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_written_through() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert!(matches!(export(&link, b"x", |_| true), Err(StoreError::Symlink { .. })));
        assert!(!target.exists());
        export(&target, b"x", |_| true).unwrap();
        assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
