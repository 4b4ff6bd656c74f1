//! Where is searched: the workspace, places outside that were allowed, and texts at internal addresses.

use relay_agent::tool::{Call, ToolError};
use relay_diagnostics::display::visible_line;
use relay_workspace::search::Scope;
use relay_workspace::{Kind, Workspace};

use crate::urls;

/// Everything that is searched.
#[derive(Default)]
pub struct Scopes {
    /// Addresses and their texts.
    pub texts: Vec<(String, String)>,
    /// Folders: none is the workspace of the session; what comes before their paths; what is searched in them.
    pub folders: Vec<(Option<Workspace>, String, Scope)>,
    /// What is not there.
    pub missing: Vec<String>,
}

/// A path up to its first glob character, and the rest.
#[must_use]
pub fn begin(path: &str) -> (&str, &str) {
    let Some(at) = path.find(['*', '?', '[', '{']).filter(|_| !urls::is_address(path)) else {
        return (path, "");
    };
    match path.get(..at).and_then(|start| start.rfind('/')) {
        Some(slash) => {
            (path.get(..slash.max(1)).unwrap_or_default(), path.get(slash + 1..).unwrap_or_default())
        }
        None => (".", path),
    }
}

/// What a call names.
///
/// # Errors
/// An address leads nowhere.
pub fn of(call: &Call<'_>) -> Result<Scopes, ToolError> {
    let mut scopes = Scopes::default();
    let gitignore = call.arguments.get("gitignore").and_then(serde_json::Value::as_bool).unwrap_or(true);
    let own = call.services.engine.workspace();
    let plain = Scope { gitignore, ..Scope::default() };
    let mut inside = plain.clone();
    for path in super::paths(call.arguments) {
        if urls::is_address(&path) {
            scopes.texts.push((path.clone(), urls::text(call, &path)?.text));
            continue;
        }
        let (start, glob) = begin(&path);
        let place = match own.place(start, call.services.home.as_deref()) {
            Ok(place) => place,
            Err(error) => return Err(ToolError::failed(format!("{error}."))),
        };
        let Ok(Some(facts)) = place.facts() else {
            scopes.missing.push(path.clone());
            continue;
        };
        if facts.kind == Kind::Special {
            return Err(ToolError::failed(format!(
                "`{}` is a FIFO, a socket or a device; only files and folders can be searched.",
                visible_line(&path)
            )));
        }
        match place.is_inside() {
            true if glob.is_empty() => inside.paths.push(place.shown().to_owned()),
            true => {
                let folder = place.shown();
                let glob = if folder == "." { format!("/{glob}") } else { format!("/{folder}/{glob}") };
                let paths = vec![folder.to_owned()];
                scopes.folders.push((
                    None,
                    String::new(),
                    Scope { paths, globs: vec![glob], ..plain.clone() },
                ));
            }
            false => {
                let is_file = facts.kind == Kind::File;
                let root = if is_file { place.absolute().parent() } else { Some(place.absolute()) };
                let opened = root.and_then(|root| Workspace::open(root).ok());
                let Some(opened) = opened else {
                    scopes.missing.push(path.clone());
                    continue;
                };
                let name = place.absolute().file_name().unwrap_or_default().to_string_lossy().into_owned();
                let paths = if is_file { vec![name] } else { Vec::new() };
                let globs = if glob.is_empty() { Vec::new() } else { vec![format!("/{glob}")] };
                let prefix = format!("{}/", opened.root().display());
                scopes.folders.push((Some(opened), prefix, Scope { paths, globs, ..plain.clone() }));
            }
        }
    }
    if !inside.paths.is_empty() {
        scopes.folders.push((None, String::new(), inside));
    }
    Ok(scopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_begin_in_a_folder() {
        assert_eq!(begin("src/**/*.ts"), ("src", "**/*.ts"));
        assert_eq!(begin("*.ts"), (".", "*.ts"));
        assert_eq!(begin("src/a.ts"), ("src/a.ts", ""));
        assert_eq!(begin("/etc/*.conf"), ("/etc", "*.conf"));
        assert_eq!(begin("/*.conf"), ("/", "*.conf"));
        assert_eq!(begin("skill://x?y"), ("skill://x?y", ""));
    }
}
