//! A model: who serves it, how much it takes, what it can do, what it costs. Plain data.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::message::Origin;
use crate::provider::Provider;

/// A model that can be asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Who serves it, and how it is spoken to.
    pub provider: Arc<Provider>,
    /// The provider's name for it.
    pub id: String,
    /// How much it takes.
    pub limits: Limits,
    /// What it costs; none when unknown, as with local models.
    pub prices: Option<Prices>,
    /// What it can do.
    pub capabilities: Capabilities,
    /// The service tier, in the provider's words; a request may override it.
    pub service_tier: Option<String>,
}

impl Model {
    /// A model of which nothing is known but its name.
    #[must_use]
    pub fn new(provider: Arc<Provider>, id: impl Into<String>) -> Self {
        Self {
            provider,
            id: id.into(),
            limits: Limits::default(),
            prices: None,
            capabilities: Capabilities::default(),
            service_tier: None,
        }
    }

    /// `provider/model`, as people write it.
    #[must_use]
    pub fn selector(&self) -> String {
        format!("{}/{}", self.provider.name, self.id)
    }

    /// What this model's messages are marked with.
    #[must_use]
    pub fn origin(&self) -> Origin {
        Origin { provider: self.provider.name.clone(), wire: self.provider.wire, model: self.id.clone() }
    }
}

/// How much a model takes and gives, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The context window.
    pub context: u64,
    /// The longest answer.
    pub output: u64,
}

impl Default for Limits {
    /// What an unknown model is taken to have: enough for work, little enough not to be refused.
    fn default() -> Self {
        Self { context: 128_000, output: 8_192 }
    }
}

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Prices {
    /// Read afresh.
    pub input: f64,
    /// Written.
    pub output: f64,
    /// Read from the cache.
    pub cache_read: f64,
    /// Written to the cache.
    pub cache_write: f64,
}

/// What a model can do. What it cannot is left out of requests instead of being refused by the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Capabilities {
    /// How thinking is requested.
    pub thinking: ThinkingStyle,
    /// Whether it looks at images.
    pub images: bool,
    /// Whether it calls tools.
    pub tools: bool,
    /// Whether it can be held to a JSON schema.
    pub structured: bool,
    /// Whether it can be held to the grammar of a tool.
    pub grammars: bool,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self { thinking: ThinkingStyle::None, images: true, tools: true, structured: true, grammars: false }
    }
}

/// How a model is asked to think.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingStyle {
    /// It does not, or not on request.
    #[default]
    None,
    /// By a number of tokens.
    Budget,
    /// By a level of effort.
    Effort,
    /// It decides by itself how long, within a level of effort.
    Adaptive,
}
