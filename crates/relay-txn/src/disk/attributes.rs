//! Giving a staged file the mode, owner, group, access lists and extended attributes it shall have.

use std::fs::File;
use std::io;

use rustix::fs::{Gid, Mode, Uid};
use rustix::io::Errno;

use super::Disk;
use super::unix::raw_mode;
use crate::fs::Attributes;

/// Applies `attributes` to a file that nobody else can reach yet.
pub(super) fn give(disk: &Disk, file: &File, attributes: Attributes<'_>) -> io::Result<()> {
    let like = attributes.like.map(|path| disk.open(path)).transpose()?;
    if let Some(like) = &like {
        take_owner(like, file)?;
    } else if let Some(folder) = attributes.folder {
        inherit_group(disk, folder, file)?;
    }
    // After the owner, because changing that one clears bits of the mode.
    if let Some(mode) = attributes.mode {
        rustix::fs::fchmod(file, raw_mode(mode))?;
    }
    match &like {
        Some(like) => copy_extended(like, file),
        None => Ok(()),
    }
}

/// The new content belongs to whom the old one belonged. A group one is not in can be lost; an owner may not be.
fn take_owner(like: &File, file: &File) -> io::Result<()> {
    let (old, new) = (rustix::fs::fstat(like)?, rustix::fs::fstat(file)?);
    if old.st_uid != new.st_uid {
        rustix::fs::fchown(file, Some(Uid::from_raw(old.st_uid)), None)?;
    }
    if old.st_gid != new.st_gid {
        allow_denied(rustix::fs::fchown(file, None, Some(Gid::from_raw(old.st_gid))))?;
    }
    Ok(())
}

/// What the system does when a file is created in the folder itself instead of being moved there.
fn inherit_group(disk: &Disk, folder: &str, file: &File) -> io::Result<()> {
    let folder = match disk.folder(folder) {
        Ok(folder) => folder,
        // It will be made; then it has no group of its own to hand on.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let stat = rustix::fs::fstat(&folder)?;
    // The bit that makes new files in a folder take over its group.
    if Mode::from_raw_mode(stat.st_mode).contains(Mode::SGID) {
        allow_denied(rustix::fs::fchown(file, None, Some(Gid::from_raw(stat.st_gid))))?;
    }
    Ok(())
}

fn allow_denied(result: Result<(), Errno>) -> io::Result<()> {
    match result {
        Err(Errno::PERM) => Ok(()),
        other => Ok(other?),
    }
}

/// Copies what the file system lets us copy: access lists, labels, user attributes.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn copy_extended(like: &File, file: &File) -> io::Result<()> {
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, flistxattr_query, fsetxattr};
    /// The kernel's own limit for the list of names, and for one value.
    const MAX_BYTES: usize = 64 * 1024;

    // Asking for the size first keeps the usual case, none at all, free of a large buffer.
    match flistxattr_query(like) {
        Ok(0) | Err(Errno::NOTSUP) => return Ok(()),
        Ok(_) => {}
        Err(errno) => return Err(errno.into()),
    }
    let mut names = vec![0; MAX_BYTES];
    let length = flistxattr(like, names.as_mut_slice())?;
    names.truncate(length);
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let mut value = vec![0; MAX_BYTES];
        let length = match fgetxattr(like, name, value.as_mut_slice()) {
            Ok(length) => length,
            Err(Errno::PERM | Errno::ACCESS | Errno::NODATA | Errno::NOTSUP) => continue,
            Err(errno) => return Err(errno.into()),
        };
        value.truncate(length);
        match fsetxattr(file, name, &value, XattrFlags::empty()) {
            Ok(()) | Err(Errno::PERM | Errno::ACCESS | Errno::NOTSUP) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn copy_extended(_like: &File, _file: &File) -> io::Result<()> {
    Ok(())
}
