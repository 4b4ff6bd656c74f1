//! The wire formats: which API a path belongs to, and one file for each that knows its JSON.

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod other;
mod responses;

use std::io::Result;

use serde::Deserialize;
use serde_json::Value;

use super::outbox::Outbox;
use super::{Failure, Reply, Request};

pub(super) use other::other;

/// A provider's way to ask a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses.
    Responses,
    /// OpenAI Chat Completions, and everything compatible with it.
    Chat,
    /// Google Gemini's `generateContent`.
    Gemini,
    /// Ollama's own chat.
    Ollama,
}

/// How Chat Completions carries reasoning; OpenAI itself does not show any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flavour {
    /// Not at all.
    #[default]
    OpenAi,
    /// OpenRouter: `reasoning` and `reasoning_details`.
    OpenRouter,
    /// DeepSeek, llama.cpp and others: `reasoning_content`.
    ReasoningContent,
    /// Groq, newer vLLM: `reasoning`.
    Reasoning,
}

impl Api {
    /// The API a path belongs to. Only the end of the path counts, because base URLs differ.
    pub(super) fn of(method: &str, path: &str) -> Option<Self> {
        if method != "POST" {
            return None;
        }
        let ends = |end: &str| path.ends_with(end);
        if ends("/messages") {
            Some(Self::Anthropic)
        } else if ends("/responses") {
            Some(Self::Responses)
        } else if ends("/chat/completions") {
            Some(Self::Chat)
        } else if ends(":generateContent") || ends(":streamGenerateContent") {
            Some(Self::Gemini)
        } else if ends("/api/chat") {
            Some(Self::Ollama)
        } else {
            None
        }
    }

    /// Local servers need no key.
    pub(super) fn needs_key(self) -> bool {
        self != Self::Ollama
    }
}

impl Flavour {
    /// What lives at the paths of OpenRouter (`/api/v1`) and DeepSeek (no version) speaks their flavour.
    pub(super) fn of(path: &str) -> Self {
        match path {
            "/api/v1/chat/completions" => Self::OpenRouter,
            "/chat/completions" => Self::ReasoningContent,
            _ => Self::OpenAi,
        }
    }
}

/// Sends a reply event by event.
pub(super) fn stream(
    api: Api,
    flavour: Flavour,
    request: &Request,
    reply: &Reply,
    out: &mut Outbox<'_>,
) -> Result<()> {
    let model = request.model();
    match api {
        Api::Anthropic => anthropic::stream(&model, reply, out),
        Api::Responses => responses::stream(request, reply, out),
        Api::Chat => {
            let wants_usage = request.body["stream_options"]["include_usage"] == Value::Bool(true);
            chat::stream(&model, flavour, wants_usage, reply, out)
        }
        Api::Gemini => gemini::stream(&model, reply, out),
        Api::Ollama => ollama::stream(&model, reply, out),
    }
}

/// A reply as one document; the error is a status and what the provider says with it.
pub(super) fn document(
    api: Api,
    flavour: Flavour,
    request: &Request,
    reply: &Reply,
) -> std::result::Result<Value, (u16, Value)> {
    let model = request.model();
    Ok(match api {
        Api::Anthropic => anthropic::document(&model, reply),
        Api::Responses => responses::document(request, reply),
        Api::Chat => chat::document(&model, flavour, reply),
        Api::Gemini if request.path.ends_with(":streamGenerateContent") => {
            Value::Array(vec![gemini::document(&model, reply)])
        }
        Api::Gemini => gemini::document(&model, reply),
        Api::Ollama => ollama::document(&model, reply).map_err(|error| (500, error))?,
    })
}

/// A failure as a status and a document; `detail` replaces the usual message.
pub(super) fn failure(api: Api, failure: Failure, detail: Option<&str>) -> (u16, Value) {
    match api {
        Api::Anthropic => anthropic::failure(failure, detail),
        Api::Responses => responses::failure(failure, detail),
        Api::Chat => chat::failure(failure, detail),
        Api::Gemini => gemini::failure(failure, detail),
        Api::Ollama => ollama::failure(failure, detail),
    }
}

/// A failure as an event inside a stream that has begun.
pub(super) fn failure_event(api: Api, kind: Failure) -> Value {
    match api {
        Api::Responses => responses::failure_event(kind),
        _ => failure(api, kind, None).1,
    }
}

/// What a real provider would refuse in this request.
pub(super) fn complaint(request: &Request) -> Option<String> {
    let missing = |names: &[&str]| {
        let is_missing = |name: &&&str| request.body.get(**name).is_none();
        names.iter().find(is_missing).map(|name| format!("{name}: Field required"))
    };
    if request.api.is_some() && !request.body.is_object() {
        return Some("the body is not a JSON object".to_owned());
    }
    match request.api? {
        Api::Anthropic if request.header("anthropic-version").is_none() => {
            Some("anthropic-version: header is required".to_owned())
        }
        Api::Anthropic => missing(&["model", "max_tokens", "messages"]),
        Api::Responses => missing(&["model", "input"]).or_else(|| responses::complaint(&request.body)),
        Api::Chat => missing(&["model", "messages"]),
        Api::Gemini => missing(&["contents"]),
        Api::Ollama => missing(&["model", "messages"]),
    }
}

/// Arguments as JSON; anything else becomes a string.
fn arguments_value(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap_or_else(|_| Value::String(arguments.to_owned()))
}
