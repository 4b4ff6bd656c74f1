//! Mailboxes on systems without directory handles (Windows). Links are looked for before each step.

use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::Letter;
use crate::error::StoreError;

/// A folder, by its place.
pub(super) type Handle = PathBuf;

pub(super) fn open<'n>(
    base: &Path,
    parts: impl Iterator<Item = &'n str>,
) -> Result<Option<Handle>, StoreError> {
    let mut place = base.to_path_buf();
    if !is_folder(&place, false)? {
        return Ok(None);
    }
    for part in parts {
        place.push(part);
        if !is_folder(&place, true)? {
            return Ok(None);
        }
    }
    Ok(Some(place))
}

pub(super) fn make<'n>(base: &Path, parts: impl Iterator<Item = &'n str>) -> Result<Handle, StoreError> {
    let mut place = base.to_path_buf();
    if !is_folder(&place, false)? {
        return Err(StoreError::io(place, ErrorKind::NotFound));
    }
    for part in parts {
        place.push(part);
        if !is_folder(&place, true)? {
            std::fs::create_dir(&place).map_err(|source| StoreError::io(&place, source))?;
        }
    }
    Ok(place)
}

fn is_folder(place: &Path, is_ours: bool) -> Result<bool, StoreError> {
    let found = if is_ours { std::fs::symlink_metadata(place) } else { std::fs::metadata(place) };
    match found {
        Ok(found) if found.is_symlink() => Err(StoreError::Symlink { path: place.to_path_buf() }),
        Ok(found) if !found.is_dir() => {
            Err(StoreError::WrongKind { path: place.to_path_buf(), expected: "folder" })
        }
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(source) => Err(StoreError::io(place, source)),
    }
}

pub(super) fn create(folder: &Handle, name: &str, bytes: &[u8], place: &Path) -> Result<(), StoreError> {
    let written = File::create_new(folder.join(name))
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
    written.map_err(|source| StoreError::io(place, source))
}

pub(super) fn rename(
    from: &Handle,
    name: &str,
    to: &Handle,
    new_name: &str,
    place: &Path,
) -> Result<(), StoreError> {
    std::fs::rename(from.join(name), to.join(new_name)).map_err(|source| StoreError::io(place, source))
}

pub(super) fn remove(folder: &Handle, name: &str, place: &Path) -> Result<(), StoreError> {
    match std::fs::remove_file(folder.join(name)) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(source) => Err(StoreError::io(place, source)),
    }
}

pub(super) fn open_file(folder: &Handle, name: &str, place: &Path) -> Result<Option<File>, StoreError> {
    match std::fs::symlink_metadata(folder.join(name)) {
        Ok(found) if found.is_symlink() => Err(StoreError::Symlink { path: place.to_path_buf() }),
        Ok(found) if !found.is_file() => {
            Err(StoreError::WrongKind { path: place.to_path_buf(), expected: "regular file" })
        }
        Ok(_) => File::open(folder.join(name)).map(Some).map_err(|source| StoreError::io(place, source)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoreError::io(place, source)),
    }
}

pub(super) fn letter(folder: &Handle, name: &str, place: &Path) -> Result<Option<Letter>, StoreError> {
    match std::fs::symlink_metadata(folder.join(name)) {
        Ok(found) if found.is_dir() => Ok(None),
        Ok(found) => {
            let age = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let age = age.unwrap_or_default();
            Ok(Some(Letter {
                modified: (i64::try_from(age.as_secs()).unwrap_or(i64::MAX), age.subsec_nanos()),
                name: name.to_owned(),
                size: found.len(),
            }))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoreError::io(place, source)),
    }
}

pub(super) fn names(folder: &Handle, place: &Path, limit: usize) -> Result<Vec<String>, StoreError> {
    let failed = |source: std::io::Error| StoreError::io(place, source);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)?.take(limit) {
        names.extend(entry.map_err(failed)?.file_name().into_string().ok());
    }
    Ok(names)
}
