//! What an entry says: one variant for each entry type of the format.
//!
//! `type`, `id`, `parentId` and `timestamp` belong to the [`Entry`](super::Entry); everything else is here, under the
//! field names of the format.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::lenient;
use super::message::{CustomMessage, Message};

/// An entry's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is named as its body, which is documented")]
pub enum Kind {
    Message,
    ModelChange,
    ThinkingLevelChange,
    ServiceTierChange,
    Compaction,
    BranchSummary,
    Custom,
    CustomMessage,
    Label,
    TtsrInjection,
    SessionInit,
    ModeChange,
    McpToolSelection,
    SessionInfo,
    ResetBoundary,
    /// A type that Relay does not know.
    Other,
}

/// Names and types, in the order of the documentation.
const NAMES: [(Kind, &str); 15] = [
    (Kind::Message, "message"),
    (Kind::ModelChange, "model_change"),
    (Kind::ThinkingLevelChange, "thinking_level_change"),
    (Kind::ServiceTierChange, "service_tier_change"),
    (Kind::Compaction, "compaction"),
    (Kind::BranchSummary, "branch_summary"),
    (Kind::Custom, "custom"),
    (Kind::CustomMessage, "custom_message"),
    (Kind::Label, "label"),
    (Kind::TtsrInjection, "ttsr_injection"),
    (Kind::SessionInit, "session_init"),
    (Kind::ModeChange, "mode_change"),
    (Kind::McpToolSelection, "mcp_tool_selection"),
    (Kind::SessionInfo, "session_info"),
    (Kind::ResetBoundary, "reset_boundary"),
];

impl Kind {
    /// The type with this name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        NAMES.iter().find(|(_, known)| *known == name).map_or(Self::Other, |(kind, _)| *kind)
    }

    /// The type's name; empty for a type that Relay does not know.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

/// What an entry says.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A message.
    Message(Box<Message>),
    /// The user chose another model.
    ModelChange(ModelChange),
    /// The user chose another thinking level.
    ThinkingLevelChange(ThinkingLevelChange),
    /// The user chose another service tier.
    ServiceTierChange(ServiceTierChange),
    /// Everything before an entry was summarised.
    Compaction(Box<Compaction>),
    /// A branch was left; this is what happened there.
    BranchSummary(BranchSummary),
    /// State of an extension, or of Relay itself. A model never sees it.
    Custom(Custom),
    /// A message of an extension, or of Relay itself. A model sees it as a message of the user.
    CustomMessage(Box<CustomMessage>),
    /// An entry got a name, or lost it.
    Label(Label),
    /// Stream rules were shown to the model.
    TtsrInjection(TtsrInjection),
    /// How a subagent's session began.
    SessionInit(SessionInit),
    /// The agent's mode changed.
    ModeChange(ModeChange),
    /// Which tools of MCP servers are in use.
    McpToolSelection(McpToolSelection),
    /// The session got a name (pi).
    SessionInfo(SessionInfo),
    /// The model forgets everything before this entry (oh-my-pi's `/clear`).
    ResetBoundary,
    /// A type that Relay does not know, with all its fields.
    Other(Map<String, Value>),
    /// A type that Relay knows, with fields it cannot read. The line is kept; a model does not see it.
    Unreadable(String),
}

/// The user chose another model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelChange {
    /// `provider/model`. pi writes two fields instead; see [`ModelChange::selector`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// The role it plays; none means `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The provider, in sessions of pi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model, in sessions of pi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
}

impl ModelChange {
    /// The model as `provider/model`, whichever program wrote the entry.
    #[must_use]
    pub fn selector(&self) -> String {
        match (&self.provider, &self.model_id) {
            (Some(provider), Some(model)) if self.model.is_empty() => format!("{provider}/{model}"),
            _ => self.model.clone(),
        }
    }
}

/// The user chose another thinking level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingLevelChange {
    /// `off`, `minimal`, `low`, `medium`, `high` or `xhigh`.
    #[serde(default)]
    pub thinking_level: Option<String>,
}

/// The user chose another service tier.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceTierChange {
    /// A name such as `flex`, one for each family of models (oh-my-pi), or nothing.
    #[serde(default)]
    pub service_tier: Option<Value>,
}

/// Everything before an entry was summarised.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Compaction {
    /// The summary.
    pub summary: String,
    /// The same in a line, for lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short_summary: Option<String>,
    /// The first entry that the model still sees word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_kept_entry_id: Option<String>,
    /// How many tokens the conversation had.
    #[serde(default, deserialize_with = "lenient::count")]
    pub tokens_before: u64,
    /// What the maker of the summary wants to know next time, such as file lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// What hooks want to keep over compactions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preserve_data: Option<Value>,
    /// Whether an extension wrote the summary. pi calls it `fromHook`.
    #[serde(default, alias = "fromHook", skip_serializing_if = "Option::is_none")]
    pub from_extension: Option<bool>,
}

/// A branch was left; this is what happened there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BranchSummary {
    /// The entry the conversation went back to, or [`ROOT`].
    #[serde(default)]
    pub from_id: String,
    /// The summary.
    #[serde(default)]
    pub summary: String,
    /// What the maker of the summary wants to know next time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Whether an extension wrote the summary. pi calls it `fromHook`.
    #[serde(default, alias = "fromHook", skip_serializing_if = "Option::is_none")]
    pub from_extension: Option<bool>,
}

/// What a branch summary's `fromId` is when the conversation went back to before its first entry.
pub const ROOT: &str = "root";

/// State of an extension, or of Relay itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Custom {
    /// What it belongs to.
    #[serde(default)]
    pub custom_type: String,
    /// The state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// An entry got a name, or lost it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Label {
    /// The entry.
    #[serde(default)]
    pub target_id: String,
    /// Its name; nothing takes it away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Stream rules were shown to the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TtsrInjection {
    /// The rules' names.
    #[serde(default)]
    pub injected_rules: Vec<String>,
}

/// How a subagent's session began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionInit {
    /// The system prompt: a text, or a list of texts (oh-my-pi).
    #[serde(default)]
    pub system_prompt: Value,
    /// The task.
    #[serde(default)]
    pub task: String,
    /// The tools' names.
    #[serde(default)]
    pub tools: Vec<String>,
    /// The JSON schema of the result, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
}

/// The agent's mode changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModeChange {
    /// The mode; `none` for the usual one.
    #[serde(default)]
    pub mode: String,
    /// What belongs to it, such as the plan's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// Which tools of MCP servers are in use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct McpToolSelection {
    /// The tools' names.
    #[serde(default)]
    pub selected_tool_names: Vec<String>,
}

/// The session got a name (pi).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    /// The name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Body {
    /// Reads the body of a line whose type is known.
    pub(crate) fn decode(kind: Kind, line: &str) -> Self {
        Self::try_decode(kind, line).unwrap_or_else(|error| Self::Unreadable(error.to_string()))
    }

    fn try_decode(kind: Kind, line: &str) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        struct Holder<'a> {
            #[serde(borrow)]
            message: &'a RawValue,
        }
        Ok(match kind {
            Kind::Message => {
                let holder: Holder<'_> = serde_json::from_str(line)?;
                Self::Message(Box::new(Message::from_json(holder.message.get())?))
            }
            Kind::ModelChange => Self::ModelChange(serde_json::from_str(line)?),
            Kind::ThinkingLevelChange => Self::ThinkingLevelChange(serde_json::from_str(line)?),
            Kind::ServiceTierChange => Self::ServiceTierChange(serde_json::from_str(line)?),
            Kind::Compaction => Self::Compaction(serde_json::from_str(line)?),
            Kind::BranchSummary => Self::BranchSummary(serde_json::from_str(line)?),
            Kind::Custom => Self::Custom(serde_json::from_str(line)?),
            Kind::CustomMessage => Self::CustomMessage(serde_json::from_str(line)?),
            Kind::Label => Self::Label(serde_json::from_str(line)?),
            Kind::TtsrInjection => Self::TtsrInjection(serde_json::from_str(line)?),
            Kind::SessionInit => Self::SessionInit(serde_json::from_str(line)?),
            Kind::ModeChange => Self::ModeChange(serde_json::from_str(line)?),
            Kind::McpToolSelection => Self::McpToolSelection(serde_json::from_str(line)?),
            Kind::SessionInfo => Self::SessionInfo(serde_json::from_str(line)?),
            Kind::ResetBoundary => Self::ResetBoundary,
            Kind::Other => Self::Other(serde_json::from_str(line)?),
        })
    }

    /// The body's type.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Message(_) => Kind::Message,
            Self::ModelChange(_) => Kind::ModelChange,
            Self::ThinkingLevelChange(_) => Kind::ThinkingLevelChange,
            Self::ServiceTierChange(_) => Kind::ServiceTierChange,
            Self::Compaction(_) => Kind::Compaction,
            Self::BranchSummary(_) => Kind::BranchSummary,
            Self::Custom(_) => Kind::Custom,
            Self::CustomMessage(_) => Kind::CustomMessage,
            Self::Label(_) => Kind::Label,
            Self::TtsrInjection(_) => Kind::TtsrInjection,
            Self::SessionInit(_) => Kind::SessionInit,
            Self::ModeChange(_) => Kind::ModeChange,
            Self::McpToolSelection(_) => Kind::McpToolSelection,
            Self::SessionInfo(_) => Kind::SessionInfo,
            Self::ResetBoundary => Kind::ResetBoundary,
            Self::Other(_) | Self::Unreadable(_) => Kind::Other,
        }
    }

    /// The body's fields, in the order in which they are written.
    pub(crate) fn fields(&self) -> Map<String, Value> {
        let value = match self {
            Self::Message(message) => Ok(serde_json::json!({ "message": message })),
            Self::ModelChange(body) => serde_json::to_value(body),
            Self::ThinkingLevelChange(body) => serde_json::to_value(body),
            Self::ServiceTierChange(body) => serde_json::to_value(body),
            Self::Compaction(body) => serde_json::to_value(body),
            Self::BranchSummary(body) => serde_json::to_value(body),
            Self::Custom(body) => serde_json::to_value(body),
            Self::CustomMessage(body) => serde_json::to_value(body),
            Self::Label(body) => serde_json::to_value(body),
            Self::TtsrInjection(body) => serde_json::to_value(body),
            Self::SessionInit(body) => serde_json::to_value(body),
            Self::ModeChange(body) => serde_json::to_value(body),
            Self::McpToolSelection(body) => serde_json::to_value(body),
            Self::SessionInfo(body) => serde_json::to_value(body),
            Self::Other(fields) => return fields.clone(),
            Self::ResetBoundary | Self::Unreadable(_) => return Map::new(),
        };
        match value {
            Ok(Value::Object(fields)) => fields,
            // None of the types above can be anything but an object.
            _ => Map::new(),
        }
    }
}

impl From<Message> for Body {
    fn from(message: Message) -> Self {
        Self::Message(Box::new(message))
    }
}

impl From<Compaction> for Body {
    fn from(compaction: Compaction) -> Self {
        Self::Compaction(Box::new(compaction))
    }
}

impl From<CustomMessage> for Body {
    fn from(message: CustomMessage) -> Self {
        Self::CustomMessage(Box::new(message))
    }
}

/// A body of each type can be appended as it is.
macro_rules! body_from {
    ($($name:ident),*) => {$(
        impl From<$name> for Body {
            fn from(body: $name) -> Self {
                Self::$name(body)
            }
        }
    )*};
}

body_from!(
    ModelChange,
    ThinkingLevelChange,
    ServiceTierChange,
    BranchSummary,
    Custom,
    Label,
    TtsrInjection,
    SessionInit,
    ModeChange,
    McpToolSelection,
    SessionInfo
);
