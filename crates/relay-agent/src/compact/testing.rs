//! Branches for tests.

use serde_json::{Value, json};

use crate::session::body::Compaction;
use crate::session::{Body, Entry};

/// A branch that grows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branch {
    pub entries: Vec<Entry>,
}

impl Branch {
    /// A text with about this many tokens.
    pub(crate) fn words(tokens: u64) -> String {
        let mut text = String::new();
        let once = crate::tokens::of_text(&"word ".repeat(1_000));
        let count = usize::try_from(tokens * 1_000 / once).unwrap();
        text.push_str(&"word ".repeat(count));
        text
    }

    pub(crate) fn path(&self) -> Vec<&Entry> {
        self.entries.iter().collect()
    }

    pub(crate) fn entry(&self, id: &str) -> &Entry {
        self.entries.iter().find(|entry| entry.id() == id).unwrap()
    }

    pub(crate) fn replace(&mut self, id: &str, change: impl Fn(&Entry) -> Entry) {
        let at = self.entries.iter().position(|entry| entry.id() == id).unwrap();
        self.entries[at] = change(&self.entries[at]);
    }

    pub(crate) fn push(&mut self, mut fields: Value) -> String {
        let id = format!("e{}", self.entries.len());
        let parent = self.entries.last().map(|entry| entry.id().to_owned());
        fields["id"] = json!(id);
        fields["parentId"] = json!(parent);
        fields["timestamp"] = json!("2026-01-01T00:00:00.000Z");
        self.entries.push(Entry::parse(&fields.to_string()).unwrap());
        id
    }

    pub(crate) fn message(&mut self, message: Value) -> String {
        self.push(json!({ "type": "message", "message": message }))
    }

    pub(crate) fn user(&mut self, text: &str) -> String {
        self.message(json!({ "role": "user", "content": text }))
    }

    pub(crate) fn answer(&mut self, text: &str) -> String {
        self.message(json!({ "role": "assistant", "stopReason": "stop", "content": [{ "type": "text", "text": text }] }))
    }

    /// An answer that calls a tool with these ids.
    pub(crate) fn calls(&mut self, tool: &str, path: &str, ids: &[&str]) -> String {
        let calls: Vec<Value> = ids
            .iter()
            .map(|id| json!({ "type": "toolCall", "id": id, "name": tool, "arguments": { "path": path } }))
            .collect();
        self.message(json!({ "role": "assistant", "stopReason": "toolUse", "content": calls }))
    }

    pub(crate) fn result(&mut self, tool: &str, id: &str, text: &str) -> String {
        self.message(json!({ "role": "toolResult", "toolCallId": id, "toolName": tool,
            "content": [{ "type": "text", "text": text }] }))
    }

    /// A call and its result; the result's id.
    pub(crate) fn tool(&mut self, tool: &str, path: &str, text: &str) -> String {
        let call = format!("call{}", self.entries.len());
        self.calls(tool, path, &[&call]);
        self.result(tool, &call, text)
    }

    pub(crate) fn compacted(&mut self, compaction: Compaction) -> String {
        let id = format!("e{}", self.entries.len());
        let parent = self.entries.last().map(|entry| entry.id().to_owned());
        let entry = Entry::new(
            &id,
            parent.as_deref(),
            "2026-01-01T00:00:00.000Z",
            Body::Compaction(Box::new(compaction)),
        );
        self.entries.push(entry);
        id
    }
}
