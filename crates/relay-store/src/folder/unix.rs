//! Folders of user data on Unix: everything relative to a directory handle, no link followed at the end.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::{Access, Facts, Secrecy};
use crate::error::StoreError;
use crate::{FILE_LIMIT_BYTES, LOG_LIMIT_BYTES};

/// A folder, held open.
pub(super) type Handle = OwnedFd;

/// For the user alone.
const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);
const PRIVATE_FOLDER: Mode = Mode::RWXU;

/// Opens a folder. Links on the way are up to the user (a home folder is often one); what counts is who owns the folder
/// at the end and who may write to it.
pub(super) fn open(path: &Path) -> Result<Option<Handle>, StoreError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let handle = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(handle) => handle,
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::NOTDIR) => {
            return Err(StoreError::WrongKind { path: path.to_path_buf(), expected: "folder" });
        }
        Err(errno) => return Err(StoreError::io(path, errno)),
    };
    let stat = rustix::fs::fstat(&handle).map_err(|errno| StoreError::io(path, errno))?;
    check_owner(&stat, path)?;
    Ok(Some(handle))
}

/// Makes a folder and its parents, and syncs up the chain: if a power cut loses a folder's entry in its parent,
/// everything in the folder is lost too.
pub(super) fn create(path: &Path) -> Result<(), StoreError> {
    let missing: Vec<&Path> = path.ancestors().take_while(|folder| !folder.exists()).collect();
    let created = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    created.map_err(|source| StoreError::io(path, source))?;
    for parent in missing.iter().rev().filter_map(|folder| folder.parent()) {
        let synced = File::open(parent).and_then(|parent| parent.sync_all());
        synced.map_err(|source| StoreError::io(parent, source))?;
    }
    Ok(())
}

/// Removes other users' permission to look. Only the user could write so far, so what is in the folder is the user's.
pub(super) fn make_private(handle: &Handle, path: &Path) -> Result<(), StoreError> {
    let stat = rustix::fs::fstat(handle).map_err(|errno| StoreError::io(path, errno))?;
    if permissions(&stat) & 0o077 != 0 {
        rustix::fs::fchmod(handle, PRIVATE_FOLDER).map_err(|errno| StoreError::io(path, errno))?;
    }
    Ok(())
}

/// Opens a file that is sound: regular, the user's, and not to be changed by others. `NONBLOCK` so that a FIFO in its
/// place cannot hang us.
pub(super) fn open_file(
    handle: &Handle,
    name: &str,
    place: &Path,
    secrecy: Secrecy,
) -> Result<Option<File>, StoreError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match rustix::fs::openat(handle, name, flags, Mode::empty()) {
        Ok(file) => checked(file, place, secrecy, FILE_LIMIT_BYTES).map(Some),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(obstacle(handle, name, place, errno)),
    }
}

/// Opens a log, which may be much longer than other files; `None` if there is none.
pub(super) fn open_log(
    handle: &Handle,
    name: &str,
    place: &Path,
    access: Access,
) -> Result<Option<File>, StoreError> {
    let access = match access {
        Access::Read => OFlags::RDONLY,
        Access::Append => OFlags::RDWR | OFlags::APPEND,
    };
    let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match rustix::fs::openat(handle, name, flags, Mode::empty()) {
        Ok(file) => checked(file, place, Secrecy::Open, LOG_LIMIT_BYTES).map(Some),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(obstacle(handle, name, place, errno)),
    }
}

/// What is known about a regular file without opening it; `None` for anything else.
pub(super) fn facts(handle: &Handle, name: &str, place: &Path) -> Result<Option<Facts>, StoreError> {
    match rustix::fs::statat(handle, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(facts_of(&stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(StoreError::io(place, errno)),
    }
}

/// What is known about an open file.
pub(super) fn facts_of_open(file: &File, place: &Path) -> Result<Option<Facts>, StoreError> {
    let stat = rustix::fs::fstat(file).map_err(|errno| StoreError::io(place, errno))?;
    Ok(facts_of(&stat))
}

#[allow(
    clippy::unnecessary_cast,
    clippy::cast_possible_wrap,
    reason = "the fields' types differ between systems"
)]
fn facts_of(stat: &Stat) -> Option<Facts> {
    let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    is_file.then(|| Facts {
        bytes: u64::try_from(stat.st_size).unwrap_or_default(),
        modified_ns: (stat.st_mtime as i64)
            .saturating_mul(1_000_000_000)
            .saturating_add(stat.st_mtime_nsec as i64),
        inode: stat.st_ino as u64,
    })
}

/// Opens a file to be locked or added to, and makes it if it is missing.
pub(super) fn open_to_write(handle: &Handle, name: &str, place: &Path) -> Result<File, StoreError> {
    let flags = OFlags::RDWR
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::NOCTTY
        | OFlags::CLOEXEC;
    match rustix::fs::openat(handle, name, flags, PRIVATE_FILE) {
        Ok(file) => checked(file, place, Secrecy::Open, FILE_LIMIT_BYTES),
        Err(errno) => Err(obstacle(handle, name, place, errno)),
    }
}

pub(super) fn create_new(handle: &Handle, name: &str, place: &Path) -> Result<File, StoreError> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(handle, name, flags, PRIVATE_FILE)
        .map_err(|errno| StoreError::io(place, errno))?;
    Ok(File::from(file))
}

pub(super) fn rename(handle: &Handle, from: &str, to: &str, place: &Path) -> Result<(), StoreError> {
    rustix::fs::renameat(handle, from, handle, to).map_err(|errno| StoreError::io(place, errno))
}

pub(super) fn remove(handle: &Handle, name: &str, place: &Path) -> Result<bool, StoreError> {
    match rustix::fs::unlinkat(handle, name, AtFlags::empty()) {
        Ok(()) => Ok(true),
        Err(Errno::NOENT) => Ok(false),
        Err(errno) => Err(StoreError::io(place, errno)),
    }
}

/// Makes the folder's entries durable.
pub(super) fn sync(handle: &Handle, path: &Path) -> Result<(), StoreError> {
    rustix::fs::fsync(handle).map_err(|errno| StoreError::io(path, errno))
}

pub(super) fn names(handle: &Handle, path: &Path) -> Result<Vec<String>, StoreError> {
    let failed = |errno: Errno| StoreError::io(path, errno);
    let listing = rustix::fs::Dir::read_from(handle).map_err(failed)?;
    let mut names = Vec::new();
    for entry in listing {
        // Relay's own names are all UTF-8.
        names.extend(entry.map_err(failed)?.file_name().to_str().ok().map(str::to_owned));
    }
    Ok(names)
}

fn checked(file: OwnedFd, place: &Path, secrecy: Secrecy, limit_bytes: u64) -> Result<File, StoreError> {
    let stat = rustix::fs::fstat(&file).map_err(|errno| StoreError::io(place, errno))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(StoreError::WrongKind { path: place.to_path_buf(), expected: "regular file" });
    }
    check_owner(&stat, place)?;
    let mode = permissions(&stat);
    if secrecy == Secrecy::Secret && mode & 0o077 != 0 {
        return Err(StoreError::ReadableByOthers { path: place.to_path_buf(), mode });
    }
    if u64::try_from(stat.st_size).unwrap_or(u64::MAX) > limit_bytes {
        return Err(StoreError::TooLarge { path: place.to_path_buf(), limit_bytes });
    }
    Ok(File::from(file))
}

fn check_owner(stat: &Stat, place: &Path) -> Result<(), StoreError> {
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(StoreError::ForeignOwner { path: place.to_path_buf(), owner: stat.st_uid });
    }
    let mode = permissions(stat);
    if mode & 0o022 != 0 {
        return Err(StoreError::WritableByOthers { path: place.to_path_buf(), mode });
    }
    Ok(())
}

#[allow(clippy::unnecessary_cast, reason = "the field's type differs between systems")]
fn permissions(stat: &Stat) -> u32 {
    stat.st_mode as u32 & 0o777
}

/// Turns a failed open into what a person can act on.
fn obstacle(handle: &Handle, name: &str, place: &Path, errno: Errno) -> StoreError {
    let found = rustix::fs::statat(handle, name, AtFlags::SYMLINK_NOFOLLOW);
    match found.map(|stat| FileType::from_raw_mode(stat.st_mode)) {
        Ok(FileType::Symlink) => StoreError::Symlink { path: place.to_path_buf() },
        Ok(kind) if kind != FileType::RegularFile => {
            StoreError::WrongKind { path: place.to_path_buf(), expected: "regular file" }
        }
        _ => StoreError::io(place, errno),
    }
}
