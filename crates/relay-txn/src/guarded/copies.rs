//! Copies of the ledger's records and blobs, for where the system cannot keep a command from them.
//!
//! Once written they never change, so one that is gone or different after a command is put back. What is new is left
//! alone: another Relay may have written it, and a record that was planted has no valid seal.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::{Restored, Was, put_back, system};
use crate::layout;

/// Larger files are not kept, only reported.
const FILE_BYTES: u64 = 8 << 20;
/// Nor is more than this altogether.
const ALL_BYTES: u64 = 64 << 20;

/// The records and blobs of a workspace, as they were last seen.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    files: BTreeMap<PathBuf, Kept>,
}

#[derive(Clone, Debug)]
struct Kept {
    seen: Seen,
    mode: u32,
    /// None for one that is too large.
    bytes: Option<Arc<[u8]>>,
}

/// What says that a file is as it was, without reading it: its size and time, and where there are such things its inode and
/// the time at which that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    size: u64,
    modified: Option<SystemTime>,
    inode: (u64, i64, i64),
}

impl Copies {
    /// Looks at them below a root; reads what is new.
    pub fn refresh(&mut self, root: &Path) {
        let mut files = BTreeMap::new();
        let mut total = 0;
        for (path, about) in listed(root) {
            let seen = Seen::of(&about);
            let kept = self.files.remove(&path).filter(|kept| kept.seen == seen);
            let kept = kept.unwrap_or_else(|| {
                let fits = about.len() <= FILE_BYTES && total + about.len() <= ALL_BYTES;
                Kept { seen, mode: system::mode(&about), bytes: read(&path).filter(|_| fits) }
            });
            total += kept.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
            files.insert(path, kept);
        }
        self.files = files;
    }

    /// Puts back those that are gone or different now, and says which.
    #[must_use]
    pub fn restore(&self, root: &Path) -> Vec<Restored> {
        let now: BTreeMap<PathBuf, Seen> =
            listed(root).into_iter().map(|(path, about)| (path, Seen::of(&about))).collect();
        let is_other = |path: &PathBuf, kept: &Kept| match now.get(path) {
            Some(seen) if *seen == kept.seen => false,
            Some(_) => kept.bytes.is_none() || read(path) != kept.bytes,
            None => true,
        };
        let others: Vec<(&PathBuf, &Kept)> =
            self.files.iter().filter(|(path, kept)| is_other(path, kept)).collect();
        if !others.is_empty() {
            make_folders(root);
        }
        others
            .into_iter()
            .map(|(path, kept)| {
                let was = match &kept.bytes {
                    Some(bytes) => Was::File { mode: kept.mode, bytes: bytes.to_vec() },
                    None => Was::Other,
                };
                Restored {
                    path: path.strip_prefix(root).unwrap_or(path).display().to_string(),
                    failure: put_back(path, &was).err().map(|error| error.to_string()),
                }
            })
            .collect()
    }
}

impl Seen {
    fn of(about: &fs::Metadata) -> Self {
        Self { size: about.len(), modified: about.modified().ok(), inode: system::inode(about) }
    }
}

/// Records and blobs below a root, links left out.
fn listed(root: &Path) -> Vec<(PathBuf, fs::Metadata)> {
    let is_record = |name: &str| name.ends_with(".yml") && !name.ends_with(".pending.yml");
    let mut found = Vec::new();
    for (folder, only_records) in [(layout::STATE, true), (layout::BLOBS, false)] {
        let folder = root.join(folder);
        if fs::symlink_metadata(&folder).is_ok_and(|about| about.is_symlink()) {
            continue;
        }
        for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
            let is_wanted = !only_records || entry.file_name().to_str().is_some_and(is_record);
            if let Some(about) = entry.metadata().ok().filter(|about| is_wanted && about.is_file()) {
                found.push((entry.path(), about));
            }
        }
    }
    found
}

fn read(path: &Path) -> Option<Arc<[u8]>> {
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(FILE_BYTES + 1).read_to_end(&mut bytes).ok()?;
    Some(bytes.into())
}

/// Makes the state folder and that of the blobs folders again, if they are gone or are links now. What cannot be made shows
/// when a file is put back.
fn make_folders(root: &Path) {
    for folder in [layout::STATE, layout::BLOBS].map(|folder| root.join(folder)) {
        if fs::symlink_metadata(&folder).is_ok_and(|about| !about.is_dir()) {
            fs::remove_file(&folder).ok();
        }
        fs::create_dir_all(&folder).ok();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn missing_and_changed_files_are_restored_and_new_ones_stay() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let put = |name: &str, text: &str| {
            let path = root.join(".relaycode").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("a.yml", "a");
        put("b.yml", "b");
        put("c.pending.yml", "c");
        put("blobs/1", "one");
        let mut copies = Copies::default();
        copies.refresh(root);
        assert!(copies.restore(root).is_empty());
        put("a.yml", "other");
        put("d.yml", "new");
        put("c.pending.yml", "changed");
        let restored = copies.restore(root);
        assert_eq!(restored, [Restored { path: ".relaycode/a.yml".to_owned(), failure: None }]);
        copies.refresh(root);
        fs::remove_dir_all(root.join(".relaycode")).unwrap();
        std::os::unix::fs::symlink("/", root.join(".relaycode")).unwrap();
        let restored = copies.restore(root);
        assert!(restored.len() == 4 && restored.iter().all(|file| file.failure.is_none()), "{restored:?}");
        let read = |name: &str| fs::read_to_string(root.join(".relaycode").join(name)).unwrap();
        assert_eq!([read("a.yml"), read("b.yml"), read("d.yml"), read("blobs/1")], ["a", "b", "new", "one"]);
    }
}
