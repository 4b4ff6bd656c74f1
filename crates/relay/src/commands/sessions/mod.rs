//! `relay sessions`: the agent's own conversations.

mod change;
mod export;
mod import;
mod list;
mod search;
mod show;

use std::path::{Path, PathBuf};

use relay_agent::session::{SessionError, SessionLog};
use relay_diagnostics::Diagnostic;
use relay_store::Store;

use crate::cli::{AgentArgs, ExportFormat, SessionsArgs, SessionsCommand};
use crate::failure::{BAD_USAGE, ENVIRONMENT, Failure};
use crate::open;

pub use list::document;

/// `relay --export SESSION [OUT]`.
pub fn export_page(
    root: Option<&Path>,
    args: &AgentArgs,
    session: &Path,
    to: Option<&Path>,
) -> Result<u8, Failure> {
    let here = Here::new(root, args.session_dir.as_deref())?;
    let id = session.to_string_lossy();
    let name = session.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let usual = PathBuf::from(format!("session-{name}.html"));
    export::run(&here, &id, Some(to.unwrap_or(&usual)), ExportFormat::Html)
}

pub fn run(root: Option<&Path>, args: &SessionsArgs) -> Result<u8, Failure> {
    let here = Here::new(root, args.session_dir.as_deref())?;
    match &args.command {
        SessionsCommand::List { all, json } => list::run(&here, *all, *json),
        SessionsCommand::Show { id, tree, json } => show::run(&here, id, *tree, *json),
        SessionsCommand::Search { text, limit, json } => search::run(&here, &text.join(" "), *limit, *json),
        SessionsCommand::Rename { id, name } => change::rename(&here, id, &name.join(" ")),
        SessionsCommand::Label { id, entry, label } => change::label(&here, id, entry, label.as_deref()),
        SessionsCommand::Fork { id, at } => change::fork(&here, id, at.as_deref()),
        SessionsCommand::Export { id, output, format } => export::run(&here, id, output.as_deref(), *format),
        SessionsCommand::Import { files, from, list, json } => match from {
            Some(from) => import::found(&here, *from, *list, *json),
            None => import::files(&here, files, *json),
        },
        SessionsCommand::Delete { id, yes } => change::delete(&here, id, *yes),
    }
}

/// The user's data and the project the command runs in.
pub struct Here {
    pub store: Store,
    pub project: PathBuf,
}

impl Here {
    fn new(root: Option<&Path>, session_dir: Option<&Path>) -> Result<Self, Failure> {
        let project = open::workspace(root)?.root().to_path_buf();
        Ok(Self { store: open::store_with(session_dir)?, project })
    }

    /// The file of a session; this project's sessions are searched first.
    pub fn find(&self, id: &str) -> Result<PathBuf, Failure> {
        match SessionLog::find(&self.store, id, &self.project) {
            Err(SessionError::OtherProject { path, .. }) => Ok(path),
            found => found.map_err(|error| failure(&error)),
        }
    }

    /// A session, opened for writing.
    pub fn open(&self, id: &str) -> Result<SessionLog, Failure> {
        SessionLog::open(&self.store, &self.find(id)?).map_err(|error| failure(&error))
    }
}

/// What went wrong with a session, and what to do about it.
pub fn failure(error: &SessionError) -> Failure {
    let is_usage = matches!(
        error,
        SessionError::NotFound { .. } | SessionError::Ambiguous { .. } | SessionError::NoEntry { .. }
    );
    let code = if is_usage { BAD_USAGE } else { ENVIRONMENT };
    let diagnostic = Diagnostic::error(code, error.to_string());
    let diagnostic = match error.hint() {
        Some(hint) => diagnostic.hinted(hint),
        None => diagnostic,
    };
    if is_usage { Failure::usage(diagnostic) } else { Failure::general(diagnostic) }
}

/// `1 entry`, `2 entries`.
pub fn entries(number: usize) -> String {
    if number == 1 { "1 entry".to_owned() } else { format!("{number} entries") }
}
