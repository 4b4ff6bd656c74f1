//! Credentials: the keys of model providers, several per provider, each with a label.
//!
//! They are private to the user and never shown: a [`Credential`] prints its label, not its key. A file that others can
//! read is refused, not repaired: the keys in it are no longer secret, and the user has to know.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::folder::Folder;
use crate::store::Store;

/// The file in the data folder.
const FILE: &str = "credentials.json";

/// The format that is written.
const VERSION: u64 = 1;

/// How many keys a provider may have. This is far more than anyone needs, and stops a runaway script.
const KEYS_PER_PROVIDER: usize = 100;

/// A key of a provider.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credential {
    /// What the user calls it.
    pub label: String,
    key: String,
}

impl Credential {
    /// The key itself, for the request to its provider.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential").field("label", &self.label).finish_non_exhaustive()
    }
}

/// Provider to its keys, in the order in which they were added.
pub type Credentials = BTreeMap<String, Vec<Credential>>;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CredentialsFile {
    version: u64,
    providers: Credentials,
}

impl Store {
    /// The keys that are stored.
    ///
    /// # Errors
    /// The file is not sound, or others can read it.
    pub fn credentials(&self) -> Result<Credentials, StoreError> {
        let Some(folder) = self.existing_data()? else { return Ok(Credentials::new()) };
        Ok(read(&folder)?.providers)
    }

    /// Stores a key under a label, replacing any with the same label; returns whether there was one.
    ///
    /// # Errors
    /// The file is not sound, there are too many keys, or the system refuses.
    pub fn store_credential(&self, provider: &str, label: &str, key: &str) -> Result<bool, StoreError> {
        let folder = self.data()?;
        let writer = folder.lock()?;
        let mut file = read(&folder)?;
        let keys = file.providers.entry(provider.to_owned()).or_default();
        let credential = Credential { label: label.to_owned(), key: key.to_owned() };
        let is_full = keys.len() >= KEYS_PER_PROVIDER;
        let known = keys.iter_mut().find(|known| known.label == label);
        let replaced = known.is_some();
        match known {
            Some(known) => *known = credential,
            None if is_full => {
                let provider = provider.to_owned();
                return Err(StoreError::TooManyKeys { provider, limit: KEYS_PER_PROVIDER });
            }
            None => keys.push(credential),
        }
        writer.replace(FILE, &render(&file, &folder)?)?;
        Ok(replaced)
    }

    /// Removes a provider's key with this label, or all of its keys; returns how many there were.
    ///
    /// # Errors
    /// The file is not sound, or the system refuses.
    pub fn forget_credentials(&self, provider: &str, label: Option<&str>) -> Result<usize, StoreError> {
        let Some(folder) = self.existing_data()? else { return Ok(0) };
        let writer = folder.lock()?;
        let mut file = read(&folder)?;
        let Some(keys) = file.providers.get_mut(provider) else { return Ok(0) };
        let before = keys.len();
        keys.retain(|known| label.is_some_and(|label| known.label != label));
        let forgotten = before - keys.len();
        file.providers.retain(|_, keys| !keys.is_empty());
        if forgotten > 0 {
            writer.replace(FILE, &render(&file, &folder)?)?;
        }
        Ok(forgotten)
    }
}

fn place(folder: &Folder) -> PathBuf {
    folder.path().join(FILE)
}

fn read(folder: &Folder) -> Result<CredentialsFile, StoreError> {
    let Some(bytes) = folder.read_secret(FILE)? else {
        return Ok(CredentialsFile { version: VERSION, providers: Credentials::new() });
    };
    // The parser's own message could quote a key, so the error has only the position.
    let corrupt = |error: serde_json::Error| StoreError::Corrupt {
        path: place(folder),
        reason: format!("line {}, column {} is not what Relay writes", error.line(), error.column()),
    };
    let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(corrupt)?;
    match value.get("version").and_then(serde_json::Value::as_u64) {
        Some(found) if found > VERSION => {
            Err(StoreError::Newer { path: place(folder), found, known: VERSION })
        }
        _ => serde_json::from_slice(&bytes).map_err(corrupt),
    }
}

fn render(file: &CredentialsFile, folder: &Folder) -> Result<Vec<u8>, StoreError> {
    let mut bytes = serde_json::to_vec_pretty(file)
        .map_err(|error| StoreError::Corrupt { path: place(folder), reason: error.to_string() })?;
    bytes.push(b'\n');
    Ok(bytes)
}
