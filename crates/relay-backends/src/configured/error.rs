//! Why the backends that were named cannot be put together.

use relay_llm::catalog::SelectError;
use relay_settings::ModelsError;
use thiserror::Error;

/// Why the backends that were named cannot be put together.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfiguredError {
    /// The models cannot be listed.
    #[error(transparent)]
    Models(#[from] ModelsError),
    /// A name means no model, or several.
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
    /// A service tier cannot be asked for there.
    #[error("--service-tier: {name} is {what}")]
    NoTiers {
        /// The backend or provider.
        name: String,
        /// What it is instead.
        what: &'static str,
    },
    /// Other agents reach their own providers; offline they are not started.
    #[error("--offline: {name} is another agent, which connects to its provider")]
    AgentConnects {
        /// The agent.
        name: String,
    },
}
