//! The prompts that a session can be branched from.

use serde_json::{Value, json};

use super::{Entry, List, ListKey, Overlay, Step, Wish};
use crate::conversation::Conversation;
use crate::input::Key;
use crate::text::{Line, clean_line};
use crate::view::View;

/// A list of prompts.
pub struct Branches(List);

impl Default for Branches {
    fn default() -> Self {
        let mut list = List::new("a new session from before this prompt", Vec::new());
        list.empty = "nothing was said yet".to_owned();
        Self(list)
    }
}

impl Overlay for Branches {
    fn opened(&mut self) -> Vec<Wish> {
        vec![Wish::Rpc(json!({ "type": "get_branch_messages" }))]
    }

    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        self.0.lines(view)
    }

    fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        self.0.cursor(view)
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        match self.0.key(key, self.0.rows(view)) {
            ListKey::Chosen => match self.0.current() {
                Some(entry) => Step::finish(Wish::Rpc(json!({ "type": "branch", "entryId": entry.id }))),
                None => Step::Close,
            },
            ListKey::Left => Step::Close,
            ListKey::Taken | ListKey::Other => Step::Stay,
        }
    }

    fn response(&mut self, command: &str, answer: Result<&Value, &str>) -> Option<Step> {
        let data = answer.ok().filter(|_| command == "get_branch_messages")?;
        let text = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let prompts = data.get("messages")?.as_array()?;
        let entries = prompts
            .iter()
            .rev()
            .map(|prompt| Entry::new(text(prompt, "entryId"), clean_line(&text(prompt, "text"))));
        self.0.set(entries.collect());
        Some(Step::Stay)
    }
}
