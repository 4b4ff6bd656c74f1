//! Anthropic Messages.

use std::io::Result;

use serde_json::{Value, json};

use super::super::outbox::Outbox;
use super::super::{Failure, Part, Reply, Stop};
use super::arguments_value;

pub(super) fn stream(model: &str, reply: &Reply, out: &mut Outbox<'_>) -> Result<()> {
    let mut message = message(model, reply);
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    message["stop_details"] = Value::Null;
    message["usage"]["output_tokens"] = json!(1);
    out.typed(&json!({ "type": "message_start", "message": message }))?;
    for (index, part) in blocks(reply).enumerate() {
        let start =
            |block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
        let delta = |delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
        match part {
            Part::Text(text) => {
                out.typed(&start(json!({ "type": "text", "text": "" })))?;
                for piece in reply.pieces(text) {
                    out.typed(&delta(json!({ "type": "text_delta", "text": piece })))?;
                }
            }
            Part::Thinking { text, signature } => {
                out.typed(&start(json!({ "type": "thinking", "thinking": "", "signature": "" })))?;
                for piece in reply.pieces(text) {
                    out.typed(&delta(json!({ "type": "thinking_delta", "thinking": piece })))?;
                }
                if let Some(signature) = signature {
                    out.typed(&delta(json!({ "type": "signature_delta", "signature": signature })))?;
                }
            }
            Part::Tool { id, name, arguments } => {
                out.typed(&start(json!({ "type": "tool_use", "id": id, "name": name, "input": {} })))?;
                out.typed(&delta(json!({ "type": "input_json_delta", "partial_json": "" })))?;
                for piece in reply.argument_pieces(arguments) {
                    out.typed(&delta(json!({ "type": "input_json_delta", "partial_json": piece })))?;
                }
            }
            other => out.typed(&start(block(other)))?,
        }
        out.typed(&json!({ "type": "content_block_stop", "index": index }))?;
    }
    let (stop_reason, stop_details) = stop(reply);
    out.typed(&json!({
        "type": "message_delta",
        "delta": { "stop_reason": stop_reason, "stop_sequence": null, "stop_details": stop_details },
        "usage": usage(reply),
    }))?;
    out.last(Some("message_stop"), r#"{"type":"message_stop"}"#)
}

pub(super) fn document(model: &str, reply: &Reply) -> Value {
    message(model, reply)
}

/// The parts that are blocks. A refusal is a stop reason, and this API answers with no pictures.
fn blocks(reply: &Reply) -> impl Iterator<Item = &Part> {
    reply.parts.iter().filter(|part| !matches!(part, Part::Refusal(_) | Part::Image { .. }))
}

fn message(model: &str, reply: &Reply) -> Value {
    let (stop_reason, stop_details) = stop(reply);
    json!({
        "id": "msg_013Zva2CMHLNnXjNJJKqJ2EF",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": blocks(reply).map(block).collect::<Vec<_>>(),
        "stop_reason": stop_reason,
        "stop_sequence": null,
        "stop_details": stop_details,
        "usage": usage(reply),
    })
}

fn block(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Thinking { text, signature } => {
            json!({ "type": "thinking", "thinking": text, "signature": signature.as_deref().unwrap_or_default() })
        }
        Part::Redacted(data) => json!({ "type": "redacted_thinking", "data": data }),
        Part::Tool { id, name, arguments } => {
            json!({ "type": "tool_use", "id": id, "name": name, "input": arguments_value(arguments) })
        }
        Part::Unknown(block) => block.clone(),
        Part::Image { .. } | Part::Refusal(_) => Value::Null,
    }
}

fn stop(reply: &Reply) -> (&'static str, Value) {
    if reply.refuses() {
        let explanation = reply.parts.iter().find_map(|part| match part {
            Part::Refusal(text) => Some(text.as_str()),
            _ => None,
        });
        return ("refusal", json!({ "type": "refusal", "category": null, "explanation": explanation }));
    }
    let reason = match reply.stop {
        Stop::Length => "max_tokens",
        Stop::Pause => "pause_turn",
        Stop::Unknown => "reason_of_the_future",
        _ if reply.calls_tools() => "tool_use",
        _ => "end_turn",
    };
    (reason, Value::Null)
}

fn usage(reply: &Reply) -> Value {
    json!({
        "input_tokens": reply.usage.input,
        "cache_creation_input_tokens": reply.usage.cache_write,
        "cache_read_input_tokens": reply.usage.cache_read,
        "output_tokens": reply.usage.output,
    })
}

pub(super) fn failure(failure: Failure, detail: Option<&str>) -> (u16, Value) {
    let (status, kind, message) = match failure {
        Failure::RateLimited => (
            429,
            "rate_limit_error",
            "This request would exceed your account's rate limit. Please try again later.",
        ),
        Failure::Quota => (
            402,
            "billing_error",
            "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
        ),
        Failure::Overloaded => (529, "overloaded_error", "Overloaded"),
        Failure::Internal => (500, "api_error", "Internal server error"),
        Failure::Unavailable => (503, "api_error", "Service unavailable"),
        Failure::Authentication => (401, "authentication_error", "invalid x-api-key"),
        Failure::Permission => {
            (403, "permission_error", "Your API key does not have permission to use the specified resource.")
        }
        Failure::NotFound => (404, "not_found_error", "model: no-such-model"),
        Failure::BadRequest => (400, "invalid_request_error", "messages: at least one message is required"),
        Failure::ContextOverflow => {
            (400, "invalid_request_error", "prompt is too long: 214315 tokens > 200000 maximum")
        }
    };
    let message = detail.unwrap_or(message);
    let error = json!({ "type": kind, "message": message });
    (status, json!({ "type": "error", "error": error, "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy" }))
}
