//! Sessions of this project, or of all: search, preview, rename and delete.

use serde_json::{Value, json};

use super::{Entry, List, ListKey, Overlay, Step, Wish};
use crate::conversation::{Conversation, Level};
use crate::input::{Code, Key};
use crate::text::{Line, Style, clean_line};
use crate::view::View;

/// A list of sessions.
pub struct Sessions {
    list: List,
    tab: usize,
    /// The session that will be deleted if it is asked for once more.
    doomed: Option<String>,
}

impl Default for Sessions {
    fn default() -> Self {
        let mut list = List::new("sessions", Vec::new());
        list.empty = "no sessions here yet; tab shows those of other projects".to_owned();
        list.tabs = vec!["this project".to_owned(), "all projects".to_owned()];
        list.hints = vec![("ctrl+d".to_owned(), "delete")];
        Self { list, tab: 0, doomed: None }
    }
}

impl Sessions {
    fn ask(&self) -> Wish {
        Wish::Rpc(json!({ "type": "list_sessions", "all": self.tab == 1, "limit": 500 }))
    }
}

impl Overlay for Sessions {
    fn opened(&mut self) -> Vec<Wish> {
        vec![self.ask()]
    }

    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        self.list.lines(view)
    }

    fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        self.list.cursor(view)
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        if key.ctrl && key.code == Code::Char('d') {
            let Some(id) = self.list.current().map(|entry| entry.id.clone()) else { return Step::Stay };
            if self.doomed.as_ref() == Some(&id) {
                self.doomed = None;
                return Step::Do(vec![
                    Wish::Rpc(json!({ "type": "delete_session", "session": id })),
                    self.ask(),
                ]);
            }
            self.list.subtitle = "ctrl+d again deletes this session for good".to_owned();
            self.doomed = Some(id);
            return Step::Stay;
        }
        self.doomed = None;
        self.list.subtitle = String::new();
        match self.list.key(key, self.list.rows(view)) {
            ListKey::Chosen => match self.list.current() {
                Some(entry) => {
                    Step::finish(Wish::Rpc(json!({ "type": "switch_session", "sessionPath": entry.id })))
                }
                None => Step::Close,
            },
            ListKey::Left => Step::Close,
            ListKey::Taken if self.list.tab != self.tab => {
                self.tab = self.list.tab;
                Step::want(self.ask())
            }
            ListKey::Taken | ListKey::Other => Step::Stay,
        }
    }

    fn paste(&mut self, text: &str) -> Step {
        self.list.paste(text);
        Step::Stay
    }

    fn response(&mut self, command: &str, answer: Result<&Value, &str>) -> Option<Step> {
        match (command, answer) {
            ("list_sessions", Ok(data)) => {
                let sessions = data.get("sessions")?.as_array()?;
                self.list.set(sessions.iter().map(entry).collect());
                Some(Step::Stay)
            }
            ("delete_session", Err(error)) => Some(Step::want(Wish::Notice(Level::Error, error.to_owned()))),
            ("delete_session", Ok(_)) => Some(Step::Stay),
            _ => None,
        }
    }
}

fn entry(session: &Value) -> Entry {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| session.get(name)?.as_str().filter(|text| !text.is_empty()));
        found.unwrap_or_default().to_owned()
    };
    let first = text(&["firstMessage", "first_message", "prompt"]);
    let label = match text(&["name", "title"]) {
        name if name.is_empty() => clean_line(&first).into_owned(),
        name => name,
    };
    let count = ["messageCount", "messages"].iter().find_map(|name| session.get(name)?.as_u64());
    let when = text(&["modifiedAt", "modified", "timestamp", "createdAt", "created"]);
    let when = when.get(..16).unwrap_or(&when).replace('T', " ");
    let count = count.map(|count| format!("{count} messages  ")).unwrap_or_default();
    let preview = vec![
        Line::of(first.clone(), Style::default()),
        Line::new(),
        Line::of(text(&["project"]), Style::default().dim()),
    ];
    Entry {
        preview,
        keywords: first,
        ..Entry::new(text(&["path", "id"]), label).note(format!("{count}{when}"))
    }
}
