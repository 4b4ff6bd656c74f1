//! The session tree: every entry with its branch, filters, search and labels. Choosing one goes on from there.

use serde_json::{Value, json};

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

/// One row of the tree.
#[derive(Clone, Debug)]
struct Node {
    id: String,
    /// The lines of its branch.
    stem: String,
    label: Option<String>,
    text: String,
    is_on_path: bool,
}

/// The session tree.
pub struct Tree {
    nodes: Vec<Node>,
    leaf: Option<String>,
    filter: usize,
    query: String,
    selected: usize,
    /// The label that is being written.
    label: Option<Editor>,
    /// Whether the selection still has to find the leaf.
    is_new: bool,
}

impl Tree {
    /// A tree with the filter that the settings name.
    #[must_use]
    pub fn new(filter: &str) -> Self {
        let filter = FILTERS.iter().position(|known| *known == filter).unwrap_or(0);
        Self {
            nodes: Vec::new(),
            leaf: None,
            filter,
            query: String::new(),
            selected: 0,
            label: None,
            is_new: true,
        }
    }

    fn ask(&self) -> Step {
        Step::want(self.question())
    }

    fn question(&self) -> Wish {
        let filter = FILTERS.get(self.filter).copied().unwrap_or("default");
        Wish::Rpc(json!({ "type": "get_tree", "filter": filter, "query": self.query }))
    }

    fn rows(view: &View<'_>) -> usize {
        (view.height / 2).max(5).min(view.height.saturating_sub(4).max(1))
    }

    fn choose(&self) -> Step {
        let Some(node) = self.nodes.get(self.selected) else { return Step::Close };
        if self.leaf.as_ref() == Some(&node.id) {
            return Step::finish(Wish::Notice(Level::Info, "Already at this point".to_owned()));
        }
        Step::finish(Wish::Rpc(json!({ "type": "navigate_tree", "targetId": node.id })))
    }

    fn write_label(&mut self, key: &Key) -> Step {
        let Some(editor) = &mut self.label else { return Step::Stay };
        match key.code {
            Code::Enter => {
                let (label, id) = (
                    editor.text().trim().to_owned(),
                    self.nodes.get(self.selected).map(|node| node.id.clone()),
                );
                self.label = None;
                let label = (!label.is_empty()).then_some(label);
                return Step::Do(vec![
                    Wish::Rpc(json!({ "type": "set_label", "entryId": id, "label": label })),
                    self.question(),
                ]);
            }
            Code::Esc => self.label = None,
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

    /// Takes the entries, and draws the branches.
    fn take(&mut self, data: &Value) {
        let text = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let list = data.get("entries").and_then(Value::as_array).cloned().unwrap_or_default();
        let selected = self.nodes.get(self.selected).map(|node| node.id.clone());
        self.leaf = data.get("leafId").and_then(Value::as_str).map(str::to_owned);
        let ids: Vec<String> = list.iter().map(|entry| text(entry, "id")).collect();
        let parents: Vec<Option<usize>> = list
            .iter()
            .enumerate()
            .map(|(at, entry)| {
                let parent = text(entry, "parentId");
                // Entries come in the order of the log, so a parent is before its children.
                ids.iter().take(at).position(|id| *id == parent)
            })
            .collect();
        self.nodes.clear();
        let mut open: Vec<(usize, String, bool)> = Vec::new();
        let children = |of: Option<usize>| -> Vec<usize> {
            (0..list.len())
                .filter(|at| {
                    parents.get(*at).copied().flatten() == of
                        && (of.is_some() || parents.get(*at).copied().flatten().is_none())
                })
                .collect()
        };
        let roots = children(None);
        let forks = roots.len() > 1;
        open.extend(roots.into_iter().rev().map(|at| (at, String::new(), forks)));
        while let Some((at, stem, is_fork)) = open.pop() {
            let Some(entry) = list.get(at) else { continue };
            let below = children(Some(at));
            let is_last = !open.iter().any(|(_, other, _)| *other == stem);
            let branch = if is_fork { if is_last { "└─ " } else { "├─ " } } else { "" };
            let deeper = if is_fork {
                format!("{stem}{}", if is_last { "   " } else { "│  " })
            } else {
                stem.clone()
            };
            let role = match text(entry, "role") {
                role if role.is_empty() => text(entry, "type"),
                role => role,
            };
            let said = clean_line(&text(entry, "text")).into_owned();
            self.nodes.push(Node {
                id: text(entry, "id"),
                stem: format!("{stem}{branch}"),
                label: entry.get("label").and_then(Value::as_str).map(str::to_owned),
                text: if said.is_empty() { role } else { format!("{role}: {said}") },
                is_on_path: entry.get("isOnPath").and_then(Value::as_bool).unwrap_or_default(),
            });
            let forks = below.len() > 1;
            open.extend(below.into_iter().rev().map(|child| (child, deeper.clone(), forks)));
        }
        let wanted = if self.is_new { self.leaf.clone() } else { selected };
        self.is_new = false;
        let place = wanted.and_then(|id| self.nodes.iter().position(|node| node.id == id));
        let last_on_path = self.nodes.iter().rposition(|node| node.is_on_path);
        self.selected = place.or(last_on_path).unwrap_or(0).min(self.nodes.len().saturating_sub(1));
    }
}

impl Overlay for Tree {
    fn opened(&mut self) -> Vec<Wish> {
        vec![self.question()]
    }

    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        let filter = FILTERS.get(self.filter).copied().unwrap_or_default();
        let mut lines = vec![rule(view, &format!("session tree · {filter}"))];
        let mut search = Line::of(format!("  {} ", view.sign(Symbol::Prompt)), view.fg(Token::Accent));
        match &self.label {
            Some(editor) => {
                search.push(format!("label: {}", clean_line(editor.text())), view.fg(Token::Warning));
            }
            None if self.query.is_empty() => search.push("type to search", view.fg(Token::Dim)),
            None => search.push(clean_line(&self.query), view.fg(Token::Text)),
        }
        lines.push(search.truncated(view.width, "…"));
        let rows = Self::rows(view);
        let first = self.selected.saturating_sub(rows / 2).min(self.nodes.len().saturating_sub(rows));
        for (at, node) in self.nodes.iter().enumerate().skip(first).take(rows) {
            let is_selected = at == self.selected;
            let cursor = if is_selected { view.sign(Symbol::Cursor) } else { " " };
            let mut line = Line::of(format!("{cursor} "), view.fg(Token::Accent))
                .and(node.stem.clone(), view.fg(Token::BorderMuted));
            if node.is_on_path {
                line.push(format!("{} ", view.sign(Symbol::MdBullet)), view.fg(Token::Accent));
            }
            if let Some(label) = &node.label {
                line.push(format!("[{}] ", clean_line(label)), view.fg(Token::Warning));
            }
            let style = if is_selected {
                view.fg(Token::Accent).bold()
            } else if node.is_on_path {
                view.fg(Token::Text)
            } else {
                view.fg(Token::Muted)
            };
            line.push(node.text.clone(), style);
            let line = line.truncated(view.width.saturating_sub(1), view.sign(Symbol::Ellipsis));
            lines.push(if is_selected { line.filled(view.theme.color(Token::SelectedBg)) } else { line });
        }
        if self.nodes.is_empty() {
            lines.push(Line::of("  nothing here", view.fg(Token::Muted)));
        }
        let hints = [
            ("esc".to_owned(), if self.query.is_empty() { "close" } else { "clear search" }),
            ("enter".to_owned(), "go on from here"),
            ("shift+l".to_owned(), "label"),
            ("ctrl+o".to_owned(), "next filter"),
            ("alt+d t u l a".to_owned(), "filters"),
        ];
        let mut last = Line::of("  ", Style::default());
        last.append(view.narrower(2).hints(&hints));
        lines.push(last);
        lines
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        if self.label.is_some() {
            return self.write_label(key);
        }
        if let Some(step) = self.filter_key(key) {
            return step;
        }
        let (count, page) = (self.nodes.len(), Self::rows(view));
        match key.code {
            Code::Up => self.selected = self.selected.checked_sub(1).unwrap_or(count.saturating_sub(1)),
            Code::Down => self.selected = if self.selected + 1 < count { self.selected + 1 } else { 0 },
            Code::Left | Code::PageUp => self.selected = self.selected.saturating_sub(page),
            Code::Right | Code::PageDown => {
                self.selected = (self.selected + page).min(count.saturating_sub(1));
            }
            Code::Enter => return self.choose(),
            Code::Esc if !self.query.is_empty() => {
                self.query.clear();
                return self.ask();
            }
            Code::Esc => return Step::Close,
            Code::Char('c') if key.ctrl => return Step::Close,
            Code::Char('L') if !key.ctrl && !key.alt => {
                let mut editor = Editor::default();
                editor.set(
                    self.nodes.get(self.selected).and_then(|node| node.label.as_deref()).unwrap_or_default(),
                );
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

    fn response(&mut self, command: &str, answer: Result<&Value, &str>) -> Option<Step> {
        match (command, answer) {
            ("get_tree", Ok(data)) => self.take(data),
            ("set_label", Ok(_)) => {}
            (_, Err(error)) if matches!(command, "get_tree" | "set_label") => {
                return Some(Step::want(Wish::Notice(Level::Error, error.to_owned())));
            }
            _ => return None,
        }
        Some(Step::Stay)
    }
}
