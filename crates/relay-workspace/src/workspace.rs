//! The workspace: a root the user chose, held open, and everything that can be read below it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use relay_diagnostics::display::visible_line;

use crate::dir::Dir;
use crate::read::{Facts, Kind, ReadError, Snapshot};
use crate::refusal::PathRefusal;
use crate::rel_path::{InWorkspace, OwnPath, RelPath};
use crate::search::ScanCache;
use crate::{FILE_LIMIT_BYTES, discover};

/// A root folder and a handle on it.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    dir: Dir,
    scans: ScanCache,
}

/// Why there is no workspace here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// The folder cannot be opened.
    #[error("the folder `{}` cannot be opened: {source}", visible_line(&.path.to_string_lossy()))]
    Open {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl WorkspaceError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Open { .. } => Some("Name a folder that exists and that you may read."),
        }
    }
}

impl Workspace {
    /// Opens the workspace that a folder belongs to: the nearest folder upwards with Relay's configuration or state,
    /// else the nearest with a `.git`, else the folder itself. Looks only; starts no program.
    ///
    /// # Errors
    /// The folder does not exist, is not a folder, or may not be read.
    pub fn discover(start: &Path) -> Result<Self, WorkspaceError> {
        let start = canonical(start)?;
        Self::open_canonical(discover::root_of(&start))
    }

    /// Opens a folder as a workspace, whatever is in it.
    ///
    /// # Errors
    /// The folder does not exist, is not a folder, or may not be read.
    pub fn open(root: &Path) -> Result<Self, WorkspaceError> {
        Self::open_canonical(canonical(root)?)
    }

    fn open_canonical(root: PathBuf) -> Result<Self, WorkspaceError> {
        let dir =
            Dir::open_root(&root).map_err(|source| WorkspaceError::Open { path: root.clone(), source })?;
        Ok(Self { root, dir, scans: ScanCache::new() })
    }

    /// The root, absolute and without symbolic links in it. For display and as a working folder; opening goes through
    /// the handle.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Listings that are less than a second old. Writers in the workspace invalidate them.
    #[must_use]
    pub fn scans(&self) -> &ScanCache {
        &self.scans
    }

    /// The handle on the root.
    #[must_use]
    pub fn root_dir(&self) -> &Dir {
        &self.dir
    }

    /// Turns a path as it was written into a name that may be touched. A `..` that stays inside is resolved by name:
    /// `src/../src/a.rs` is `src/a.rs`.
    ///
    /// # Errors
    /// The rule it breaks. A `..` after a symbolic link is refused, because names and the disk disagree about where it
    /// leads.
    pub fn path(&self, raw: &str) -> Result<RelPath, PathRefusal> {
        if raw.starts_with('/') || !raw.split('/').any(|name| name == "..") {
            return RelPath::new(raw);
        }
        let mut names: Vec<&str> = Vec::new();
        for name in raw.split('/') {
            match name {
                "" | "." => {}
                ".." if names.is_empty() => return Err(PathRefusal::ParentFolder { path: raw.to_owned() }),
                ".." => {
                    self.check_parent(raw, &names.join("/"))?;
                    names.pop();
                }
                name => names.push(name),
            }
        }
        if matches!(raw.rsplit('/').next(), Some("" | "." | "..")) {
            return Err(PathRefusal::Folder { path: raw.to_owned() });
        }
        RelPath::new(&names.join("/"))
    }

    /// Whether a `..` after this folder is the folder it is in, by name as well as on disk.
    fn check_parent(&self, raw: &str, folder: &str) -> Result<(), PathRefusal> {
        let folder = RelPath::new(folder)?;
        let link = match self.facts(&folder) {
            Ok(Some(facts)) if facts.kind == Kind::Symlink => Some(folder.as_str().to_owned()),
            Err(ReadError::Symlink { link, .. }) => Some(link),
            _ => None,
        };
        link.map_or(Ok(()), |link| Err(PathRefusal::ParentOfLink { path: raw.to_owned(), link }))
    }

    /// Reads a file; `None` when it or a parent does not exist.
    ///
    /// # Errors
    /// A link is in the way, it is not a regular file, it has more than [`FILE_LIMIT_BYTES`], or the system refuses.
    pub fn read(&self, path: &impl InWorkspace) -> Result<Option<Snapshot>, ReadError> {
        self.dir.read(path.as_str(), FILE_LIMIT_BYTES)
    }

    /// Opens a regular file for reading; `None` when it or a parent does not exist.
    ///
    /// # Errors
    /// A link is in the way, it is not a regular file, or the system refuses.
    pub fn open_file(&self, path: &impl InWorkspace) -> Result<Option<(File, Facts)>, ReadError> {
        self.dir.open_file(path.as_str())
    }

    /// What is at a path, without opening or following it; `None` when nothing is.
    ///
    /// # Errors
    /// A parent is a link or no folder, or the system refuses.
    pub fn facts(&self, path: &impl InWorkspace) -> Result<Option<Facts>, ReadError> {
        self.dir.facts(path.as_str())
    }

    /// Where a symbolic link points, as it is stored; `None` when nothing is at that path.
    ///
    /// # Errors
    /// It is not a link, a parent is a link or no folder, or the system refuses.
    pub fn read_link(&self, path: &impl InWorkspace) -> Result<Option<Vec<u8>>, ReadError> {
        self.dir.read_link(path.as_str())
    }

    /// Opens a folder; `None` when it or a parent does not exist.
    ///
    /// # Errors
    /// A link or something that is not a folder is in the way, or the system refuses.
    pub fn open_dir(&self, path: &impl InWorkspace) -> Result<Option<Dir>, ReadError> {
        self.dir.open_dir(path.as_str())
    }

    /// Opens the folder that a path is in, which may be the root; `None` when it does not exist. Together with the
    /// path's last component this is all a writer needs.
    ///
    /// # Errors
    /// A link or something that is not a folder is in the way, or the system refuses.
    pub fn parent_dir(&self, path: &impl InWorkspace) -> Result<Option<Dir>, ReadError> {
        match path.as_str().rsplit_once('/') {
            None => self.dir.try_clone().map(Some),
            Some((parent, _)) => self.dir.open_dir(parent),
        }
    }

    /// Opens the folder `.relaycode`; `None` when it does not exist.
    ///
    /// # Errors
    /// It is a link or no folder, as a planted one would be, or the system refuses.
    pub fn state_dir(&self) -> Result<Option<Dir>, ReadError> {
        self.open_dir(&OwnPath::state_folder())
    }

    /// Whether two paths are one file now: two spellings on a file system that ignores case or composition, or two hard
    /// links. Asked by inode, since only the file system knows how it compares names.
    ///
    /// # Errors
    /// As [`Workspace::facts`].
    pub fn same_file(&self, a: &impl InWorkspace, b: &impl InWorkspace) -> Result<bool, ReadError> {
        Ok(match (self.facts(a)?, self.facts(b)?) {
            (Some(a), Some(b)) => a.is_same_file(&b),
            _ => false,
        })
    }

    /// Whether the root lies in a git work tree.
    #[must_use]
    pub fn is_git(&self) -> bool {
        discover::git_top_of(&self.root).is_some()
    }
}

fn canonical(path: &Path) -> Result<PathBuf, WorkspaceError> {
    std::fs::canonicalize(path).map_err(|source| WorkspaceError::Open { path: path.to_path_buf(), source })
}
