//! Opens the user's settings: the file in the config folder, the environment, and what the user should know about both.

use std::collections::BTreeMap;
use std::ffi::OsString;

use relay_store::{Store, StoreError};

use crate::error::OpenError;
use crate::settings::{FILE, Settings};

/// The effective settings, and notes about the file.
#[derive(Debug)]
pub struct Opened {
    /// The settings.
    pub settings: Settings,
    /// What the user should know: unknown keys, and keys with a new meaning. None of it is an error.
    pub notes: Vec<String>,
}

/// The file's text; empty if there is no file.
///
/// # Errors
/// It cannot be read.
pub fn text(store: &Store) -> Result<String, StoreError> {
    Ok(store.settings_file(FILE)?.unwrap_or_default())
}

/// Whether the user has a file of settings at all.
#[must_use]
pub fn exists(store: &Store) -> bool {
    store.config_dir().join(FILE).exists()
}

impl Settings {
    /// Reads the user's file; `variables` is the environment.
    ///
    /// # Errors
    /// The file cannot be read, is not TOML, or has a value that cannot be used.
    pub fn open(store: &Store, variables: BTreeMap<String, OsString>) -> Result<Opened, OpenError> {
        let (settings, unknown) = Settings::new(&text(store)?, variables)?;
        let mut notes: Vec<String> = unknown
            .into_iter()
            .map(|key| format!("`{key}` in {FILE} is not a known setting and is ignored"))
            .collect();
        if settings.may_mean_old_timeout() {
            notes.push(format!(
                "`ask.timeout` in {FILE} now limits how long the agent's questions wait for you; the time limit of \
                 `relay ask` is `backends.timeout` (set it, to any value, to hide this note)"
            ));
        }
        Ok(Opened { settings, notes })
    }
}
