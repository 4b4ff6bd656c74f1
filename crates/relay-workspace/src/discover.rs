//! Finds the root of the workspace a folder belongs to, by looking at names only.
//!
//! Folders above the start may belong to another program: anyone can put a `.relaycode` into a shared temporary folder.
//! So a mark found above the start counts only if its owner is the user, the system, or the owner of the start; the
//! last is for containers, where a user works as root on another user's files. Marks in a folder that all users share,
//! such as `/tmp`, never count for what is below: other programs put them there too, if only for a moment. The
//! sandboxes of some agents do so to keep a missing `.git` from being created.

use std::path::{Path, PathBuf};

use crate::{CONFIG_FILE, STATE_FOLDER};

/// The root for a canonical start folder.
pub(crate) fn root_of(start: &Path) -> PathBuf {
    nearest_with(start, &[CONFIG_FILE, STATE_FOLDER])
        .or_else(|| git_top_of(start))
        .unwrap_or_else(|| start.to_path_buf())
}

/// The nearest folder upwards with a `.git`, which is a folder, or a file in linked work trees and submodules.
pub(crate) fn git_top_of(start: &Path) -> Option<PathBuf> {
    nearest_with(start, &[".git"])
}

fn nearest_with(start: &Path, marks: &[&str]) -> Option<PathBuf> {
    let owners = Owners::of(start);
    start
        .ancestors()
        .find(|folder| {
            marks.iter().any(|mark| {
                std::fs::symlink_metadata(folder.join(mark))
                    .is_ok_and(|mark| *folder == start || (owners.include(&mark) && !is_shared(folder)))
            })
        })
        .map(Path::to_path_buf)
}

/// Whether the folder is shared and sticky, like `/tmp`.
#[cfg(unix)]
fn is_shared(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    const STICKY_AND_WRITABLE_FOR_OTHERS: u32 = 0o1002;
    std::fs::metadata(folder)
        .is_ok_and(|folder| folder.mode() & STICKY_AND_WRITABLE_FOR_OTHERS == STICKY_AND_WRITABLE_FOR_OTHERS)
}

#[cfg(not(unix))]
fn is_shared(_folder: &Path) -> bool {
    false
}

#[cfg(unix)]
struct Owners {
    user: u32,
    start: Option<u32>,
}

#[cfg(unix)]
impl Owners {
    fn of(start: &Path) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let user = rustix::process::geteuid().as_raw();
        Self { user, start: std::fs::metadata(start).ok().map(|metadata| metadata.uid()) }
    }

    fn include(&self, mark: &std::fs::Metadata) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let owner = mark.uid();
        owner == 0 || owner == self.user || Some(owner) == self.start
    }
}

/// Owners cannot be determined here; profiles of different users do not share parents that all may write to.
#[cfg(not(unix))]
struct Owners;

#[cfg(not(unix))]
impl Owners {
    fn of(_start: &Path) -> Self {
        Self
    }

    fn include(&self, _mark: &std::fs::Metadata) -> bool {
        true
    }
}
