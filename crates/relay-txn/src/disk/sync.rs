//! Making contents and names survive a power cut, in as few waits as possible.

use std::io;
use std::os::fd::AsFd;

use rustix::io::Errno;

use super::Disk;

/// From this many files and folders on, syncing the whole file system once is cheaper than syncing each.
#[cfg(target_os = "linux")]
const MANY: usize = 24;

/// Returns when everything named is on the disk. Stops at the first failure, which must not be retried.
pub(super) fn sync(disk: &Disk, files: &[String], folders: &[String]) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if files.len() + folders.len() >= MANY {
        // All of it is on the file system of the state folder: nothing was renamed across a border.
        return Ok(rustix::fs::syncfs(&*disk.folder(crate::layout::STATE)?)?);
    }
    for file in files {
        full_sync(disk.open(file)?)?;
    }
    for folder in folders {
        match full_sync(&*disk.folder(folder)?) {
            // Some file systems cannot sync a folder and report it; nothing more can be done.
            Err(Errno::INVAL | Errno::NOTSUP) => {}
            other => other?,
        }
    }
    Ok(())
}

#[cfg(target_vendor = "apple")]
fn full_sync(fd: impl AsFd) -> Result<(), Errno> {
    // `fsync` leaves the data in the drive's cache there.
    rustix::fs::fcntl_fullfsync(&fd).or_else(|_| rustix::fs::fsync(&fd))
}

#[cfg(not(target_vendor = "apple"))]
fn full_sync(fd: impl AsFd) -> Result<(), Errno> {
    rustix::fs::fsync(fd)
}
