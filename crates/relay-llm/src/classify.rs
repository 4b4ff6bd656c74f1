//! From a provider's refusal to a typed error.
//!
//! Status, error type and error code decide. Texts are looked at only where servers send nothing better, and only for
//! what they are known to mean.

use serde_json::Value;

use crate::error::{Error, ErrorKind};
use crate::hints;
use crate::key::Key;

/// The longest message taken over from a provider.
const MESSAGE_BYTES: usize = 2_000;

/// What a provider said when it refused.
#[derive(Debug, Default)]
pub(crate) struct Refused<'a> {
    pub(crate) status: Option<u16>,
    /// Type, code and status words, as many as the provider sends.
    pub(crate) words: Vec<&'a str>,
    pub(crate) message: String,
    /// Whether the provider says when to come back. Then nothing is used up for good, whatever it calls it.
    pub(crate) says_when: bool,
}

/// An answer that is not a success.
pub(crate) fn response(
    provider: &str,
    key: &Key,
    status: u16,
    header: &dyn Fn(&str) -> Option<String>,
    body: &[u8],
) -> Error {
    let json: Option<Value> = serde_json::from_slice(body).ok();
    let mut refused = json.as_ref().map(self::body).unwrap_or_default();
    refused.status = Some(status);
    let wait_ms = hints::wait_ms(header).or_else(|| json.as_ref().and_then(hints::in_body));
    refused.says_when = wait_ms.is_some();
    if refused.message.is_empty() {
        refused.message = plain(status, body);
    }
    let mut error = refused.into_error(provider);
    error.message = key.scrub(&error.message);
    error.retry_after_ms = wait_ms;
    error.request_id = ["request-id", "x-request-id", "x-goog-request-id"].into_iter().find_map(header);
    error
}

/// The words and the message in an error's JSON, in any of the shapes in use.
pub(crate) fn body(json: &Value) -> Refused<'_> {
    // Google wraps its errors in a list when it streams without server-sent events.
    let json = json.get(0).unwrap_or(json);
    let error = json.get("error").filter(|error| !error.is_null()).unwrap_or(json);
    let text = |key: &str| error.get(key).and_then(Value::as_str);
    let message = error.as_str().or_else(|| text("message")).or_else(|| text("detail"));
    let message = message.or_else(|| json.get("message").and_then(Value::as_str)).unwrap_or_default();
    let reasons = error.get("details").and_then(Value::as_array).into_iter().flatten();
    let reasons = reasons.filter_map(|detail| detail.get("reason").and_then(Value::as_str));
    // OpenRouter puts the response of the provider it forwards to into the metadata.
    let raw = error.pointer("/metadata/raw").and_then(Value::as_str);
    let message = raw.map_or_else(|| message.to_owned(), |raw| format!("{message}: {raw}"));
    let status = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let words = [text("type"), text("code"), text("status")].into_iter().flatten().chain(reasons).collect();
    Refused { status, words, message, says_when: false }
}

/// What a body that is not JSON says.
fn plain(status: u16, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    if is_html(body) {
        format!("the server answered with a web page (status {status})")
    } else if text.is_empty() {
        format!("the server answered with status {status}")
    } else {
        text.to_owned()
    }
}

/// Whether a body is a web page.
pub(crate) fn is_html(body: &[u8]) -> bool {
    let start = body.trim_ascii_start();
    let start = start.get(..start.len().min(15)).unwrap_or_default().to_ascii_lowercase();
    start.starts_with(b"<!doctype html") || start.starts_with(b"<html")
}

impl Refused<'_> {
    pub(crate) fn into_error(self, provider: &str) -> Error {
        let kind = self.kind();
        let end = self.message.floor_char_boundary(MESSAGE_BYTES.min(self.message.len()));
        let message = self.message.get(..end).unwrap_or_default().to_owned();
        Error { status: self.status, ..Error::new(kind, provider, message) }
    }

    fn kind(&self) -> ErrorKind {
        let message = self.message.to_lowercase();
        let says = |patterns: &[&str]| patterns.iter().any(|pattern| message.contains(pattern));
        if let Some(kind) = self.words.iter().find_map(|word| by_word(word)) {
            return kind;
        }
        let is_client = self.status.is_none_or(|status| (400..500).contains(&status));
        if is_client && says(&OVERFLOWS) && self.status != Some(429) {
            return ErrorKind::ContextOverflow;
        }
        if is_client && !self.says_when && says(&QUOTAS) {
            return ErrorKind::Quota;
        }
        if is_client && says(&["api key not valid", "invalid api key", "incorrect api key"]) {
            return ErrorKind::Auth;
        }
        match self.status {
            Some(401 | 403) => ErrorKind::Auth,
            Some(402) => ErrorKind::Quota,
            Some(404) => ErrorKind::NotFound,
            Some(408 | 504) => ErrorKind::Timeout,
            Some(413) => ErrorKind::ContextOverflow,
            Some(429) => ErrorKind::RateLimit,
            Some(503 | 529) => ErrorKind::Overloaded,
            Some(500..600) => ErrorKind::Server,
            Some(_) => ErrorKind::BadRequest,
            None if says(&["overloaded", "over capacity", "server busy"]) => ErrorKind::Overloaded,
            None if says(&["rate limit", "too many requests"]) => ErrorKind::RateLimit,
            None => ErrorKind::Server,
        }
    }
}

/// The meaning of a type, code or status word, if it is clear by itself. `server_error` and its like are not: they are
/// said of servers that failed and of servers that have too much to do.
fn by_word(word: &str) -> Option<ErrorKind> {
    Some(match word {
        "rate_limit_error" | "rate_limit_exceeded" => ErrorKind::RateLimit,
        "overloaded_error" | "server_is_overloaded" | "slow_down" | "UNAVAILABLE" => ErrorKind::Overloaded,
        "authentication_error"
        | "permission_error"
        | "invalid_api_key"
        | "UNAUTHENTICATED"
        | "PERMISSION_DENIED"
        | "API_KEY_INVALID" => ErrorKind::Auth,
        "insufficient_quota" | "billing_error" | "billing_hard_limit_reached" | "usage_limit_reached" => {
            ErrorKind::Quota
        }
        "context_length_exceeded" | "exceed_context_size_error" | "request_too_large" => {
            ErrorKind::ContextOverflow
        }
        "content_filter" | "content_policy_violation" | "invalid_prompt" => ErrorKind::Refusal,
        "not_found_error" | "model_not_found" | "NOT_FOUND" => ErrorKind::NotFound,
        "timeout_error" | "DEADLINE_EXCEEDED" => ErrorKind::Timeout,
        _ => return None,
    })
}

/// How servers say that a conversation is too long when they send no code for it.
const OVERFLOWS: [&str; 9] = [
    "prompt is too long",
    "maximum context length",
    "context window",
    "exceeds the maximum number of tokens",
    "exceeds the available context size",
    "exceeds the context length",
    "input is too long",
    "maximum prompt length",
    "reduce the length of the messages",
];

/// How servers say that the money is used up when they send no code for it.
const QUOTAS: [&str; 5] = [
    "credit balance is too low",
    "insufficient credits",
    "exceeded your current quota",
    "reached your usage limit",
    "insufficient balance",
];

#[cfg(test)]
mod tests {
    use super::response;
    use crate::error::ErrorKind;
    use crate::key::Key;

    fn check(status: u16, body: &str, kind: ErrorKind, message: &str) {
        let error = response("p", &Key::new("sk-secret"), status, &|_| None, body.as_bytes());
        assert_eq!((error.kind, error.message.as_str()), (kind, message), "{body}");
        assert_eq!(error.status, Some(status));
    }

    #[test]
    fn anthropic() {
        let body = |kind: &str, message: &str| {
            format!(
                r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}},"request_id":"r"}}"#
            )
        };
        check(429, &body("rate_limit_error", "slow"), ErrorKind::RateLimit, "slow");
        check(529, &body("overloaded_error", "Overloaded"), ErrorKind::Overloaded, "Overloaded");
        check(401, &body("authentication_error", "invalid x-api-key"), ErrorKind::Auth, "invalid x-api-key");
        check(500, &body("api_error", "oops"), ErrorKind::Server, "oops");
        let overflow = "prompt is too long: 210000 tokens > 200000 maximum";
        check(400, &body("invalid_request_error", overflow), ErrorKind::ContextOverflow, overflow);
        let credit = "Your credit balance is too low to access the Anthropic API.";
        check(400, &body("invalid_request_error", credit), ErrorKind::Quota, credit);
        check(
            400,
            &body("invalid_request_error", "max_tokens: required"),
            ErrorKind::BadRequest,
            "max_tokens: required",
        );
    }

    #[test]
    fn openai() {
        check(
            429,
            r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#,
            ErrorKind::Quota,
            "You exceeded your current quota",
        );
        check(
            400,
            r#"{"error":{"message":"too long","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
            ErrorKind::ContextOverflow,
            "too long",
        );
        check(
            401,
            r#"{"error":{"message":"Incorrect API key provided: sk-secret.","type":"invalid_request_error","code":"invalid_api_key"}}"#,
            ErrorKind::Auth,
            "Incorrect API key provided: [key].",
        );
        check(
            404,
            r#"{"error":{"message":"no model","code":"model_not_found"}}"#,
            ErrorKind::NotFound,
            "no model",
        );
    }

    #[test]
    fn google() {
        let body = |code: u16, message: &str, status: &str| {
            format!(r#"{{"error":{{"code":{code},"message":"{message}","status":"{status}"}}}}"#)
        };
        check(
            429,
            &body(429, "Resource exhausted", "RESOURCE_EXHAUSTED"),
            ErrorKind::RateLimit,
            "Resource exhausted",
        );
        check(503, &body(503, "busy", "UNAVAILABLE"), ErrorKind::Overloaded, "busy");
        let long = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
        check(400, &body(400, long, "INVALID_ARGUMENT"), ErrorKind::ContextOverflow, long);
        check(
            400,
            r#"[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]"#,
            ErrorKind::Auth,
            "API key not valid.",
        );
    }

    #[test]
    fn others() {
        check(404, r#"{"error":"model 'x' not found"}"#, ErrorKind::NotFound, "model 'x' not found");
        check(
            400,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
            ErrorKind::ContextOverflow,
            "the request exceeds the available context size",
        );
        check(
            402,
            r#"{"error":{"code":402,"message":"Insufficient credits"}}"#,
            ErrorKind::Quota,
            "Insufficient credits",
        );
        check(
            502,
            r#"{"error":{"code":502,"message":"Provider returned error","metadata":{"raw":"boom","provider_name":"X"}}}"#,
            ErrorKind::Server,
            "Provider returned error: boom",
        );
        check(
            502,
            "<!DOCTYPE html><html>Bad gateway</html>",
            ErrorKind::Server,
            "the server answered with a web page (status 502)",
        );
        check(503, "", ErrorKind::Overloaded, "the server answered with status 503");
    }
}
