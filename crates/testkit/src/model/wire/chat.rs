//! OpenAI Chat Completions, with the ways compatible servers add reasoning and pictures.

use std::io::Result;

use serde_json::{Value, json};

use super::super::outbox::Outbox;
use super::super::{Failure, Part, Reply, Stop};
use super::Flavour;

pub(super) fn stream(
    model: &str,
    flavour: Flavour,
    wants_usage: bool,
    reply: &Reply,
    out: &mut Outbox<'_>,
) -> Result<()> {
    let chunk = |delta: Value, finish: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish });
        let mut chunk = frame(model, "chat.completion.chunk");
        chunk["choices"] = json!([choice]);
        if wants_usage {
            chunk["usage"] = Value::Null;
        }
        chunk
    };
    out.data(&chunk(json!({ "role": "assistant", "content": "", "refusal": null }), None))?;
    let mut calls = 0;
    for part in &reply.parts {
        match part {
            Part::Text(text) => {
                for piece in reply.pieces(text) {
                    out.data(&chunk(json!({ "content": piece }), None))?;
                }
            }
            Part::Refusal(text) => {
                for piece in reply.pieces(text) {
                    out.data(&chunk(json!({ "refusal": piece }), None))?;
                }
            }
            Part::Thinking { text, signature } => {
                for piece in reply.pieces(text) {
                    if let Some(delta) = reasoning_delta(flavour, piece) {
                        out.data(&chunk(delta, None))?;
                    }
                }
                if let (Flavour::OpenRouter, Some(signature)) = (flavour, signature) {
                    let detail = json!({ "type": "reasoning.text", "signature": signature, "format": FORMAT, "index": 0 });
                    out.data(&chunk(json!({ "reasoning_details": [detail] }), None))?;
                }
            }
            Part::Redacted(data) if flavour == Flavour::OpenRouter => {
                out.data(&chunk(json!({ "reasoning_details": [encrypted(data)] }), None))?;
            }
            Part::Image { .. } if flavour == Flavour::OpenRouter => {
                out.data(&chunk(json!({ "images": [image(part)] }), None))?;
            }
            Part::Tool { id, name, arguments } => {
                let function = json!({ "name": name, "arguments": "" });
                let call = json!({ "index": calls, "id": id, "type": "function", "function": function });
                out.data(&chunk(json!({ "tool_calls": [call] }), None))?;
                for piece in reply.argument_pieces(arguments) {
                    let call = json!({ "index": calls, "function": { "arguments": piece } });
                    out.data(&chunk(json!({ "tool_calls": [call] }), None))?;
                }
                calls += 1;
            }
            Part::Redacted(_) | Part::Image { .. } | Part::Unknown(_) => {}
        }
    }
    let mut finish = chunk(json!({}), Some(finish_reason(reply)));
    if flavour == Flavour::ReasoningContent {
        finish["usage"] = usage(reply);
    }
    out.data(&finish)?;
    if flavour == Flavour::OpenRouter || (wants_usage && flavour != Flavour::ReasoningContent) {
        let mut last = frame(model, "chat.completion.chunk");
        last["choices"] = json!([]);
        last["usage"] = usage(reply);
        out.data(&last)?;
    }
    out.last(None, "[DONE]")
}

/// How OpenRouter names the form of Anthropic's reasoning.
const FORMAT: &str = "anthropic-claude-v1";

fn reasoning_delta(flavour: Flavour, text: &str) -> Option<Value> {
    match flavour {
        Flavour::OpenAi => None,
        Flavour::Reasoning => Some(json!({ "reasoning": text })),
        Flavour::ReasoningContent => Some(json!({ "content": null, "reasoning_content": text })),
        Flavour::OpenRouter => {
            let detail = json!({ "type": "reasoning.text", "text": text, "format": FORMAT, "index": 0 });
            Some(json!({ "content": "", "reasoning": text, "reasoning_details": [detail] }))
        }
    }
}

fn encrypted(data: &str) -> Value {
    json!({ "type": "reasoning.encrypted", "data": data, "id": "rs_1", "format": FORMAT, "index": 0 })
}

fn image(part: &Part) -> Value {
    let Part::Image { media_type, data } = part else { return Value::Null };
    let url = format!("data:{media_type};base64,{data}");
    json!({ "type": "image_url", "image_url": { "url": url }, "index": 0 })
}

fn frame(model: &str, object: &str) -> Value {
    json!({
        "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
        "object": object,
        "created": 1_741_569_952,
        "model": model,
        "service_tier": "default",
        "system_fingerprint": null,
    })
}

pub(super) fn document(model: &str, flavour: Flavour, reply: &Reply) -> Value {
    let mut document = frame(model, "chat.completion");
    let refusal = reply.parts.iter().find_map(|part| match part {
        Part::Refusal(text) => Some(text.as_str()),
        _ => None,
    });
    let calls: Vec<Value> = reply
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Tool { id, name, arguments } => Some(json!({
                "id": id, "type": "function", "function": { "name": name, "arguments": arguments },
            })),
            _ => None,
        })
        .collect();
    let text = reply.all_text();
    let content = if text.is_empty() { Value::Null } else { json!(text) };
    let mut message =
        json!({ "role": "assistant", "content": content, "refusal": refusal, "annotations": [] });
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    add_reasoning(&mut message, flavour, reply);
    document["choices"] =
        json!([{ "index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(reply) }]);
    document["usage"] = usage(reply);
    document
}

fn add_reasoning(message: &mut Value, flavour: Flavour, reply: &Reply) {
    let thinking = reply.all_thinking();
    if !thinking.is_empty() {
        match flavour {
            Flavour::OpenAi => {}
            Flavour::ReasoningContent => message["reasoning_content"] = json!(thinking),
            Flavour::Reasoning | Flavour::OpenRouter => message["reasoning"] = json!(thinking),
        }
    }
    if flavour != Flavour::OpenRouter {
        return;
    }
    let detail = |part: &Part| match part {
        Part::Thinking { text, signature } => Some(json!({
            "type": "reasoning.text", "text": text, "signature": signature, "format": FORMAT, "index": 0,
        })),
        Part::Redacted(data) => Some(encrypted(data)),
        _ => None,
    };
    message["reasoning_details"] = json!(reply.parts.iter().filter_map(detail).collect::<Vec<_>>());
    let images: Vec<Value> =
        reply.parts.iter().filter(|part| matches!(part, Part::Image { .. })).map(image).collect();
    if !images.is_empty() {
        message["images"] = json!(images);
    }
}

fn finish_reason(reply: &Reply) -> &'static str {
    match reply.stop {
        Stop::Length => "length",
        Stop::Refusal => "content_filter",
        Stop::Unknown => "reason_of_the_future",
        _ if reply.calls_tools() => "tool_calls",
        _ => "stop",
    }
}

fn usage(reply: &Reply) -> Value {
    let usage = &reply.usage;
    let input = usage.input + usage.cache_read + usage.cache_write;
    json!({
        "prompt_tokens": input,
        "completion_tokens": usage.output,
        "total_tokens": input + usage.output,
        "prompt_tokens_details": {
            "cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write, "audio_tokens": 0,
        },
        "completion_tokens_details": {
            "reasoning_tokens": usage.reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    })
}

pub(super) fn failure(failure: Failure, detail: Option<&str>) -> (u16, Value) {
    let (status, kind, code, message) = match failure {
        Failure::RateLimited => (
            429,
            "tokens",
            json!("rate_limit_exceeded"),
            "Rate limit reached for scripted-model in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.",
        ),
        Failure::Quota => (
            429,
            "insufficient_quota",
            json!("insufficient_quota"),
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        Failure::Overloaded | Failure::Unavailable => {
            (503, "server_error", Value::Null, "The engine is currently overloaded, please try again later.")
        }
        Failure::Internal => (
            500,
            "server_error",
            Value::Null,
            "The server had an error while processing your request. Sorry about that!",
        ),
        Failure::Authentication => {
            (401, "invalid_request_error", json!("invalid_api_key"), "Incorrect API key provided.")
        }
        Failure::Permission => (
            403,
            "invalid_request_error",
            json!("unsupported_country_region_territory"),
            "Country, region, or territory not supported.",
        ),
        Failure::NotFound => (
            404,
            "invalid_request_error",
            json!("model_not_found"),
            "The model `no-such-model` does not exist or you do not have access to it.",
        ),
        Failure::BadRequest => (400, "invalid_request_error", Value::Null, "Invalid request."),
        Failure::ContextOverflow => (
            400,
            "invalid_request_error",
            json!("context_length_exceeded"),
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens. Please reduce the length of the messages.",
        ),
    };
    let message = detail.unwrap_or(message);
    (status, json!({ "error": { "message": message, "type": kind, "param": null, "code": code } }))
}
