//! Trust: which commands of which project the user has agreed to.
//!
//! An agreement is bound to the project's canonical place and to a digest of the commands' text. It says nothing about
//! a copy elsewhere, and nothing about commands that were changed since. A trust file that cannot be understood is an
//! error, never an empty one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::folder::Folder;
use crate::place::key;
use crate::store::Store;

/// The file in the data folder.
const FILE: &str = "trust.json";

/// The format that is written.
const VERSION: u64 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustFile {
    version: u64,
    projects: BTreeMap<String, Agreement>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Agreement {
    digest: String,
    commands: Vec<String>,
}

impl Store {
    /// Whether the user has agreed to exactly these commands in this project.
    ///
    /// # Errors
    /// The project does not exist, or the trust file is not sound.
    pub fn trusts(&self, root: &Path, digest: &str) -> Result<bool, StoreError> {
        Ok(self.agreement(root)?.is_some_and(|agreement| agreement.digest == digest))
    }

    /// The commands the user last agreed to in this project, as they were shown then.
    ///
    /// # Errors
    /// The project does not exist, or the trust file is not sound.
    pub fn trusted_commands(&self, root: &Path) -> Result<Option<Vec<String>>, StoreError> {
        Ok(self.agreement(root)?.map(|agreement| agreement.commands))
    }

    /// Records that the user agreed to these commands in this project, replacing any earlier agreement.
    ///
    /// # Errors
    /// The project does not exist, the trust file is not sound, or the system refuses.
    pub fn trust(&self, root: &Path, digest: &str, commands: &[String]) -> Result<(), StoreError> {
        let key = key(root)?;
        let agreement = Agreement { digest: digest.to_owned(), commands: commands.to_vec() };
        let folder = self.data()?;
        let writer = folder.lock()?;
        let mut file = read(&folder)?;
        file.projects.insert(key, agreement);
        writer.replace(FILE, &render(&file, &folder)?)
    }

    /// Removes the user's agreement in this project; returns whether there was one.
    ///
    /// # Errors
    /// The project does not exist, the trust file is not sound, or the system refuses.
    pub fn untrust(&self, root: &Path) -> Result<bool, StoreError> {
        let key = key(root)?;
        let Some(folder) = self.existing_data()? else { return Ok(false) };
        let writer = folder.lock()?;
        let mut file = read(&folder)?;
        if file.projects.remove(&key).is_none() {
            return Ok(false);
        }
        writer.replace(FILE, &render(&file, &folder)?)?;
        Ok(true)
    }

    fn agreement(&self, root: &Path) -> Result<Option<Agreement>, StoreError> {
        let key = key(root)?;
        let Some(folder) = self.existing_data()? else { return Ok(None) };
        Ok(read(&folder)?.projects.remove(&key))
    }
}

fn place(folder: &Folder) -> PathBuf {
    folder.path().join(FILE)
}

fn read(folder: &Folder) -> Result<TrustFile, StoreError> {
    let Some(bytes) = folder.read(FILE)? else {
        return Ok(TrustFile { version: VERSION, projects: BTreeMap::new() });
    };
    let corrupt =
        |error: serde_json::Error| StoreError::Corrupt { path: place(folder), reason: error.to_string() };
    // The version is checked first, so that a newer file is reported as such even if the rest cannot be parsed.
    let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(corrupt)?;
    match value.get("version").and_then(serde_json::Value::as_u64) {
        Some(found) if found > VERSION => {
            Err(StoreError::Newer { path: place(folder), found, known: VERSION })
        }
        _ => serde_json::from_value(value).map_err(corrupt),
    }
}

fn render(file: &TrustFile, folder: &Folder) -> Result<Vec<u8>, StoreError> {
    let mut bytes = serde_json::to_vec_pretty(file)
        .map_err(|error| StoreError::Corrupt { path: place(folder), reason: error.to_string() })?;
    bytes.push(b'\n');
    Ok(bytes)
}
