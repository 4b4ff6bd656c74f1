//! An entry of a session: the exact text of its line, its place in the tree, and what it says.

use std::borrow::Cow;
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::body::{Body, Kind};
use super::message::Message;
use super::text::Text;

/// An entry. The text of its line is the truth; the typed body is decoded when it is first asked for.
#[derive(Clone, Debug)]
pub struct Entry {
    text: Text,
    kind: Kind,
    id: Box<str>,
    parent_id: Option<Box<str>>,
    timestamp: Box<str>,
    body: OnceLock<Body>,
}

/// The fields that place an entry in the tree.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(default, borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(default, borrow, rename = "parentId")]
    parent_id: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    timestamp: Option<Cow<'a, str>>,
}

impl Entry {
    /// Makes a new entry.
    #[must_use]
    pub fn new(id: &str, parent_id: Option<&str>, timestamp: &str, body: Body) -> Self {
        let object = line_of(id, parent_id, timestamp, &body);
        Self::from_parts(Value::Object(object).to_string(), (id, parent_id, timestamp), body)
    }

    /// Makes a new entry whose fields are changed by `prepare` before they are written. If it changed any, the entry
    /// says what was written, not what was asked for.
    pub(crate) fn prepared<E>(
        place: (&str, Option<&str>, &str),
        body: Body,
        prepare: impl FnOnce(&mut Map<String, Value>) -> Result<bool, E>,
    ) -> Result<Self, E> {
        let (id, parent_id, timestamp) = place;
        let mut object = line_of(id, parent_id, timestamp, &body);
        let is_changed = prepare(&mut object)?;
        let mut entry = Self::from_parts(Value::Object(object).to_string(), place, body);
        if is_changed {
            entry.body = OnceLock::new();
        }
        Ok(entry)
    }

    fn from_parts(line: String, place: (&str, Option<&str>, &str), body: Body) -> Self {
        let (id, parent_id, timestamp) = place;
        Self {
            text: line.into(),
            kind: body.kind(),
            id: id.into(),
            parent_id: parent_id.map(Into::into),
            timestamp: timestamp.into(),
            body: OnceLock::from(body),
        }
    }

    /// Reads an entry from the text of its line.
    ///
    /// # Errors
    /// It is not a JSON object with a `type` and an `id` that are texts.
    pub fn parse(line: &str) -> Result<Self, String> {
        Self::from_text(line.to_owned().into())
    }

    pub(crate) fn from_text(text: Text) -> Result<Self, String> {
        let head: Head<'_> = serde_json::from_str(text.as_str()).map_err(|error| error.to_string())?;
        // A second header belongs to another session; whatever put it here, it is not an entry of this one.
        if head.kind == "session" {
            return Err("it is a second session header".to_owned());
        }
        let id = head.id.filter(|id| !id.is_empty()).ok_or("it has no id")?;
        Ok(Self {
            kind: Kind::named(&head.kind),
            id: id.into(),
            parent_id: head.parent_id.map(Into::into),
            timestamp: head.timestamp.unwrap_or_default().into(),
            body: OnceLock::new(),
            text,
        })
    }

    /// The same entry after another one. A line that cannot be read as a whole stays where it was.
    pub(crate) fn with_parent(&self, parent_id: Option<&str>) -> Self {
        if self.parent_id() == parent_id {
            return self.clone();
        }
        let Ok(mut object) = self.object() else { return self.clone() };
        object.insert("parentId".to_owned(), parent_id.into());
        let text: Text = Value::Object(object).to_string().into();
        Self { text, parent_id: parent_id.map(Into::into), ..self.clone() }
    }

    /// The line, without its newline.
    #[must_use]
    pub fn line(&self) -> &str {
        self.text.as_str()
    }

    /// Its type.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The entry it follows; none for a root.
    #[must_use]
    pub fn parent_id(&self) -> Option<&str> {
        self.parent_id.as_deref()
    }

    /// When it was made, as `2026-02-16T10:20:30.000Z`.
    #[must_use]
    pub fn timestamp(&self) -> &str {
        &self.timestamp
    }

    /// What it says.
    #[must_use]
    pub fn body(&self) -> &Body {
        self.body.get_or_init(|| Body::decode(self.kind, self.text.as_str()))
    }

    /// Whether what it says was decoded before.
    pub(crate) fn is_decoded(&self) -> bool {
        self.body.get().is_some()
    }

    /// The message, if it is an entry of type `message`.
    #[must_use]
    pub fn message(&self) -> Option<&Message> {
        match self.kind {
            Kind::Message => match self.body() {
                Body::Message(message) => Some(message),
                _ => None,
            },
            _ => None,
        }
    }

    /// All its fields, also those Relay does not know.
    ///
    /// # Errors
    /// The line is nested too deeply to be read as a whole.
    pub fn object(&self) -> Result<Map<String, Value>, serde_json::Error> {
        serde_json::from_str(self.line())
    }

    /// The entry with changed fields. Fields that `change` leaves alone, known or not, keep their values; the entry's
    /// place in the tree cannot be changed.
    ///
    /// # Errors
    /// The line is nested too deeply to be read as a whole.
    pub fn patched(&self, change: impl FnOnce(&mut Map<String, Value>)) -> Result<Self, serde_json::Error> {
        let mut object = self.object()?;
        let place = ["type", "id", "parentId", "timestamp"].map(|key| (key, object.get(key).cloned()));
        change(&mut object);
        for (key, value) in place {
            match value {
                Some(value) => drop(object.insert(key.to_owned(), value)),
                None => drop(object.shift_remove(key)),
            }
        }
        let text: Text = Value::Object(object).to_string().into();
        Ok(Self { text, body: OnceLock::new(), ..self.clone() })
    }
}

/// All fields of a new entry. The head's fields come first and are never a body's.
fn line_of(id: &str, parent_id: Option<&str>, timestamp: &str, body: &Body) -> Map<String, Value> {
    let mut fields = body.fields();
    let name = match body.kind() {
        Kind::Other => fields.get("type").and_then(Value::as_str).unwrap_or("custom").to_owned(),
        kind => kind.name().to_owned(),
    };
    for key in ["type", "id", "parentId", "timestamp"] {
        fields.shift_remove(key);
    }
    let mut object = Map::new();
    object.insert("type".to_owned(), name.into());
    object.insert("id".to_owned(), id.into());
    object.insert("parentId".to_owned(), parent_id.into());
    object.insert("timestamp".to_owned(), timestamp.into());
    object.extend(fields);
    object
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.line() == other.line()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::session::body::{Custom, Label};

    /// One line of every type of the format, as the documentation shows it.
    const EXAMPLES: [&str; 15] = [
        r#"{"type":"message","id":"a1b2c3d4","parentId":null,"timestamp":"T","message":{"role":"user","content":"hi"}}"#,
        r#"{"type":"model_change","id":"b1c2d3e4","parentId":"a1b2c3d4","timestamp":"T","model":"openai/gpt-4o","role":"default"}"#,
        r#"{"type":"service_tier_change","id":"c1d2e3f4","parentId":"b1c2d3e4","timestamp":"T","serviceTier":"flex"}"#,
        r#"{"type":"thinking_level_change","id":"c1d2e3f5","parentId":"b1c2d3e4","timestamp":"T","thinkingLevel":"high"}"#,
        r#"{"type":"compaction","id":"d1e2f3a4","parentId":"c1d2e3f4","timestamp":"T","summary":"s","shortSummary":"r","firstKeptEntryId":"a1b2c3d4","tokensBefore":42000,"details":{"readFiles":["src/a.ts"]},"preserveData":{"hookState":true},"fromExtension":false}"#,
        r#"{"type":"branch_summary","id":"e1f2a3b4","parentId":"a1b2c3d4","timestamp":"T","fromId":"a1b2c3d4","summary":"s","details":{"note":"n"},"fromExtension":true}"#,
        r#"{"type":"custom","id":"f1a2b3c4","parentId":"e1f2a3b4","timestamp":"T","customType":"my-extension","data":{"state":1}}"#,
        r#"{"type":"custom_message","id":"a2b3c4d5","parentId":"f1a2b3c4","timestamp":"T","customType":"my-extension","content":"Injected context","display":true,"details":{"debug":false},"attribution":"agent"}"#,
        r#"{"type":"label","id":"b2c3d4e5","parentId":"a2b3c4d5","timestamp":"T","targetId":"a1b2c3d4","label":"checkpoint"}"#,
        r#"{"type":"ttsr_injection","id":"c2d3e4f5","parentId":"b2c3d4e5","timestamp":"T","injectedRules":["ruleA","ruleB"]}"#,
        r#"{"type":"mcp_tool_selection","id":"d2e3f4a5","parentId":"c2d3e4f5","timestamp":"T","selectedToolNames":["server.tool"]}"#,
        r#"{"type":"session_init","id":"d2e3f4a6","parentId":"c2d3e4f5","timestamp":"T","systemPrompt":"...","task":"...","tools":["read","edit"],"outputSchema":{"type":"object"}}"#,
        r#"{"type":"mode_change","id":"e2f3a4b5","parentId":"d2e3f4a5","timestamp":"T","mode":"plan","data":{"planFile":"plan.md"}}"#,
        r#"{"type":"session_info","id":"e2f3a4b6","parentId":"e2f3a4b5","timestamp":"T","name":"a name"}"#,
        r#"{"type":"future_type","id":"e2f3a4b7","parentId":null,"timestamp":"T","anything":{"a":[1,null]}}"#,
    ];

    #[test]
    fn every_type_survives_a_round_trip() {
        for line in EXAMPLES {
            let entry = Entry::parse(line).unwrap();
            assert_eq!(entry.line(), line);
            assert!(!matches!(entry.body(), Body::Unreadable(_)), "{:?}", entry.body());
            let made = Entry::new(entry.id(), entry.parent_id(), entry.timestamp(), entry.body().clone());
            assert_eq!(made.line(), line, "written from the typed body");
            assert_eq!((made.kind(), made.body()), (entry.kind(), entry.body()));
        }
    }

    #[test]
    fn an_entry_needs_a_type_and_an_id() {
        for line in [
            "",
            "{",
            "[]",
            "7",
            r#"{"type":"custom"}"#,
            r#"{"id":"a"}"#,
            r#"{"type":7,"id":"a"}"#,
            r#"{"type":"x","id":""}"#,
        ] {
            assert!(Entry::parse(line).is_err(), "{line}");
        }
        assert!(Entry::parse(r#"{"type":"custom","id":"a"}"#).unwrap().parent_id().is_none());
    }

    #[test]
    fn a_patch_keeps_what_it_does_not_change() {
        let entry =
            Entry::parse(r#"{"type":"label","id":"a","parentId":"b","odd":1,"targetId":"c","label":"x"}"#)
                .unwrap();
        let patched = entry
            .patched(|object| {
                object.insert("label".to_owned(), json!("y"));
                object.insert("id".to_owned(), json!("other"));
                object.insert("timestamp".to_owned(), json!("now"));
            })
            .unwrap();
        assert_eq!(
            patched.line(),
            r#"{"type":"label","id":"a","parentId":"b","odd":1,"targetId":"c","label":"y"}"#
        );
        let Body::Label(Label { label, .. }) = patched.body() else { panic!("{patched:?}") };
        assert_eq!(label.as_deref(), Some("y"));
    }

    #[test]
    fn a_body_that_cannot_be_read_keeps_its_line() {
        let line = r#"{"type":"message","id":"a","message":{"role":"user","content":7}}"#;
        let entry = Entry::parse(line).unwrap();
        assert!(matches!(entry.body(), Body::Unreadable(_)) && entry.message().is_none());
        assert_eq!(entry.line(), line);
    }

    #[test]
    fn sessions_of_pi_have_other_names_for_some_fields() {
        let line = r#"{"type":"model_change","id":"a","provider":"openai","modelId":"gpt-4o"}"#;
        let Body::ModelChange(change) = Entry::parse(line).unwrap().body().clone() else {
            panic!("not read")
        };
        assert_eq!(change.selector(), "openai/gpt-4o");
        let line = r#"{"type":"compaction","id":"a","summary":"s","firstKeptEntryId":"b","tokensBefore":1,"fromHook":true}"#;
        let Body::Compaction(compaction) = Entry::parse(line).unwrap().body().clone() else {
            panic!("not read")
        };
        assert_eq!(compaction.from_extension, Some(true));
    }

    #[test]
    fn a_body_cannot_change_its_place() {
        let data = Custom { custom_type: "t".to_owned(), data: None };
        let entry = Entry::new("a", None, "T", Body::Custom(data));
        assert_eq!(
            entry.line(),
            r#"{"type":"custom","id":"a","parentId":null,"timestamp":"T","customType":"t"}"#
        );
        let other = json!({ "type": "future", "id": "forged", "x": 1 }).as_object().cloned().unwrap();
        let entry = Entry::new("a", Some("p"), "T", Body::Other(other));
        assert_eq!(entry.line(), r#"{"type":"future","id":"a","parentId":"p","timestamp":"T","x":1}"#);
    }
}
