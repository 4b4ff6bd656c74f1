//! Files: those of the project by a few letters or by the beginning of their path, and the user's own (themes, keys).

use std::time::{Instant, UNIX_EPOCH};

use relay_workspace::search::{Scope, fuzzy};
use relay_workspace::{Kind, Workspace};
use serde_json::{Value, json};

use super::{Binary, flag, limit, needed, text};

/// How many paths are found unless more are asked for.
const FOUND: usize = 20;
/// The largest user file that a front end can get.
const OWN_BYTES: u64 = 1 << 20;

impl Binary {
    pub(super) fn about_files(&self, command: &str, arguments: &Value) -> Option<Result<Value, String>> {
        Some(match command {
            "find_files" => self.find_files(arguments),
            "complete_path" => self.complete(arguments),
            "list_user_files" => self.user_files(arguments),
            "read_user_file" => self.user_file(arguments),
            _ => return None,
        })
    }

    /// Files, and folders on request, best match first.
    fn find_files(&self, arguments: &Value) -> Result<Value, String> {
        let typed = text(arguments, "query").unwrap_or_default();
        let dirs = flag(arguments, "dirs");
        let (cancel, scope) = (self.engine.cancel(), Scope::default());
        let workspace = self.engine.workspace();
        let ranked = workspace.scans().ask(workspace, &scope, Instant::now(), cancel, |entries| {
            let paths = entries
                .iter()
                .filter(|entry| entry.kind == Kind::File || dirs && entry.kind == Kind::Directory)
                .map(|entry| (entry.path.as_str(), entry.kind));
            fuzzy::rank(typed, paths, limit(arguments, FOUND))
        });
        let ranked = ranked.map_err(|error| error.to_string())?;
        let found: Vec<Value> = ranked
            .iter()
            .map(|found| json!({ "path": found.path, "isDirectory": found.kind == Kind::Directory }))
            .collect();
        Ok(json!({ "files": found }))
    }

    /// Completions of a project path: the names in its folder that begin with its last part.
    fn complete(&self, arguments: &Value) -> Result<Value, String> {
        let prefix = needed(arguments, "prefix")?;
        let (folder, start) = prefix.rsplit_once('/').map_or(("", prefix), |(folder, start)| (folder, start));
        let root = self.engine.workspace().root_dir();
        let entries = match folder {
            "" => root.entries(),
            folder => root.open_dir(folder).and_then(|folder| match folder {
                Some(folder) => folder.entries(),
                None => Ok(Vec::new()),
            }),
        };
        let mut entries = entries.map_err(|error| error.to_string())?;
        entries.retain(|(name, _)| {
            name.starts_with(start) && (!name.starts_with('.') || start.starts_with('.'))
        });
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        let found: Vec<Value> = entries
            .iter()
            .take(limit(arguments, FOUND))
            .map(|(name, kind)| {
                let is_directory = *kind == Kind::Directory;
                let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                let path = if is_directory { format!("{path}/") } else { path };
                json!({ "path": path, "isDirectory": is_directory })
            })
            .collect();
        Ok(json!({ "files": found }))
    }

    /// The names of the files in a subfolder of the user's config folder, such as `themes`.
    fn user_files(&self, arguments: &Value) -> Result<Value, String> {
        let folder = needed(arguments, "folder")?;
        if !is_plain(folder) {
            return Err(format!("`{folder}` is not a folder of your settings"));
        }
        let Ok(place) = Workspace::open(&self.reach.store.config_dir().join(folder)) else {
            return Ok(json!({ "files": [] }));
        };
        let mut names: Vec<String> = place
            .root_dir()
            .entries()
            .map_err(|error| error.to_string())?
            .into_iter()
            .filter(|(_, kind)| *kind == Kind::File)
            .map(|(name, _)| name)
            .collect();
        names.sort();
        Ok(json!({ "files": names }))
    }

    /// A file of the user's config folder, such as `keybindings.json` or `themes/mine.json`; `null` if there is none. A
    /// front end that watches one asks again with `since`, the `modifiedMs` it knows, and gets no text if nothing changed.
    fn user_file(&self, arguments: &Value) -> Result<Value, String> {
        let name = needed(arguments, "name")?;
        let is_name = name.split('/').all(is_plain) && name.split('/').count() <= 2;
        let is_allowed = is_name && (name == "keybindings.json" || name.starts_with("themes/"));
        if !is_allowed {
            return Err(format!("`{name}` is not a file that front ends read"));
        }
        let none = || json!({ "text": null, "modifiedMs": null });
        let Ok(place) = Workspace::open(self.reach.store.config_dir()) else { return Ok(none()) };
        let opened = place.root_dir().open_file(name).map_err(|error| error.to_string())?;
        let Some((file, _)) = opened else { return Ok(none()) };
        let modified = file.metadata().and_then(|facts| facts.modified()).ok();
        let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = modified.and_then(|time| u64::try_from(time.as_millis()).ok());
        if modified.is_some() && arguments.get("since").and_then(Value::as_u64) == modified {
            return Ok(json!({ "unchanged": true, "modifiedMs": modified }));
        }
        let read = place.root_dir().read(name, OWN_BYTES).map_err(|error| error.to_string())?;
        let text = read.map(|file| String::from_utf8_lossy(&file.bytes).into_owned());
        Ok(json!({ "text": text, "modifiedMs": modified }))
    }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}
