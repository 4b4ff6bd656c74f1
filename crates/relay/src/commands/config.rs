//! `relay config`: the user's settings, where each comes from, and changing one.

use std::ffi::OsString;

use relay_diagnostics::{Cancel, Diagnostic};
use relay_exec::Passthrough;
use relay_settings::{FILE, Setting, Source};
use relay_store::Store;
use serde_json::json;

use crate::agents::{self, BAD_SETTING, refused};
use crate::cli::{ConfigArgs, ConfigCommand};
use crate::failure::{ENVIRONMENT, Failure};
use crate::open;
use crate::terminal::report::line;
use crate::terminal::style::{FAINT, STRONG, paint};
use crate::terminal::{self, visible};

pub fn run(args: &ConfigArgs) -> Result<u8, Failure> {
    let store = open::store()?;
    match &args.command {
        ConfigCommand::Show { all, sources, json } => show(&store, *all, *sources, *json),
        ConfigCommand::Get { key } => get(&store, key),
        ConfigCommand::Set { key, value } => set(&store, key, Some(value)),
        ConfigCommand::Unset { key } => set(&store, key, None),
        ConfigCommand::Edit => edit(&store),
        ConfigCommand::Path => Ok(terminal::print_as_is(&format!("{}\n", path(&store)))),
    }
}

fn show(store: &Store, all: bool, sources: bool, json: bool) -> Result<u8, Failure> {
    let settings = agents::settings(store)?;
    let listed = if all { settings.all() } else { settings.changed() };
    if json {
        let document: serde_json::Map<_, _> = listed
            .iter()
            .map(|setting| {
                (setting.key.clone(), json!({"value": setting.value, "source": source(store, setting)}))
            })
            .collect();
        return Ok(terminal::print_document(&serde_json::Value::Object(document)));
    }
    let mut text = String::new();
    for setting in &listed {
        let value = visible(&setting.value);
        let shown = format!("{} = {value}", paint(STRONG, visible(&setting.key)));
        if sources {
            let from = source(store, setting);
            line(&mut text, format_args!("{shown}  {}", paint(FAINT, format_args!("({from})"))));
        } else {
            line(&mut text, format_args!("{shown}"));
        }
    }
    Ok(terminal::print(&text))
}

fn source(store: &Store, setting: &Setting) -> String {
    match setting.source {
        Source::Default => "built in".to_owned(),
        Source::File => path(store),
        Source::Environment(variable) => format!("environment: {variable}"),
    }
}

fn get(store: &Store, key: &str) -> Result<u8, Failure> {
    relay_settings::find(key).map_err(|error| refused(&error))?;
    match agents::settings(store)?.get(key) {
        Some(setting) => Ok(terminal::print_as_is(&format!("{}\n", setting.value))),
        None => Ok(1),
    }
}

fn set(store: &Store, key: &str, value: Option<&str>) -> Result<u8, Failure> {
    let new = relay_settings::set(&agents::text(store)?, key, value).map_err(|error| refused(&error))?;
    write(store, &new)?;
    Ok(0)
}

/// Puts a new text into the file, in one step.
fn write(store: &Store, text: &str) -> Result<(), Failure> {
    store.replace_settings_file(FILE, text).map_err(|error| Failure::environment(&error))
}

/// Opens the user's editor, and looks at the result: a file that cannot be used is said to be so at once.
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
    if agents::text(store)?.is_empty() {
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
    agents::settings(store).map(|_| 0)
}

/// What a new file holds.
const EMPTY: &str = "# Settings of Relay; `relay config show` lists those in effect.\n";

fn path(store: &Store) -> String {
    store.config_dir().join(FILE).display().to_string()
}
