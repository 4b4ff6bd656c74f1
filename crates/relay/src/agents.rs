//! The user's settings and backends, put together from the user's own data and the environment.

use std::collections::BTreeMap;
use std::ffi::OsString;

use relay_agent::ask::Depth;
use relay_agent::backend::{Backends, Surroundings};
use relay_agent::settings::{FILE, Settings, SettingsError};
use relay_edit::{Code, Diagnostic};
use relay_store::{Folder, Store};

use crate::failure::Failure;
use crate::terminal;

/// The user's settings cannot be used.
pub const BAD_SETTING: Code = Code::new("bad-setting");

/// The file's text; empty where there is none.
pub fn text(store: &Store) -> Result<String, Failure> {
    let environment = |error: relay_store::StoreError| Failure::environment(&error);
    let Some(folder) = Folder::open(store.config_dir()).map_err(environment)? else {
        return Ok(String::new());
    };
    let bytes = folder.read(FILE).map_err(environment)?.unwrap_or_default();
    String::from_utf8(bytes)
        .map_err(|_| refused(&SettingsError::Syntax { reason: "it is no UTF-8".to_owned() }))
}

/// The settings that hold. Keys that mean nothing are told once, and are no obstacle.
pub fn settings(store: &Store) -> Result<Settings, Failure> {
    let (settings, unknown) = Settings::new(&text(store)?, variables()).map_err(|error| refused(&error))?;
    for key in unknown {
        terminal::tell(&format!("note: `{}` in {FILE} means nothing to Relay\n", terminal::visible(&key)));
    }
    Ok(settings)
}

/// All backends: the built-in ones and the user's own.
pub fn backends(store: &Store, settings: &Settings) -> Backends {
    let surroundings =
        Surroundings { variables: variables(), relay: std::env::current_exe().ok(), store: store.clone() };
    Backends::new(surroundings, settings.custom_backends())
}

/// How deep inside questions this process is.
pub fn depth() -> Depth {
    Depth::new(|name| std::env::var(name).ok())
}

/// A fault of the settings, with a way out.
pub fn refused(error: &SettingsError) -> Failure {
    let diagnostic = Diagnostic::error(BAD_SETTING, error.to_string());
    Failure::usage(match error {
        SettingsError::UnknownKey { .. } => {
            diagnostic.hinted("`relay config --help` and docs/formats/settings.md list them.")
        }
        _ => diagnostic.hinted("`relay config edit` opens the file; `relay config path` says where it is."),
    })
}

fn variables() -> BTreeMap<String, OsString> {
    std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))).collect()
}
