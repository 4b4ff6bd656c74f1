//! Earlier prompts: a list to search them.

use super::App;
use crate::conversation::Conversation;
use crate::input::Key;
use crate::overlay::{Entry, List, ListKey, Overlay, Step, Wish};
use crate::text::Line;
use crate::view::View;

/// A list of earlier prompts.
struct Prompts(List);

impl App {
    pub(super) fn search_history(&mut self) {
        let prompts = self.editor.history.all();
        let mut entries: Vec<Entry> = Vec::new();
        for prompt in prompts.iter().rev() {
            if !entries.iter().any(|entry| entry.id == *prompt) {
                entries.push(Entry::new(prompt.clone(), prompt.replace('\n', " ")));
            }
        }
        let mut list = List::new("earlier prompts", entries);
        list.empty = "no prompts yet".to_owned();
        self.open(Box::new(Prompts(list)));
    }
}

impl Overlay for Prompts {
    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        self.0.lines(view)
    }

    fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        self.0.cursor(view)
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        match self.0.key(key, self.0.rows(view)) {
            ListKey::Chosen => match self.0.current() {
                Some(entry) => Step::finish(Wish::Editor(entry.id.clone())),
                None => Step::Close,
            },
            ListKey::Left => Step::Close,
            ListKey::Taken | ListKey::Other => Step::Stay,
        }
    }

    fn paste(&mut self, text: &str) -> Step {
        self.0.paste(text);
        Step::Stay
    }
}
