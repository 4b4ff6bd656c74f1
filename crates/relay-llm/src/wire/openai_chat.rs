//! OpenAI's Chat Completions, and every server that is compatible with it, each in its own way.
//!
//! [`Compat`](crate::provider::Compat) says where a server differs. What servers merely *send* differently (the field
//! for reasoning, calls without an index, arguments as an object) is detected without configuration.

use serde_json::{Value, json};

use super::openai_chat_stream::Decoder;
use super::{Framing, Written, is_own, put};
use crate::message::{Block, Image, Message, Role, Seal, ToolCall, ToolResult};
use crate::model::{Model, ThinkingStyle};
use crate::provider::{Compat, Reasoning};
use crate::request::{Cache, Request, Thinking, ToolChoice};

/// Writes a request.
pub(super) fn write(model: &Model, request: &Request) -> Written {
    Written {
        path: "/chat/completions".to_owned(),
        headers: vec![("accept", "text/event-stream".to_owned())],
        body: body(model, request),
        framing: Framing::Sse,
        decoder: if model.provider.compat.think_tags {
            || Box::new(Decoder::with_think_tags())
        } else {
            || Box::new(Decoder::default())
        },
    }
}

fn body(model: &Model, request: &Request) -> Value {
    let compat = &model.provider.compat;
    let mut body = json!({ "model": model.id, "stream": true, "messages": messages(model, request) });
    if !compat.no_stream_options {
        put(&mut body, "stream_options", json!({ "include_usage": true }));
    }
    if let Some(max) = request.max_output {
        let field = if compat.legacy_max_tokens { "max_tokens" } else { "max_completion_tokens" };
        put(&mut body, field, json!(max.min(model.limits.output)));
    }
    if !request.tools.is_empty() && model.capabilities.tools {
        put(&mut body, "tools", tools(request));
        match &request.tool_choice {
            ToolChoice::Auto => {}
            ToolChoice::None => put(&mut body, "tool_choice", json!("none")),
            ToolChoice::Required => put(&mut body, "tool_choice", json!("required")),
            ToolChoice::Named(name) => {
                put(&mut body, "tool_choice", json!({ "type": "function", "function": { "name": name } }));
            }
        }
    }
    if let Some(level) = request.thinking
        && model.capabilities.thinking != ThinkingStyle::None
    {
        think(&mut body, compat.reasoning, level, model.capabilities.thinking);
    }
    if let Some(output) = &request.output
        && model.capabilities.structured
    {
        let mut schema = json!({ "name": output.name, "schema": output.schema });
        if !compat.no_strict {
            put(&mut schema, "strict", json!(true));
        }
        put(&mut body, "response_format", json!({ "type": "json_schema", "json_schema": schema }));
    }
    if let (Some(key), false) = (&request.cache_key, compat.no_cache_key || request.cache == Cache::None) {
        put(&mut body, "prompt_cache_key", json!(key));
    }
    if let Some(tier) = &request.service_tier {
        put(&mut body, "service_tier", json!(tier));
    }
    if let Some(temperature) = request.temperature {
        put(&mut body, "temperature", json!(temperature));
    }
    if !request.stop_sequences.is_empty() {
        put(&mut body, "stop", json!(request.stop_sequences));
    }
    body
}

fn think(body: &mut Value, reasoning: Reasoning, level: Thinking, style: ThinkingStyle) {
    let is_on = level != Thinking::Off;
    let effort = match level {
        Thinking::Off => "none",
        Thinking::Max => "xhigh",
        level => level.name(),
    };
    match reasoning {
        Reasoning::Effort => put(body, "reasoning_effort", json!(effort)),
        Reasoning::Openrouter if !is_on => put(body, "reasoning", json!({ "enabled": false })),
        Reasoning::Openrouter if style == ThinkingStyle::Budget => {
            put(body, "reasoning", json!({ "max_tokens": level.budget_tokens() }));
        }
        Reasoning::Openrouter => put(body, "reasoning", json!({ "effort": effort })),
        Reasoning::Toggle => {
            put(body, "thinking", json!({ "type": if is_on { "enabled" } else { "disabled" } }));
            if is_on && style == ThinkingStyle::Effort {
                put(
                    body,
                    "reasoning_effort",
                    json!(if level == Thinking::Max { "max" } else { level.name() }),
                );
            }
        }
        Reasoning::Template => put(body, "chat_template_kwargs", json!({ "enable_thinking": is_on })),
        Reasoning::None => {}
    }
}

fn tools(request: &Request) -> Value {
    let tool = |tool: &crate::request::Tool| {
        let function =
            json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
        json!({ "type": "function", "function": function })
    };
    request.tools.iter().map(tool).collect()
}

fn messages(model: &Model, request: &Request) -> Vec<Value> {
    let compat = &model.provider.compat;
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        let role = if compat.developer_role { "developer" } else { "system" };
        messages.push(json!({ "role": role, "content": request.system }));
    }
    for message in &request.messages {
        match message.role {
            Role::User => user(message, model, &mut messages),
            Role::Assistant => messages.extend(assistant(message, model)),
        }
    }
    if compat.cache_control && request.cache != Cache::None {
        mark(&mut messages);
    }
    messages
}

/// Puts Anthropic's cache markers on the instructions and on the last message of the user.
fn mark(messages: &mut [Value]) {
    let has_role = |message: &Value, roles: &[&str]| {
        message.get("role").and_then(Value::as_str).is_some_and(|role| roles.contains(&role))
    };
    let system = messages.iter().position(|message| has_role(message, &["system", "developer"]));
    let user = messages.iter().rposition(|message| has_role(message, &["user"]));
    for index in [system, user].into_iter().flatten() {
        let Some(content) = messages.get_mut(index).and_then(|message| message.get_mut("content")) else {
            continue;
        };
        if let Value::String(text) = content {
            *content = json!([{ "type": "text", "text": text }]);
        }
        if let Some(part) = content.as_array_mut().and_then(|parts| parts.last_mut()) {
            put(part, "cache_control", json!({ "type": "ephemeral" }));
        }
    }
}

/// A message of the user: first the tools' results, each a message of its own, then the rest.
fn user(message: &Message, model: &Model, messages: &mut Vec<Value>) {
    let compat = &model.provider.compat;
    let mut parts = Vec::new();
    let mut has_results = false;
    for block in &message.content {
        match block {
            Block::ToolResult(result) => {
                has_results = true;
                messages.push(tool_result(result, compat));
                // Tools' results are text only here, so their images follow as if the user had sent them.
                if model.capabilities.images {
                    parts.extend(result.images().map(write_image));
                }
            }
            Block::Text { text, .. } if !text.is_empty() => {
                parts.push(json!({ "type": "text", "text": text }));
            }
            Block::Image(image) if model.capabilities.images => parts.push(write_image(image)),
            _ => {}
        }
    }
    if parts.is_empty() {
        return;
    }
    if has_results && compat.assistant_after_tool_result {
        messages.push(json!({ "role": "assistant", "content": "I have looked at the results." }));
    }
    messages.push(json!({ "role": "user", "content": content(parts, compat) }));
}

/// Text alone goes as a string, which every server takes.
fn content(parts: Vec<Value>, compat: &Compat) -> Value {
    let text = |part: &Value| part.get("text").and_then(Value::as_str).map(str::to_owned);
    let texts: Vec<Option<String>> = parts.iter().map(text).collect();
    if compat.plain_content || texts.iter().all(Option::is_some) {
        return json!(texts.into_iter().flatten().collect::<Vec<_>>().join("\n"));
    }
    Value::Array(parts)
}

fn tool_result(result: &ToolResult, compat: &Compat) -> Value {
    let text = result.text();
    let text = match (text.is_empty(), result.is_error) {
        (true, true) => "The tool failed.".to_owned(),
        (true, false) => "(no output)".to_owned(),
        (false, _) => text,
    };
    let mut message =
        json!({ "role": "tool", "tool_call_id": tool_id(&result.call_id, compat), "content": text });
    if compat.named_tool_results {
        put(&mut message, "name", json!(result.name));
    }
    message
}

fn assistant(message: &Message, model: &Model) -> Option<Value> {
    let compat = &model.provider.compat;
    let text = message.plain_text();
    let calls: Vec<Value> = message.tool_calls().map(|call| tool_call(call, compat)).collect();
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let content = if text.is_empty() { Value::Null } else { json!(text) };
    let mut written = json!({ "role": "assistant", "content": content });
    if is_own(message, model) {
        replay_reasoning(message, compat, &mut written);
    }
    if !calls.is_empty() {
        put(&mut written, "tool_calls", Value::Array(calls));
    }
    Some(written)
}

/// Gives a server its own reasoning back, in the form it came in.
fn replay_reasoning(message: &Message, compat: &Compat, written: &mut Value) {
    let mut details = Vec::new();
    for block in &message.content {
        match block {
            Block::Thinking { seal: Some(Seal::Details { details: more }), .. } => {
                details.extend(more.iter().cloned());
            }
            Block::Thinking { text, seal: Some(Seal::Field { name }) } if compat.replay_reasoning => {
                let before = written.get(name).and_then(Value::as_str).unwrap_or_default();
                let joined = format!("{before}{text}");
                put(written, name, json!(joined));
            }
            _ => {}
        }
    }
    if !details.is_empty() {
        put(written, "reasoning_details", Value::Array(details));
    }
}

fn tool_call(call: &ToolCall, compat: &Compat) -> Value {
    let function = json!({ "name": call.name, "arguments": call.arguments.history().to_string() });
    json!({ "id": tool_id(&call.id, compat), "type": "function", "function": function })
}

fn write_image(image: &Image) -> Value {
    json!({ "type": "image_url", "image_url": { "url": image.data_url() } })
}

/// An id this server takes. Calls and results are written by the same rule, so they still belong together.
fn tool_id(id: &str, compat: &Compat) -> String {
    let id = id.split('|').next().unwrap_or(id);
    let is_short = id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if compat.short_tool_ids && !is_short {
        return short_id(id);
    }
    id.chars().take(40).collect()
}

/// Nine letters or digits made from an id.
fn short_id(id: &str) -> String {
    // FNV-1a: the same on every machine, so that a stored conversation is written the same again.
    let mut hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let digit = |_| {
        let digit = u32::try_from(hash % 36).unwrap_or(0);
        hash /= 36;
        char::from_digit(digit, 36).unwrap_or('0')
    };
    (0..9).map(digit).collect()
}
