//! Earlier prompts: a list to search them.

use super::App;
use crate::overlay::{Entry, List, Menu, Step, Wish};

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
        let menu = Menu::of(list, |entry| Step::finish(Wish::Editor(entry.id.clone())));
        self.open(Box::new(menu));
    }
}
