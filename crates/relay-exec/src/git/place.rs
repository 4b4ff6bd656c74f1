//! Which repository a folder belongs to.
//!
//! Only a `.git` makes a repository. A folder that looks like a bare repository is not one here: anyone can commit such a
//! folder, config and all, into an ordinary project. And a `.git` that leads elsewhere must lead to a repository that
//! belongs to this folder, because an archive can bring a `.git` that names the user's other projects.

use std::fs::Metadata;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::error::GitError;
use super::settings::Settings;

/// The name of a repository's folder, or of the file that leads to it.
const MARK: &str = ".git";
/// Files that hold one path are not longer than this.
const PATH_LIMIT_BYTES: u64 = 1 << 16;

/// A work tree and its repository, all paths canonical.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) work_tree: PathBuf,
    /// What is this work tree's own: `HEAD`, `index`.
    pub(super) git_dir: PathBuf,
    /// What all work trees of a repository share: objects, references, `config`.
    pub(super) common_dir: PathBuf,
}

impl Place {
    /// The nearest repository from a canonical folder upwards.
    pub(super) fn find(start: &Path) -> Result<Self, GitError> {
        let owners = Owners::of(start);
        for folder in start.ancestors() {
            let mark = folder.join(MARK);
            let Ok(facts) = std::fs::symlink_metadata(&mark) else { continue };
            let is_anyones = is_shared(folder) || !owners.include(&facts);
            if folder != start && is_anyones {
                continue;
            }
            match git_dir_of(&mark) {
                Some(git_dir) => return Self::at(folder, mark, git_dir),
                // If a work tree's own repository is missing, the one around it is not meant.
                None if mark.is_file() => break,
                None => {}
            }
        }
        Err(GitError::NoRepository { folder: start.to_path_buf() })
    }

    fn at(folder: &Path, mark: PathBuf, git_dir: PathBuf) -> Result<Self, GitError> {
        let common_dir = match read_path(&git_dir.join("commondir")) {
            None => git_dir.clone(),
            Some(common_dir) => {
                // What a linked work tree shares is two folders up; another place would be another repository.
                let common_dir = git_dir.join(common_dir).canonicalize().ok();
                let expected = git_dir.parent().filter(|parent| parent.ends_with("worktrees"));
                match common_dir.filter(|found| expected.and_then(Path::parent) == Some(found)) {
                    Some(common_dir) => common_dir,
                    None => return Err(GitError::NotOurs { mark, git_dir }),
                }
            }
        };
        let is_own = match read_path(&git_dir.join("gitdir")) {
            _ if git_dir == mark => true,
            Some(back) => is_same(&git_dir.join(back), &mark),
            // A folder called `.git` belongs to the folder that it is in.
            None => !git_dir.ends_with(MARK),
        };
        if !is_own {
            return Err(GitError::NotOurs { mark, git_dir });
        }
        Ok(Self { work_tree: folder.to_path_buf(), git_dir, common_dir })
    }

    /// Refuses a repository that lies elsewhere and says itself that it belongs to another folder, or to none.
    pub(super) fn require_own_work_tree(&self, settings: &Settings) -> Result<(), GitError> {
        let mark = self.work_tree.join(MARK);
        if self.git_dir == mark || self.git_dir != self.common_dir {
            return Ok(());
        }
        let is_own = settings.last("core.worktree").map_or_else(
            || !settings.is_on("core.bare"),
            |work_tree| is_same(&self.git_dir.join(work_tree), &self.work_tree),
        );
        if is_own { Ok(()) } else { Err(GitError::NotOurs { mark, git_dir: self.git_dir.clone() }) }
    }

    /// How a file of the repository is called when a person reads about it.
    pub(super) fn shown(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.work_tree).unwrap_or(path).to_path_buf()
    }
}

/// What a `.git` leads to, if it is a repository. An empty folder of that name is a placeholder, and git goes on too.
fn git_dir_of(mark: &Path) -> Option<PathBuf> {
    let git_dir = if mark.is_dir() {
        mark.to_path_buf()
    } else {
        let text = read_path(mark)?;
        mark.parent()?.join(text.strip_prefix("gitdir:")?.trim_start())
    };
    let git_dir = git_dir.canonicalize().ok()?;
    git_dir.join("HEAD").symlink_metadata().is_ok().then_some(git_dir)
}

/// The path that a small file holds.
fn read_path(file: &Path) -> Option<String> {
    if !file.is_file() {
        return None;
    }
    let mut text = String::new();
    std::fs::File::open(file).ok()?.take(PATH_LIMIT_BYTES).read_to_string(&mut text).ok()?;
    Some(text.trim_end_matches(['\n', '\r']).to_owned())
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Whether all users may put things there, each their own: what one finds in `/tmp` says nothing about what is below.
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

/// Which `.git` above the start counts, as for the root of a workspace: one that belongs to the user, to the system, or
/// to the owner of the start.
#[cfg(unix)]
struct Owners {
    user: u32,
    start: Option<u32>,
}

#[cfg(unix)]
impl Owners {
    fn of(start: &Path) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let start = std::fs::metadata(start).ok().map(|start| start.uid());
        Self { user: rustix::process::geteuid().as_raw(), start }
    }

    fn include(&self, mark: &Metadata) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        mark.uid() == self.user || mark.uid() == 0 || Some(mark.uid()) == self.start
    }
}

#[cfg(not(unix))]
struct Owners;

#[cfg(not(unix))]
impl Owners {
    fn of(_start: &Path) -> Self {
        Self
    }

    fn include(&self, _mark: &Metadata) -> bool {
        true
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs::{Permissions, create_dir_all, set_permissions, write};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// Which folder counts as the work tree, seen from `a/b`, below a folder that has a repository.
    fn check(prepare: impl Fn(&Path), expected: Option<&str>) {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        create_dir_all(top.join(".git")).unwrap();
        write(top.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        create_dir_all(top.join("a/b")).unwrap();
        prepare(&top);
        let found = Place::find(&top.join("a/b")).ok().map(|place| place.work_tree);
        assert_eq!(found, expected.map(|folder| top.join(folder)));
    }

    #[test]
    fn only_a_dot_git_makes_a_repository() {
        check(|_| {}, Some(""));
        check(|top| create_dir_all(top.join("a/.git")).unwrap(), Some(""));
        let bare = |top: &Path| {
            write(top.join("a/b/HEAD"), "ref: refs/heads/main\n").unwrap();
            write(top.join("a/b/config"), "[core]\n\tworktree = .\n").unwrap();
            create_dir_all(top.join("a/b/objects")).unwrap();
            create_dir_all(top.join("a/b/refs")).unwrap();
        };
        check(bare, Some(""));
    }

    #[test]
    fn a_file_that_leads_nowhere_is_not_passed_over() {
        for text in ["gitdir: ../nowhere\n", "nonsense", ""] {
            check(|top| write(top.join("a/.git"), text).unwrap(), None);
        }
    }

    #[test]
    fn a_repository_in_a_shared_folder_does_not_count() {
        check(|top| set_permissions(top, Permissions::from_mode(0o1777)).unwrap(), None);
    }
}
