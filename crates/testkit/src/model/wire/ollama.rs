//! Ollama's own chat: one JSON document per line.

use std::io::Result;

use serde_json::{Value, json};

use super::super::outbox::Outbox;
use super::super::{Failure, Part, Reply, Stop};

pub(super) fn stream(model: &str, reply: &Reply, out: &mut Outbox<'_>) -> Result<()> {
    let line = |message: Value| {
        let mut line = frame(model);
        line["message"] = message;
        line["done"] = json!(false);
        line
    };
    let mut calls = 0;
    for part in &reply.parts {
        match part {
            Part::Text(text) | Part::Refusal(text) => {
                for piece in reply.pieces(text) {
                    out.data(&line(json!({ "role": "assistant", "content": piece })))?;
                }
            }
            Part::Thinking { text, .. } => {
                for piece in reply.pieces(text) {
                    out.data(&line(json!({ "role": "assistant", "content": "", "thinking": piece })))?;
                }
            }
            Part::Image { data, .. } => {
                out.data(&line(json!({ "role": "assistant", "content": "", "images": [data] })))?;
            }
            Part::Tool { .. } => match call(part, calls) {
                Ok(call) => {
                    out.data(&line(json!({ "role": "assistant", "content": "", "tool_calls": [call] })))?;
                    calls += 1;
                }
                Err(error) => return out.data(&error),
            },
            Part::Redacted(_) | Part::Unknown(_) => {}
        }
    }
    let mut last = done(model, reply);
    last["message"] = json!({ "role": "assistant", "content": "" });
    out.last(None, &last.to_string())
}

pub(super) fn document(model: &str, reply: &Reply) -> std::result::Result<Value, Value> {
    let mut document = done(model, reply);
    let refusals = reply.parts.iter().filter_map(|part| match part {
        Part::Refusal(text) => Some(text.as_str()),
        _ => None,
    });
    let content = reply.all_text() + &refusals.collect::<String>();
    let mut message = json!({ "role": "assistant", "content": content });
    let thinking = reply.all_thinking();
    if !thinking.is_empty() {
        message["thinking"] = json!(thinking);
    }
    let tools = reply.parts.iter().filter(|part| matches!(part, Part::Tool { .. }));
    let calls = tools.enumerate().map(|(index, part)| call(part, index));
    let calls = calls.collect::<std::result::Result<Vec<_>, _>>()?;
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    document["message"] = message;
    Ok(document)
}

/// The call as an object. The server parses what the model wrote and fails itself if it is not JSON.
fn call(part: &Part, index: usize) -> std::result::Result<Value, Value> {
    let Part::Tool { id, name, arguments } = part else { return Ok(Value::Null) };
    match serde_json::from_str::<Value>(arguments) {
        Ok(arguments) => {
            let function = json!({ "index": index, "name": name, "arguments": arguments });
            Ok(json!({ "id": id, "function": function }))
        }
        Err(error) => {
            Err(json!({ "error": format!("error parsing tool call: raw='{arguments}', err={error}") }))
        }
    }
}

fn frame(model: &str) -> Value {
    json!({ "model": model, "created_at": "2025-10-26T17:15:24.097767Z" })
}

fn done(model: &str, reply: &Reply) -> Value {
    let mut done = frame(model);
    done["done"] = json!(true);
    done["done_reason"] = json!(match reply.stop {
        Stop::Length => "length",
        Stop::Unknown => "reason_of_the_future",
        _ => "stop",
    });
    done["total_duration"] = json!(4_883_583_458_u64);
    done["load_duration"] = json!(1_334_875);
    done["prompt_eval_count"] = json!(reply.usage.input + reply.usage.cache_read + reply.usage.cache_write);
    done["prompt_eval_duration"] = json!(342_546_000);
    done["eval_count"] = json!(reply.usage.output);
    done["eval_duration"] = json!(4_535_599_000_u64);
    done
}

pub(super) fn failure(failure: Failure, detail: Option<&str>) -> (u16, Value) {
    let (status, message) = match failure {
        Failure::RateLimited => (429, "too many requests"),
        Failure::Quota => (429, "you've reached your usage limit"),
        Failure::Overloaded | Failure::Unavailable => {
            (503, "server busy, please try again.  maximum pending requests exceeded")
        }
        Failure::Internal => (500, "llama runner process has terminated: exit status 2"),
        Failure::Authentication => (401, "unauthorized"),
        Failure::Permission => (403, "this model requires a subscription"),
        Failure::NotFound => (404, "model 'no-such-model' not found"),
        Failure::BadRequest => (400, "invalid request"),
        Failure::ContextOverflow => (400, "the input length exceeds the context length"),
    };
    (status, json!({ "error": detail.unwrap_or(message) }))
}
