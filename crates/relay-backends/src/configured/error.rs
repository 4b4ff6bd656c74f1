//! Why the named backends cannot be set up.

use relay_llm::catalog::SelectError;
use relay_settings::{ModelsError, NO_MODEL_YET};
use thiserror::Error;

use crate::backend::Sandbox;

/// Why the named backends cannot be set up.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfiguredError {
    /// The models cannot be listed.
    #[error(transparent)]
    Models(#[from] ModelsError),
    /// A name matches no model, or several.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// A server has several models.
    #[error("{name} has several models, and none was named")]
    NoModel {
        /// The backend.
        name: String,
    },
    /// A provider cannot be asked without a key.
    #[error("no key for {provider}")]
    NoKey {
        /// The provider.
        provider: String,
    },
    /// The backend has no service tiers.
    #[error("--service-tier: {name} is {what}")]
    NoTiers {
        /// The backend or provider.
        name: String,
        /// What it is instead.
        what: &'static str,
    },
    /// There is no such sandbox.
    #[error("invalid sandbox `{name}`")]
    UnknownSandbox {
        /// What was named.
        name: String,
    },
    /// Other agents reach their own providers; offline they are not started.
    #[error("--offline: {name} is another agent, which connects to its provider")]
    AgentConnects {
        /// The agent.
        name: String,
    },
}

impl ConfiguredError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Models(error) => return error.hint(),
            Self::Select(error) => error.hint().to_owned(),
            Self::NoModel { name } => {
                format!(
                    "Name one with --model, or set a default: relay config set backends.{name}.model MODEL"
                )
            }
            Self::NoKey { .. } => NO_MODEL_YET.trim_end().to_owned(),
            Self::NoTiers { .. } => "Leave out --service-tier.".to_owned(),
            Self::UnknownSandbox { .. } => {
                format!("Choose one of {}.", Sandbox::ALL.map(Sandbox::name).join(", "))
            }
            Self::AgentConnects { .. } => "Leave out --offline to ask it.".to_owned(),
        };
        Some(hint)
    }
}
