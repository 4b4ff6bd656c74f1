//! `relay init`: turns a folder into a Relay project.

use relay_store::Store;
use relay_txn::project as files;
use relay_workspace::{OwnPath, Workspace};

use crate::approval::trust;
use crate::checks::lint::{PROGRAMS, ProjectFacts, suggest_linter};
use crate::engine::{EngineError, read_config};
use crate::project::config::Config;
use crate::project::name::{project_name, text};

pub use crate::project::name::ProjectName;

/// The line that keeps Relay's state out of git.
pub const IGNORE_LINE: &str = "/.relaycode/";

/// What happened to `.gitignore`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// There was none; it was made.
    FileMade,
    /// The entry was added.
    LineAdded,
    /// The entry was there.
    Present,
}

/// What `relay init` found or did.
#[derive(Clone, Debug)]
pub enum Init {
    /// There was a config already; nothing was changed.
    Existing {
        /// Its settings.
        config: Config,
    },
    /// A new project.
    Created {
        /// The settings that were written.
        config: Config,
        /// The project's name and where it comes from.
        name: ProjectName,
        /// Why the config has this linter, or none.
        linter_reason: String,
        /// What happened to `.gitignore`.
        ignored: Ignored,
    },
}

/// Whether there is a config already.
///
/// # Errors
/// There is one, and it cannot be used.
pub fn is_initialised(workspace: &Workspace) -> Result<bool, EngineError> {
    Ok(read_config(workspace)?.is_some())
}

/// What `relay init` would write.
#[derive(Clone, Debug)]
pub struct Proposed {
    /// The settings.
    pub config: Config,
    /// The project's name and where it comes from.
    pub name: ProjectName,
    /// Why this linter, or none.
    pub linter_reason: String,
}

/// What `relay init` would write, for showing it first.
#[must_use]
pub fn propose(workspace: &Workspace) -> Proposed {
    let name = project_name(workspace);
    let (linter, linter_reason) = choose_linter(workspace);
    let config = Config { project_id: Some(name.name.clone()), linter, ..Config::default() };
    Proposed { config, name, linter_reason }
}

/// Writes the config, the state folder and the ignore entry, unless there is a config already.
///
/// The commands written here were chosen by Relay and shown to the user, so they are trusted; those of a config that
/// came with the repository are not.
///
/// # Errors
/// A file cannot be read or written. Nothing is half done: each step can be repeated.
pub fn init(workspace: &Workspace, store: &Store) -> Result<Init, EngineError> {
    if let Some((config, _)) = read_config(workspace)? {
        return Ok(Init::Existing { config });
    }
    let Proposed { config, name, linter_reason } = propose(workspace);
    files::ensure_state_dir(workspace)?;
    let ignored = ignore_state(workspace)?;
    files::create_file(workspace, &OwnPath::config(), config.to_json().as_bytes())?;
    trust::remember(store, workspace, &config)?;
    Ok(Init::Created { config, name, linter_reason, ignored })
}

fn ignore_state(workspace: &Workspace) -> Result<Ignored, EngineError> {
    let path = workspace.path(".gitignore").map_err(EngineError::Path)?;
    let existed = workspace.facts(&path).map_err(EngineError::Unreadable)?.is_some();
    Ok(match (files::append_line_once(workspace, &path, IGNORE_LINE)?, existed) {
        (true, false) => Ignored::FileMade,
        (true, true) => Ignored::LineAdded,
        (false, _) => Ignored::Present,
    })
}

/// The linter's command, empty for none, and the reason.
fn choose_linter(workspace: &Workspace) -> (String, String) {
    let entries = workspace.root_dir().entries().unwrap_or_default();
    let names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
    let package_json = text(workspace, "package.json");
    let pyproject_toml = text(workspace, "pyproject.toml");
    let setup_cfg = text(workspace, "setup.cfg");
    let programs: Vec<&str> =
        PROGRAMS.into_iter().filter(|program| is_installed(workspace, program)).collect();
    let facts = ProjectFacts {
        files: &names,
        package_json: package_json.as_deref(),
        pyproject_toml: pyproject_toml.as_deref(),
        setup_cfg: setup_cfg.as_deref(),
        programs: &programs,
    };
    match suggest_linter(&facts) {
        Ok(choice) => (choice.command, choice.reason),
        Err(reason) => (String::new(), reason),
    }
}

/// Whether a program can be run here. The project's own tsc can, through bun or npx.
fn is_installed(workspace: &Workspace, program: &str) -> bool {
    let is_local = || {
        let tsc = workspace.path("node_modules/.bin/tsc");
        tsc.is_ok_and(|path| workspace.facts(&path).is_ok_and(|facts| facts.is_some()))
    };
    let is_found = |program: &str| relay_exec::find_program(program).is_some();
    is_found(program) || (program == "tsc" && (is_found("bun") || is_found("npx")) && is_local())
}
