//! `relay config` for the project's settings in `relaycode.config.json`.

use std::path::Path;

use relay_diagnostics::{Diagnostic, Severity};
use relay_engine::CONFIG_FILE;
use relay_engine::settings::{self, ChangeError, ProjectSetting};

use super::Row;
use crate::failure::{Failure, NO_CONFIG};
use crate::open;
use crate::terminal::{self, report};

/// Whether a name can only be one of the project's settings.
pub fn is_meant(key: &str) -> bool {
    relay_settings::find(key).is_err() && settings::find(key).is_ok()
}

/// The project's settings: all of them, or those in the file. `None` where the folder has no config file and the user
/// did not ask for the project's settings.
pub fn rows(root: Option<&Path>, all: bool, is_asked: bool) -> Result<Vec<Row>, Failure> {
    let read = match settings::read(&open::workspace(root)?) {
        Ok(read) => read,
        // The user's own settings can still be shown.
        Err(error) if !is_asked => {
            terminal::tell(&report::diagnostics(&warnings(error.diagnostics())));
            return Ok(Vec::new());
        }
        Err(error) => return Err(error.into()),
    };
    if !read.is_configured && !is_asked {
        return Ok(Vec::new());
    }
    if !read.is_configured {
        terminal::note(&format!("there is no {CONFIG_FILE} here; `relay init` writes one"));
    }
    terminal::tell(&report::diagnostics(&warnings(read.problems)));
    let shown = read.settings.into_iter().filter(|setting| all || is_asked || setting.is_in_file);
    Ok(shown.map(row).collect())
}

/// One of them.
pub fn get(root: Option<&Path>, key: &str) -> Result<Row, Failure> {
    let key = find(key)?;
    let rows = rows(root, true, true)?;
    rows.into_iter().find(|row| row.key == key).ok_or_else(|| no_config(&ChangeError::NoConfig))
}

/// Changes one, or takes it out of the file.
pub fn set(root: Option<&Path>, key: &str, value: Option<&str>) -> Result<(), Failure> {
    let key = find(key)?;
    let workspace = open::workspace(root)?;
    let problems = settings::change(&workspace, key, value).map_err(|error| match error {
        ChangeError::Refused(diagnostic) => Failure::usage(diagnostic),
        ChangeError::Engine(error) => error.into(),
        error => no_config(&error),
    })?;
    terminal::tell(&report::diagnostics(&warnings(problems)));
    let is_command = matches!(key, "linter" | "preCommand" | "postCommand");
    if is_command && value.is_some_and(|value| !value.trim().is_empty()) {
        terminal::note("commands run only once you trust them: `relay trust` shows them and asks");
    }
    Ok(())
}

fn find(key: &str) -> Result<&'static str, Failure> {
    settings::find(key).map_err(|diagnostic| {
        Failure::usage(match relay_settings::find(key) {
            Ok(found) => diagnostic
                .hinted(format!("`{}` is one of your own settings: leave out --project.", found.name)),
            Err(_) => diagnostic,
        })
    })
}

fn row(setting: ProjectSetting) -> Row {
    let source = if setting.is_in_file { CONFIG_FILE } else { "built in" };
    Row {
        key: setting.key.to_owned(),
        source: setting.value.is_some().then(|| source.to_owned()),
        value: setting.value,
        meaning: setting.meaning,
    }
}

/// Errors in the file do not stop this command.
fn warnings(mut problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    problems.iter_mut().for_each(|problem| problem.severity = Severity::Warning);
    problems
}

fn no_config(error: &ChangeError) -> Failure {
    Failure::general(
        Diagnostic::error(NO_CONFIG, error.to_string())
            .hinted("Run `relay init` in the project's folder first."),
    )
}
