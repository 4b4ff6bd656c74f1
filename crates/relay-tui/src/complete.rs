//! Completion while typing: slash commands, `@` files, paths and emoji, as a short list below the editor.

use serde_json::{Value, json};

use crate::app::App;
use crate::overlay::score;
use crate::text::{Line, clean_line};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// What is completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Command,
    File,
    Emoji,
}

/// Something that can be completed to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Item {
    /// What is put into the editor.
    insert: String,
    label: String,
    detail: String,
    /// Something must follow before it can be sent.
    needs_more: bool,
}

/// A list below the editor.
#[derive(Clone, Debug)]
pub struct Completion {
    kind: Kind,
    /// Where in the text the word begins that is completed.
    start: usize,
    items: Vec<Item>,
    selected: usize,
    /// The command whose answer is waited for.
    request: u64,
}

/// Emoji by their names.
const EMOJI: [(&str, &str); 32] = [
    ("smile", "😄"),
    ("joy", "😂"),
    ("heart", "❤️"),
    ("thumbsup", "👍"),
    ("thumbsdown", "👎"),
    ("tada", "🎉"),
    ("rocket", "🚀"),
    ("fire", "🔥"),
    ("eyes", "👀"),
    ("bug", "🐛"),
    ("sparkles", "✨"),
    ("check", "✅"),
    ("cross", "❌"),
    ("warning", "⚠️"),
    ("thinking", "🤔"),
    ("wave", "👋"),
    ("pray", "🙏"),
    ("clap", "👏"),
    ("zap", "⚡"),
    ("lock", "🔒"),
    ("key", "🔑"),
    ("memo", "📝"),
    ("package", "📦"),
    ("wrench", "🔧"),
    ("gear", "⚙️"),
    ("bulb", "💡"),
    ("question", "❓"),
    ("recycle", "♻️"),
    ("art", "🎨"),
    ("construction", "🚧"),
    ("bookmark", "🔖"),
    ("coffee", "☕"),
];

impl Completion {
    /// Whether there is nothing to choose.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The command whose answer is waited for.
    #[must_use]
    pub fn request(&self) -> u64 {
        self.request
    }

    /// Whether a slash command is completed.
    #[must_use]
    pub fn is_command(&self) -> bool {
        self.kind == Kind::Command
    }

    /// Moves the selection; past the ends it goes on at the other one.
    pub fn step(&mut self, by: isize) {
        let count = self.items.len();
        self.selected = match self.selected.checked_add_signed(by) {
            Some(to) if to < count => to,
            _ if by < 0 => count.saturating_sub(1),
            _ => 0,
        };
    }

    /// The list as lines.
    #[must_use]
    pub fn lines(&self, view: &View<'_>, rows: usize) -> Vec<Line> {
        let first = self.selected.saturating_sub(rows.saturating_sub(1));
        let widest = self
            .items
            .iter()
            .map(|item| crate::text::width(&item.label))
            .max()
            .unwrap_or(0)
            .min(view.width / 2);
        let mut lines = Vec::new();
        for (at, item) in self.items.iter().enumerate().skip(first).take(rows) {
            let is_selected = at == self.selected;
            let cursor = if is_selected { view.sign(Symbol::Cursor) } else { " " };
            let style = if is_selected { view.fg(Token::Accent).bold() } else { view.fg(Token::Text) };
            let mut line =
                Line::of(format!("  {cursor} "), view.fg(Token::Accent)).and(clean_line(&item.label), style);
            if !item.detail.is_empty() {
                line = line.padded(widest + 6, style).and(clean_line(&item.detail), view.fg(Token::Muted));
            }
            lines.push(line.truncated(view.width, view.sign(Symbol::Ellipsis)));
        }
        lines
    }

    fn sort(mut items: Vec<(i32, Item)>) -> Vec<Item> {
        items.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        items.into_iter().map(|(_, item)| item).take(50).collect()
    }
}

impl App {
    /// Something was typed: what can be completed now?
    pub(crate) fn complete_while_typing(&mut self) {
        let text = self.editor.text();
        let (start, token) = self.editor.buffer().token();
        let token = token.to_owned();
        if text.starts_with('/') && start == 0 && !text.contains('\n') {
            return self.complete_command(&token);
        }
        let command =
            text.get(..start).and_then(|before| crate::commands::find(before.trim().strip_prefix('/')?));
        if let Some(command) = command.filter(|command| !command.parts.is_empty()) {
            return self.complete_part(start, &token, command.parts);
        }
        if let Some(query) = token.strip_prefix('@') {
            return self.complete_file(start, query.trim_start_matches('"'));
        }
        let name =
            token.strip_prefix(':').filter(|name| name.len() >= 2 && name.chars().all(char::is_alphanumeric));
        match name.filter(|_| self.options.emoji) {
            Some(name) => self.complete_emoji(start, name),
            None => self.completion = None,
        }
    }

    /// Tab: completes the path at the caret.
    pub(crate) fn complete_now(&mut self) {
        self.complete_while_typing();
        if self.completion.is_none() {
            let (start, token) = self.editor.buffer().token();
            if !token.is_empty() {
                let token = token.to_owned();
                self.complete_path(start, &token);
            }
        }
    }

    fn complete_command(&mut self, token: &str) {
        let query = token.trim_start_matches('/');
        let found = self.all_commands().into_iter().filter_map(|(name, hint, about)| {
            let matched = score(query, &name)?;
            // What begins with the query is meant, then the shorter name.
            let bonus = i32::from(name.starts_with(query)) * 1000 - i32::try_from(name.len()).unwrap_or(0);
            let label = if hint.is_empty() { format!("/{name}") } else { format!("/{name} {hint}") };
            let needs_more = hint.starts_with(char::is_uppercase);
            Some((
                matched.score + bonus,
                Item { insert: format!("/{name} "), label, detail: about, needs_more },
            ))
        });
        let items = Completion::sort(found.collect());
        self.completion = Some(Completion { kind: Kind::Command, start: 0, items, selected: 0, request: 0 });
    }

    /// Words that may follow a command.
    fn complete_part(&mut self, start: usize, token: &str, parts: &[crate::commands::Part]) {
        let found = parts.iter().filter(|(name, ..)| name.starts_with(token) && *name != token);
        let items = found.map(|(name, hint, about)| Item {
            insert: format!("{name} "),
            label: if hint.is_empty() { (*name).to_owned() } else { format!("{name} {hint}") },
            detail: (*about).to_owned(),
            needs_more: hint.starts_with(|c: char| c.is_uppercase() || c == '"'),
        });
        let items: Vec<Item> = items.collect();
        self.completion = (!items.is_empty()).then_some(Completion {
            kind: Kind::Command,
            start,
            items,
            selected: 0,
            request: 0,
        });
    }

    fn complete_file(&mut self, start: usize, query: &str) {
        let items = match self.completion.take() {
            Some(Completion { kind: Kind::File, items, .. }) => items,
            _ => Vec::new(),
        };
        let request =
            self.request(json!({ "type": "find_files", "query": query, "limit": 30, "dirs": true }));
        self.completion = Some(Completion { kind: Kind::File, start, items, selected: 0, request });
    }

    /// Completes a path of the project, folder by folder.
    fn complete_path(&mut self, start: usize, prefix: &str) {
        let request = self.request(json!({ "type": "complete_path", "prefix": prefix, "limit": 30 }));
        self.completion =
            Some(Completion { kind: Kind::File, start, items: Vec::new(), selected: 0, request });
    }

    fn complete_emoji(&mut self, start: usize, name: &str) {
        let found = EMOJI.iter().filter_map(|(known, emoji)| {
            let item = Item {
                insert: (*emoji).to_owned(),
                label: format!("{emoji} :{known}:"),
                detail: String::new(),
                needs_more: false,
            };
            Some((score(name, known)?.score, item))
        });
        let items = Completion::sort(found.collect());
        self.completion = Some(Completion { kind: Kind::Emoji, start, items, selected: 0, request: 0 });
    }

    /// Files that match arrived.
    pub(crate) fn take_files(&mut self, data: &Value) {
        let (start, token) = self.editor.buffer().token();
        let has_sign = token.starts_with('@');
        let Some(completion) = self.completion.as_mut().filter(|completion| completion.kind == Kind::File)
        else {
            return;
        };
        if completion.start != start {
            return;
        }
        let files = data.get("files").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let item = |file: &Value| {
            let path = file.as_str().or_else(|| file.get("path")?.as_str())?;
            let quoted = if path.contains(' ') { format!("\"{path}\"") } else { path.to_owned() };
            let sign = if has_sign { "@" } else { "" };
            let end = if path.ends_with('/') { "" } else { " " };
            Some(Item {
                insert: format!("{sign}{quoted}{end}"),
                label: path.to_owned(),
                detail: String::new(),
                needs_more: false,
            })
        };
        completion.items = files.iter().filter_map(item).collect();
        completion.selected = 0;
    }

    /// Puts what is selected into the editor; `is_sent` sends it at once.
    pub(crate) fn accept_completion(&mut self, is_sent: bool) {
        let Some(completion) = self.completion.take() else { return };
        if let Some(item) = completion.items.get(completion.selected) {
            // Who has written it out wants to know what it needs.
            let is_written = self.editor.text() == item.insert.trim_end();
            self.editor.complete(completion.start, &item.insert);
            if is_sent && (!item.needs_more || is_written) {
                self.submit(false);
            } else if item.insert.ends_with('/') {
                self.complete_while_typing();
            }
        }
    }
}
