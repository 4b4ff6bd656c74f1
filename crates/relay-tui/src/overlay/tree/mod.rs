//! The session tree: every entry with its branch, filters, search and labels. Choosing one goes on from there.

mod leave;
mod rows;

use std::collections::HashSet;

use serde_json::{Value, json};

use leave::{Leave, LeaveKey};
use rows::Row;

use super::field::field;
use super::list::rule;
use super::{Overlay, Step, Wish};
use crate::conversation::{Conversation, Level};
use crate::editor::Editor;
use crate::input::{Code, Key};
use crate::text::{Line, Style, clean_line};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// The filters, in the order in which they are cycled.
const FILTERS: [&str; 5] = ["default", "no-tools", "user-only", "labeled-only", "all"];

/// The session tree.
pub struct Tree {
    /// What the agent listed.
    entries: Vec<Value>,
    rows: Vec<Row>,
    /// Entries that hide what hangs below them.
    folded: HashSet<String>,
    leaf: Option<String>,
    filter: usize,
    query: String,
    selected: usize,
    /// The label that is being written.
    label: Option<Editor>,
    /// Whether the selection still has to find the leaf.
    is_new: bool,
    /// Whether a summary is offered.
    offers_summary: bool,
    leave: Option<Leave>,
}

impl Tree {
    /// A tree with the filter that the settings name; whether a summary of the branch that is left is offered.
    #[must_use]
    pub fn new(filter: &str, offers_summary: bool) -> Self {
        let filter = FILTERS.iter().position(|known| *known == filter).unwrap_or(0);
        Self {
            entries: Vec::new(),
            rows: Vec::new(),
            folded: HashSet::new(),
            leaf: None,
            filter,
            query: String::new(),
            selected: 0,
            label: None,
            is_new: true,
            offers_summary,
            leave: None,
        }
    }

    fn ask(&self) -> Step {
        Step::want(self.question())
    }

    fn question(&self) -> Wish {
        let filter = FILTERS.get(self.filter).copied().unwrap_or("default");
        Wish::Rpc(json!({ "type": "get_tree", "filter": filter, "query": self.query }))
    }

    /// How many rows fit: half of the screen, at least five.
    fn height(view: &View<'_>) -> usize {
        (view.height / 2).max(5).min(view.height.saturating_sub(4).max(1))
    }

    fn current(&self) -> Option<&Row> {
        self.rows.get(self.selected)
    }

    fn choose(&mut self) -> Step {
        let Some(id) = self.current().map(|row| row.id.clone()) else { return Step::Close };
        if self.leaf.as_ref() == Some(&id) {
            return Step::finish(Wish::Notice(Level::Info, "Already at this point".to_owned()));
        }
        if self.offers_summary {
            self.leave = Some(Leave::new(&id));
            return Step::Stay;
        }
        Step::want(Wish::Rpc(Leave::command(&id)))
    }

    /// Hides or shows what hangs below the selected entry.
    fn fold(&mut self) {
        let Some(row) = self.current().filter(|row| row.has_children) else { return };
        let id = row.id.clone();
        if !self.folded.remove(&id) {
            self.folded.insert(id.clone());
        }
        self.arrange(Some(&id));
    }

    fn write_label(&mut self, key: &Key) -> Step {
        let Some(editor) = &mut self.label else { return Step::Stay };
        match key.code {
            Code::Enter => {
                let label = editor.text().trim().to_owned();
                self.label = None;
                let id = self.current().map(|row| row.id.clone());
                let label = (!label.is_empty()).then_some(label);
                return Step::Do(vec![
                    Wish::Rpc(json!({ "type": "set_label", "entryId": id, "label": label })),
                    self.question(),
                ]);
            }
            Code::Esc => self.label = None,
            Code::Char('c') if key.ctrl => self.label = None,
            Code::Backspace => drop(editor.apply(crate::keymap::Action::DeleteLeft)),
            _ => {
                if let Some(character) = key.typed() {
                    editor.type_char(character);
                }
            }
        }
        Step::Stay
    }

    fn filter_key(&mut self, key: &Key) -> Option<Step> {
        let filter = match key.code {
            Code::Char('o') if key.ctrl && key.shift => (self.filter + FILTERS.len() - 1) % FILTERS.len(),
            Code::Char('o') if key.ctrl => (self.filter + 1) % FILTERS.len(),
            Code::Char('d') if key.alt => 0,
            Code::Char('t') if key.alt => 1,
            Code::Char('u') if key.alt => 2,
            Code::Char('l') if key.alt => 3,
            Code::Char('a') if key.alt => 4,
            _ => return None,
        };
        self.filter = filter;
        Some(self.ask())
    }

    /// Takes the entries.
    fn take(&mut self, data: &Value) {
        let before = self.current().map(|row| row.id.clone());
        self.entries = data.get("entries").and_then(Value::as_array).cloned().unwrap_or_default();
        self.leaf = data.get("leafId").and_then(Value::as_str).map(str::to_owned);
        let wanted = if self.is_new { self.leaf.clone() } else { before };
        self.is_new = false;
        self.arrange(wanted.as_deref());
    }

    /// Puts the entries into rows, with this one selected, or else the last one of the active branch.
    fn arrange(&mut self, wanted: Option<&str>) {
        self.rows = rows::rows(&self.entries, &self.folded);
        let place = wanted.and_then(|id| self.rows.iter().position(|row| row.id == id));
        let last_on_path = self.rows.iter().rposition(|row| row.is_on_path);
        self.selected = place.or(last_on_path).unwrap_or(0).min(self.rows.len().saturating_sub(1));
    }

    fn row_line(&self, view: &View<'_>, at: usize, row: &Row) -> Line {
        let is_selected = at == self.selected;
        let cursor = if is_selected { view.sign(Symbol::Cursor) } else { " " };
        let mut line = Line::of(format!("{cursor} "), view.fg(Token::Accent))
            .and(row.stem(view), view.fg(Token::BorderMuted));
        if row.is_on_path {
            line.push(format!("{} ", view.sign(Symbol::MdBullet)), view.fg(Token::Accent));
        }
        if let Some(label) = &row.label {
            line.push(format!("[{}] ", clean_line(label)), view.fg(Token::Warning));
        }
        let style = match (is_selected, row.is_on_path) {
            (true, _) => view.fg(Token::Accent).bold(),
            (false, true) => view.fg(Token::Text),
            (false, false) => view.fg(Token::Muted),
        };
        line.push(row.text.clone(), style);
        let more = if row.hidden > 0 { format!(" +{}", row.hidden) } else { String::new() };
        let room = view.width.saturating_sub(1 + more.len());
        let line = line.truncated(room, view.sign(Symbol::Ellipsis)).and(more, view.fg(Token::Dim));
        if is_selected { line.filled(view.theme.color(Token::SelectedBg)) } else { line }
    }

    /// The line to write in: the search, or a label. And the column of the caret.
    fn input(&self, view: &View<'_>) -> (Line, usize) {
        if let Some(editor) = &self.label {
            return field(view, "  label: ", editor);
        }
        let mut query = Editor::default();
        query.set(&self.query);
        let (mut line, column) = field(view, &format!("  {} ", view.sign(Symbol::Prompt)), &query);
        if self.query.is_empty() {
            line.push("type to search", view.fg(Token::Dim));
        }
        (line.truncated(view.width, view.sign(Symbol::Ellipsis)), column)
    }

    /// The move was answered.
    fn moved(&mut self, data: &Value) -> Step {
        if data.get("cancelled").and_then(Value::as_bool).unwrap_or_default() {
            // The summary was stopped: the tree is back, and nothing has moved.
            self.leave = None;
            return Step::Stay;
        }
        let mut wishes = Vec::new();
        if let Some(text) = data.get("editorText").and_then(Value::as_str) {
            wishes.push(Wish::Editor(text.to_owned()));
        }
        wishes.push(Wish::Reload);
        Step::Finish(wishes)
    }
}

impl Overlay for Tree {
    fn opened(&mut self) -> Vec<Wish> {
        vec![self.question()]
    }

    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        let filter = FILTERS.get(self.filter).copied().unwrap_or_default();
        let mut lines = vec![rule(view, &format!("session tree {} {filter}", view.sign(Symbol::Dot)))];
        if let Some(leave) = &self.leave {
            lines.extend(leave.lines(view));
            return lines;
        }
        lines.push(self.input(view).0);
        let height = Self::height(view);
        let first = self.selected.saturating_sub(height / 2).min(self.rows.len().saturating_sub(height));
        let shown = self.rows.iter().enumerate().skip(first).take(height);
        lines.extend(shown.map(|(at, row)| self.row_line(view, at, row)));
        if self.rows.is_empty() {
            let text = if self.query.is_empty() { "nothing was said yet" } else { "nothing matches" };
            lines.push(Line::of(format!("  {text}"), view.fg(Token::Muted)));
        }
        let hints: &[(&str, &'static str)] = match (&self.label, self.query.is_empty()) {
            (Some(_), _) => &[("esc", "back"), ("enter", "keep the label; empty removes it")],
            (None, is_empty) => &[
                ("esc", if is_empty { "close" } else { "clear search" }),
                ("enter", "continue here"),
                ("shift+l", "label"),
                ("tab", "fold"),
                ("ctrl+o", "next filter"),
                ("alt+d t u l a", "filters"),
            ],
        };
        let hints: Vec<(String, &str)> = hints.iter().map(|(key, what)| ((*key).to_owned(), *what)).collect();
        let mut last = Line::of("  ", Style::default());
        last.append(view.narrower(2).hints(&hints));
        lines.push(last);
        lines
    }

    fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        match &self.leave {
            Some(leave) => leave.column(view).map(|column| (2, column)),
            None => Some((1, self.input(view).1)),
        }
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        if let Some(leave) = &mut self.leave {
            return match leave.key(key) {
                LeaveKey::Stay => Step::Stay,
                LeaveKey::Back => {
                    self.leave = None;
                    Step::Stay
                }
                LeaveKey::Go(command) => Step::want(Wish::Rpc(command)),
                LeaveKey::Abort => Step::want(Wish::Rpc(json!({ "type": "abort_branch_summary" }))),
            };
        }
        if self.label.is_some() {
            return self.write_label(key);
        }
        if let Some(step) = self.filter_key(key) {
            return step;
        }
        let (count, page) = (self.rows.len(), Self::height(view));
        match key.code {
            Code::Up => self.selected = self.selected.checked_sub(1).unwrap_or(count.saturating_sub(1)),
            Code::Down => self.selected = if self.selected + 1 < count { self.selected + 1 } else { 0 },
            Code::Left | Code::PageUp => self.selected = self.selected.saturating_sub(page),
            Code::Right | Code::PageDown => {
                self.selected = (self.selected + page).min(count.saturating_sub(1));
            }
            Code::Tab => self.fold(),
            Code::Enter => return self.choose(),
            Code::Esc if !self.query.is_empty() => {
                self.query.clear();
                return self.ask();
            }
            Code::Esc => return Step::Close,
            Code::Char('c') if key.ctrl => return Step::Close,
            Code::Char('L') if !key.ctrl && !key.alt => {
                let mut editor = Editor::default();
                editor.set(self.current().and_then(|row| row.label.as_deref()).unwrap_or_default());
                self.label = Some(editor);
            }
            Code::Backspace => {
                self.query.pop();
                return self.ask();
            }
            _ => {
                if let Some(character) = key.typed() {
                    self.query.push(character);
                    return self.ask();
                }
            }
        }
        Step::Stay
    }

    fn paste(&mut self, text: &str) -> Step {
        match (&mut self.leave, &mut self.label) {
            (Some(leave), _) => leave.paste(text),
            (None, Some(editor)) => editor.paste(text),
            (None, None) => {
                self.query.push_str(text.lines().next().unwrap_or_default());
                return self.ask();
            }
        }
        Step::Stay
    }

    fn response(&mut self, command: &str, answer: Result<&Value, &str>) -> Option<Step> {
        match (command, answer) {
            ("get_tree", Ok(data)) => self.take(data),
            ("set_label" | "abort_branch_summary", Ok(_)) => {}
            ("navigate_tree", Ok(data)) => return Some(self.moved(data)),
            ("get_tree" | "set_label" | "navigate_tree" | "abort_branch_summary", Err(error)) => {
                self.leave = None;
                return Some(Step::want(Wish::Notice(Level::Error, error.to_owned())));
            }
            _ => return None,
        }
        Some(Step::Stay)
    }

    fn next_tick(&self) -> Option<u64> {
        self.leave.as_ref().filter(|leave| leave.is_moving()).map(|_| 80)
    }
}

#[cfg(test)]
mod tests;
