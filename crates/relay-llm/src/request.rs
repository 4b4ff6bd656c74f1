//! What a model is asked: one type for every provider.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::Message;

/// A question to a model. Only `messages` must be given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The instructions.
    pub system: String,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools the model may call.
    pub tools: Vec<Tool>,
    /// Whether it may, must or must not call one.
    pub tool_choice: ToolChoice,
    /// How hard to think; none leaves it to the provider.
    pub thinking: Option<Thinking>,
    /// How long the provider should cache the beginning of the conversation.
    pub cache: Cache,
    /// Names the conversation, so that the provider finds its cache again.
    pub cache_key: Option<String>,
    /// The longest answer in tokens; none means the model's limit.
    pub max_output: Option<u64>,
    /// A JSON schema the answer's text must follow.
    pub output: Option<OutputSchema>,
    /// The provider's name for how quickly and at what price to answer: `priority`, `flex`, `standard_only` …
    pub service_tier: Option<String>,
    /// How much chance there is in the answer.
    pub temperature: Option<f64>,
    /// Texts at which the answer ends.
    pub stop_sequences: Vec<String>,
}

/// A tool the model may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it is for, as the model reads it.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub parameters: Value,
    /// A grammar (Lark) of its one argument, `input`. A model that can be held to a grammar writes that text as it is,
    /// without JSON around it; the others follow the schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grammar: Option<String>,
}

/// Whether the model may, must or must not call a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// It may.
    #[default]
    Auto,
    /// It must not, although the conversation has tool calls.
    None,
    /// It must call one.
    Required,
    /// It must call this one.
    Named(String),
}

/// How hard to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thinking {
    /// Not at all.
    Off,
    /// As little as the model can.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// A lot.
    High,
    /// As much as the model can.
    Max,
}

impl Thinking {
    /// The level's name, as selectors and most wire formats write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Max => "max",
        }
    }

    /// The level with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Off, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::Max];
        all.into_iter().find(|level| level.name() == name)
    }

    /// How many tokens of thinking the level means, for providers that want a number.
    #[must_use]
    pub fn budget_tokens(self) -> u64 {
        match self {
            Self::Off => 0,
            Self::Minimal => 1_024,
            Self::Low => 4_096,
            Self::Medium => 10_240,
            Self::High => 24_576,
            Self::Max => 32_768,
        }
    }
}

/// How long the provider should cache the beginning of the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cache {
    /// Nothing is marked.
    None,
    /// For minutes.
    #[default]
    Short,
    /// For an hour or more, at a higher price for writing.
    Long,
}

/// A JSON schema the answer's text must follow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputSchema {
    /// What the provider calls it.
    pub name: String,
    /// The schema.
    pub schema: Value,
}
