//! Sessions of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl`.
//!
//! A rollout is a plain list. What the model was sent and what it said are items of OpenAI's Responses format, several of
//! which make up one answer; what it used comes in a line of its own afterwards.
//!
//! Left out and counted: Codex's own instructions and notes to the model, events that repeat what the items say.

mod items;

use serde_json::{Map, Value};

use self::items::{Item, item};
use super::builder::Builder;
use super::lines::{Line, count, lines, text};
use super::parts::clip;
use super::{ImportError, Imported, Program};
use crate::session::body::{Compaction, ModelChange, ThinkingLevelChange};
use crate::session::message::{AssistantMessage, Message, ToolResultMessage, Usage, UserMessage};
use crate::session::{Block, Body, Content};

pub(super) fn read(bytes: &[u8]) -> Result<Imported, ImportError> {
    let mut importer = Importer::new();
    for (index, line) in lines(bytes).enumerate() {
        match line {
            Line::Object(object) => importer.line(&object, index == 0),
            Line::Unreadable => importer.builder.omissions.add("lines that cannot be read"),
        }
    }
    importer.finish()
}

/// Something that becomes an entry once the log is read to its end.
struct Step {
    time: Option<String>,
    body: Body,
}

struct Importer {
    builder: Builder,
    steps: Vec<Step>,
    provider: String,
    model: String,
    effort: Option<String>,
    /// Tool calls without a result: their ids and tools.
    calls: std::collections::HashMap<String, String>,
    /// Whether the last step is an answer that further items belong to.
    is_open: bool,
}

impl Importer {
    fn new() -> Self {
        Self {
            builder: Builder::new(),
            steps: Vec::new(),
            provider: "openai".to_owned(),
            model: String::new(),
            effort: None,
            calls: std::collections::HashMap::new(),
            is_open: false,
        }
    }

    fn line(&mut self, object: &Map<String, Value>, is_first: bool) {
        let empty = Map::new();
        let payload = object.get("payload").and_then(Value::as_object).unwrap_or(&empty);
        let time = text(object, "timestamp");
        match text(object, "type") {
            Some("session_meta") => self.meta(payload),
            Some("turn_context") => self.context(payload, time),
            Some("response_item") => self.item(payload, time),
            Some("compacted") => self.compacted(payload, time),
            Some("token_usage_record") => self.used(payload.get("usage")),
            Some("event_msg") => self.event(payload),
            // Until the middle of 2025 the items were lines themselves, after a first line without a type.
            None if is_first => self.meta(object),
            Some("message" | "reasoning" | "function_call" | "function_call_output" | "local_shell_call") => {
                self.item(object, time);
            }
            kind => self.builder.omissions.add(&format!("lines of type {}", kind.unwrap_or("unknown"))),
        }
    }

    fn meta(&mut self, payload: &Map<String, Value>) {
        let facts = &mut self.builder.facts;
        if facts.id.is_some() {
            return self.builder.omissions.add("further headers");
        }
        facts.id = text(payload, "id").map(str::to_owned);
        facts.timestamp = text(payload, "timestamp").map(str::to_owned);
        facts.cwd = text(payload, "cwd").map(str::to_owned);
        if let Some(provider) = text(payload, "model_provider") {
            self.provider = provider.chars().take(100).collect();
        }
    }

    /// The model and how hard it thinks, at the beginning of a turn.
    fn context(&mut self, payload: &Map<String, Value>, time: Option<&str>) {
        let model: String = text(payload, "model").unwrap_or_default().chars().take(200).collect();
        if !model.is_empty() && model != self.model {
            let selector = format!("{}/{model}", self.provider);
            self.model = model;
            self.push(time, Body::ModelChange(ModelChange { model: selector, ..ModelChange::default() }));
        }
        let effort = text(payload, "effort").map(|effort| effort.chars().take(40).collect::<String>());
        if effort.is_some() && effort != self.effort {
            self.effort.clone_from(&effort);
            self.push(time, Body::ThinkingLevelChange(ThinkingLevelChange { thinking_level: effort }));
        }
    }

    fn compacted(&mut self, payload: &Map<String, Value>, time: Option<&str>) {
        let summary = clip(text(payload, "message").unwrap_or_default());
        self.push(time, Body::Compaction(Box::new(Compaction { summary, ..Compaction::default() })));
    }

    fn event(&mut self, payload: &Map<String, Value>) {
        match text(payload, "type") {
            Some("token_count") => {
                self.used(payload.get("info").and_then(|info| info.get("last_token_usage")));
            }
            Some("turn_aborted") => {
                if let Some(answer) = self.last_answer() {
                    "aborted".clone_into(&mut answer.stop_reason);
                }
            }
            _ => self.builder.omissions.add("events"),
        }
    }

    /// What the last answer used. It is reported twice; the first report counts.
    fn used(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage.and_then(Value::as_object) else { return };
        let Some(answer) = self.last_answer().filter(|answer| answer.usage == Usage::default()) else {
            return;
        };
        let (read, write) = (count(usage, "cached_input_tokens"), count(usage, "cache_write_input_tokens"));
        answer.usage = Usage {
            // OpenAI counts what came from its cache as input as well.
            input: count(usage, "input_tokens").saturating_sub(read).saturating_sub(write),
            output: count(usage, "output_tokens"),
            cache_read: read,
            cache_write: write,
            reasoning_tokens: i64::try_from(count(usage, "reasoning_output_tokens")).ok().filter(|n| *n > 0),
            ..Usage::default()
        };
        answer.usage.total_tokens = answer.usage.context_tokens();
    }

    fn last_answer(&mut self) -> Option<&mut AssistantMessage> {
        self.steps.iter_mut().rev().find_map(|step| match &mut step.body {
            Body::Message(message) => match message.as_mut() {
                Message::Assistant(answer) => Some(answer.as_mut()),
                _ => None,
            },
            _ => None,
        })
    }

    fn item(&mut self, payload: &Map<String, Value>, time: Option<&str>) {
        match item(payload, &mut self.builder.omissions) {
            Item::Said(block) => self.said(block, time),
            Item::Asked(content) => {
                let timestamp = self.builder.milliseconds(time);
                let message = UserMessage { content, timestamp, ..UserMessage::default() };
                self.push(time, Message::User(message).into());
            }
            Item::Result { call_id, content, is_error } => {
                let Some(tool_name) = self.calls.remove(&call_id) else {
                    return self.builder.omissions.add("results without a call");
                };
                let timestamp = self.builder.milliseconds(time);
                let result = ToolResultMessage {
                    tool_call_id: call_id,
                    tool_name,
                    content,
                    is_error,
                    timestamp,
                    ..ToolResultMessage::default()
                };
                self.push(time, Message::ToolResult(result).into());
            }
            Item::LeftOut(what) => self.builder.omissions.add(&what),
        }
    }

    /// A part of an answer: it joins the one that is open, or begins a new one.
    fn said(&mut self, block: Block, time: Option<&str>) {
        let call = match &block {
            Block::ToolCall(call) => Some((call.id.clone(), call.name.clone())),
            _ => None,
        };
        if !self.is_open {
            let timestamp = self.builder.milliseconds(time);
            let answer = AssistantMessage {
                api: "openai-responses".to_owned(),
                provider: self.provider.clone(),
                model: self.model.clone(),
                stop_reason: "stop".to_owned(),
                timestamp,
                ..AssistantMessage::default()
            };
            self.push(time, Message::Assistant(Box::new(answer)).into());
            self.is_open = true;
        }
        if let Some(answer) = self.last_answer() {
            if call.is_some() {
                "toolUse".clone_into(&mut answer.stop_reason);
            }
            if let Content::Blocks(blocks) = &mut answer.content {
                blocks.push(block);
            }
        }
        self.calls.extend(call);
    }

    fn push(&mut self, time: Option<&str>, body: Body) {
        self.is_open = false;
        self.steps.push(Step { time: time.map(str::to_owned), body });
    }

    fn finish(mut self) -> Result<Imported, ImportError> {
        if !self.steps.iter().any(|step| matches!(step.body, Body::Message(_))) {
            return Err(ImportError::Empty(Program::Codex));
        }
        let mut parent = None;
        for step in self.steps {
            match self.builder.push(parent.as_deref(), step.time.as_deref(), step.body) {
                Some(id) => parent = Some(id),
                None => break,
            }
        }
        self.builder.finish(Program::Codex)
    }
}
