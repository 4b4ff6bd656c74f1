//! Messages as session files have them: more roles than a model knows, with the field names of the format.
//!
//! A typed message is a view. The line it was read from stays beside it in the entry, so fields that are missing here
//! are not lost.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::content::{Block, Content, ToolCall};
use super::lenient;

/// A message of a session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "role", rename_all = "camelCase")]
pub enum Message {
    /// The person, or what speaks in their place.
    User(UserMessage),
    /// An instruction of the program.
    Developer(UserMessage),
    /// The model.
    Assistant(Box<AssistantMessage>),
    /// What came of a tool call.
    ToolResult(ToolResultMessage),
    /// A shell command that the user ran.
    BashExecution(Execution),
    /// Python code that the user ran.
    PythonExecution(Execution),
    /// A message of an extension, or of Relay itself.
    Custom(CustomMessage),
    /// What happened on a branch that was left.
    BranchSummary(BranchSummaryMessage),
    /// What the conversation was about before it was compacted.
    CompactionSummary(CompactionSummaryMessage),
    /// Files that the user's message named.
    FileMention(FileMentionMessage),
    /// A message of a role that Relay does not know, with all its fields.
    #[serde(untagged)]
    Unknown(Map<String, Value>),
}

/// What a person said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserMessage {
    /// Text and pictures.
    #[serde(default)]
    pub content: Content,
    /// Whether the program wrote it, such as a request to go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synthetic: Option<bool>,
    /// `user` or `agent`: who caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribution: Option<String>,
    /// When, in milliseconds since 1970.
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMessage {
    /// Text, thoughts and tool calls.
    #[serde(default)]
    pub content: Content,
    /// The wire format: `anthropic-messages`, `openai-responses` and so on.
    #[serde(default)]
    pub api: String,
    /// The provider's name.
    #[serde(default)]
    pub provider: String,
    /// The model's id.
    #[serde(default)]
    pub model: String,
    /// The provider's id of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    /// What it used up.
    #[serde(default)]
    pub usage: Usage,
    /// `stop`, `length`, `toolUse`, `error` or `aborted`.
    #[serde(default)]
    pub stop_reason: String,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// When, in milliseconds since 1970.
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
    /// How long it took, in milliseconds.
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    pub duration: Option<i64>,
    /// How long the first token took, in milliseconds.
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    pub ttft: Option<i64>,
}

impl AssistantMessage {
    /// The tool calls in it.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.blocks().iter().filter_map(|block| match block {
            Block::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    /// Whether the answer broke off: it failed, or was cancelled.
    #[must_use]
    pub fn is_broken_off(&self) -> bool {
        matches!(self.stop_reason.as_str(), "error" | "aborted")
    }
}

/// Tokens of one answer, and what they cost in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Read afresh.
    #[serde(deserialize_with = "lenient::count")]
    pub input: u64,
    /// Written by the model, thinking included.
    #[serde(deserialize_with = "lenient::count")]
    pub output: u64,
    /// Read from the provider's cache.
    #[serde(deserialize_with = "lenient::count")]
    pub cache_read: u64,
    /// Written to the provider's cache.
    #[serde(deserialize_with = "lenient::count")]
    pub cache_write: u64,
    /// All of them.
    #[serde(deserialize_with = "lenient::count")]
    pub total_tokens: u64,
    /// The part of `output` that was thinking, where known.
    #[serde(deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<i64>,
    /// What it cost.
    pub cost: Cost,
}

impl Usage {
    /// How much of the context window the conversation took after this answer; zero where it is not known.
    #[must_use]
    pub fn context_tokens(&self) -> u64 {
        let sum = [self.output, self.cache_read, self.cache_write]
            .iter()
            .fold(self.input, |sum, part| sum.saturating_add(*part));
        if sum > 0 { sum } else { self.total_tokens }
    }

    /// The tokens that were not read from the provider's cache.
    #[must_use]
    pub fn fresh_tokens(&self) -> u64 {
        self.input.saturating_add(self.cache_write).saturating_add(self.output)
    }
}

/// What an answer cost in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Cost {
    /// Tokens read afresh.
    #[serde(deserialize_with = "lenient::amount")]
    pub input: f64,
    /// Tokens written.
    #[serde(deserialize_with = "lenient::amount")]
    pub output: f64,
    /// Tokens read from the cache.
    #[serde(deserialize_with = "lenient::amount")]
    pub cache_read: f64,
    /// Tokens written to the cache.
    #[serde(deserialize_with = "lenient::amount")]
    pub cache_write: f64,
    /// All of it.
    #[serde(deserialize_with = "lenient::amount")]
    pub total: f64,
}

/// What came of a tool call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultMessage {
    /// The call's id.
    #[serde(default)]
    pub tool_call_id: String,
    /// The tool's name.
    #[serde(default)]
    pub tool_name: String,
    /// Text and pictures for the model.
    #[serde(default)]
    pub content: Content,
    /// What front ends show of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Whether the tool failed.
    #[serde(default, deserialize_with = "lenient::switch")]
    pub is_error: bool,
    /// `user` or `agent`: who caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribution: Option<String>,
    /// When the output was replaced by a note to save room, in milliseconds since 1970.
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    pub pruned_at: Option<i64>,
    /// When, in milliseconds since 1970.
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

/// Something that the user ran beside the conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Execution {
    /// The shell command.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The Python code.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// What it printed.
    #[serde(default)]
    pub output: String,
    /// The code it ended with.
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// Whether the user stopped it.
    #[serde(default, deserialize_with = "lenient::switch")]
    pub cancelled: bool,
    /// Whether the output was cut.
    #[serde(default, deserialize_with = "lenient::switch")]
    pub truncated: bool,
    /// Whether the model is not shown it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude_from_context: Option<bool>,
    /// When, in milliseconds since 1970.
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

/// A message of an extension, or of Relay itself. In a log it is an entry of its own, `custom_message`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomMessage {
    /// What it is: `handoff`, `skill-prompt` and so on.
    #[serde(default)]
    pub custom_type: String,
    /// Text and pictures.
    #[serde(default)]
    pub content: Content,
    /// Whether front ends show it.
    #[serde(default, deserialize_with = "lenient::switch")]
    pub display: bool,
    /// What front ends know about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// `user` or `agent`: who caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribution: Option<String>,
    /// When, in milliseconds since 1970. Entries have their own `timestamp`, which is a text.
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

/// What happened on a branch that was left.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BranchSummaryMessage {
    /// The summary.
    #[serde(default)]
    pub summary: String,
    /// The entry the conversation went back to, or `root`.
    #[serde(default)]
    pub from_id: String,
    /// When, in milliseconds since 1970.
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

/// What the conversation was about before it was compacted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactionSummaryMessage {
    /// The summary.
    #[serde(default)]
    pub summary: String,
    /// The same in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short_summary: Option<String>,
    /// How many tokens the conversation had.
    #[serde(default, deserialize_with = "lenient::count")]
    pub tokens_before: u64,
    /// When, in milliseconds since 1970.
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

/// Files that the user's message named.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileMentionMessage {
    /// The files.
    #[serde(default)]
    pub files: Vec<MentionedFile>,
    /// When, in milliseconds since 1970.
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<i64>,
}

/// A file that the user's message named.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MentionedFile {
    /// Its path.
    pub path: String,
    /// What is in it.
    #[serde(default)]
    pub content: String,
    /// How many lines that is.
    #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
    pub line_count: Option<i64>,
    /// A picture, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<Block>,
}

/// The role of a message that begins with it, as JSON; none if it begins otherwise or the role needs decoding.
fn leading_role(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("{\"role\":")?;
    let end = rest.strip_prefix('"')?.find('"')? + 2;
    let role = rest.get(..end)?;
    // One with an escape in it is left to the parser.
    (!role.contains('\\')).then_some(role)
}

impl Message {
    /// Reads a message from its JSON.
    ///
    /// # Errors
    /// The text is not a JSON object, or a field that a role needs has the wrong form.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        struct Role<'a> {
            #[serde(default, borrow)]
            role: Option<&'a RawValue>,
        }
        // Most programs write the role first; then the rest need not be looked through for it.
        let role = match leading_role(text) {
            Some(role) => role,
            None => serde_json::from_str::<Role<'_>>(text)?.role.map_or("", RawValue::get),
        };
        Ok(match role {
            r#""user""# => Self::User(serde_json::from_str(text)?),
            r#""developer""# => Self::Developer(serde_json::from_str(text)?),
            r#""assistant""# => Self::Assistant(serde_json::from_str(text)?),
            r#""toolResult""# => Self::ToolResult(serde_json::from_str(text)?),
            r#""bashExecution""# => Self::BashExecution(serde_json::from_str(text)?),
            r#""pythonExecution""# => Self::PythonExecution(serde_json::from_str(text)?),
            r#""custom""# | r#""hookMessage""# => Self::Custom(serde_json::from_str(text)?),
            r#""branchSummary""# => Self::BranchSummary(serde_json::from_str(text)?),
            r#""compactionSummary""# => Self::CompactionSummary(serde_json::from_str(text)?),
            r#""fileMention""# => Self::FileMention(serde_json::from_str(text)?),
            _ => Self::Unknown(serde_json::from_str(text)?),
        })
    }

    /// A message of the user that is nothing but text.
    #[must_use]
    pub fn user(text: &str) -> Self {
        Self::User(UserMessage { content: text.into(), ..UserMessage::default() })
    }

    /// The role's name in session files.
    #[must_use]
    pub fn role(&self) -> &str {
        match self {
            Self::User(_) => "user",
            Self::Developer(_) => "developer",
            Self::Assistant(_) => "assistant",
            Self::ToolResult(_) => "toolResult",
            Self::BashExecution(_) => "bashExecution",
            Self::PythonExecution(_) => "pythonExecution",
            Self::Custom(_) => "custom",
            Self::BranchSummary(_) => "branchSummary",
            Self::CompactionSummary(_) => "compactionSummary",
            Self::FileMention(_) => "fileMention",
            Self::Unknown(object) => object.get("role").and_then(Value::as_str).unwrap_or_default(),
        }
    }

    /// The words in it, without thoughts and tool calls.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::User(message) | Self::Developer(message) => message.content.text("\n"),
            Self::Assistant(message) => message.content.text("\n"),
            Self::ToolResult(message) => message.content.text("\n"),
            Self::Custom(message) => message.content.text("\n"),
            Self::BashExecution(run) => format!("{}\n{}", run.command, run.output),
            Self::PythonExecution(run) => format!("{}\n{}", run.code, run.output),
            Self::BranchSummary(message) => message.summary.clone(),
            Self::CompactionSummary(message) => message.summary.clone(),
            Self::FileMention(message) => {
                message.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>().join("\n")
            }
            Self::Unknown(_) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Reading and writing again gives the same JSON.
    fn check(value: Value) -> Message {
        let message = Message::from_json(&value.to_string()).unwrap();
        assert_eq!(serde_json::to_value(&message).unwrap(), value);
        message
    }

    #[test]
    fn every_role_keeps_its_field_names() {
        let usage = json!({ "input": 100, "output": 20, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 120,
            "cost": { "input": 0.5, "output": 0.0, "cacheRead": 0.0, "cacheWrite": 0.0, "total": 0.5 } });
        for (value, role) in [
            (json!({ "role": "user", "content": "hi", "timestamp": 1 }), "user"),
            (json!({ "role": "developer", "content": [], "attribution": "agent" }), "developer"),
            (
                json!({ "role": "assistant", "content": [{ "type": "text", "text": "Done." }],
                    "api": "anthropic-messages", "provider": "anthropic", "model": "m", "responseId": "r",
                    "usage": usage, "stopReason": "stop", "timestamp": 1_760_000_000_000_i64, "duration": 5 }),
                "assistant",
            ),
            (
                json!({ "role": "toolResult", "toolCallId": "c", "toolName": "bash", "content": [],
                    "details": { "x": 1 }, "isError": false, "prunedAt": 4, "timestamp": 1 }),
                "toolResult",
            ),
            (
                json!({ "role": "bashExecution", "command": "ls", "output": "a", "exitCode": 0,
                    "cancelled": false, "truncated": false, "excludeFromContext": true, "timestamp": 1 }),
                "bashExecution",
            ),
            (
                json!({ "role": "pythonExecution", "code": "1", "output": "", "cancelled": true, "truncated": false }),
                "pythonExecution",
            ),
            (
                json!({ "role": "custom", "customType": "t", "content": "c", "display": true, "details": {} }),
                "custom",
            ),
            (
                json!({ "role": "branchSummary", "summary": "s", "fromId": "root", "timestamp": 1 }),
                "branchSummary",
            ),
            (
                json!({ "role": "compactionSummary", "summary": "s", "shortSummary": "t", "tokensBefore": 5 }),
                "compactionSummary",
            ),
            (
                json!({ "role": "fileMention", "files": [{ "path": "a", "content": "b", "lineCount": 1 }] }),
                "fileMention",
            ),
            (json!({ "role": "narrator", "voice": [1] }), "narrator"),
        ] {
            assert_eq!(check(value).role(), role);
        }
    }

    #[test]
    fn odd_numbers_do_not_cost_a_message() {
        let text = r#"{"role":"assistant","content":"x","usage":{"input":1.0,"output":null,"cost":{"total":"?"}},"timestamp":1.5}"#;
        let Message::Assistant(message) = Message::from_json(text).unwrap() else { panic!("not an answer") };
        assert_eq!((message.usage.input, message.usage.output, message.timestamp), (1, 0, Some(1)));
    }

    #[test]
    fn values_that_are_not_messages_are_errors() {
        for text in ["", "7", "[]", r#"{"role":"user","content":7}"#] {
            assert!(Message::from_json(text).is_err(), "{text}");
        }
    }
}
