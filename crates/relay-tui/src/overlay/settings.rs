//! All settings: tabs, search, what each means, and changing them.

use serde_json::{Value, json};

use super::field::field;
use super::{Choice, Entry, List, ListKey, Overlay, Step, Themes, Wish};
use crate::conversation::{Conversation, Level};
use crate::editor::Editor;
use crate::input::{Code, Key};
use crate::keymap::Action;
use crate::text::{Line, Style};
use crate::view::View;

/// What is in front of a value that is being written.
const VALUE: &str = "  new value: ";

/// A list of settings.
pub struct Settings {
    list: List,
    all: Vec<Value>,
    /// The value that is being written.
    value: Option<Editor>,
    tab: usize,
}

impl Default for Settings {
    fn default() -> Self {
        let mut list = List::new("settings", Vec::new());
        list.hints = vec![("ctrl+x".to_owned(), "back to default")];
        Self { list, all: Vec::new(), value: None, tab: 0 }
    }
}

fn text(setting: &Value, name: &str) -> String {
    match setting.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

impl Settings {
    fn fill(&mut self) {
        let tab = self.list.tabs.get(self.tab).cloned().unwrap_or_default();
        let entry = |setting: &Value| {
            let is_changed = !matches!(text(setting, "source").as_str(), "default" | "");
            let value = text(setting, "value");
            let preview = vec![
                Line::of(text(setting, "meaning"), Style::default()),
                Line::new(),
                Line::of(
                    format!("{}; default {}", text(setting, "expected"), text(setting, "default")),
                    Style::default().dim(),
                ),
            ];
            let detail = if value.is_empty() { "unset".to_owned() } else { value };
            let note = if is_changed { "changed".to_owned() } else { String::new() };
            let key = text(setting, "key");
            Entry {
                preview,
                keywords: text(setting, "meaning"),
                ..Entry::new(key.clone(), key).detail(detail).note(note)
            }
        };
        let is_shown = |setting: &&Value| tab == "All" || text(setting, "tab").eq_ignore_ascii_case(&tab);
        self.list.set(self.all.iter().filter(is_shown).map(entry).collect());
        self.describe();
    }

    /// What the selected setting means, below the title.
    fn describe(&mut self) {
        let id = self.list.current().map(|entry| entry.id.clone());
        let found = id.and_then(|id| self.all.iter().find(|setting| text(setting, "key") == id));
        self.list.subtitle = found.map(|setting| text(setting, "meaning")).unwrap_or_default();
    }

    /// Enter: the next choice, or a value to write.
    fn choose(&mut self) -> Step {
        let Some(key) = self.list.current().map(|entry| entry.id.clone()) else { return Step::Stay };
        let Some(setting) = self.all.iter().find(|setting| text(setting, "key") == key) else {
            return Step::Stay;
        };
        let choices: Vec<&str> = setting
            .get("choices")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        if let Some(slot) = key.strip_prefix("theme.") {
            let themes = Themes::new(&text(setting, "value"), slot == "light");
            return Step::want(Wish::Open(Box::new(themes)));
        }
        if choices.is_empty() {
            let mut editor = Editor::default();
            editor.set(&text(setting, "value"));
            self.value = Some(editor);
            return Step::Stay;
        }
        let before = text(setting, "value");
        if choices.len() > 2 {
            let choice = Choice::new(&key, &text(setting, "meaning"), &choices, &before);
            return Step::want(Wish::Open(Box::new(choice)));
        }
        let at = choices.iter().position(|choice| *choice == before).map_or(0, |at| at + 1);
        let next = choices.get(at % choices.len()).copied().unwrap_or_default();
        change(&key, json!(next))
    }

    fn write(&mut self, key: &Key, view: &View<'_>) -> Step {
        let Some(editor) = &mut self.value else { return Step::Stay };
        match (key.code, view.keys.action(key)) {
            (Code::Enter, _) => {
                let (value, id) =
                    (editor.text().to_owned(), self.list.current().map(|entry| entry.id.clone()));
                self.value = None;
                return change(&id.unwrap_or_default(), json!(value));
            }
            (Code::Esc, _) | (_, Some(Action::Clear)) => self.value = None,
            (_, Some(action)) if editor.apply(action) => {}
            _ => {
                if let Some(character) = key.typed() {
                    editor.type_char(character);
                }
            }
        }
        Step::Stay
    }
}

fn change(key: &str, value: Value) -> Step {
    Step::Do(vec![
        Wish::Rpc(json!({ "type": "set_setting", "key": key, "value": value })),
        Wish::Rpc(json!({ "type": "get_settings" })),
    ])
}

impl Overlay for Settings {
    fn opened(&mut self) -> Vec<Wish> {
        vec![Wish::Rpc(json!({ "type": "get_settings" }))]
    }

    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        let mut lines = self.list.lines(view);
        if let Some(editor) = &self.value {
            lines.pop();
            lines.push(field(view, VALUE, editor).0);
            lines.push(view.hints(&[("  esc".to_owned(), "back"), ("enter".to_owned(), "save")]));
        }
        lines
    }

    fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        match &self.value {
            // The line above the last one.
            Some(editor) => {
                Some((self.list.lines(view).len().saturating_sub(1), field(view, VALUE, editor).1))
            }
            None => self.list.cursor(view),
        }
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        if self.value.is_some() {
            return self.write(key, view);
        }
        if key.ctrl && key.code == Code::Char('x') {
            let id = self.list.current().map(|entry| entry.id.clone());
            return id.map_or(Step::Stay, |id| change(&id, Value::Null));
        }
        let step = match self.list.key(key, self.list.rows(view)) {
            ListKey::Chosen => self.choose(),
            ListKey::Left => Step::Close,
            ListKey::Taken | ListKey::Other => Step::Stay,
        };
        if self.list.tab != self.tab {
            self.tab = self.list.tab;
            self.fill();
        }
        self.describe();
        step
    }

    fn paste(&mut self, text: &str) -> Step {
        match &mut self.value {
            Some(editor) => editor.paste(text),
            None => self.list.paste(text),
        }
        Step::Stay
    }

    fn response(&mut self, command: &str, answer: Result<&Value, &str>) -> Option<Step> {
        match (command, answer) {
            ("get_settings", Ok(data)) => {
                self.all = data.get("settings")?.as_array()?.clone();
                if self.list.tabs.is_empty() {
                    self.list.tabs.push("All".to_owned());
                    for setting in &self.all {
                        let tab = text(setting, "tab");
                        if !tab.is_empty() && !self.list.tabs.contains(&tab) {
                            self.list.tabs.push(tab);
                        }
                    }
                }
                self.fill();
                // The interface itself goes by some of them.
                Some(Step::want(Wish::Settings(data.clone())))
            }
            ("set_setting", Ok(_)) => Some(Step::Stay),
            ("set_setting", Err(error)) => {
                self.list.subtitle = error.to_owned();
                Some(Step::want(Wish::Notice(Level::Error, error.to_owned())))
            }
            _ => None,
        }
    }
}
