//! Sessions of this project, or of all: search, preview, sort, rename and delete.

use serde_json::{Value, json};

use super::field::field;
use super::{Entry, List, ListKey, Menu, Overlay, Step, Wish};
use crate::conversation::{Conversation, Level};
use crate::editor::Editor;
use crate::input::{Code, Key};
use crate::keymap::Action;
use crate::text::{Line, Style, clean_line};
use crate::view::View;

/// Lines of each message in a preview.
const PREVIEW_LINES: usize = 6;
/// What is in front of a name that is being written.
const NAME: &str = "  new name: ";
/// The orders, as they are cycled.
const ORDERS: [&str; 4] = ["newest first", "oldest first", "by name", "longest first"];

/// A list of sessions.
pub struct Sessions {
    list: List,
    tab: usize,
    /// What the agent listed, newest first.
    all: Vec<Value>,
    order: usize,
    /// Folders of the sessions are shown in place of counts and times.
    shows_paths: bool,
    /// The session that will be deleted if it is asked for once more.
    doomed: Option<String>,
    /// The name that is being written.
    name: Option<Editor>,
    /// The session whose last messages were asked for.
    previewed: String,
    /// Relay was started with it.
    is_start: bool,
}

impl Default for Sessions {
    fn default() -> Self {
        let mut list = List::new("sessions", Vec::new());
        list.empty = "No sessions found; tab shows those of other projects".to_owned();
        list.tabs = vec!["this project".to_owned(), "all projects".to_owned()];
        list.hints = vec![
            ("ctrl+r".to_owned(), "rename"),
            ("ctrl+d".to_owned(), "delete"),
            ("ctrl+s".to_owned(), "sort"),
            ("ctrl+p".to_owned(), "folders"),
        ];
        Self {
            list,
            tab: 0,
            all: Vec::new(),
            order: 0,
            shows_paths: false,
            doomed: None,
            name: None,
            previewed: String::new(),
            is_start: false,
        }
    }
}

impl Sessions {
    /// The list that `--resume` begins with.
    #[must_use]
    pub fn at_start() -> Self {
        Self { is_start: true, ..Self::default() }
    }

    /// Closes without a choice.
    fn leave(&self) -> Step {
        match self.is_start {
            true => {
                Step::finish(Wish::Notice(Level::Info, "No session selected; this is a new one".to_owned()))
            }
            false => Step::Close,
        }
    }

    /// Goes on with the session that is selected; one of another project is copied, if the person wants that.
    fn choose(&self) -> Step {
        let Some(id) = self.list.current().map(|entry| entry.id.clone()) else { return self.leave() };
        let found = self.all.iter().find(|session| text(session, &["path", "id"]) == id);
        let is_here = found.and_then(|session| session.get("isHere")).and_then(Value::as_bool);
        if is_here != Some(false) {
            return Step::finish(Wish::Rpc(json!({ "type": "switch_session", "sessionPath": id })));
        }
        let place = found.map(|session| text(session, &["cwd", "project"])).unwrap_or_default();
        let entries = vec![
            Entry::new(format!("/resume copy {id}"), "Copy it into this project, and continue there"),
            Entry::new("/resume", "Back to the list"),
        ];
        let note = format!("It is in another project ({place}).");
        Step::finish(Wish::Open(Box::new(Menu::new("a session of another project", &note, entries))))
    }

    fn ask(&self) -> Wish {
        Wish::Rpc(json!({ "type": "list_sessions", "all": self.tab == 1, "limit": 500 }))
    }

    /// Puts what was listed into the order that is chosen.
    fn fill(&mut self) {
        let mut sorted: Vec<&Value> = self.all.iter().collect();
        match self.order {
            1 => sorted.reverse(),
            2 => sorted.sort_by_key(|session| label(session).to_lowercase()),
            3 => sorted.sort_by_key(|session| std::cmp::Reverse(messages(session))),
            _ => {}
        }
        let entries = sorted.into_iter().map(|session| entry(session, self.shows_paths)).collect();
        self.list.set(entries);
        self.list.subtitle = match self.order {
            0 => String::new(),
            order => ORDERS.get(order).copied().unwrap_or_default().to_owned(),
        };
    }

    /// Asks for the last messages of the session that is selected, once.
    fn preview(&mut self) -> Step {
        let Some(id) = self.list.current().map(|entry| entry.id.clone()) else { return Step::Stay };
        if self.previewed == id {
            return Step::Stay;
        }
        self.previewed.clone_from(&id);
        Step::want(Wish::Rpc(json!({ "type": "preview_session", "session": id, "limit": 12 })))
    }

    fn delete(&mut self) -> Step {
        let Some(id) = self.list.current().map(|entry| entry.id.clone()) else { return Step::Stay };
        if self.doomed.as_ref() == Some(&id) {
            self.doomed = None;
            return Step::want(Wish::Rpc(json!({ "type": "delete_session", "session": id })));
        }
        self.list.subtitle = "ctrl+d again deletes this session for good".to_owned();
        self.doomed = Some(id);
        Step::Stay
    }

    fn write(&mut self, key: &Key, view: &View<'_>) -> Step {
        let Some(editor) = &mut self.name else { return Step::Stay };
        match (key.code, view.keys.action(key)) {
            (Code::Enter, _) => {
                let (name, id) =
                    (editor.text().trim().to_owned(), self.list.current().map(|entry| entry.id.clone()));
                self.name = None;
                return Step::want(Wish::Rpc(
                    json!({ "type": "rename_session", "session": id, "name": name }),
                ));
            }
            (Code::Esc, _) | (_, Some(Action::Clear)) => self.name = None,
            (_, Some(action)) if editor.apply(action) => {}
            _ => {
                if let Some(character) = key.typed() {
                    editor.type_char(character);
                }
            }
        }
        Step::Stay
    }

    /// Keys of this list alone; `None` for all others.
    fn own_key(&mut self, key: &Key) -> Option<Step> {
        let letter = match key.code {
            Code::Char(letter) if key.ctrl => letter,
            _ => return None,
        };
        match letter {
            'd' => return Some(self.delete()),
            'r' => {
                let label = self.list.current().map(|entry| entry.label.clone())?;
                let mut editor = Editor::default();
                editor.set(&label);
                self.name = Some(editor);
            }
            's' => self.order = (self.order + 1) % ORDERS.len(),
            'p' => self.shows_paths = !self.shows_paths,
            _ => return None,
        }
        self.doomed = None;
        self.fill();
        Some(Step::Stay)
    }

    fn show_preview(&mut self, data: &Value) {
        let text = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let messages = data.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut lines = vec![Line::of(text(data, "cwd"), Style::default().dim()), Line::new()];
        for message in messages {
            // What was said; what tools returned is too much to recognise a session by.
            let (role, said) = (text(message, "role"), text(message, "text"));
            if !matches!(role.as_str(), "user" | "assistant") || said.trim().is_empty() {
                continue;
            }
            let who = if role == "user" { "you" } else { "model" };
            lines.push(Line::of(who, Style::default().bold()));
            let said = said.trim().lines().map(|line| Line::of(clean_line(line), Style::default()));
            lines.extend(said.take(PREVIEW_LINES));
            lines.push(Line::new());
        }
        self.list.show(&self.previewed, lines);
    }
}

impl Overlay for Sessions {
    fn opened(&mut self) -> Vec<Wish> {
        vec![self.ask()]
    }

    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        let mut lines = self.list.lines(view);
        if let Some(editor) = &self.name {
            lines.pop();
            lines.push(field(view, NAME, editor).0);
            lines.push(view.hints(&[("  esc".to_owned(), "back"), ("enter".to_owned(), "rename")]));
        }
        lines
    }

    fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        match &self.name {
            // The line above the last one.
            Some(editor) => {
                Some((self.list.lines(view).len().saturating_sub(1), field(view, NAME, editor).1))
            }
            None => self.list.cursor(view),
        }
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        if self.name.is_some() {
            return self.write(key, view);
        }
        if let Some(step) = self.own_key(key) {
            return step;
        }
        if self.doomed.take().is_some() {
            self.list.subtitle = String::new();
        }
        match self.list.key(key, self.list.rows(view)) {
            ListKey::Chosen => self.choose(),
            ListKey::Left => self.leave(),
            ListKey::Taken if self.list.tab != self.tab => {
                self.tab = self.list.tab;
                Step::want(self.ask())
            }
            ListKey::Taken => self.preview(),
            ListKey::Other => Step::Stay,
        }
    }

    fn paste(&mut self, text: &str) -> Step {
        match &mut self.name {
            Some(editor) => editor.paste(text),
            None => self.list.paste(text),
        }
        Step::Stay
    }

    fn response(&mut self, command: &str, answer: Result<&Value, &str>) -> Option<Step> {
        match (command, answer) {
            ("list_sessions", Ok(data)) => {
                self.all = data.get("sessions")?.as_array()?.clone();
                self.previewed.clear();
                self.fill();
                Some(self.preview())
            }
            ("preview_session", Ok(data)) => {
                self.show_preview(data);
                Some(Step::Stay)
            }
            // A session that cannot be read is reported when it is chosen.
            ("preview_session", Err(_)) => Some(Step::Stay),
            ("delete_session" | "rename_session", Ok(_)) => Some(Step::want(self.ask())),
            ("delete_session" | "rename_session", Err(error)) => {
                Some(Step::want(Wish::Notice(Level::Error, error.to_owned())))
            }
            _ => None,
        }
    }
}

/// The first of these fields that has a text.
fn text(session: &Value, names: &[&str]) -> String {
    let found = names.iter().find_map(|name| session.get(name)?.as_str().filter(|text| !text.is_empty()));
    found.unwrap_or_default().to_owned()
}

fn messages(session: &Value) -> Option<u64> {
    ["messageCount", "messages"].iter().find_map(|name| session.get(name)?.as_u64())
}

fn label(session: &Value) -> String {
    match text(session, &["name", "title"]) {
        name if name.is_empty() => {
            clean_line(&text(session, &["firstMessage", "first_message", "prompt"])).into_owned()
        }
        name => name,
    }
}

fn entry(session: &Value, shows_paths: bool) -> Entry {
    let first = text(session, &["firstMessage", "first_message", "prompt"]);
    let folder = text(session, &["cwd", "project"]);
    let when = text(session, &["modifiedAt", "modified", "timestamp", "createdAt", "created"]);
    let when = when.get(..16).unwrap_or(&when).replace('T', " ");
    let count = messages(session).map(|count| format!("{count} messages  ")).unwrap_or_default();
    let note = if shows_paths { folder.clone() } else { format!("{count}{when}") };
    let preview = vec![
        Line::of(first.clone(), Style::default()),
        Line::new(),
        Line::of(folder.clone(), Style::default().dim()),
    ];
    let keywords = format!("{first} {folder} {}", text(session, &["id"]));
    Entry { preview, keywords, ..Entry::new(text(session, &["path", "id"]), label(session)).note(note) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::App;

    fn listed() -> Sessions {
        let mut sessions = Sessions::default();
        let data = json!({ "sessions": [
            { "id": "1", "path": "/s/1", "name": "zebra", "messages": 2, "cwd": "/home/a", "modified": "2026-11-18T10:00:00Z" },
            { "id": "2", "path": "/s/2", "firstMessage": "apple pie", "messages": 9, "cwd": "/home/b" },
        ] });
        let step = sessions.response("list_sessions", Ok(&data));
        assert_eq!(rpc(step.unwrap())["type"], "preview_session");
        sessions
    }

    /// The command that a step sends.
    fn rpc(step: Step) -> Value {
        match step {
            Step::Do(wishes) | Step::Finish(wishes) => match wishes.into_iter().next() {
                Some(Wish::Rpc(command)) => command,
                _ => Value::Null,
            },
            Step::Stay | Step::Close => Value::Null,
        }
    }

    fn press(sessions: &mut Sessions, key: Key) -> Value {
        rpc(sessions.key(&key, &App::new(100, 24).view()))
    }

    fn screen(sessions: &Sessions) -> String {
        let app = App::new(100, 24);
        sessions.lines(&app.view(), &app.conversation).iter().map(|line| line.text() + "\n").collect()
    }

    #[test]
    fn sessions_are_sorted_and_show_their_folders() {
        let mut sessions = listed();
        let first = |sessions: &Sessions| sessions.list.entries().first().unwrap().label.clone();
        assert_eq!(first(&sessions), "zebra");
        for expected in ["apple pie", "apple pie", "apple pie", "zebra"] {
            press(&mut sessions, Key::ctrl('s'));
            assert_eq!(first(&sessions), expected);
        }
        assert!(screen(&sessions).contains("2026-11-18 10:00"), "{}", screen(&sessions));
        press(&mut sessions, Key::ctrl('p'));
        assert!(screen(&sessions).contains("/home/b"), "{}", screen(&sessions));
    }

    #[test]
    fn a_session_is_renamed_and_deleted_only_after_asking_twice() {
        let mut sessions = listed();
        press(&mut sessions, Key::ctrl('r'));
        press(&mut sessions, Key::plain(Code::Char('!')));
        assert!(screen(&sessions).contains("new name: zebra!"), "{}", screen(&sessions));
        let command = press(&mut sessions, Key::plain(Code::Enter));
        assert_eq!(command, json!({ "type": "rename_session", "session": "/s/1", "name": "zebra!" }));
        assert_eq!(
            rpc(sessions.response("rename_session", Ok(&Value::Null)).unwrap())["type"],
            "list_sessions"
        );
        assert_eq!(press(&mut sessions, Key::ctrl('d')), Value::Null);
        assert!(screen(&sessions).contains("ctrl+d again"), "{}", screen(&sessions));
        press(&mut sessions, Key::plain(Code::Down));
        assert_eq!(press(&mut sessions, Key::ctrl('d')), Value::Null);
        assert_eq!(
            press(&mut sessions, Key::ctrl('d')),
            json!({ "type": "delete_session", "session": "/s/2" })
        );
    }

    #[test]
    fn the_last_messages_are_shown_and_enter_switches() {
        let mut sessions = listed();
        let data = json!({ "cwd": "/home/a", "messages": [{ "role": "user", "text": "fix\nit" }] });
        sessions.response("preview_session", Ok(&data));
        assert!(screen(&sessions).contains("fix"), "{}", screen(&sessions));
        let command = press(&mut sessions, Key::plain(Code::Enter));
        assert_eq!(command, json!({ "type": "switch_session", "sessionPath": "/s/1" }));
        assert_eq!(press(&mut sessions, Key::plain(Code::Tab))["all"], true);
    }
}
