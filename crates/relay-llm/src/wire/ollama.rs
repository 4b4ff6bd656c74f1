//! Ollama's own format: one JSON value a line, tool calls whole.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Decode, Flow, Framing, Written, broke_off, fresh_id, or_default, parse, put};
use crate::assemble::Assembler;
use crate::classify::Refused;
use crate::error::Error;
use crate::event::{Kind, StopReason};
use crate::message::{Block, Image, Message, Role};
use crate::model::{Model, ThinkingStyle};
use crate::request::{Request, Thinking, ToolChoice};

/// Writes a request.
pub(super) fn write(model: &Model, request: &Request) -> Written {
    Written {
        path: "/api/chat".to_owned(),
        headers: vec![("accept", "application/x-ndjson".to_owned())],
        body: body(model, request),
        framing: Framing::Lines,
        decoder: || Box::new(Decoder::default()),
    }
}

fn body(model: &Model, request: &Request) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for message in &request.messages {
        write_message(message, model, &mut messages);
    }
    let mut body = json!({ "model": model.id, "stream": true, "messages": messages });
    if !request.tools.is_empty() && model.capabilities.tools && request.tool_choice != ToolChoice::None {
        let tool = |tool: &crate::request::Tool| {
            let function =
                json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
            json!({ "type": "function", "function": function })
        };
        put(&mut body, "tools", request.tools.iter().map(tool).collect());
    }
    if let Some(level) = request.thinking {
        match model.capabilities.thinking {
            ThinkingStyle::None => {}
            ThinkingStyle::Effort if level != Thinking::Off => {
                let name = match level {
                    Thinking::Off | Thinking::Minimal | Thinking::Low => "low",
                    Thinking::Medium => "medium",
                    Thinking::High | Thinking::Max => "high",
                };
                put(&mut body, "think", json!(name));
            }
            _ => put(&mut body, "think", json!(level != Thinking::Off)),
        }
    }
    if let Some(output) = &request.output
        && model.capabilities.structured
    {
        put(&mut body, "format", output.schema.clone());
    }
    let mut options = json!({});
    if let Some(max) = request.max_output {
        put(&mut options, "num_predict", json!(max));
    }
    if let Some(temperature) = request.temperature {
        put(&mut options, "temperature", json!(temperature));
    }
    if !request.stop_sequences.is_empty() {
        put(&mut options, "stop", json!(request.stop_sequences));
    }
    if options != json!({}) {
        put(&mut body, "options", options);
    }
    body
}

/// A message, and before it each tool's result as a message of its own.
fn write_message(message: &Message, model: &Model, messages: &mut Vec<Value>) {
    let mut images: Vec<&Image> = Vec::new();
    for block in &message.content {
        match block {
            Block::ToolResult(result) => {
                let mut written =
                    json!({ "role": "tool", "tool_name": result.name, "content": result.text() });
                let shown: Vec<&str> = result.images().map(|image| image.data.as_str()).collect();
                if model.capabilities.images && !shown.is_empty() {
                    put(&mut written, "images", json!(shown));
                }
                messages.push(written);
            }
            Block::Image(image) if model.capabilities.images => images.push(image),
            _ => {}
        }
    }
    let text = message.plain_text();
    let calls: Vec<Value> = message
        .tool_calls()
        .map(|call| json!({ "function": { "name": call.name, "arguments": call.arguments.history() } }))
        .collect();
    if text.is_empty() && calls.is_empty() && images.is_empty() {
        return;
    }
    let role = if message.role == Role::User { "user" } else { "assistant" };
    let mut written = json!({ "role": role, "content": text });
    if !images.is_empty() {
        put(&mut written, "images", images.iter().map(|image| json!(image.data)).collect());
    }
    if !calls.is_empty() {
        // A model that thinks before it calls wants to remember why.
        let thoughts: String = message.content.iter().filter_map(thoughts).collect();
        if !thoughts.is_empty() {
            put(&mut written, "thinking", json!(thoughts));
        }
        put(&mut written, "tool_calls", Value::Array(calls));
    }
    messages.push(written);
}

fn thoughts(block: &Block) -> Option<&str> {
    match block {
        Block::Thinking { text, .. } => Some(text),
        _ => None,
    }
}

/// Reads the answer.
#[derive(Default)]
pub(super) struct Decoder {
    /// The block of words or thoughts that is being received, and whether it is thoughts.
    prose: Option<(bool, usize)>,
    is_done: bool,
}

#[derive(Deserialize)]
struct Line {
    model: Option<String>,
    message: Option<Said>,
    #[serde(default, deserialize_with = "or_default")]
    done: bool,
    done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct Said {
    #[serde(default, deserialize_with = "or_default")]
    content: String,
    #[serde(default, deserialize_with = "or_default")]
    thinking: String,
    tool_calls: Option<Vec<Call>>,
}

#[derive(Deserialize)]
struct Call {
    id: Option<String>,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default, deserialize_with = "or_default")]
    arguments: Value,
}

impl Decode for Decoder {
    fn frame(&mut self, data: &[u8], answer: &mut Assembler) -> Result<Flow, Error> {
        let line: Line = parse(data, answer)?;
        if let Some(message) = line.error {
            let refused = Refused { message, ..Refused::default() };
            return Err(refused.into_error(&answer.turn().origin.provider));
        }
        answer.start(None, line.model.as_deref());
        if let Some(said) = line.message {
            self.prose(true, &said.thinking, answer)?;
            self.prose(false, &said.content, answer)?;
            for call in said.tool_calls.into_iter().flatten() {
                self.close(answer);
                let id = call.id.filter(|id| !id.is_empty()).unwrap_or_else(fresh_id);
                let index = answer.begin(Kind::ToolCall { id, name: call.function.name });
                let arguments = match call.function.arguments {
                    Value::Null => String::new(),
                    Value::String(text) => text,
                    arguments => arguments.to_string(),
                };
                answer.delta(index, &arguments)?;
                answer.end(index);
            }
        }
        if !line.done {
            return Ok(Flow::More);
        }
        self.is_done = true;
        self.close(answer);
        let turn = answer.turn_mut();
        turn.usage.input = line.prompt_eval_count.unwrap_or(0);
        turn.usage.output = line.eval_count.unwrap_or(0);
        turn.stop =
            if line.done_reason.as_deref() == Some("length") { StopReason::Length } else { StopReason::Stop };
        turn.stop_detail = line.done_reason;
        Ok(Flow::Finished)
    }

    fn finish(&mut self, answer: &mut Assembler) -> Result<(), Error> {
        if self.is_done { Ok(()) } else { Err(broke_off(answer)) }
    }
}

impl Decoder {
    fn prose(&mut self, is_thought: bool, text: &str, answer: &mut Assembler) -> Result<(), Error> {
        if text.is_empty() {
            return Ok(());
        }
        let index = match self.prose {
            Some((open, index)) if open == is_thought => index,
            _ => {
                self.close(answer);
                let index = answer.begin(if is_thought { Kind::Thinking } else { Kind::Text });
                self.prose = Some((is_thought, index));
                index
            }
        };
        answer.delta(index, text)
    }

    fn close(&mut self, answer: &mut Assembler) {
        if let Some((_, index)) = self.prose.take() {
            answer.end(index);
        }
    }
}
