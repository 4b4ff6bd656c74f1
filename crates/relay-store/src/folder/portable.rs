//! Folders of user data on systems without directory handles (Windows). Profiles there are private to their user
//! through inherited access lists, so only links and kinds are checked.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::{Access, Facts, Secrecy};
use crate::error::StoreError;
use crate::{FILE_LIMIT_BYTES, LOG_LIMIT_BYTES};

/// A folder, by its place.
pub(super) type Handle = PathBuf;

pub(super) fn open(path: &Path) -> Result<Option<Handle>, StoreError> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(Some(path.to_path_buf())),
        Ok(_) => Err(StoreError::WrongKind { path: path.to_path_buf(), expected: "folder" }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoreError::io(path, source)),
    }
}

pub(super) fn create(path: &Path) -> Result<(), StoreError> {
    std::fs::create_dir_all(path).map_err(|source| StoreError::io(path, source))
}

/// Nothing to do: see the module's introduction.
pub(super) fn make_private(_handle: &Handle, _path: &Path) -> Result<(), StoreError> {
    Ok(())
}

pub(super) fn open_file(
    handle: &Handle,
    name: &str,
    place: &Path,
    _secrecy: Secrecy,
) -> Result<Option<File>, StoreError> {
    if !check(handle, name, place, FILE_LIMIT_BYTES)? {
        return Ok(None);
    }
    File::open(handle.join(name)).map(Some).map_err(|source| StoreError::io(place, source))
}

/// Opens a log, which may be much longer than other files; `None` if there is none.
pub(super) fn open_log(
    handle: &Handle,
    name: &str,
    place: &Path,
    access: Access,
) -> Result<Option<File>, StoreError> {
    if !check(handle, name, place, LOG_LIMIT_BYTES)? {
        return Ok(None);
    }
    let opened = OpenOptions::new().read(true).append(access == Access::Append).open(handle.join(name));
    opened.map(Some).map_err(|source| StoreError::io(place, source))
}

/// What is known about a regular file without opening it; `None` for anything else.
pub(super) fn facts(handle: &Handle, name: &str, place: &Path) -> Result<Option<Facts>, StoreError> {
    match std::fs::symlink_metadata(handle.join(name)) {
        Ok(found) => Ok(facts_of(&found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoreError::io(place, source)),
    }
}

/// What is known about an open file.
pub(super) fn facts_of_open(file: &File, place: &Path) -> Result<Option<Facts>, StoreError> {
    let found = file.metadata().map_err(|source| StoreError::io(place, source))?;
    Ok(facts_of(&found))
}

/// Files have no inode number here; two files of the same length and time are taken for one.
fn facts_of(found: &std::fs::Metadata) -> Option<Facts> {
    let since = |time: std::time::SystemTime| time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let modified = found.modified().map(since).unwrap_or_default();
    found.is_file().then(|| Facts {
        bytes: found.len(),
        modified_ns: i64::try_from(modified.as_nanos()).unwrap_or(i64::MAX),
        inode: 0,
    })
}

pub(super) fn open_to_write(handle: &Handle, name: &str, place: &Path) -> Result<File, StoreError> {
    check(handle, name, place, FILE_LIMIT_BYTES)?;
    let opened =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(handle.join(name));
    opened.map_err(|source| StoreError::io(place, source))
}

pub(super) fn create_new(handle: &Handle, name: &str, place: &Path) -> Result<File, StoreError> {
    File::create_new(handle.join(name)).map_err(|source| StoreError::io(place, source))
}

pub(super) fn rename(handle: &Handle, from: &str, to: &str, place: &Path) -> Result<(), StoreError> {
    std::fs::rename(handle.join(from), handle.join(to)).map_err(|source| StoreError::io(place, source))
}

pub(super) fn remove(handle: &Handle, name: &str, place: &Path) -> Result<bool, StoreError> {
    match std::fs::remove_file(handle.join(name)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(source) => Err(StoreError::io(place, source)),
    }
}

/// A folder cannot be synced here; the system keeps its entries in a journal.
pub(super) fn sync(_handle: &Handle, _path: &Path) -> Result<(), StoreError> {
    Ok(())
}

pub(super) fn names(handle: &Handle, path: &Path) -> Result<Vec<String>, StoreError> {
    let failed = |source: io::Error| StoreError::io(path, source);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(handle).map_err(failed)? {
        names.extend(entry.map_err(failed)?.file_name().into_string().ok());
    }
    Ok(names)
}

/// Whether a sound file is there.
fn check(handle: &Handle, name: &str, place: &Path, limit_bytes: u64) -> Result<bool, StoreError> {
    match std::fs::symlink_metadata(handle.join(name)) {
        Ok(found) if found.is_symlink() => Err(StoreError::Symlink { path: place.to_path_buf() }),
        Ok(found) if !found.is_file() => {
            Err(StoreError::WrongKind { path: place.to_path_buf(), expected: "regular file" })
        }
        Ok(found) if found.len() > limit_bytes => {
            Err(StoreError::TooLarge { path: place.to_path_buf(), limit_bytes })
        }
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(source) => Err(StoreError::io(place, source)),
    }
}
