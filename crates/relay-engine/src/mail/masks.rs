//! Masks secrets in outgoing text, and restores placeholders in replies.

use super::MailError;
use crate::secrets::{self, Vault};

/// The placeholders of one session.
pub(super) struct Masks {
    vault: Vault,
}

impl Masks {
    /// The session's own, as they were kept.
    pub(super) fn load(key: &[u8; 32], kept: &str) -> Result<Self, MailError> {
        let vault = if kept.is_empty() { Ok(Vault::new(key)) } else { Vault::from_json(key, kept) };
        vault.map(|vault| Self { vault }).map_err(|source| MailError::Unreadable { source })
    }

    /// How they are kept.
    pub(super) fn to_json(&self) -> Result<String, MailError> {
        self.vault.to_json().map_err(|source| MailError::Unreadable { source })
    }

    /// The text of a file, or of something that has a name like one, as it may be sent.
    pub(super) fn mask(&mut self, name: &str, text: &str) -> String {
        secrets::mask(name, text, &mut self.vault).text
    }

    /// The text for a file, with every placeholder restored.
    ///
    /// # Errors
    /// Why that is not possible, in words for the model.
    pub(super) fn restore(&self, path: &str, text: &str) -> Result<String, String> {
        self.vault.restore(path, text).map_err(|unknown| {
            let names: Vec<&str> = unknown.iter().map(|found| found.placeholder.as_str()).collect();
            format!(
                "'{path}' was not written: {} is a placeholder for a secret of another file; leave it out, or read it from the environment",
                names.join(", ")
            )
        })
    }
}
