//! `relay config`: the settings of the user and of the project, where each comes from, and changing one.
//!
//! The name decides between user and project settings, because no name is in both lists; `--project` makes it explicit.

mod project;

use std::ffi::OsString;
use std::path::Path;

use relay_diagnostics::{Cancel, Diagnostic};
use relay_engine::suggest;
use relay_exec::Passthrough;
use relay_settings::{FILE, Listed, SettingsError, Source};
use relay_store::Store;
use serde_json::{Map, Value, json};

use crate::cli::{ConfigArgs, ConfigCommand, ConfigScope};
use crate::failure::{BAD_SETTING, ENVIRONMENT, Failure};
use crate::open;
use crate::terminal::report::line;
use crate::terminal::style::{FAINT, STRONG, paint};
use crate::terminal::{self, visible};
use crate::user;

/// A setting, ready to be shown.
struct Row {
    key: String,
    value: Option<Value>,
    source: Option<String>,
    meaning: String,
}

pub fn run(root: Option<&Path>, args: &ConfigArgs) -> Result<u8, Failure> {
    let store = open::store()?;
    let list = ConfigCommand::Show {
        all: false,
        sources: false,
        scope: ConfigScope { project: false, json: false },
    };
    match args.command.as_ref().unwrap_or(&list) {
        ConfigCommand::Show { all, sources, scope } => {
            let mut rows = if scope.project { Vec::new() } else { rows(&store, *all)? };
            rows.extend(project::rows(root, *all, scope.project)?);
            Ok(show(&rows, *all, *sources, scope.json))
        }
        ConfigCommand::Get { key, scope } => get(root, &store, key, *scope),
        ConfigCommand::Set { key, value, scope } => set(root, &store, (key, Some(value)), *scope),
        ConfigCommand::Unset { key, scope } => set(root, &store, (key, None), *scope),
        ConfigCommand::Edit => edit(&store),
        ConfigCommand::Path => Ok(terminal::print_as_is(&format!("{}\n", path(&store)))),
    }
}

fn show(rows: &[Row], all: bool, sources: bool, json: bool) -> u8 {
    if json {
        let document: Map<_, _> = rows.iter().map(|row| (row.key.clone(), row.document(all))).collect();
        return terminal::print_document(&Value::Object(document));
    }
    let mut text = String::new();
    for row in rows {
        let key = paint(STRONG, visible(&row.key));
        let shown = match row.text() {
            Some(value) => format!("{key} = {}", visible(&value)),
            None => format!("{key} {}", paint(FAINT, "(not set)")),
        };
        match &row.source {
            Some(from) if sources => {
                line(&mut text, format_args!("{shown}  {}", paint(FAINT, format_args!("({from})"))));
            }
            _ => line(&mut text, format_args!("{shown}")),
        }
        if all {
            line(&mut text, format_args!("    {}", paint(FAINT, &row.meaning)));
        }
    }
    terminal::print(&text)
}

impl Row {
    fn document(&self, all: bool) -> Value {
        let mut document = json!({"value": self.value, "source": self.source});
        if let (true, Value::Object(members)) = (all, &mut document) {
            members.insert("meaning".to_owned(), self.meaning.clone().into());
        }
        document
    }

    /// The value as a user would type it.
    fn text(&self) -> Option<String> {
        self.value.as_ref().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }
}

/// The user's settings.
fn rows(store: &Store, all: bool) -> Result<Vec<Row>, Failure> {
    let settings = user::settings(store)?;
    let listed = if all { settings.all() } else { settings.changed() };
    Ok(listed.into_iter().map(|listed| row(store, listed)).collect())
}

fn row(store: &Store, listed: Listed) -> Row {
    let source = listed.setting.as_ref().map(|setting| source(store, &setting.source));
    let value = listed.setting.map(|setting| Value::String(setting.value));
    Row { key: listed.key, value, source, meaning: listed.meaning.to_owned() }
}

fn source(store: &Store, source: &Source) -> String {
    match source {
        Source::Default => "built in".to_owned(),
        Source::File => path(store),
        Source::Environment(variable) => format!("environment: {variable}"),
        Source::CommandLine => "command line".to_owned(),
    }
}

fn get(root: Option<&Path>, store: &Store, key: &str, scope: ConfigScope) -> Result<u8, Failure> {
    let row =
        if scope.project || project::is_meant(key) { project::get(root, key)? } else { own(store, key)? };
    if scope.json {
        terminal::print_document(
            &json!({"key": row.key, "value": row.value, "source": row.source, "meaning": row.meaning}),
        );
        return Ok(u8::from(row.value.is_none()));
    }
    match row.text() {
        Some(value) => Ok(terminal::print_as_is(&format!("{value}\n"))),
        None => Ok(1),
    }
}

/// One of the user's settings.
fn own(store: &Store, key: &str) -> Result<Row, Failure> {
    let found = relay_settings::find(key).map_err(|error| unknown(key, error))?;
    let setting = user::settings(store)?.get(key);
    let (value, source) = match setting {
        Some(setting) => (Some(Value::String(setting.value)), Some(source(store, &setting.source))),
        None => (None, None),
    };
    let key = found.entry.map_or_else(|| found.name.clone(), |entry| format!("{}.{entry}", found.name));
    Ok(Row { key, value, source, meaning: found.key.meaning.to_owned() })
}

/// Changes a setting, or removes it if there is no value.
fn set(
    root: Option<&Path>,
    store: &Store,
    (key, value): (&str, Option<&String>),
    scope: ConfigScope,
) -> Result<u8, Failure> {
    let value = value.map(String::as_str);
    if scope.project || project::is_meant(key) {
        project::set(root, key, value)?;
    } else {
        let new = relay_settings::set(&relay_settings::text(store)?, key, value)
            .map_err(|error| unknown(key, error))?;
        write(store, &new)?;
    }
    if scope.json {
        get(root, store, key, scope)?;
    }
    Ok(0)
}

/// An unknown user setting may be a misspelt project setting.
fn unknown(key: &str, error: SettingsError) -> Failure {
    match (&error, suggest::closest(key, relay_engine::config::KEYS)) {
        (SettingsError::UnknownKey { nearest: None, .. }, Some(near)) => Failure::usage(
            Diagnostic::error(BAD_SETTING, error.to_string())
                .hinted(format!("Did you mean the project's `{near}`?")),
        ),
        _ => error.into(),
    }
}

/// Replaces the file's text atomically.
fn write(store: &Store, text: &str) -> Result<(), Failure> {
    store.replace_settings_file(FILE, text).map_err(|error| Failure::environment(&error))
}

/// Opens the user's editor, and checks the result, so that an unusable file is reported at once.
fn edit(store: &Store) -> Result<u8, Failure> {
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))
        .ok_or_else(|| {
            let message = "no editor is set: neither VISUAL nor EDITOR";
            Failure::general(
                Diagnostic::error(ENVIRONMENT, message).hinted(format!("Edit it by hand: {}", path(store))),
            )
        })?;
    if relay_settings::text(store)?.is_empty() {
        write(store, EMPTY)?;
    }
    let mut words = editor.split_whitespace().map(OsString::from);
    let program = words.next().unwrap_or_default();
    let args: Vec<OsString> = words.chain([store.config_dir().join(FILE).into_os_string()]).collect();
    let cwd = std::env::current_dir().map_err(|error| Failure::environment(&error))?;
    let passed = Passthrough { program: &program, args: &args, cwd: &cwd, output_to_errors: false }
        .run(&Cancel::new());
    if !passed.end.success() {
        let message = format!("`{editor}` failed; the file is as it left it");
        return Err(Failure::general(Diagnostic::error(BAD_SETTING, message)));
    }
    user::settings(store).map(|_| 0)
}

/// The content of a new file.
const EMPTY: &str = "# Settings of Relay; `relay config show` lists those in effect.\n";

fn path(store: &Store) -> String {
    store.config_dir().join(FILE).display().to_string()
}
