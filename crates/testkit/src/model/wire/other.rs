//! What clients ask besides a model's answer: which models there are, how many tokens a prompt has, whether a server is
//! at home.

use serde_json::{Value, json};

use super::super::Request;

/// The status and body for a request that asks no model.
pub(in super::super) fn other(request: &Request, models: &[String]) -> (u16, Vec<u8>) {
    let path = request.path.trim_end_matches('/');
    if matches!(request.method.as_str(), "GET" | "HEAD") && path.is_empty() {
        return (200, if request.method == "HEAD" { Vec::new() } else { b"Ollama is running".to_vec() });
    }
    let found = match request.method.as_str() {
        "GET" => get(request, path, models),
        "POST" => post(request, path, models),
        _ => None,
    };
    let (status, body) = match found {
        Some(body) => (200, body),
        None => {
            (404, json!({ "error": { "message": format!("no such path: {path}"), "type": "not_found" } }))
        }
    };
    (status, body.to_string().into_bytes())
}

fn get(request: &Request, path: &str, models: &[String]) -> Option<Value> {
    let listed = |name: &String| json!({ "id": name, "object": "model", "created": 1_741_569_952, "owned_by": "scripted" });
    let anthropic = |name: &String| json!({ "type": "model", "id": name, "display_name": name, "created_at": "2025-02-19T00:00:00Z" });
    let google = |name: &String| {
        json!({
            "name": format!("models/{name}"),
            "displayName": name,
            "version": "001",
            "inputTokenLimit": 1_048_576,
            "outputTokenLimit": 65_536,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        })
    };
    // Three providers list their models at the same path; what the client sends distinguishes them.
    let is_google = path.contains("/v1beta/") || request.header("x-goog-api-key").is_some();
    let is_anthropic = request.header("anthropic-version").is_some();
    if let Some((_, name)) = path.split_once("/models/") {
        let known = models.iter().find(|known| *known == name)?;
        let describe = |name| match (is_google, is_anthropic) {
            (true, _) => google(name),
            (_, true) => anthropic(name),
            _ => listed(name),
        };
        return Some(describe(known));
    }
    if path.ends_with("/models") && is_google {
        return Some(json!({ "models": models.iter().map(google).collect::<Vec<_>>() }));
    }
    if path.ends_with("/models") && is_anthropic {
        return Some(json!({
            "data": models.iter().map(anthropic).collect::<Vec<_>>(),
            "has_more": false,
            "first_id": models.first(),
            "last_id": models.last(),
        }));
    }
    if path.ends_with("/models") {
        return Some(json!({ "object": "list", "data": models.iter().map(listed).collect::<Vec<_>>() }));
    }
    match path {
        "/api/version" => Some(json!({ "version": "0.12.6" })),
        "/api/tags" => Some(json!({ "models": models.iter().map(|name| tag(name)).collect::<Vec<_>>() })),
        "/api/ps" => Some(json!({ "models": [] })),
        _ => None,
    }
}

fn tag(name: &str) -> Value {
    json!({
        "name": name,
        "model": name,
        "modified_at": "2025-10-03T23:34:03.409490317-07:00",
        "size": 3_338_801_804_u64,
        "digest": "a2af6cc3eb7fa8be8504abaf9b04e88f17a119ec3f04a3addf55f92841195f5a",
        "details": {
            "parent_model": "",
            "format": "gguf",
            "family": "gemma",
            "families": ["gemma"],
            "parameter_size": "4.3B",
            "quantization_level": "Q4_K_M",
        },
    })
}

fn post(request: &Request, path: &str, models: &[String]) -> Option<Value> {
    // A token is about four characters of ordinary prose.
    let tokens = request.body.to_string().len() / 4;
    if path.ends_with("/messages/count_tokens") {
        return Some(json!({ "input_tokens": tokens }));
    }
    if path.ends_with(":countTokens") {
        return Some(json!({ "totalTokens": tokens }));
    }
    if path == "/api/show" && models.iter().any(|name| request.body["model"] == json!(name)) {
        return Some(json!({
            "details": { "family": "gemma", "parameter_size": "4.3B" },
            "model_info": { "general.architecture": "gemma3", "gemma3.context_length": 131_072 },
            "capabilities": ["completion", "vision", "tools", "thinking"],
        }));
    }
    None
}
