//! The user's settings and backends, put together from the user's own data and the environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use relay_agent::policy::Rule;
use relay_backends::ask::{Depth, Files};
use relay_backends::backend::{Backends, Surroundings};
use relay_backends::configured::{ConfiguredError, Sources, Wanted};
use relay_diagnostics::{Code, Diagnostic};
use relay_settings::{FILE, Settings, SettingsError};
use relay_store::Store;

use crate::failure::{BAD_USAGE, Failure};
use crate::models;
use crate::terminal;

/// The user's settings cannot be used.
pub const BAD_SETTING: Code = Code::new("bad-setting");

/// The file's text; empty where there is none.
pub fn text(store: &Store) -> Result<String, Failure> {
    let text = store.settings_file(FILE).map_err(|error| Failure::environment(&error))?;
    Ok(text.unwrap_or_default())
}

/// Whether the user has a file of settings at all.
pub fn has_settings(store: &Store) -> bool {
    store.config_dir().join(FILE).exists()
}

/// The settings that hold. Keys that mean nothing are told once, and are no obstacle.
pub fn settings(store: &Store) -> Result<Settings, Failure> {
    let (settings, unknown) = Settings::new(&text(store)?, variables()).map_err(|error| refused(&error))?;
    for key in unknown {
        terminal::tell(&format!(
            "note: `{}` in {FILE} is not a known setting and is ignored\n",
            terminal::visible(&key)
        ));
    }
    if settings.may_mean_old_timeout() {
        terminal::note(&format!(
            "`ask.timeout` in {FILE} now limits how long the agent's questions wait for you; the time limit of \
             `relay ask` is `backends.timeout` (set it, to any value, to hide this note)"
        ));
    }
    Ok(settings)
}

/// The backends that are programs: the built-in ones and the user's own.
pub fn backends(store: &Store, settings: &Settings) -> Backends {
    sources(store, settings).programs()
}

/// All backends: the built-in ones, the user's own, and the models that the user's settings name.
pub fn backends_and_models(store: &Store, settings: &Settings) -> Result<Backends, Failure> {
    sources(store, settings).all().map_err(|error| unavailable(store, &error))
}

/// The backends that are needed for some names: the programs, and the models among the names, asked directly.
pub fn backends_for(
    store: &Store,
    settings: &Settings,
    names: &[String],
    wanted: Wanted<'_>,
) -> Result<Backends, Failure> {
    sources(store, settings).named(names, wanted).map_err(|error| unavailable(store, &error))
}

fn sources<'a>(store: &Store, settings: &'a Settings) -> Sources<'a> {
    let surroundings =
        Surroundings { variables: variables(), relay: std::env::current_exe().ok(), store: store.clone() };
    Sources { surroundings, settings }
}

/// A backend that cannot be put together, with a way out.
fn unavailable(store: &Store, error: &ConfiguredError) -> Failure {
    let usage = |code, hint: &str| Failure::usage(Diagnostic::error(code, error.to_string()).hinted(hint));
    match error {
        ConfiguredError::Models(error) => models::unavailable(store, error),
        ConfiguredError::Select(error) => models::unselected(error),
        ConfiguredError::NoKey { provider } => models::no_key(provider),
        ConfiguredError::NoModel { name } => usage(
            BAD_SETTING,
            &format!("Name one with --model, or set a default: relay config set backends.{name}.model MODEL"),
        ),
        ConfiguredError::NoTiers { .. } => usage(BAD_USAGE, "Leave out --service-tier."),
        ConfiguredError::AgentConnects { .. } => usage(BAD_USAGE, "Leave out --offline to ask it."),
        _ => Failure::general(Diagnostic::error(BAD_SETTING, error.to_string())),
    }
}

/// Reads files that were named on the command line.
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

/// How deep inside questions this process is.
pub fn depth() -> Depth {
    Depth::new(|name| std::env::var(name).ok())
}

/// A fault of the settings, with a way out.
pub fn refused(error: &SettingsError) -> Failure {
    Failure::usage(Diagnostic::error(BAD_SETTING, error.to_string()).hinted(error.hint()))
}

fn variables() -> BTreeMap<String, OsString> {
    std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))).collect()
}

/// The user's policy rules.
pub fn policy_rules(settings: &Settings) -> Result<Vec<Rule>, String> {
    settings
        .tables("policy.rules")
        .into_iter()
        .enumerate()
        .map(|(at, table)| {
            let rule: Result<Rule, _> = table.try_into();
            rule.map_err(|error| format!("policy rule {} cannot be used: {}", at + 1, error.message()))
        })
        .collect()
}

/// Adds a policy rule to the user's settings.
pub fn add_policy_rule(store: &Store, rule: &Rule) -> Result<(), String> {
    let text = store.settings_file(FILE).map_err(|error| error.to_string())?.unwrap_or_default();
    let rule = toml::to_string(rule).map_err(|error| error.to_string())?;
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let text = format!("{text}{gap}\n[[policy.rules]]\n{rule}");
    store.replace_settings_file(FILE, &text).map_err(|error| error.to_string())
}
