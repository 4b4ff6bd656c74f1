//! What is wrong with the settings.

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
        /// The setting that was probably meant.
        nearest: Option<&'static str>,
    },
    /// A value is not one that the setting may hold.
    #[error("`{key}` cannot be `{value}`: expected {expected}")]
    BadValue {
        /// The setting, or the variable that holds it.
        key: String,
        /// What it was given.
        value: String,
        /// What it takes.
        expected: String,
    },
}

impl SettingsError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownKey { nearest: Some(nearest), .. } => format!("Did you mean `{nearest}`?"),
            Self::UnknownKey { .. } => "`relay config show --all` lists every setting.".to_owned(),
            Self::Syntax { .. } | Self::BadValue { .. } => {
                "`relay config edit` opens the file; `relay config path` says where it is.".to_owned()
            }
        }
    }
}
