//! The user's settings, models and backends, opened with this process's environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use relay_agent::policy::Rule;
use relay_backends::ask::{Depth, Files};
use relay_backends::backend::Surroundings;
use relay_backends::configured::Sources;
use relay_settings::{FILE, Models, Opened, Settings};
use relay_store::Store;

use crate::failure::Failure;
use crate::terminal;

/// The effective settings, with a note about each problem in the file.
pub fn settings(store: &Store) -> Result<Settings, Failure> {
    let Opened { settings, notes } = Settings::open(store, variables())?;
    notes.iter().for_each(|note| terminal::note(note));
    Ok(settings)
}

/// The same without a word about what is wrong with them, for what is only decoration.
pub fn settings_unnoted(store: &Store) -> Option<Settings> {
    Settings::open(store, variables()).ok().map(|opened| opened.settings)
}

/// The catalog of models, and the user's keys.
pub fn models(store: &Store) -> Result<Models, Failure> {
    Ok(Models::open(store, |name| std::env::var(name).ok())?)
}

/// What backends are built from.
pub fn sources<'a>(store: &Store, settings: &'a Settings) -> Sources<'a> {
    let surroundings =
        Surroundings { variables: variables(), relay: std::env::current_exe().ok(), store: store.clone() };
    Sources { surroundings, settings }
}

/// How deeply this process is nested in other questions.
pub fn depth() -> Depth {
    Depth::new(|name| std::env::var(name).ok())
}

fn variables() -> BTreeMap<String, OsString> {
    std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))).collect()
}

/// Adds a policy rule to the user's settings.
pub fn add_policy_rule(store: &Store, rule: &Rule) -> Result<(), String> {
    let text = relay_settings::text(store).map_err(|error| error.to_string())?;
    let text = relay_settings::append(&text, "policy.rules", rule).map_err(|error| error.to_string())?;
    store.replace_settings_file(FILE, &text).map_err(|error| error.to_string())
}

/// Reads files that the command line names.
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path, limit_bytes: usize) -> io::Result<(Vec<u8>, u64)> {
        let file = File::open(path)?;
        let facts = file.metadata()?;
        if !facts.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        let mut bytes = Vec::new();
        file.take(limit_bytes as u64).read_to_end(&mut bytes)?;
        Ok((bytes, facts.len()))
    }
}
