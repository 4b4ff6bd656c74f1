//! Gives a staged file its mode, owner, group, access lists and extended attributes.

use std::fs::File;
use std::io;

use rustix::fs::{Gid, Mode, Uid};
use rustix::io::Errno;

use super::Disk;
use super::unix::raw_mode;
use crate::belongings::{Belongings, Extended, Owner};
use crate::fs::{Attributes, Extras, Like};
use crate::limits::MAX_ATTRIBUTES_BYTES;

/// The kernel's own limit for the list of names, and for one value.
const MAX_BYTES: usize = 64 * 1024;

/// Applies `attributes` to a file that no other program can reach yet.
pub(super) fn give(disk: &Disk, file: &File, attributes: Attributes<'_>) -> io::Result<()> {
    if let Some(belongings) = attributes.belongings {
        return give_back(file, belongings, attributes.mode);
    }
    let like = match attributes.like {
        Some(Like { bare: Some(owner), .. }) => {
            take_owner(owner, file)?;
            None
        }
        Some(Like { path, bare: None }) => {
            let like = disk.open(path)?;
            let stat = rustix::fs::fstat(&like)?;
            take_owner(Owner { user: stat.st_uid, group: stat.st_gid }, file)?;
            Some(like)
        }
        None => None,
    };
    if attributes.like.is_none()
        && let Some(folder) = attributes.folder
    {
        inherit_group(disk, folder, file)?;
    }
    // After the owner, because changing that one clears bits of the mode.
    if let Some(mode) = attributes.mode.map(raw_mode)
        && Mode::from_raw_mode(rustix::fs::fstat(file)?.st_mode) != mode
    {
        rustix::fs::fchmod(file, mode)?;
    }
    match &like {
        Some(like) => copy_extended(like, file),
        None => Ok(()),
    }
}

/// Restores a deleted file's attributes, as far as this process may. A setuid program must not come back with another
/// owner's rights.
fn give_back(file: &File, belongings: &Belongings, mode: Option<u32>) -> io::Result<()> {
    let (user, group) = (Uid::from_raw(belongings.owner.user), Gid::from_raw(belongings.owner.group));
    let may = |given: Result<(), Errno>| match given {
        Err(Errno::PERM) => Ok(false),
        other => other.map(|()| true),
    };
    let has_group = may(rustix::fs::fchown(file, None, Some(group)))?;
    let has_owner = may(rustix::fs::fchown(file, Some(user), None))?;
    if let Some(mode) = mode {
        let lost = if has_owner { 0 } else { 0o4000 } | if has_group { 0 } else { 0o2000 };
        rustix::fs::fchmod(file, raw_mode(mode & !lost))?;
    }
    set_extended(file, belongings.extended.0.iter().map(|(name, value)| (name.as_bytes(), value.as_slice())))
}

/// The new content keeps the old owner. A group that the user is not in may be lost; an owner may not.
fn take_owner(old: Owner, file: &File) -> io::Result<()> {
    let new = rustix::fs::fstat(file)?;
    if old.user != new.st_uid {
        rustix::fs::fchown(file, Some(Uid::from_raw(old.user)), None)?;
    }
    if old.group != new.st_gid {
        allow_denied(rustix::fs::fchown(file, None, Some(Gid::from_raw(old.group))))?;
    }
    Ok(())
}

/// What the system does when a file is created in the folder itself instead of being moved there.
fn inherit_group(disk: &Disk, folder: &str, file: &File) -> io::Result<()> {
    let folder = match disk.folder(folder) {
        Ok(folder) => folder,
        // It will be created, so it has no group to inherit.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let stat = rustix::fs::fstat(&*folder)?;
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
fn copy_extended(like: &File, file: &File) -> io::Result<()> {
    let found = list_extended(like, |_| true)?.unwrap_or_default();
    set_extended(file, found.iter().map(|(name, value)| (name.as_slice(), value.as_slice())))
}

/// The extended attributes that are worth keeping when the file is gone: the user's own, access lists, capabilities.
/// Attributes that the system itself creates (labels, signatures) would not fit another file. Beyond
/// [`MAX_ATTRIBUTES_BYTES`] none are kept.
pub(crate) fn extended(file: &File) -> io::Result<Extended> {
    Ok(extras(file)?.kept)
}

/// The same, and whether the file has any others.
pub(super) fn extras(file: &File) -> io::Result<Extras> {
    let is_kept = |name: &[u8]| {
        name.starts_with(b"user.") || name == b"system.posix_acl_access" || name == b"security.capability"
    };
    let Some(found) = list_extended(file, is_kept)? else { return Ok(Extras::default()) };
    Ok(Extras { kept: worth_keeping(found), has_others: true })
}

fn worth_keeping(found: Vec<(Vec<u8>, Vec<u8>)>) -> Extended {
    if found.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>() > MAX_ATTRIBUTES_BYTES {
        return Extended::default();
    }
    let named = found.into_iter().filter_map(|(name, value)| Some((String::from_utf8(name).ok()?, value)));
    Extended(named.collect())
}

/// Names and values of extended attributes.
type Listed = Vec<(Vec<u8>, Vec<u8>)>;

/// Reads the attributes whose names are wanted; `None` if the file has no attributes at all.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn list_extended(file: &File, is_wanted: impl Fn(&[u8]) -> bool) -> io::Result<Option<Listed>> {
    use rustix::fs::{fgetxattr, flistxattr, flistxattr_query};

    // Asking for the size first keeps the usual case, none at all, free of a large buffer.
    match flistxattr_query(file) {
        Ok(0) | Err(Errno::NOTSUP) => return Ok(None),
        Ok(_) => {}
        Err(errno) => return Err(errno.into()),
    }
    let mut names = vec![0; MAX_BYTES];
    let length = flistxattr(file, names.as_mut_slice())?;
    names.truncate(length);
    let mut found = Vec::new();
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty() && is_wanted(name)) {
        let mut value = vec![0; MAX_BYTES];
        let length = match fgetxattr(file, name, value.as_mut_slice()) {
            Ok(length) => length,
            Err(Errno::PERM | Errno::ACCESS | Errno::NODATA | Errno::NOTSUP) => continue,
            Err(errno) => return Err(errno.into()),
        };
        value.truncate(length);
        found.push((name.to_vec(), value));
    }
    Ok(Some(found))
}

/// Sets what may be set.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn set_extended<'a>(file: &File, values: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> io::Result<()> {
    for (name, value) in values {
        match rustix::fs::fsetxattr(file, name, value, rustix::fs::XattrFlags::empty()) {
            Ok(()) | Err(Errno::PERM | Errno::ACCESS | Errno::NOTSUP) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn list_extended(_file: &File, _is_wanted: impl Fn(&[u8]) -> bool) -> io::Result<Option<Listed>> {
    Ok(None)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn set_extended<'a>(_file: &File, _values: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> io::Result<()> {
    Ok(())
}
