//! The wire formats, one file each: from a request to JSON, and from a provider's events to an answer.
//!
//! These are the only places that know a provider's JSON. An adapter connects to nothing, waits for nothing and keeps
//! nothing but what the answer at hand needs.

mod anthropic;
mod bedrock;
mod google;
mod ollama;
mod openai_chat;
mod openai_chat_stream;
mod openai_responses;
mod openai_responses_stream;
mod sound;
mod think_tags;

use std::borrow::Cow;

use relay_net::{Method, Outgoing, Url};
use serde::Deserialize as _;
use serde_json::Value;

use crate::assemble::Assembler;
use crate::error::{Error, ErrorKind};
use crate::guard::Guards;
use crate::key::Key;
use crate::message::{Message, Origin};
use crate::model::Model;
use crate::provider::{Auth, Provider, Wire};
use crate::request::Request;
use crate::sigv4::{self, Credentials, Signing};

/// Whether an answer continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// More may come.
    More,
    /// The provider has said its last.
    Finished,
}

/// How an answer is cut into frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events.
    Sse,
    /// One JSON value a line.
    Lines,
    /// Amazon's binary messages.
    EventStream,
}

/// Turns a provider's frames into an answer.
pub(crate) trait Decode: Send {
    /// One frame.
    fn frame(&mut self, data: &[u8], answer: &mut Assembler) -> Result<Flow, Error>;

    /// The connection was closed. An error if the answer was not complete.
    fn finish(&mut self, answer: &mut Assembler) -> Result<(), Error>;
}

/// Makes what reads one answer. Every attempt gets a new one.
pub(crate) type NewDecoder = fn() -> Box<dyn Decode>;

/// A request, ready to be sent, and what will understand its answer.
pub(crate) struct Call {
    pub(crate) outgoing: Outgoing,
    pub(crate) framing: Framing,
    pub(crate) decoder: NewDecoder,
    pub(crate) guards: Guards,
}

/// What an adapter makes of a request.
struct Written {
    /// Follows the base URL.
    path: String,
    headers: Vec<(&'static str, String)>,
    body: Value,
    framing: Framing,
    decoder: NewDecoder,
}

/// Writes a request in the model's format.
pub(crate) fn job(model: &Model, key: &Key, request: &Request) -> Result<Call, Error> {
    let repaired;
    let request = match sound::sound(&request.messages) {
        Cow::Borrowed(_) => request,
        Cow::Owned(messages) => {
            repaired = Request { messages, ..request.clone() };
            &repaired
        }
    };
    let tiered;
    let request = match &model.service_tier {
        Some(tier) if request.service_tier.is_none() => {
            tiered = Request { service_tier: Some(tier.clone()), ..request.clone() };
            &tiered
        }
        _ => request,
    };
    let written = match model.provider.wire {
        Wire::AnthropicMessages => anthropic::write(model, request),
        Wire::OpenaiResponses => openai_responses::write(model, request),
        Wire::OpenaiChat => openai_chat::write(model, request),
        Wire::Google => google::write(model, request),
        Wire::Ollama => ollama::write(model, request),
        Wire::Bedrock => bedrock::write(model, request),
    };
    let body = serde_json::to_vec(&written.body).map_err(|error| {
        Error::new(
            ErrorKind::BadRequest,
            &*model.provider.name,
            format!("cannot be written as JSON: {error}"),
        )
    })?;
    let url = join(&model.provider.base_url, &written.path, &model.id);
    let mut headers = headers(&model.provider, key, written.headers)?;
    if let Auth::Sigv4 { region } = &model.provider.auth {
        headers.extend(signature(&model.provider, key, region, &url, &body)?);
    }
    let outgoing = Outgoing { method: Method::POST, url, headers, body: body.into() };
    Ok(Call { outgoing, framing: written.framing, decoder: written.decoder, guards: Guards::new(request) })
}

/// The headers that sign a request to Amazon. A key without a colon is an API key of Bedrock and is sent as it is.
fn signature(
    provider: &Provider,
    key: &Key,
    region: &str,
    url: &str,
    body: &[u8],
) -> Result<Vec<(String, String)>, Error> {
    let key = key.reveal().ok_or_else(|| no_key(provider))?;
    let Some(credentials) = Credentials::parse(key) else {
        return Ok(vec![("authorization".to_owned(), format!("Bearer {key}"))]);
    };
    let url: Url = url.parse().map_err(|error| {
        Error::new(ErrorKind::Config, &*provider.name, format!("the base URL is not a URL: {error}"))
    })?;
    let host = url.host_str().unwrap_or_default();
    let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let signing = Signing {
        method: "POST",
        path: url.path(),
        query: url.query().unwrap_or_default(),
        headers: vec![("host", host), ("content-type", "application/json".to_owned())],
        body,
        region,
        service: "bedrock",
        now: jiff::Timestamp::now(),
    };
    Ok(sigv4::sign(&credentials, signing))
}

fn no_key(provider: &Provider) -> Error {
    Error::new(ErrorKind::Auth, &*provider.name, "no key for this provider")
}

/// The base URL with a path appended. A query stays at the end, and `{model}` becomes the model's name.
fn join(base: &str, path: &str, model: &str) -> String {
    let (base, query) = base.split_once('?').map_or((base, None), |(base, query)| (base, Some(query)));
    let url = format!("{}{path}", base.trim_end_matches('/')).replace("{model}", model);
    match query {
        Some(query) if url.contains('?') => format!("{url}&{query}"),
        Some(query) => format!("{url}?{query}"),
        None => url,
    }
}

/// The headers of a request: the format's own, the key's, and the user's, which win.
fn headers(
    provider: &Provider,
    key: &Key,
    own: Vec<(&'static str, String)>,
) -> Result<Vec<(String, String)>, Error> {
    let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    headers.extend(own.into_iter().map(|(name, value)| (name.to_owned(), value)));
    match (&provider.auth, key.reveal()) {
        // A signature covers the body and is added later.
        (Auth::None | Auth::Sigv4 { .. }, _) => {}
        (Auth::Bearer, Some(key)) => headers.push(("authorization".to_owned(), format!("Bearer {key}"))),
        (Auth::Header(name), Some(key)) => headers.push((name.clone(), key.to_owned())),
        (Auth::Bearer | Auth::Header(_), None) if has_auth(provider) => {}
        (Auth::Bearer | Auth::Header(_), None) => return Err(no_key(provider)),
    }
    headers.extend(provider.headers.iter().map(|(name, value)| (name.clone(), value.clone())));
    Ok(headers)
}

/// Whether the user's own headers already carry a key.
fn has_auth(provider: &Provider) -> bool {
    let is_auth = |name: &String| {
        ["authorization", "x-api-key", "api-key", "x-goog-api-key"]
            .iter()
            .any(|auth| name.eq_ignore_ascii_case(auth))
    };
    provider.headers.keys().any(is_auth)
}

/// Whether a message's seals and unknown blocks may go back to this model.
fn is_own(message: &Message, model: &Model) -> bool {
    let same = |origin: &Origin| {
        origin.wire == model.provider.wire
            && origin.provider == model.provider.name
            && origin.model == model.id
    };
    message.origin.as_ref().is_some_and(same)
}

/// Reads one frame's JSON.
fn parse<'a, T: serde::Deserialize<'a>>(data: &'a [u8], answer: &Assembler) -> Result<T, Error> {
    serde_json::from_slice(data).map_err(|error| {
        answer
            .error(ErrorKind::Malformed, format!("an event of the answer is not what it should be: {error}"))
    })
}

/// Reads a field that servers leave out, or send as null.
fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + serde::Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Sets a field of a JSON object.
fn put(object: &mut Value, key: &str, value: Value) {
    if let Value::Object(map) = object {
        map.insert(key.to_owned(), value);
    }
}

/// Sets a field of an object inside a JSON object, which is made if it is not there.
fn put_in(object: &mut Value, outer: &str, key: &str, value: Value) {
    if let Value::Object(map) = object {
        put(map.entry(outer).or_insert_with(|| Value::Object(serde_json::Map::new())), key, value);
    }
}

/// An id for a tool call from a provider that gives none. It must differ from all others of the conversation.
fn fresh_id() -> String {
    let random = getrandom::u64().unwrap_or_default();
    format!("call_{random:016x}")
}

/// The connection was closed before the answer was complete.
fn broke_off(answer: &Assembler) -> Error {
    answer.error(ErrorKind::Network, "the connection was closed before the answer was complete")
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn addresses() {
        for (base, path, expected) in [
            ("https://a.example", "/v1/messages", "https://a.example/v1/messages"),
            ("https://a.example/", "/v1/messages", "https://a.example/v1/messages"),
            ("https://a.example/v1?api-version=1", "/chat", "https://a.example/v1/chat?api-version=1"),
            ("https://a.example/d/{model}?v=1", "/chat", "https://a.example/d/m/chat?v=1"),
            ("https://a.example?v=1", "/models/m:s?alt=sse", "https://a.example/models/m:s?alt=sse&v=1"),
        ] {
            assert_eq!(join(base, path, "m"), expected);
        }
    }
}
