//! Watches of the kernel (inotify) on folders.
//!
//! The kernel queues an event before the call that caused it returns, so whatever a program did before it ended has its
//! event by then. Reading files makes none: only changes are asked for. When the queue is full the kernel says so, which
//! counts as a change, and all watches are made anew because the end of some may have been lost as well.

use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use crate::dir::Dir;

/// Everything that changes what a survey would find. A file that was open for writing is reported once more when it is
/// closed, which is the only event after writing through a memory map.
const CHANGES: WatchFlags = WatchFlags::MODIFY
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// File systems of which this machine sees every change, by the numbers that `statfs` gives: ext, XFS, Btrfs, F2FS, ZFS,
/// tmpfs. Not among them: network file systems, FUSE, and overlays, whose layers can change underneath.
const OWN: [u32; 6] = [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x2FC1_2FC1, 0x0102_1994];

/// Room for a few hundred events at once.
const BUFFER_BYTES: usize = 16 << 10;

/// A folder's identity: device and inode. A watch keeps the inode from being used for another one.
type Folder = (u64, u64);

#[derive(Debug)]
pub(super) struct Watches {
    inotify: OwnedFd,
    by_folder: HashMap<Folder, i32>,
    by_watch: HashMap<i32, Folder>,
    /// Whether the file system on a device is one of [`OWN`].
    devices: HashMap<u64, bool>,
    events: u64,
}

impl Watches {
    pub(super) fn start() -> Option<Self> {
        Self::after(0)
    }

    fn after(events: u64) -> Option<Self> {
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
        let (by_folder, by_watch, devices) = (HashMap::new(), HashMap::new(), HashMap::new());
        Some(Self { inotify, by_folder, by_watch, devices, events })
    }

    /// The same without any watch; that counts as a change.
    pub(super) fn renewed(self) -> Option<Self> {
        Self::after(self.events + 1)
    }

    pub(super) fn len(&self) -> usize {
        self.by_folder.len()
    }

    /// How many events there were; `None` if they cannot be read.
    pub(super) fn pulse(&mut self) -> Option<u64> {
        let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
        let mut reader = Reader::new(self.inotify.as_fd(), &mut buffer);
        let mut has_lost = false;
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => continue,
                Err(_) => return None,
            };
            self.events += 1;
            has_lost |= event.events().contains(ReadFlags::QUEUE_OVERFLOW);
            if event.events().contains(ReadFlags::IGNORED)
                && let Some(folder) = self.by_watch.remove(&event.wd())
            {
                self.by_folder.remove(&folder);
            }
        }
        if has_lost {
            *self = Self::after(self.events + 1)?;
        }
        Some(self.events)
    }

    /// Watches a folder. `None` if there are no watches to be had, false if this one cannot be watched.
    pub(super) fn cover(&mut self, dir: &Dir) -> Option<bool> {
        let Ok(stat) = rustix::fs::fstat(dir) else { return Some(false) };
        let folder = (stat.st_dev, stat.st_ino);
        if self.by_folder.contains_key(&folder) {
            return Some(true);
        }
        let is_own = |dir: &Dir| {
            rustix::fs::fstatfs(dir)
                .is_ok_and(|about| u32::try_from(about.f_type).is_ok_and(|kind| OWN.contains(&kind)))
        };
        if !*self.devices.entry(folder.0).or_insert_with(|| is_own(dir)) {
            return Some(false);
        }
        // By its handle, so that it is this folder whatever its name leads to by now.
        let handle = format!("/proc/self/fd/{}", dir.as_fd().as_raw_fd());
        match inotify::add_watch(&self.inotify, handle, CHANGES) {
            Ok(watch) => {
                self.by_folder.insert(folder, watch);
                self.by_watch.insert(watch, folder);
                Some(true)
            }
            Err(Errno::NOSPC | Errno::NOMEM | Errno::NOENT) => None,
            Err(_) => Some(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_that_others_can_change_is_not_covered() {
        let mut watches = Watches::start().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &std::path::Path| Dir::open_root(path).unwrap();
        assert_eq!(watches.cover(&at(std::path::Path::new("/proc/self"))), Some(false));
        assert_eq!(watches.cover(&at(folder.path())), Some(true));
        assert_eq!((watches.len(), watches.pulse()), (1, Some(0)));
        std::fs::write(folder.path().join("new"), "").unwrap();
        assert!(watches.pulse() > Some(0));
    }

    #[test]
    fn a_folder_that_is_gone_is_covered_no_more() {
        let mut watches = Watches::start().unwrap();
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(watches.cover(&Dir::open_root(folder.path()).unwrap()), Some(true));
        drop(folder);
        assert!(watches.pulse() > Some(0));
        assert_eq!(watches.len(), 0);
    }
}
