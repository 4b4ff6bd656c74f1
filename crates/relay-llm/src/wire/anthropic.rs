//! Anthropic's Messages.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{Decode, Flow, Framing, Written, broke_off, is_own, or_default, parse, put, put_in};
use crate::assemble::Assembler;
use crate::classify;
use crate::error::{Error, ErrorKind};
use crate::event::{Kind, StopReason};
use crate::message::{Block, Image, Message, Role, Seal};
use crate::model::{Model, ThinkingStyle};
use crate::provider::Wire;
use crate::request::{Cache, Request, Thinking, ToolChoice};

/// The version of the API this file was written for.
const VERSION: &str = "2023-06-01";

/// The least thinking the API takes, and what is left for the answer beside it.
const LEAST_TOKENS: u64 = 1_024;

/// Writes a request.
pub(super) fn write(model: &Model, request: &Request) -> Written {
    let has_version = model.provider.base_url.trim_end_matches('/').ends_with("/v1");
    Written {
        path: if has_version { "/messages".to_owned() } else { "/v1/messages".to_owned() },
        headers: vec![("anthropic-version", VERSION.to_owned()), ("accept", "text/event-stream".to_owned())],
        body: body(model, request),
        framing: Framing::Sse,
        decoder: || Box::new(Decoder::default()),
    }
}

/// A request's JSON, which Bedrock takes too.
pub(super) fn body(model: &Model, request: &Request) -> Value {
    let max_tokens = request.max_output.unwrap_or(model.limits.output).min(model.limits.output);
    let mut body = json!({
        "model": model.id,
        "max_tokens": max_tokens,
        "stream": true,
        "messages": messages(model, request),
    });
    let marker = marker(request.cache);
    if !request.system.is_empty() {
        put(
            &mut body,
            "system",
            json!([marked(json!({ "type": "text", "text": request.system }), marker.as_ref())]),
        );
    }
    if !request.tools.is_empty() && model.capabilities.tools {
        put(&mut body, "tools", tools(request, marker.as_ref()));
        match &request.tool_choice {
            ToolChoice::Auto => {}
            ToolChoice::None => put(&mut body, "tool_choice", json!({ "type": "none" })),
            ToolChoice::Required => put(&mut body, "tool_choice", json!({ "type": "any" })),
            ToolChoice::Named(name) => put(&mut body, "tool_choice", json!({ "type": "tool", "name": name })),
        }
    }
    let thinks = think(&mut body, model, request, max_tokens);
    // With thinking the API takes no other temperature than its own.
    if let (Some(temperature), false) = (request.temperature, thinks) {
        put(&mut body, "temperature", json!(temperature));
    }
    if let Some(output) = &request.output
        && model.capabilities.structured
    {
        put_in(
            &mut body,
            "output_config",
            "format",
            json!({ "type": "json_schema", "schema": output.schema }),
        );
    }
    if let Some(tier) = &request.service_tier {
        put(&mut body, "service_tier", json!(tier));
    }
    if !request.stop_sequences.is_empty() {
        put(&mut body, "stop_sequences", json!(request.stop_sequences));
    }
    body
}

/// Asks for thinking, and returns whether it did.
fn think(body: &mut Value, model: &Model, request: &Request, max_tokens: u64) -> bool {
    let forced = matches!(request.tool_choice, ToolChoice::Required | ToolChoice::Named(_));
    let Some(level) = request.thinking else { return false };
    match model.capabilities.thinking {
        ThinkingStyle::None => false,
        _ if level == Thinking::Off || forced || is_amid_unsigned_calls(model, request) => {
            put(body, "thinking", json!({ "type": "disabled" }));
            false
        }
        ThinkingStyle::Budget => {
            let budget = level.budget_tokens().min(max_tokens.saturating_sub(LEAST_TOKENS));
            if budget >= LEAST_TOKENS {
                put(body, "thinking", json!({ "type": "enabled", "budget_tokens": budget }));
            }
            budget >= LEAST_TOKENS
        }
        ThinkingStyle::Effort | ThinkingStyle::Adaptive => {
            let effort = match level {
                Thinking::Off | Thinking::Minimal | Thinking::Low => "low",
                Thinking::Medium => "medium",
                Thinking::High => "high",
                Thinking::Max => "max",
            };
            put(body, "thinking", json!({ "type": "adaptive", "display": "summarized" }));
            put(body, "output_config", json!({ "effort": effort }));
            true
        }
    }
}

/// Whether the model is amid calls it made without signed thinking, because another model made them or the turn was
/// interrupted. The API refuses to go on thinking there; with the user's next message it may think again.
fn is_amid_unsigned_calls(model: &Model, request: &Request) -> bool {
    let is_result = |block: &Block| matches!(block, Block::ToolResult(_));
    let [.., calling, last] = request.messages.as_slice() else { return false };
    let is_signed = |block: &Block| matches!(block, Block::Thinking { seal: Some(_), .. });
    last.content.iter().any(is_result)
        && model.capabilities.thinking == ThinkingStyle::Budget
        && !(is_own(calling, model) && calling.content.first().is_some_and(is_signed))
}

fn tools(request: &Request, marker: Option<&Value>) -> Value {
    let last = request.tools.len().saturating_sub(1);
    let tool = |(index, tool): (usize, &crate::request::Tool)| {
        let value =
            json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters });
        marked(value, marker.filter(|_| index == last))
    };
    request.tools.iter().enumerate().map(tool).collect()
}

fn marker(cache: Cache) -> Option<Value> {
    match cache {
        Cache::None => None,
        Cache::Short => Some(json!({ "type": "ephemeral" })),
        Cache::Long => Some(json!({ "type": "ephemeral", "ttl": "1h" })),
    }
}

fn marked(mut value: Value, marker: Option<&Value>) -> Value {
    if let Some(marker) = marker {
        put(&mut value, "cache_control", marker.clone());
    }
    value
}

/// The conversation. Its last two user messages end in cache markers: one to find what was remembered, one to remember.
fn messages(model: &Model, request: &Request) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    for message in &request.messages {
        let content: Vec<Value> =
            message.content.iter().filter_map(|block| write_block(block, message, model)).collect();
        if !content.is_empty() {
            let role = if message.role == Role::User { "user" } else { "assistant" };
            messages.push(json!({ "role": role, "content": content }));
        }
    }
    if let Some(marker) = marker(request.cache) {
        let is_user = |message: &&mut Value| message.get("role").is_some_and(|role| role == "user");
        for message in messages.iter_mut().rev().filter(is_user).take(2) {
            let content = message.get_mut("content").and_then(Value::as_array_mut);
            if let Some(last) = content.and_then(|content| content.last_mut()) {
                put(last, "cache_control", marker.clone());
            }
        }
    }
    messages
}

fn write_block(block: &Block, message: &Message, model: &Model) -> Option<Value> {
    let is_own = is_own(message, model);
    Some(match block {
        Block::Text { text, .. } if text.is_empty() => return None,
        Block::Text { text, .. } => json!({ "type": "text", "text": text }),
        Block::Thinking { text, seal: Some(Seal::Signature { signature }) } if is_own => {
            json!({ "type": "thinking", "thinking": text, "signature": signature })
        }
        Block::Thinking { seal: Some(Seal::Redacted { data }), .. } if is_own => {
            json!({ "type": "redacted_thinking", "data": data })
        }
        // Thinking that is not signed by this model is refused.
        Block::Thinking { .. } => return None,
        Block::ToolCall(call) => json!({
            "type": "tool_use", "id": tool_id(&call.id), "name": call.name, "input": call.arguments.history(),
        }),
        Block::ToolResult(result) => {
            let content: Vec<Value> = result
                .content
                .iter()
                .filter_map(|block| match block {
                    Block::Text { text, .. } if !text.is_empty() => {
                        Some(json!({ "type": "text", "text": text }))
                    }
                    Block::Image(image) if model.capabilities.images => Some(write_image(image)),
                    _ => None,
                })
                .collect();
            json!({
                "type": "tool_result", "tool_use_id": tool_id(&result.call_id),
                "content": content, "is_error": result.is_error,
            })
        }
        Block::Image(image) if model.capabilities.images => write_image(image),
        Block::Image(_) => return None,
        Block::Unknown { wire: Wire::AnthropicMessages | Wire::Bedrock, value } if is_own => value.clone(),
        Block::Unknown { .. } => return None,
    })
}

fn write_image(image: &Image) -> Value {
    let source = json!({ "type": "base64", "media_type": image.media_type, "data": image.data });
    json!({ "type": "image", "source": source })
}

/// An id the API takes: letters, digits, `_` and `-`. Ids of other providers may have more.
fn tool_id(id: &str) -> String {
    let valid = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    id.chars().map(valid).take(64).collect()
}

/// Reads the answer.
#[derive(Default)]
pub(super) struct Decoder {
    /// The provider's index of a block, and what it became.
    blocks: BTreeMap<u64, Open>,
    refusal: Option<String>,
    has_stop: bool,
}

/// A block that is being received.
struct Open {
    index: usize,
    /// A tool's input that came with the beginning, in case nothing follows.
    input: Option<String>,
    /// A block of unknown kind: as it began, and the JSON of its input.
    unknown: Option<(Value, String)>,
}

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    index: Option<u64>,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    #[serde(borrow)]
    content_block: Option<&'a RawValue>,
    message: Option<Head>,
    usage: Option<Counts>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    thinking: Option<Cow<'a, str>>,
    #[serde(borrow)]
    signature: Option<Cow<'a, str>>,
    #[serde(borrow)]
    partial_json: Option<Cow<'a, str>>,
    stop_reason: Option<String>,
    stop_details: Option<Value>,
}

#[derive(Deserialize)]
struct Head {
    id: Option<String>,
    model: Option<String>,
    usage: Option<Counts>,
}

#[derive(Deserialize)]
struct Counts {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    output_tokens_details: Option<Details>,
    service_tier: Option<String>,
}

#[derive(Deserialize)]
struct Details {
    thinking_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Beginning {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, deserialize_with = "or_default")]
    text: String,
    #[serde(default, deserialize_with = "or_default")]
    thinking: String,
    signature: Option<String>,
    data: Option<String>,
    id: Option<String>,
    name: Option<String>,
    input: Option<Value>,
}

impl Decode for Decoder {
    fn frame(&mut self, data: &[u8], answer: &mut Assembler) -> Result<Flow, Error> {
        let frame: Frame<'_> = parse(data, answer)?;
        match &*frame.kind {
            "content_block_delta" => {
                if let (Some(index), Some(delta)) = (frame.index, frame.delta) {
                    self.delta(index, &delta, answer)?;
                }
            }
            "content_block_start" => {
                if let (Some(index), Some(block)) = (frame.index, frame.content_block) {
                    self.begin(index, block, answer)?;
                }
            }
            "content_block_stop" => self.end(frame.index.unwrap_or(0), answer)?,
            "message_start" => {
                let head = frame.message;
                let head = head.as_ref();
                answer.start(
                    head.and_then(|head| head.id.as_deref()),
                    head.and_then(|head| head.model.as_deref()),
                );
                count(head.and_then(|head| head.usage.as_ref()), answer);
            }
            "message_delta" => {
                count(frame.usage.as_ref(), answer);
                self.stop(frame.delta, answer);
            }
            "message_stop" => return self.finish(answer).map(|()| Flow::Finished),
            "error" => {
                let error: Value = parse(frame.error.map_or("{}", RawValue::get).as_bytes(), answer)?;
                return Err(classify::body(&error).into_error(&answer.turn().origin.provider));
            }
            "ping" => {}
            other => answer.unknown_event(other),
        }
        Ok(Flow::More)
    }

    fn finish(&mut self, answer: &mut Assembler) -> Result<(), Error> {
        if let Some(refusal) = self.refusal.take() {
            return Err(answer.error(ErrorKind::Refusal, refusal));
        }
        if self.has_stop { Ok(()) } else { Err(broke_off(answer)) }
    }
}

impl Decoder {
    fn begin(&mut self, at: u64, block: &RawValue, answer: &mut Assembler) -> Result<(), Error> {
        let begun: Beginning = parse(block.get().as_bytes(), answer)?;
        let mut open = Open { index: 0, input: None, unknown: None };
        match begun.kind.as_str() {
            "text" => {
                open.index = answer.begin(Kind::Text);
                answer.delta(open.index, &begun.text)?;
            }
            "thinking" => {
                open.index = answer.begin(Kind::Thinking);
                answer.delta(open.index, &begun.thinking)?;
                if let Some(signature) = begun.signature.filter(|signature| !signature.is_empty()) {
                    answer.seal(open.index, Seal::Signature { signature });
                }
            }
            "redacted_thinking" => {
                open.index = answer.begin(Kind::Thinking);
                answer.seal(open.index, Seal::Redacted { data: begun.data.unwrap_or_default() });
            }
            "tool_use" => {
                let (id, name) = (begun.id.unwrap_or_default(), begun.name.unwrap_or_default());
                open.index = answer.begin(Kind::ToolCall { id, name });
                open.input = begun.input.filter(|input| *input != json!({})).map(|input| input.to_string());
            }
            _ => {
                open.index = answer.begin(Kind::Other);
                open.unknown = Some((parse(block.get().as_bytes(), answer)?, String::new()));
            }
        }
        self.blocks.insert(at, open);
        Ok(())
    }

    fn delta(&mut self, at: u64, delta: &Delta<'_>, answer: &mut Assembler) -> Result<(), Error> {
        let Some(open) = self.blocks.get_mut(&at) else { return Ok(()) };
        if let Some((_, input)) = &mut open.unknown {
            input.push_str(delta.partial_json.as_deref().unwrap_or_default());
            return Ok(());
        }
        let text = delta.text.as_ref().or(delta.thinking.as_ref()).or(delta.partial_json.as_ref());
        if let Some(text) = text {
            return answer.delta(open.index, text);
        }
        if let Some(more) = &delta.signature {
            match answer.seal_mut(open.index) {
                Some(Some(Seal::Signature { signature })) => signature.push_str(more),
                Some(seal) => *seal = Some(Seal::Signature { signature: more.to_string() }),
                None => {}
            }
        } else if let Some(kind) = &delta.kind {
            answer.unknown_event(kind);
        }
        Ok(())
    }

    fn end(&mut self, at: u64, answer: &mut Assembler) -> Result<(), Error> {
        let Some(open) = self.blocks.remove(&at) else { return Ok(()) };
        if let Some((mut value, input)) = open.unknown {
            if let Ok(input) = serde_json::from_str::<Value>(&input) {
                put(&mut value, "input", input);
            }
            answer.end_whole(open.index, Block::Unknown { wire: answer.turn().origin.wire, value });
            return Ok(());
        }
        if let Some(input) = open.input
            && answer.len(open.index) == 0
        {
            answer.delta(open.index, &input)?;
        }
        answer.end(open.index);
        Ok(())
    }

    fn stop(&mut self, delta: Option<Delta<'_>>, answer: &mut Assembler) {
        let Some(delta) = delta else { return };
        let Some(reason) = delta.stop_reason else { return };
        self.has_stop = true;
        let turn = answer.turn_mut();
        turn.stop = match reason.as_str() {
            "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
            "tool_use" => StopReason::ToolUse,
            _ => StopReason::Stop,
        };
        if reason == "refusal" {
            let told = delta.stop_details.as_ref().and_then(|details| details.get("explanation"));
            let told = told.and_then(Value::as_str).unwrap_or("the model refused to answer");
            self.refusal = Some(told.to_owned());
        }
        turn.stop_detail = Some(reason);
    }
}

/// Counts are totals so far; what is left out has not changed.
fn count(counts: Option<&Counts>, answer: &mut Assembler) {
    let Some(counts) = counts else { return };
    let turn = answer.turn_mut();
    let usage = &mut turn.usage;
    let set = |field: &mut u64, value: Option<u64>| *field = value.unwrap_or(*field);
    set(&mut usage.input, counts.input_tokens);
    set(&mut usage.output, counts.output_tokens);
    set(&mut usage.cache_read, counts.cache_read_input_tokens);
    set(&mut usage.cache_write, counts.cache_creation_input_tokens);
    set(
        &mut usage.reasoning,
        counts.output_tokens_details.as_ref().and_then(|details| details.thinking_tokens),
    );
    if let Some(tier) = &counts.service_tier {
        turn.service_tier = Some(tier.clone());
    }
}
