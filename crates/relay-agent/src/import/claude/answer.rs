//! An answer of a model, put together from the lines that Claude Code wrote for its blocks.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::import::lines::{count, text};
use crate::import::omissions::Omissions;
use crate::import::parts::{call, clip, plain};
use crate::session::Content;
use crate::session::content::Block;
use crate::session::message::{AssistantMessage, Usage};

/// The lines of one answer.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub model: String,
    id: String,
    blocks: Vec<Map<String, Value>>,
    stop_reason: String,
    usage: Usage,
}

impl Answer {
    /// The answers of a log, by the place of their first line.
    pub(super) fn collect(objects: &[Map<String, Value>]) -> HashMap<usize, Answer> {
        let mut answers: HashMap<usize, Answer> = HashMap::new();
        // Where the answer of a line begins.
        let mut begins: HashMap<&str, usize> = HashMap::new();
        for (index, object) in objects.iter().enumerate() {
            let message = object.get("message").and_then(Value::as_object);
            let Some(message) = message.filter(|_| text(object, "type") == Some("assistant")) else {
                continue;
            };
            let id = text(message, "id").unwrap_or_default();
            let continued = text(object, "parentUuid")
                .and_then(|parent| begins.get(parent).copied())
                .filter(|begin| !id.is_empty() && answers.get(begin).is_some_and(|answer| answer.id == id));
            let begin = continued.unwrap_or(index);
            if let Some(uuid) = text(object, "uuid") {
                begins.insert(uuid, begin);
            }
            answers.entry(begin).or_default().add(message);
        }
        answers
    }

    fn add(&mut self, message: &Map<String, Value>) {
        for (field, key) in
            [(&mut self.id, "id"), (&mut self.model, "model"), (&mut self.stop_reason, "stop_reason")]
        {
            if let Some(text) = text(message, key) {
                *field = text.chars().take(200).collect();
            }
        }
        match message.get("content") {
            Some(Value::Array(blocks)) => {
                self.blocks.extend(blocks.iter().filter_map(|block| block.as_object().cloned()));
            }
            Some(Value::String(said)) => {
                let fields =
                    [("type", "text"), ("text", said)].map(|(key, value)| (key.to_owned(), value.into()));
                self.blocks.push(fields.into_iter().collect());
            }
            _ => {}
        }
        // Every line carries what the whole answer has used so far; the last one is complete.
        if let Some(usage) = message.get("usage").and_then(Value::as_object) {
            self.usage = Usage {
                input: count(usage, "input_tokens"),
                output: count(usage, "output_tokens"),
                cache_read: count(usage, "cache_read_input_tokens"),
                cache_write: count(usage, "cache_creation_input_tokens"),
                ..Usage::default()
            };
            self.usage.total_tokens = self.usage.context_tokens();
        }
    }

    /// The answer as a message of a session. What it cost is not in the log.
    pub(super) fn message(&self, omissions: &mut Omissions) -> AssistantMessage {
        let blocks = self.blocks.iter().filter_map(|block| said(block, omissions)).collect();
        let stop_reason = match self.stop_reason.as_str() {
            "tool_use" => "toolUse",
            "max_tokens" => "length",
            _ => "stop",
        };
        AssistantMessage {
            content: Content::Blocks(blocks),
            api: "anthropic-messages".to_owned(),
            provider: "anthropic".to_owned(),
            model: self.model.clone(),
            response_id: Some(self.id.clone()).filter(|id| !id.is_empty()),
            usage: self.usage,
            stop_reason: stop_reason.to_owned(),
            ..AssistantMessage::default()
        }
    }
}

/// A block that a model said.
fn said(block: &Map<String, Value>, omissions: &mut Omissions) -> Option<Block> {
    match text(block, "type").unwrap_or_default() {
        "thinking" => Some(Block::Thinking {
            thinking: clip(text(block, "thinking").unwrap_or_default()),
            thinking_signature: text(block, "signature").map(str::to_owned),
        }),
        "redacted_thinking" => {
            text(block, "data").map(|data| Block::RedactedThinking { data: data.to_owned() })
        }
        "tool_use" => {
            let (id, name) = (text(block, "id")?, text(block, "name")?);
            Some(Block::ToolCall(call(id, name, block.get("input"))))
        }
        _ => plain(block, omissions),
    }
}
