//! The first line of a session file: which conversation this is, and where it was held.

use serde_json::{Map, Value};

use super::VERSION;

/// Who named a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TitleSource {
    /// Relay did, from the first prompt or a plan.
    Auto,
    /// The user did; an automatic name never replaces this one.
    User,
}

/// The header. The whole object is kept, so fields of other programs survive a rewrite.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    object: Map<String, Value>,
}

impl Header {
    /// The header of a new session.
    #[must_use]
    pub fn new(id: &str, timestamp: &str, cwd: &str) -> Self {
        let mut object = Map::new();
        object.insert("type".to_owned(), "session".into());
        object.insert("version".to_owned(), VERSION.into());
        object.insert("id".to_owned(), id.into());
        object.insert("timestamp".to_owned(), timestamp.into());
        object.insert("cwd".to_owned(), cwd.into());
        Self { object }
    }

    /// Takes an object as a header, if it is one: its type is `session` and its id a text.
    #[must_use]
    pub fn from_object(object: Map<String, Value>) -> Option<Self> {
        let is_header = object.get("type").is_some_and(|kind| kind == "session")
            && object.get("id").is_some_and(Value::is_string);
        is_header.then_some(Self { object })
    }

    /// The session's id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.text("id").unwrap_or_default()
    }

    /// The version of the format; files without one are version 1.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.object.get("version").and_then(Value::as_u64).unwrap_or(1)
    }

    /// When the session began.
    #[must_use]
    pub fn timestamp(&self) -> &str {
        self.text("timestamp").unwrap_or_default()
    }

    /// The folder the conversation is about; empty in old files.
    #[must_use]
    pub fn cwd(&self) -> &str {
        self.text("cwd").unwrap_or_default()
    }

    /// The session's name.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.text("title").filter(|title| !title.trim().is_empty())
    }

    /// Who named it.
    #[must_use]
    pub fn title_source(&self) -> Option<TitleSource> {
        match self.text("titleSource")? {
            "user" => Some(TitleSource::User),
            "auto" => Some(TitleSource::Auto),
            _ => None,
        }
    }

    /// The session this one came from: an id or a path, depending on what wrote it.
    #[must_use]
    pub fn parent_session(&self) -> Option<&str> {
        self.text("parentSession")
    }

    /// All fields, also those Relay does not know.
    #[must_use]
    pub fn object(&self) -> &Map<String, Value> {
        &self.object
    }

    /// The header as a line of a session file.
    #[must_use]
    pub fn to_line(&self) -> String {
        Value::Object(self.object.clone()).to_string()
    }

    pub(crate) fn set_version(&mut self, version: u64) {
        self.object.insert("version".to_owned(), version.into());
    }

    /// Names the session.
    pub fn set_title(&mut self, title: &str, source: TitleSource) {
        self.object.insert("title".to_owned(), title.into());
        let source = if source == TitleSource::User { "user" } else { "auto" };
        self.object.insert("titleSource".to_owned(), source.into());
    }

    /// Puts a text into a field, such as `parentSession`.
    pub fn set_text(&mut self, key: &str, value: &str) {
        self.object.insert(key.to_owned(), value.into());
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.object.get(key).and_then(Value::as_str)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn header(value: Value) -> Option<Header> {
        value.as_object().cloned().and_then(Header::from_object)
    }

    #[test]
    fn a_new_header_is_the_documented_line() {
        let mut header = Header::new("1f9d2a6b9c0d1234", "2026-02-16T10:20:30.000Z", "/home/me/pi");
        header.set_title("a title", TitleSource::Auto);
        header.set_text("parentSession", "0123");
        assert_eq!(
            header.to_line(),
            r#"{"type":"session","version":3,"id":"1f9d2a6b9c0d1234","timestamp":"2026-02-16T10:20:30.000Z","cwd":"/home/me/pi","title":"a title","titleSource":"auto","parentSession":"0123"}"#
        );
    }

    #[test]
    fn only_a_session_with_a_text_as_id_is_a_header() {
        assert!(header(json!({ "type": "session", "id": "a" })).is_some());
        assert!(header(json!({ "type": "session", "id": 7 })).is_none());
        assert!(header(json!({ "type": "session" })).is_none());
        assert!(header(json!({ "type": "message", "id": "a" })).is_none());
    }

    #[test]
    fn a_missing_version_is_the_first_one() {
        let old = header(json!({ "type": "session", "id": "a", "provider": "anthropic" })).unwrap();
        assert_eq!((old.version(), old.title(), old.cwd()), (1, None, ""));
        assert!(old.to_line().contains(r#""provider":"anthropic""#));
    }
}
