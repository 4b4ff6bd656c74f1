//! The one way Relay calls git: no program that a repository names is started.
//!
//! A repository is data from strangers, and its config can name programs for almost everything git does: filters, hooks,
//! file monitors, diff drivers, transports. Overriding each of them by name fails with the first setting that is not on
//! the list, so git never gets to see the repository's config. It runs with a common folder of Relay's own (a *shelter*)
//! that holds links to objects and references, and a config with the few harmless values that decide how files are read,
//! such as `core.autocrlf`. Hooks, includes, work tree configs and remotes live in the part that is left out.
//!
//! The user's own config (global and system) is read, because git-lfs and the like are set up there. Of the programs it
//! names only filters run; everything else is switched off in `surroundings`.
//!
//! This module does not decide what to report to a person. Callers ask [`Repository::ignored`] and [`Staged`].

mod error;
mod fresh;
mod hooks;
mod place;
pub mod plain;
mod settings;
mod shelter;
mod stage;
mod surroundings;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use error::GitError;
pub use fresh::create;
pub use hooks::{Hooks, hooks};
pub use settings::Ignored;
pub use stage::Staged;

use relay_diagnostics::Cancel;

use crate::find::find_program;
use crate::program::Output;
use crate::run::Tail;
use crate::supervise::{self, Finished, Job};

use place::Place;
use settings::Settings;
use shelter::Shelter;

/// How long git may take for each question.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Where git is, as far as it is installed.
#[must_use]
pub fn program() -> Option<PathBuf> {
    find_program("git")
}

/// Variables for a command of a model that may call git: file monitors of the repository do not run, nor do its hooks
/// unless the user trusts them.
#[must_use]
pub fn without_repository_programs(with_hooks: bool) -> Vec<(String, String)> {
    surroundings::without_repository_programs(with_hooks)
}

/// The folders outside a linked work tree that git has to write to: the repository it is a work tree of, if that says so
/// itself. None for any other folder.
#[must_use]
pub fn linked_to(folder: &Path) -> Option<Linked> {
    let folder = folder.canonicalize().ok()?;
    let Place { work_tree, git_dir, common_dir } = Place::find(&folder).ok()?;
    let is_linked = work_tree == folder && git_dir != common_dir && !common_dir.starts_with(&folder);
    is_linked.then_some(Linked { git_dir, common_dir })
}

/// Where a linked work tree's repository is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked {
    /// What is the work tree's own: `HEAD`, `index`.
    pub git_dir: PathBuf,
    /// What all work trees share: objects, references, `config`.
    pub common_dir: PathBuf,
}

/// The purpose of a call, which decides which of a repository's settings would have mattered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To read its references and what is staged.
    State,
    /// To show changes.
    Diff,
    /// To add files to its index.
    Stage,
}

/// A repository that git can be asked about, without its config.
#[derive(Debug)]
pub struct Repository {
    git: PathBuf,
    /// Where git runs: what paths are relative to.
    folder: PathBuf,
    place: Place,
    settings: Settings,
    shelter: Shelter,
}

impl Repository {
    /// The repository that this folder belongs to.
    ///
    /// # Errors
    /// There is none, it belongs to another folder or user, or its config cannot be read.
    pub fn open(folder: &Path, cancel: &Cancel) -> Result<Self, GitError> {
        let git = program().ok_or(GitError::NotInstalled)?;
        let folder = folder
            .canonicalize()
            .map_err(|source| GitError::Unreadable { path: folder.to_path_buf(), source })?;
        let place = Place::find(&folder)?;
        let shelter = Shelter::make()?;
        let settings = Settings::read(&git, &place, &shelter, cancel)?;
        place.require_own_work_tree(&settings)?;
        shelter.furnish(&place, &settings.harmless()?)?;
        Ok(Self { git, folder, place, settings, shelter })
    }

    /// Asks a question that changes nothing.
    ///
    /// # Errors
    /// What git said.
    pub fn ask(&self, question: &[&str], limit_bytes: usize, cancel: &Cancel) -> Result<Tail, GitError> {
        let read_only = ["--no-optional-locks"];
        self.run(&[&read_only, question].concat(), None, limit_bytes, cancel)
    }

    /// A diff as git writes it by itself: no external program, no conversion, no colours. Submodules are compared by
    /// their commits, because a look into their files would read *their* config.
    ///
    /// # Errors
    /// What git said.
    pub fn diff(&self, what: &[&str], limit_bytes: usize, cancel: &Cancel) -> Result<Tail, GitError> {
        let plain = [
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--ignore-submodules=dirty",
            "--submodule=short",
        ];
        self.ask(&[&plain, what].concat(), limit_bytes, cancel)
    }

    /// Programs that the repository's config names, which git would have started for this purpose and did not.
    #[must_use]
    pub fn ignored(&self, purpose: Purpose) -> Vec<Ignored> {
        self.settings.ignored(&self.place, purpose)
    }

    fn run(
        &self,
        arguments: &[&str],
        stdin: Option<&[u8]>,
        limit_bytes: usize,
        cancel: &Cancel,
    ) -> Result<Tail, GitError> {
        let mut command = surroundings::command(&self.git, &self.folder);
        command
            .env("GIT_DIR", &self.place.git_dir)
            .env("GIT_COMMON_DIR", self.shelter.folder())
            .env("GIT_WORK_TREE", &self.place.work_tree)
            .args(arguments);
        let output = run(command, stdin, limit_bytes, cancel);
        if output.success() {
            return Ok(output.stdout);
        }
        let said = error::said(&output);
        Err(if self.settings.is_partial_clone() {
            GitError::Incomplete { said }
        } else {
            GitError::Failed { said }
        })
    }
}

fn run(command: std::process::Command, stdin: Option<&[u8]>, limit_bytes: usize, cancel: &Cancel) -> Output {
    let Finished { end, stdout, stderr, duration, ended } = supervise::run(Job {
        command,
        is_merged: false,
        has_own_session: false,
        stdin,
        timeout: TIMEOUT,
        output_limit_bytes: limit_bytes,
        cancel,
        on_output: &mut |_| {},
    });
    Output { end, stdout, stderr, duration, ended }
}
