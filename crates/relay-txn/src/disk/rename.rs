//! Renaming in the three ways the protocol needs, with what to do where the system has only one of them.

use std::io;

use relay_workspace::Dir;
use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;

use crate::fs::Rename;

/// A name inside a folder that is held open.
type Entry<'a> = (&'a Dir, &'a str);

/// Renames in one step, or fails without having done anything.
pub(super) fn rename(from: Entry<'_>, to: Entry<'_>, how: Rename) -> io::Result<()> {
    let result = match how {
        Rename::Replace => rustix::fs::renameat(from.0, from.1, to.0, to.1),
        Rename::NoReplace | Rename::Exchange => flagged(from, to, how),
    };
    match (result, how) {
        (Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP), Rename::Exchange) => {
            Err(io::ErrorKind::Unsupported.into())
        }
        (Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP), Rename::NoReplace) => link(from, to),
        (other, _) => Ok(other?),
    }
}

/// A link never replaces anything either. Between its two steps the file has both names, which recovery understands.
fn link(from: Entry<'_>, to: Entry<'_>) -> io::Result<()> {
    let is_folder = |stat: rustix::fs::Stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
    if rustix::fs::statat(from.0, from.1, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(is_folder) {
        return move_folder(from, to);
    }
    rustix::fs::linkat(from.0, from.1, to.0, to.1, AtFlags::empty())?;
    Ok(rustix::fs::unlinkat(from.0, from.1, AtFlags::empty())?)
}

/// A folder cannot be linked, but a rename of one replaces nothing except an empty folder.
fn move_folder(from: Entry<'_>, to: Entry<'_>) -> io::Result<()> {
    match rustix::fs::statat(to.0, to.1, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(Errno::NOENT) => Ok(rustix::fs::renameat(from.0, from.1, to.0, to.1)?),
        Err(errno) => Err(errno.into()),
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn flagged(from: Entry<'_>, to: Entry<'_>, how: Rename) -> Result<(), Errno> {
    use rustix::fs::RenameFlags;
    let flags = if how == Rename::Exchange { RenameFlags::EXCHANGE } else { RenameFlags::NOREPLACE };
    rustix::fs::renameat_with(from.0, from.1, to.0, to.1, flags)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn flagged(_from: Entry<'_>, _to: Entry<'_>, _how: Rename) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use relay_workspace::Workspace;

    #[test]
    fn without_the_systems_help_nothing_is_replaced_either() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["file", "taken"] {
            std::fs::write(at(name), name).unwrap();
        }
        std::fs::create_dir(at("folder")).unwrap();
        std::fs::write(at("folder/in"), "in").unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let root = workspace.root_dir();
        for name in ["file", "folder"] {
            let error = link((root, name), (root, "taken")).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{name}");
            link((root, name), (root, &format!("{name}.moved"))).unwrap();
            assert!(!at(name).exists());
        }
        assert_eq!(std::fs::read_to_string(at("taken")).unwrap(), "taken");
        assert_eq!(std::fs::read_to_string(at("file.moved")).unwrap(), "file");
        assert_eq!(std::fs::read_to_string(at("folder.moved/in")).unwrap(), "in");
    }
}
