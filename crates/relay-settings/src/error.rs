//! Why the settings cannot be read or changed.

use relay_store::StoreError;
use thiserror::Error;

use crate::settings::FILE;

/// What is wrong with the settings.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingsError {
    /// The file is not TOML.
    #[error("{FILE} cannot be read: {reason}")]
    Syntax {
        /// Where and why.
        reason: String,
    },
    /// There is no such setting.
    #[error("unknown setting `{key}`")]
    UnknownKey {
        /// What was named.
        key: String,
        /// The setting that the user probably meant.
        nearest: Option<&'static str>,
    },
    /// The value is not valid for the setting.
    #[error("`{key}` cannot be `{value}`: expected {expected}")]
    BadValue {
        /// The setting, or the variable that holds it.
        key: String,
        /// The given value.
        value: String,
        /// The accepted values.
        expected: String,
    },
    /// An entry of a list of rules cannot be used.
    #[error("rule {number} of `{key}` cannot be used: {reason}")]
    BadRule {
        /// The list's setting.
        key: String,
        /// The number of the entry, starting at 1.
        number: usize,
        /// Why not.
        reason: String,
    },
}

impl SettingsError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownKey { nearest: Some(nearest), .. } => format!("Did you mean `{nearest}`?"),
            Self::UnknownKey { .. } => "`relay config show --all` lists every setting.".to_owned(),
            Self::Syntax { .. } | Self::BadValue { .. } | Self::BadRule { .. } => {
                "`relay config edit` opens the file; `relay config path` says where it is.".to_owned()
            }
        }
    }
}

/// Why the settings cannot be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The user's file cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A setting in it is not valid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}
