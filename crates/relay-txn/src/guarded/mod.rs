//! Files that no command of a model may change, as they were, so that they can be put back.
//!
//! Git's own settings and hooks, and Relay's configuration, are executed or obeyed later by other programs. Where the system
//! can keep a command from them it does; this is for where it cannot, and for files that did not exist: they are compared
//! after every command and put back. This is not a transaction: nothing that a reply may name is among them.

#![allow(
    clippy::disallowed_methods,
    reason = "git's folder is not reached by transactions, and is put back here alone"
)]

mod copies;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use relay_workspace::{CONFIG_FILE, STATE_FOLDER};

pub use copies::Copies;

/// Larger files are not put back, only reported.
const LIMIT_BYTES: u64 = 1 << 20;
/// More hooks than this are not looked at.
const MAX_HOOKS: usize = 200;
/// Where git keeps what belongs to a work tree, and what all work trees of a repository share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitFolders {
    /// The work tree's own.
    pub own: PathBuf,
    /// What they share.
    pub shared: PathBuf,
}

impl GitFolders {
    /// Those of a work tree that has its repository in itself.
    #[must_use]
    pub fn below(root: &Path) -> Self {
        Self { own: root.join(".git"), shared: root.join(".git") }
    }

    /// Files that name programs.
    fn files(&self) -> [PathBuf; 3] {
        [
            self.shared.join("config"),
            self.own.join("config.worktree"),
            self.shared.join("info").join("attributes"),
        ]
    }

    fn hooks(&self) -> PathBuf {
        self.shared.join("hooks")
    }
}

/// The files, as they were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guarded {
    root: PathBuf,
    git: Option<GitFolders>,
    files: BTreeMap<PathBuf, Was>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Was {
    Missing,
    File {
        mode: u32,
        bytes: Vec<u8>,
    },
    Link(PathBuf),
    /// A folder, or too large.
    Other,
}

/// A file that was put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// Its path, from the root of the workspace.
    pub path: String,
    /// Why it could not be put back.
    pub failure: Option<String>,
}

/// The places that commands may not write to, whether they exist or not.
#[must_use]
pub fn places(root: &Path, git: &GitFolders) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = git.files().into();
    places.push(git.hooks());
    places.extend(pointer(root, git));
    places.push(root.join(STATE_FOLDER));
    places.push(root.join(CONFIG_FILE));
    places
}

/// The file that leads a linked work tree to its repository.
fn pointer(root: &Path, git: &GitFolders) -> Option<PathBuf> {
    let place = root.join(".git");
    (git.own != place).then_some(place)
}

impl Guarded {
    /// Reads them below a root.
    #[must_use]
    pub fn read(root: &Path, git: &GitFolders) -> Self {
        let mut paths: Vec<PathBuf> = git.files().into();
        paths.extend(pointer(root, git));
        paths.push(root.join(CONFIG_FILE));
        let hooks = fs::read_dir(git.hooks()).into_iter().flatten().filter_map(Result::ok);
        paths.extend(hooks.map(|hook| hook.path()).take(MAX_HOOKS));
        let files = paths.into_iter().map(|path| (path.clone(), look(&path))).collect();
        Self { root: root.to_owned(), git: Some(git.clone()), files }
    }

    /// Puts back what is different now, and says what that was.
    #[must_use]
    pub fn restore(&self) -> Vec<Restored> {
        let Some(git) = &self.git else { return Vec::new() };
        let now = Self::read(&self.root, git);
        if now == *self {
            return Vec::new();
        }
        let paths = self.files.keys().chain(now.files.keys().filter(|path| !self.files.contains_key(*path)));
        paths
            .filter_map(|path| {
                let was = self.files.get(path).unwrap_or(&Was::Missing);
                let is = now.files.get(path).unwrap_or(&Was::Missing);
                (was != is).then(|| Restored {
                    path: path.strip_prefix(&self.root).unwrap_or(path).display().to_string(),
                    failure: put_back(path, was).err().map(|error| error.to_string()),
                })
            })
            .collect()
    }
}

fn look(path: &Path) -> Was {
    let Ok(about) = fs::symlink_metadata(path) else { return Was::Missing };
    if about.is_symlink() {
        return fs::read_link(path).map_or(Was::Other, Was::Link);
    }
    if !about.is_file() || about.len() > LIMIT_BYTES {
        return Was::Other;
    }
    let mut bytes = Vec::new();
    match fs::File::open(path).and_then(|file| file.take(LIMIT_BYTES + 1).read_to_end(&mut bytes)) {
        Ok(_) => Was::File { mode: system::mode(&about), bytes },
        Err(_) => Was::Other,
    }
}

/// Makes a path what it was. What is there now goes first, links themselves and not what they lead to.
fn put_back(path: &Path, was: &Was) -> io::Result<()> {
    if let Some(folder) = path.parent()
        && fs::symlink_metadata(folder).is_ok_and(|about| about.is_symlink())
    {
        fs::remove_file(folder)?;
        fs::create_dir(folder)?;
    }
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => fs::remove_dir_all(path)?,
        Ok(_) => fs::remove_file(path)?,
        Err(_) => {}
    }
    match was {
        Was::Missing => Ok(()),
        Was::Link(target) => system::link(target, path),
        Was::Other => Err(io::Error::other("it is too large to be kept")),
        Was::File { mode, bytes } => {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            system::create(path, *mode)?.write_all(bytes)
        }
    }
}

#[cfg(unix)]
mod system {
    use std::fs::{File, Metadata, OpenOptions};
    use std::io;
    use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
    use std::path::Path;

    pub(super) fn mode(about: &Metadata) -> u32 {
        about.mode() & 0o7777
    }

    /// Which file it is, and when anything about it changed last.
    pub(super) fn inode(about: &Metadata) -> (u64, i64, i64) {
        (about.ino(), about.ctime(), about.ctime_nsec())
    }

    pub(super) fn link(target: &Path, path: &Path) -> io::Result<()> {
        std::os::unix::fs::symlink(target, path)
    }

    pub(super) fn create(path: &Path, mode: u32) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).mode(mode).open(path)
    }
}

/// Where files have no mode, and links need a privilege.
#[cfg(not(unix))]
mod system {
    use std::fs::{File, Metadata, OpenOptions};
    use std::io;
    use std::path::Path;

    pub(super) fn mode(_: &Metadata) -> u32 {
        0
    }

    pub(super) fn inode(_: &Metadata) -> (u64, i64, i64) {
        (0, 0, 0)
    }

    pub(super) fn link(_: &Path, _: &Path) -> io::Result<()> {
        Err(io::Error::other("it was a link"))
    }

    pub(super) fn create(path: &Path, _: u32) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_changed_and_removed_files_are_restored() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join(".git/hooks")).unwrap();
        fs::write(root.join(".git/config"), "[core]\n").unwrap();
        fs::write(root.join(".git/hooks/pre-push"), "#!/bin/sh\n").unwrap();
        let guarded = Guarded::read(root, &GitFolders::below(root));
        assert!(guarded.restore().is_empty());
        fs::write(root.join(".git/config"), "[core]\nfsmonitor = evil\n").unwrap();
        fs::remove_file(root.join(".git/hooks/pre-push")).unwrap();
        fs::write(root.join(".git/hooks/post-commit"), "evil").unwrap();
        fs::write(root.join("relaycode.config.json"), "{}").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", root.join(".git/config.worktree")).unwrap();
        let restored = guarded.restore();
        assert!(restored.len() == 5 && restored.iter().all(|file| file.failure.is_none()), "{restored:?}");
        assert_eq!(Guarded::read(root, &GitFolders::below(root)), guarded);
        assert!(Path::new("/etc/passwd").exists());
    }

    #[test]
    fn a_folder_of_hooks_that_became_a_link_is_a_folder_again() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = folder.path();
        fs::create_dir_all(root.join(".git/hooks")).unwrap();
        fs::write(root.join(".git/hooks/pre-push"), "#!/bin/sh\n").unwrap();
        let guarded = Guarded::read(root, &GitFolders::below(root));
        fs::remove_dir_all(root.join(".git/hooks")).unwrap();
        fs::write(other.path().join("evil"), "x").unwrap();
        std::os::unix::fs::symlink(other.path(), root.join(".git/hooks")).unwrap();
        assert!(!guarded.restore().is_empty());
        assert_eq!(Guarded::read(root, &GitFolders::below(root)), guarded);
        assert!(other.path().join("evil").exists());
    }
}
