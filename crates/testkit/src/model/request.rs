//! What a client asked, kept for the test to look at.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::Value;

use super::Api;
use super::http::RawRequest;

/// A request the server has received.
#[derive(Clone, Debug)]
pub struct Request {
    /// `GET`, `POST` …
    pub method: String,
    /// The path without the query.
    pub path: String,
    /// What followed the question mark.
    pub query: String,
    /// The headers in order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as JSON; null when it is none.
    pub body: Value,
    /// The API it called, if it called one.
    pub api: Option<Api>,
    /// When it had arrived completely.
    pub received: Instant,
    /// What a real provider would have refused: a missing version header, a missing field.
    pub complaint: Option<String>,
    closed: Arc<Mutex<Option<Instant>>>,
}

impl Request {
    pub(super) fn new(raw: RawRequest) -> Self {
        let (path, query) = raw.target.split_once('?').unwrap_or((&raw.target, ""));
        Self {
            api: Api::of(&raw.method, path),
            path: path.to_owned(),
            query: query.to_owned(),
            method: raw.method,
            headers: raw.headers,
            body: serde_json::from_slice(&raw.body).unwrap_or(Value::Null),
            received: Instant::now(),
            complaint: None,
            closed: Arc::default(),
        }
    }

    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// When the client closed the connection before it had the whole answer.
    #[must_use]
    pub fn closed_at(&self) -> Option<Instant> {
        *self.closed.lock().unwrap()
    }

    pub(super) fn note_closed(&self) {
        self.closed.lock().unwrap().get_or_insert_with(Instant::now);
    }

    /// The key it was sent with, wherever the API wants it.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        let bearer = self.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
        let in_query = || self.query.split('&').find_map(|pair| pair.strip_prefix("key="));
        match self.api {
            Some(Api::Anthropic) => self.header("x-api-key").or(bearer),
            Some(Api::Gemini) => self.header("x-goog-api-key").or_else(in_query).or(bearer),
            _ => bearer.or_else(|| self.header("api-key")),
        }
    }

    /// Whether the client wants the answer as it is made.
    pub(super) fn wants_stream(&self) -> bool {
        match self.api {
            Some(Api::Gemini) => self.path.ends_with(":streamGenerateContent"),
            Some(Api::Ollama) => self.body["stream"] != Value::Bool(false),
            _ => self.body["stream"] == Value::Bool(true),
        }
    }

    /// Whether the client holds the model to a JSON schema.
    #[must_use]
    pub fn wants_schema(&self) -> bool {
        super::sample::schema(self).is_some()
    }

    /// The requested model.
    #[must_use]
    pub fn model(&self) -> String {
        let in_path = || {
            let name = self.path.rsplit('/').next().unwrap_or_default();
            name.split(':').next().unwrap_or_default().to_owned()
        };
        self.body["model"].as_str().map_or_else(in_path, str::to_owned)
    }
}
