//! What a message is made of: text, thoughts, pictures and tool calls, with the field names of session files.

use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// A message's content: a plain text, or blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Content {
    /// A plain text.
    Text(String),
    /// Blocks, in order.
    Blocks(Vec<Block>),
}

impl Default for Content {
    fn default() -> Self {
        Self::Blocks(Vec::new())
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Content {
    /// The text blocks, joined by `between`.
    #[must_use]
    pub fn text(&self, between: &str) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(blocks) => {
                let texts = blocks.iter().filter_map(|block| match block {
                    Block::Text { text, .. } => Some(text.as_str()),
                    _ => None,
                });
                texts.collect::<Vec<_>>().join(between)
            }
        }
    }

    /// The blocks; none if the content is a plain text.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        match self {
            Self::Text(_) => &[],
            Self::Blocks(blocks) => blocks,
        }
    }
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Block {
    /// Words for the reader.
    Text {
        /// The words.
        text: String,
        /// What the provider wants back with them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text_signature: Option<String>,
    },
    /// What the model thought on its way.
    Thinking {
        /// The thoughts; empty when the provider hides them.
        thinking: String,
        /// What the provider wants back with them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking_signature: Option<String>,
    },
    /// Thoughts that only the provider can read.
    RedactedThinking {
        /// The encrypted thoughts.
        data: String,
    },
    /// A picture.
    Image {
        /// The bytes in base64, or `blob:sha256:<hex>`.
        data: String,
        /// `image/png` and the like.
        mime_type: String,
    },
    /// A tool the model wants to have run.
    ToolCall(ToolCall),
    /// A block of a kind that Relay does not know, with all its fields.
    #[serde(untagged)]
    Unknown(Map<String, Value>),
}

impl Block {
    /// A block of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), text_signature: None }
    }
}

/// A tool the model wants to have run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// Names the call; its result carries the same id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// What to call it with.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// What the provider wants back with the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought_signature: Option<String>,
    /// Why the model calls it, where tools ask for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// Whether the arguments were cut off; such a call must not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete_arguments: Option<bool>,
    /// What the model wrote instead of an object, and why it is not one. Only Relay writes this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub malformed: Option<Malformed>,
}

/// Arguments that are not a JSON object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Malformed {
    /// What the model wrote.
    pub text: String,
    /// Why it is not an object.
    pub reason: String,
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a list of blocks")
    }

    fn visit_str<E>(self, text: &str) -> Result<Content, E> {
        Ok(Content::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Content, E> {
        Ok(Content::Text(text))
    }

    fn visit_unit<E>(self) -> Result<Content, E> {
        Ok(Content::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Content, A::Error> {
        let mut blocks = Vec::new();
        while let Some(block) = sequence.next_element()? {
            blocks.push(block);
        }
        Ok(Content::Blocks(blocks))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(value: Value, expected: Content) {
        let content: Content = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(content, expected);
        assert_eq!(serde_json::to_value(&content).unwrap(), value);
    }

    #[test]
    fn content_is_a_text_or_blocks() {
        check(json!("hi"), Content::Text("hi".to_owned()));
        check(json!([{ "type": "text", "text": "hi" }]), Content::Blocks(vec![Block::text("hi")]));
        assert_eq!(serde_json::from_value::<Content>(Value::Null).unwrap(), Content::default());
    }

    #[test]
    fn every_block_keeps_its_field_names() {
        for block in [
            json!({ "type": "text", "text": "a", "textSignature": "s" }),
            json!({ "type": "thinking", "thinking": "a", "thinkingSignature": "s" }),
            json!({ "type": "redactedThinking", "data": "x" }),
            json!({ "type": "image", "data": "QUJD", "mimeType": "image/png" }),
            json!({ "type": "toolCall", "id": "1", "name": "read", "arguments": { "path": "a" }, "intent": "look" }),
            json!({ "type": "audio", "data": [1, 2], "rate": 44100 }),
        ] {
            let read: Block = serde_json::from_value(block.clone()).unwrap();
            assert_eq!(serde_json::to_value(&read).unwrap(), block);
        }
    }

    #[test]
    fn a_known_kind_with_a_wrong_field_is_kept_as_unknown() {
        let odd = json!({ "type": "text", "text": 7 });
        let read: Block = serde_json::from_value(odd.clone()).unwrap();
        assert!(matches!(read, Block::Unknown(_)), "{read:?}");
        assert_eq!(serde_json::to_value(&read).unwrap(), odd);
    }
}
