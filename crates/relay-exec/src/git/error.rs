//! Why git has no answer.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::program::Output;
use crate::run::End;

/// Why git has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GitError {
    /// There is no git in PATH.
    #[error("git is not installed")]
    NotInstalled,
    /// No folder from here upwards has a usable `.git`.
    #[error("not a git repository: `{}`", .folder.display())]
    NoRepository {
        /// Where the search began.
        folder: PathBuf,
    },
    /// `.git` leads to the repository of another work tree.
    #[error("`{}` leads to `{}`, which does not belong to this folder", .mark.display(), .git_dir.display())]
    NotOurs {
        /// The `.git`.
        mark: PathBuf,
        /// What it leads to.
        git_dir: PathBuf,
    },
    /// A file that git would write leads elsewhere.
    #[error("`{}` is a link, so Relay does not write through it", .path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// A file of the repository, or the folder Relay makes for git, cannot be used.
    #[error("`{}` cannot be used: {source}", .path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The repository's config is not one.
    #[error("`{}` cannot be read: {said}", .path.display())]
    Config {
        /// The config.
        path: PathBuf,
        /// What git said about it.
        said: String,
    },
    /// The repository needs something of git that Relay does not know to be safe.
    #[error("the repository sets `{setting}` to a value that Relay does not pass on to git")]
    Extension {
        /// The setting.
        setting: String,
    },
    /// Git failed.
    #[error("{said}")]
    Failed {
        /// What it said.
        said: String,
    },
    /// Git failed in a clone that lacks objects, which Relay does not fetch.
    #[error(
        "{said} (this is a partial clone, and Relay fetches no missing objects; run the git command yourself once)"
    )]
    Incomplete {
        /// What it said.
        said: String,
    },
}

/// The first line of what git has to say about its failure.
pub(super) fn said(output: &Output) -> String {
    let errors = output.stderr.text();
    match (errors.lines().find(|line| !line.trim().is_empty()), &output.end) {
        (Some(line), _) => line.trim().to_owned(),
        (None, End::TimedOut) => "git took too long".to_owned(),
        (None, End::Cancelled) => "interrupted".to_owned(),
        (None, _) => "git could not be run".to_owned(),
    }
}
