//! Renaming in the three ways the protocol needs, with what to do where the system has only one of them.

use std::io;

use relay_workspace::Dir;
use rustix::fs::AtFlags;
use rustix::io::Errno;

use crate::fs::Rename;

/// A name inside a folder that is held open.
type Place<'a> = (&'a Dir, &'a str);

/// Renames in one step, or fails without having done anything.
pub(super) fn rename(from: Place<'_>, to: Place<'_>, how: Rename) -> io::Result<()> {
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
fn link(from: Place<'_>, to: Place<'_>) -> io::Result<()> {
    rustix::fs::linkat(from.0, from.1, to.0, to.1, AtFlags::empty())?;
    Ok(rustix::fs::unlinkat(from.0, from.1, AtFlags::empty())?)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn flagged(from: Place<'_>, to: Place<'_>, how: Rename) -> Result<(), Errno> {
    use rustix::fs::RenameFlags;
    let flags = if how == Rename::Exchange { RenameFlags::EXCHANGE } else { RenameFlags::NOREPLACE };
    rustix::fs::renameat_with(from.0, from.1, to.0, to.1, flags)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn flagged(_from: Place<'_>, _to: Place<'_>, _how: Rename) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}
