//! The folder git takes for the repository's common folder: links to its data, and a config that Relay wrote.

use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::error::GitError;
use super::place::Place;

/// What git may use of a repository's common folder. Not among them: `config`, `hooks`, `modules`, `worktrees`.
const DATA: [&str; 6] = ["objects", "refs", "packed-refs", "reftable", "shallow", "info"];

/// A folder for one repository, removed when it is dropped.
#[derive(Debug)]
pub(super) struct Shelter {
    folder: PathBuf,
    _removed_on_drop: TempDir,
}

impl Shelter {
    /// An empty folder that only this user can enter.
    pub(super) fn make() -> Result<Self, GitError> {
        let failed = |source| GitError::Unreadable { path: std::env::temp_dir(), source };
        let made = tempfile::Builder::new().prefix("relay-git-").tempdir().map_err(failed)?;
        // Git runs in another folder, and a temporary folder may be named relative to this one.
        let folder = made.path().canonicalize().map_err(failed)?;
        Ok(Self { folder, _removed_on_drop: made })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Puts in what git needs.
    pub(super) fn furnish(&self, place: &Place, config: &str) -> Result<(), GitError> {
        for name in DATA {
            let target = place.common_dir.join(name);
            if target.exists() {
                let link = self.folder.join(name);
                symlink(&target, &link).map_err(|source| GitError::Unreadable { path: link, source })?;
            }
        }
        let path = self.folder.join("config");
        write(&path, config).map_err(|source| GitError::Unreadable { path, source })
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "neither a workspace file nor user data: a new folder for one call"
)]
fn write(path: &Path, text: &str) -> io::Result<()> {
    std::fs::write(path, text)
}

#[cfg(unix)]
fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Elsewhere links need rights that few users have, so git is not called at all.
#[cfg(not(unix))]
fn symlink(_target: &Path, _link: &Path) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "git is called safely on Unix systems only"))
}
