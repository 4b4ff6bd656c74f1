//! Google Gemini, `generateContent` and `streamGenerateContent`.

use std::io::Result;

use serde_json::{Value, json};

use super::super::outbox::Outbox;
use super::super::{Failure, Part, Reply, Stop};

pub(super) fn stream(model: &str, reply: &Reply, out: &mut Outbox<'_>) -> Result<()> {
    let mut pieces: Vec<Value> = Vec::new();
    for part in parts(reply) {
        match part["text"].as_str() {
            Some(text) => {
                let texts = reply.pieces(text);
                let last = texts.len() - 1;
                // Without its text, which may be long: a copy of it for every piece would cost the square.
                let mut bare = part.clone();
                bare["text"] = Value::Null;
                for (index, text) in texts.into_iter().enumerate() {
                    let mut piece = bare.clone();
                    piece["text"] = json!(text);
                    // The signature is on the last part of what it signs.
                    if index < last
                        && let Some(fields) = piece.as_object_mut()
                    {
                        fields.remove("thoughtSignature");
                    }
                    pieces.push(piece);
                }
            }
            None => pieces.push(part),
        }
    }
    for piece in pieces {
        out.data(&response(model, reply, &[piece], None))?;
    }
    let last = response(model, reply, &[json!({ "text": "" })], Some(finish_reason(reply)));
    out.last(None, &last.to_string())
}

pub(super) fn document(model: &str, reply: &Reply) -> Value {
    response(model, reply, &parts(reply), Some(finish_reason(reply)))
}

/// The parts of the answer. A signature is on the part that follows the reasoning.
fn parts(reply: &Reply) -> Vec<Value> {
    let mut parts = Vec::new();
    let mut waiting: Option<&str> = None;
    for part in &reply.parts {
        let mut value = match part {
            Part::Text(text) => json!({ "text": text }),
            Part::Thinking { text, signature } => {
                waiting = signature.as_deref();
                parts.push(json!({ "text": text, "thought": true }));
                continue;
            }
            Part::Redacted(data) => json!({ "text": "", "thoughtSignature": data }),
            Part::Tool { id, name, arguments } => match serde_json::from_str::<Value>(arguments) {
                Ok(arguments) => json!({ "functionCall": { "id": id, "name": name, "args": arguments } }),
                Err(_) => continue,
            },
            Part::Image { media_type, data } => {
                json!({ "inlineData": { "mimeType": media_type, "data": data } })
            }
            Part::Unknown(part) => part.clone(),
            Part::Refusal(_) => continue,
        };
        if let Some(signature) = waiting.take() {
            value["thoughtSignature"] = json!(signature);
        }
        parts.push(value);
    }
    if let Some(signature) = waiting {
        parts.push(json!({ "text": "", "thoughtSignature": signature }));
    }
    parts
}

fn response(model: &str, reply: &Reply, parts: &[Value], finish: Option<&str>) -> Value {
    let usage = &reply.usage;
    let prompt = usage.input + usage.cache_read + usage.cache_write;
    let mut candidate = json!({ "content": { "parts": parts, "role": "model" }, "index": 0 });
    if let Some(finish) = finish {
        candidate["finishReason"] = json!(finish);
        let refusal = reply.parts.iter().find_map(|part| match part {
            Part::Refusal(text) => Some(text),
            _ => None,
        });
        if let Some(refusal) = refusal {
            candidate["finishMessage"] = json!(refusal);
        }
    }
    let mut metadata = json!({ "promptTokenCount": prompt, "totalTokenCount": prompt + usage.output });
    if finish.is_some() {
        metadata["candidatesTokenCount"] = json!(usage.output - usage.reasoning.min(usage.output));
    }
    if usage.reasoning > 0 {
        metadata["thoughtsTokenCount"] = json!(usage.reasoning);
    }
    if usage.cache_read > 0 {
        metadata["cachedContentTokenCount"] = json!(usage.cache_read);
    }
    json!({
        "candidates": [candidate],
        "usageMetadata": metadata,
        "modelVersion": model,
        "responseId": "mAitaLmkHPPlz7IPvtfUqQ4",
    })
}

fn finish_reason(reply: &Reply) -> &'static str {
    let is_malformed = |part: &Part| match part {
        Part::Tool { arguments, .. } => serde_json::from_str::<Value>(arguments).is_err(),
        _ => false,
    };
    match reply.stop {
        Stop::Length => "MAX_TOKENS",
        Stop::Unknown => "REASON_OF_THE_FUTURE",
        _ if reply.refuses() => "SAFETY",
        _ if reply.parts.iter().any(is_malformed) => "MALFORMED_FUNCTION_CALL",
        _ => "STOP",
    }
}

pub(super) fn failure(failure: Failure, detail: Option<&str>) -> (u16, Value) {
    let (code, status, message) = match failure {
        Failure::RateLimited => {
            (429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).")
        }
        Failure::Quota => (
            429,
            "RESOURCE_EXHAUSTED",
            "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.",
        ),
        Failure::Overloaded | Failure::Unavailable => {
            (503, "UNAVAILABLE", "The model is overloaded. Please try again later.")
        }
        Failure::Internal => (500, "INTERNAL", "An internal error has occurred."),
        Failure::Authentication => {
            (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.")
        }
        Failure::Permission => (403, "PERMISSION_DENIED", "The caller does not have permission"),
        Failure::NotFound => (404, "NOT_FOUND", "models/no-such-model is not found for API version v1beta"),
        Failure::BadRequest => (400, "INVALID_ARGUMENT", "Request contains an invalid argument."),
        Failure::ContextOverflow => (
            400,
            "INVALID_ARGUMENT",
            "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
        ),
    };
    let message = detail.unwrap_or(message);
    let mut error = json!({ "code": code, "message": message, "status": status });
    match failure {
        Failure::RateLimited => {
            error["details"] =
                json!([{ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2s" }]);
        }
        Failure::Authentication => {
            error["details"] = json!([{
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "API_KEY_INVALID",
                "domain": "googleapis.com",
            }]);
        }
        _ => {}
    }
    (code, json!({ "error": error }))
}
