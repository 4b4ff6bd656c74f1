//! Mailboxes on Unix: everything relative to a directory handle, no link followed below the folder the user named.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::Letter;
use crate::error::StoreError;

/// A folder, held open.
pub(super) type Handle = OwnedFd;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// For the user alone where the disk knows users at all: replies and outboxes hold source code.
const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);
const PRIVATE_FOLDER: Mode = Mode::RWXU;

/// Opens a folder below the user's; `None` when it does not exist.
pub(super) fn open<'n>(
    base: &Path,
    parts: impl Iterator<Item = &'n str>,
) -> Result<Option<Handle>, StoreError> {
    let mut place = base.to_path_buf();
    let mut folder = match rustix::fs::open(base, FOLDER, Mode::empty()) {
        Ok(folder) => folder,
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(in_the_way(&place, errno)),
    };
    for part in parts {
        place.push(part);
        folder = match rustix::fs::openat(&folder, part, FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(folder) => folder,
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(in_the_way(&place, errno)),
        };
    }
    Ok(Some(folder))
}

/// Opens a folder below the user's and makes it if it is missing. The user's own folder must exist: a stick that is not
/// there must not become a folder on the disk.
pub(super) fn make<'n>(base: &Path, parts: impl Iterator<Item = &'n str>) -> Result<Handle, StoreError> {
    let mut place = base.to_path_buf();
    let mut folder =
        rustix::fs::open(base, FOLDER, Mode::empty()).map_err(|errno| in_the_way(&place, errno))?;
    for part in parts {
        place.push(part);
        match rustix::fs::mkdirat(&folder, part, PRIVATE_FOLDER) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(StoreError::io(&place, errno)),
        }
        folder = rustix::fs::openat(&folder, part, FOLDER | OFlags::NOFOLLOW, Mode::empty())
            .map_err(|errno| in_the_way(&place, errno))?;
    }
    Ok(folder)
}

fn in_the_way(place: &PathBuf, errno: Errno) -> StoreError {
    match errno {
        Errno::LOOP => StoreError::Symlink { path: place.clone() },
        // A link to a folder is reported this way too, because only folders are opened.
        Errno::NOTDIR if place.is_symlink() => StoreError::Symlink { path: place.clone() },
        Errno::NOTDIR => StoreError::WrongKind { path: place.clone(), expected: "folder" },
        errno => StoreError::io(place, errno),
    }
}

/// Writes a new file and makes it durable.
pub(super) fn create(folder: &Handle, name: &str, bytes: &[u8], place: &Path) -> Result<(), StoreError> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, name, flags, PRIVATE_FILE)
        .map_err(|errno| StoreError::io(place, errno))?;
    let mut file = File::from(file);
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|source| StoreError::io(place, source))
}

pub(super) fn rename(
    from: &Handle,
    name: &str,
    to: &Handle,
    new_name: &str,
    place: &Path,
) -> Result<(), StoreError> {
    rustix::fs::renameat(from, name, to, new_name).map_err(|errno| StoreError::io(place, errno))?;
    match rustix::fs::fsync(to) {
        // Not every file system on a stick or a server can sync a folder; nothing more can be done.
        Ok(()) | Err(Errno::INVAL | Errno::NOTSUP | Errno::ROFS) => Ok(()),
        Err(errno) => Err(StoreError::io(place, errno)),
    }
}

pub(super) fn remove(folder: &Handle, name: &str, place: &Path) -> Result<(), StoreError> {
    match rustix::fs::unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(StoreError::io(place, errno)),
    }
}

/// Opens a regular file. `NONBLOCK` so that a FIFO in its place cannot hang us.
pub(super) fn open_file(folder: &Handle, name: &str, place: &Path) -> Result<Option<File>, StoreError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(folder, name, flags, Mode::empty()) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::LOOP) => return Err(StoreError::Symlink { path: place.to_path_buf() }),
        Err(Errno::NXIO) => return Err(not_regular(place)),
        Err(errno) => return Err(StoreError::io(place, errno)),
    };
    let stat = rustix::fs::fstat(&file).map_err(|errno| StoreError::io(place, errno))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(not_regular(place));
    }
    Ok(Some(File::from(file)))
}

fn not_regular(place: &Path) -> StoreError {
    StoreError::WrongKind { path: place.to_path_buf(), expected: "regular file" }
}

/// What is known of an entry that is not a folder; `None` if there is none.
pub(super) fn letter(folder: &Handle, name: &str, place: &Path) -> Result<Option<Letter>, StoreError> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => Ok(None),
        Ok(stat) => Ok(Some(Letter {
            modified: modified(&stat),
            name: name.to_owned(),
            size: u64::try_from(stat.st_size).unwrap_or(0),
        })),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(StoreError::io(place, errno)),
    }
}

#[allow(clippy::unnecessary_cast, reason = "the fields' types differ between systems")]
fn modified(stat: &Stat) -> (i64, u32) {
    (stat.st_mtime as i64, stat.st_mtime_nsec as u32)
}

pub(super) fn names(folder: &Handle, place: &Path, limit: usize) -> Result<Vec<String>, StoreError> {
    let failed = |errno: Errno| StoreError::io(place, errno);
    let mut names = Vec::new();
    let listing = match rustix::fs::Dir::read_from(folder) {
        Ok(listing) => listing,
        // Removed since it was opened.
        Err(Errno::NOENT) => return Ok(names),
        Err(errno) => return Err(failed(errno)),
    };
    for entry in listing.take(limit) {
        // A name that is not text cannot be shown, so it is left alone.
        names.extend(entry.map_err(failed)?.file_name().to_str().ok().map(str::to_owned));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_removed_while_it_is_listed_holds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("inbox");
        std::fs::create_dir(&place).unwrap();
        let opened = open(folder.path(), ["inbox"].into_iter()).unwrap().unwrap();
        std::fs::remove_dir(&place).unwrap();
        assert_eq!(names(&opened, &place, 10).unwrap(), [""; 0]);
    }
}
