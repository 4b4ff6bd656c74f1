//! What is said: messages and the blocks they are made of, as they are stored and sent to any provider.
//!
//! One form for all providers. What only one provider understands (signatures, encrypted reasoning, blocks of a kind
//! that Relay does not know) is kept verbatim and sent back to that provider only.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::provider::Wire;

/// Who said it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person, and the tools that answer in their place.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who said it.
    pub role: Role,
    /// What was said, in order.
    pub content: Vec<Block>,
    /// Which model said it; none for the user's messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl Message {
    /// A message of the user.
    #[must_use]
    pub fn user(content: Vec<Block>) -> Self {
        Self { role: Role::User, content, origin: None }
    }

    /// A message of the user that is nothing but text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::user(vec![Block::text(text)])
    }

    /// The message's text blocks, put together.
    #[must_use]
    pub fn plain_text(&self) -> String {
        let text = |block: &Block| match block {
            Block::Text { text, .. } => Some(text.clone()),
            _ => None,
        };
        self.content.iter().filter_map(text).collect()
    }

    /// The tool calls in it.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolCall(call) => Some(call),
            _ => None,
        })
    }
}

/// Which model a message came from. Seals and unknown blocks go back to the same provider and model only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The provider's name.
    pub provider: String,
    /// The format it was said in.
    pub wire: Wire,
    /// The model's id, as requested.
    pub model: String,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    /// Words for the reader.
    Text {
        /// The words.
        text: String,
        /// What the provider wants back with them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seal: Option<Seal>,
    },
    /// What the model thought on its way, or the provider's summary of it.
    Thinking {
        /// The thoughts; empty when the provider hides them.
        text: String,
        /// What the provider wants back with them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seal: Option<Seal>,
    },
    /// A tool the model wants to have run.
    ToolCall(ToolCall),
    /// The result of a tool call.
    ToolResult(ToolResult),
    /// A picture.
    Image(Image),
    /// A block of a kind that Relay does not know, verbatim.
    Unknown {
        /// The format it belongs to.
        wire: Wire,
        /// The block as it came.
        value: Value,
    },
}

impl Block {
    /// A block of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), seal: None }
    }
}

/// What a provider attaches to a block and must get back unchanged with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Seal {
    /// A signature over the block (Anthropic's thinking, Google's parts).
    Signature {
        /// The signature.
        signature: String,
    },
    /// Thinking that only the provider can read; the block's text is empty.
    Redacted {
        /// The encrypted thinking.
        data: String,
    },
    /// The item of OpenAI's Responses that contained the block.
    Item {
        /// The item's id.
        id: String,
        /// Encrypted reasoning, when the provider keeps nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        encrypted: Option<String>,
        /// Whether a message was a comment on the way or the final answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        phase: Option<String>,
    },
    /// OpenRouter's `reasoning_details`, in order.
    Details {
        /// The entries as they came.
        details: Vec<Value>,
    },
    /// The name of the field in which a compatible server sent its reasoning, and wants it back.
    Field {
        /// `reasoning_content`, `reasoning` or `reasoning_text`.
        name: String,
    },
}

/// A tool the model wants to have run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Names the call; its result carries the same id. For OpenAI's Responses it is `<call_id>|<item_id>`.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// What to call it with.
    #[serde(flatten)]
    pub arguments: Arguments,
    /// What the provider wants back with the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<Seal>,
}

/// A tool call's arguments. A tool must not run on a guess: what did not parse is not an object here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Arguments {
    /// A complete JSON object.
    #[serde(rename = "arguments")]
    Object(Map<String, Value>),
    /// Text that is not one. The tool must not run; the model learns why.
    #[serde(rename = "malformed")]
    Malformed {
        /// What the model wrote.
        text: String,
        /// Why it is not an object.
        reason: String,
    },
}

impl Arguments {
    /// Reads a finished call's arguments. No text at all means no arguments.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        if text.trim().is_empty() {
            return Self::Object(Map::new());
        }
        let malformed = |reason: String| Self::Malformed { text: text.to_owned(), reason };
        match serde_json::from_str(text) {
            Ok(Value::Object(object)) => Self::Object(object),
            Ok(_) => malformed("the arguments are not a JSON object".to_owned()),
            Err(error) => malformed(error.to_string()),
        }
    }

    /// The object, unless malformed.
    #[must_use]
    pub fn object(&self) -> Option<&Map<String, Value>> {
        match self {
            Self::Object(object) => Some(object),
            Self::Malformed { .. } => None,
        }
    }

    /// The object to send back as history. Providers refuse history that is not an object, so a malformed call goes
    /// back empty; its result shows the model what it wrote.
    pub(crate) fn history(&self) -> Value {
        Value::Object(self.object().cloned().unwrap_or_default())
    }
}

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call's id.
    pub call_id: String,
    /// The tool's name; some providers match results by it.
    pub name: String,
    /// Text and images.
    pub content: Vec<Block>,
    /// Whether the tool failed.
    #[serde(default)]
    pub is_error: bool,
}

impl ToolResult {
    /// The result's text blocks, one below the other.
    pub(crate) fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| match block {
            Block::Text { text, .. } => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The result's images.
    pub(crate) fn images(&self) -> impl Iterator<Item = &Image> {
        self.content.iter().filter_map(|block| match block {
            Block::Image(image) => Some(image),
            _ => None,
        })
    }
}

/// A picture, in the message itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub media_type: String,
    /// The bytes in base64.
    pub data: String,
}

impl Image {
    /// The picture as a `data:` URL.
    pub(crate) fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.data)
    }

    /// The picture in a `data:` URL in base64.
    pub(crate) fn from_data_url(url: &str) -> Option<Self> {
        let (media_type, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
        Some(Self { media_type: media_type.to_owned(), data: data.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Arguments, Block, Message, Seal, ToolCall};

    fn check(block: Block, expected: serde_json::Value) {
        assert_eq!(serde_json::to_value(&block).unwrap(), expected);
        assert_eq!(serde_json::from_value::<Block>(expected).unwrap(), block);
    }

    #[test]
    fn blocks_are_stored_as_documented() {
        check(Block::text("hi"), json!({ "type": "text", "text": "hi" }));
        check(
            Block::Thinking {
                text: String::new(),
                seal: Some(Seal::Signature { signature: "s".to_owned() }),
            },
            json!({ "type": "thinking", "text": "", "seal": { "kind": "signature", "signature": "s" } }),
        );
        let call = |arguments| {
            Block::ToolCall(ToolCall { id: "1".to_owned(), name: "read".to_owned(), arguments, seal: None })
        };
        check(
            call(Arguments::parse(r#"{"path":"a"}"#)),
            json!({ "type": "tool_call", "id": "1", "name": "read", "arguments": { "path": "a" } }),
        );
        check(
            call(Arguments::Malformed { text: "{".to_owned(), reason: "cut".to_owned() }),
            json!({ "type": "tool_call", "id": "1", "name": "read", "malformed": { "text": "{", "reason": "cut" } }),
        );
    }

    #[test]
    fn only_a_complete_object_is_an_object() {
        assert!(Arguments::parse("").object().is_some_and(serde_json::Map::is_empty));
        assert!(Arguments::parse(r#" {"a":1} "#).object().is_some());
        for text in ["{", "[]", "\"x\"", "null", r#"{"a":1} {"b":2}"#, r#"{"a":}"#, "{'a':1}"] {
            assert!(Arguments::parse(text).object().is_none(), "{text}");
        }
    }

    #[test]
    fn a_message_without_origin_can_be_read() {
        let message: Message =
            serde_json::from_value(json!({ "role": "user", "content": [{ "type": "text", "text": "a" }] }))
                .unwrap();
        assert_eq!(message, Message::text("a"));
        assert_eq!(message.plain_text(), "a");
    }
}
