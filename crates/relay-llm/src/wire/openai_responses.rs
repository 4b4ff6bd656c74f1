//! OpenAI's Responses: what is sent.
//!
//! Nothing is stored at the provider (`store: false`), so reasoning travels encrypted with the conversation and goes
//! back with it.

use serde_json::{Value, json};

use super::openai_responses_stream::Decoder;
use super::{Framing, Written, is_own, put};
use crate::message::{Block, Image, Message, Role, Seal, ToolCall, ToolResult};
use crate::model::{Model, ThinkingStyle};
use crate::provider::Wire;
use crate::request::{Cache, Request, Thinking, Tool, ToolChoice};

/// A call that the model writes as plain text, held to a grammar. Everywhere else it is a call with one argument.
pub(super) const FREE_CALL: &str = "custom_tool_call";
/// That argument.
pub(super) const FREE_ARGUMENT: &str = "input";
/// How the ids of such items begin.
pub(super) const FREE_ITEM: &str = "ctc";

/// Writes a request.
pub(super) fn write(model: &Model, request: &Request) -> Written {
    Written {
        path: "/responses".to_owned(),
        headers: vec![("accept", "text/event-stream".to_owned())],
        body: body(model, request),
        framing: Framing::Sse,
        decoder: || Box::new(Decoder::default()),
    }
}

fn body(model: &Model, request: &Request) -> Value {
    let mut body =
        json!({ "model": model.id, "stream": true, "store": false, "input": input(model, request) });
    if !request.system.is_empty() {
        put(&mut body, "instructions", json!(request.system));
    }
    if let Some(max) = request.max_output {
        put(&mut body, "max_output_tokens", json!(max.min(model.limits.output)));
    }
    if !request.tools.is_empty() && model.capabilities.tools {
        put(&mut body, "tools", tools(model, request));
        match &request.tool_choice {
            ToolChoice::Auto => {}
            ToolChoice::None => put(&mut body, "tool_choice", json!("none")),
            ToolChoice::Required => put(&mut body, "tool_choice", json!("required")),
            ToolChoice::Named(name) => {
                let named = request.tools.iter().find(|tool| tool.name == *name);
                let kind = named.map_or("function", |tool| kind(model, tool));
                put(&mut body, "tool_choice", json!({ "type": kind, "name": name }));
            }
        }
    }
    if model.capabilities.thinking == ThinkingStyle::None {
        if let Some(temperature) = request.temperature {
            put(&mut body, "temperature", json!(temperature));
        }
    } else {
        put(&mut body, "include", json!(["reasoning.encrypted_content"]));
        if let Some(level) = request.thinking {
            put(&mut body, "reasoning", json!({ "effort": effort(level), "summary": "auto" }));
        }
    }
    if let Some(output) = &request.output
        && model.capabilities.structured
    {
        let format =
            json!({ "type": "json_schema", "name": output.name, "schema": output.schema, "strict": true });
        put(&mut body, "text", json!({ "format": format }));
    }
    if let (Some(key), false) = (&request.cache_key, request.cache == Cache::None) {
        put(&mut body, "prompt_cache_key", json!(key));
    }
    if request.cache == Cache::Long {
        put(&mut body, "prompt_cache_retention", json!("24h"));
    }
    if let Some(tier) = &request.service_tier {
        put(&mut body, "service_tier", json!(tier));
    }
    body
}

fn effort(level: Thinking) -> &'static str {
    match level {
        Thinking::Off => "none",
        Thinking::Max => "xhigh",
        level => level.name(),
    }
}

/// A tool with a grammar is one of free text to a model that can be held to it.
fn kind(model: &Model, tool: &Tool) -> &'static str {
    if tool.grammar.is_some() && model.capabilities.grammars { "custom" } else { "function" }
}

/// Schemas are sent as they are: the strict kind the API assumes would refuse optional arguments.
fn tools(model: &Model, request: &Request) -> Value {
    let tool = |tool: &Tool| match kind(model, tool) {
        "custom" => json!({
            "type": "custom", "name": tool.name, "description": tool.description,
            "format": { "type": "grammar", "syntax": "lark", "definition": tool.grammar },
        }),
        kind => json!({
            "type": kind, "name": tool.name, "description": tool.description,
            "parameters": tool.parameters, "strict": false,
        }),
    };
    request.tools.iter().map(tool).collect()
}

fn input(model: &Model, request: &Request) -> Vec<Value> {
    let mut items = Vec::new();
    for message in &request.messages {
        match message.role {
            Role::User => user(message, model, &mut items),
            Role::Assistant => assistant(message, model, &mut items),
        }
    }
    items
}

/// The user's words and images are one item; each tool's result is one of its own, before them.
fn user(message: &Message, model: &Model, items: &mut Vec<Value>) {
    let mut content = Vec::new();
    for block in &message.content {
        match block {
            Block::ToolResult(result) => {
                let result = tool_result(result, model, items);
                items.push(result);
            }
            block => content.extend(write_content(block, model)),
        }
    }
    if !content.is_empty() {
        items.push(json!({ "role": "user", "content": content }));
    }
}

fn write_content(block: &Block, model: &Model) -> Option<Value> {
    match block {
        Block::Text { text, .. } if !text.is_empty() => Some(json!({ "type": "input_text", "text": text })),
        Block::Image(image) if model.capabilities.images => Some(write_image(image)),
        _ => None,
    }
}

fn write_image(image: &Image) -> Value {
    json!({ "type": "input_image", "image_url": image.data_url(), "detail": "auto" })
}

/// The result of a call, of the kind that the call was.
fn tool_result(result: &ToolResult, model: &Model, before: &[Value]) -> Value {
    let (call_id, _) = split_id(&result.call_id);
    let has = |item: &Value, key: &str, value: &str| item.get(key).and_then(Value::as_str) == Some(value);
    let is_free =
        before.iter().rev().any(|item| has(item, "type", FREE_CALL) && has(item, "call_id", &call_id));
    let kind = if is_free { "custom_tool_call_output" } else { "function_call_output" };
    let output = if model.capabilities.images && result.images().next().is_some() {
        result.content.iter().filter_map(|block| write_content(block, model)).collect()
    } else {
        json!(result.text())
    };
    json!({ "type": kind, "call_id": call_id, "output": output })
}

fn assistant(message: &Message, model: &Model, items: &mut Vec<Value>) {
    let is_own = is_own(message, model);
    let before = items.len();
    for block in &message.content {
        match block {
            Block::Text { text, seal } if !text.is_empty() => {
                let content = json!([{ "type": "output_text", "text": text, "annotations": [] }]);
                let mut item = json!({ "type": "message", "role": "assistant", "status": "completed", "content": content });
                if let (Some(Seal::Item { id, phase, .. }), true) = (seal, is_own) {
                    put(&mut item, "id", json!(id));
                    if let Some(phase) = phase {
                        put(&mut item, "phase", json!(phase));
                    }
                }
                items.push(item);
            }
            Block::Thinking { text, seal: Some(Seal::Item { id, encrypted: Some(encrypted), .. }) }
                if is_own =>
            {
                let summary = if text.is_empty() {
                    json!([])
                } else {
                    json!([{ "type": "summary_text", "text": text }])
                };
                items.push(json!({
                    "type": "reasoning", "id": id, "summary": summary, "encrypted_content": encrypted,
                }));
            }
            Block::ToolCall(call) => {
                let (call_id, item_id) = split_id(&call.id);
                let mut item = match free_text(call).filter(|_| is_own && model.capabilities.grammars) {
                    Some(text) => {
                        json!({ "type": FREE_CALL, "call_id": call_id, "name": call.name, "input": text })
                    }
                    None => json!({
                        "type": "function_call", "call_id": call_id, "name": call.name,
                        "arguments": call.arguments.history().to_string(),
                    }),
                };
                if let (Some(item_id), true) = (item_id, is_own) {
                    put(&mut item, "id", json!(item_id));
                }
                items.push(item);
            }
            Block::Unknown { wire: Wire::OpenaiResponses, value } if is_own => items.push(value.clone()),
            _ => {}
        }
    }
    // Reasoning that led to nothing, as in a turn that was interrupted, is refused.
    let is_reasoning = |item: &Value| item.get("type").is_some_and(|kind| kind == "reasoning");
    while items.len() > before && items.last().is_some_and(is_reasoning) {
        items.pop();
    }
}

/// The text of a call that the model wrote without JSON around it, which its item's id shows.
fn free_text(call: &ToolCall) -> Option<&str> {
    let (_, item) = split_id(&call.id);
    let text = call.arguments.object()?.get(FREE_ARGUMENT)?.as_str()?;
    item?.starts_with(FREE_ITEM).then_some(text)
}

/// `<call_id>|<item_id>`, which is how this format's two ids are kept in one. The call id has at most 64 characters.
fn split_id(id: &str) -> (String, Option<&str>) {
    let (call, item) = id.split_once('|').map_or((id, None), |(call, item)| (call, Some(item)));
    (call.chars().take(64).collect(), item.filter(|item| !item.is_empty()))
}
