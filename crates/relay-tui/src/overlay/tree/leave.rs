//! What becomes of the branch that is left: nothing, a summary, or a summary about something in particular.

use serde_json::{Value, json};

use super::super::field::field;
use crate::editor::Editor;
use crate::input::{Code, Key};
use crate::text::{Line, Style};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// The choices, in their order.
const CHOICES: [&str; 3] = ["No summary", "Summarize", "Summarize with custom prompt"];

/// How far the move is.
#[derive(Clone, Debug)]
enum State {
    /// One of the choices is selected.
    Choosing(usize),
    /// The custom prompt is being written.
    Writing(Box<Editor>),
    /// The summary is being written.
    Summarising,
}

/// A move to another entry that may need a summary first.
#[derive(Clone, Debug)]
pub(super) struct Leave {
    target: String,
    state: State,
}

/// What a key did.
pub(super) enum LeaveKey {
    /// It stays.
    Stay,
    /// Back to the tree.
    Back,
    /// Go, with this command.
    Go(Value),
    /// End the summary.
    Abort,
}

impl Leave {
    pub(super) fn new(target: &str) -> Self {
        Self { target: target.to_owned(), state: State::Choosing(0) }
    }

    /// The command that moves to an entry.
    pub(super) fn command(target: &str) -> Value {
        json!({ "type": "navigate_tree", "targetId": target })
    }

    fn go(&mut self, prompt: Option<String>) -> LeaveKey {
        self.state = State::Summarising;
        let mut command = Self::command(&self.target);
        if let Some(fields) = command.as_object_mut() {
            fields.insert("summarize".to_owned(), true.into());
            fields.extend(prompt.map(|prompt| ("customInstructions".to_owned(), prompt.into())));
        }
        LeaveKey::Go(command)
    }

    pub(super) fn key(&mut self, key: &Key) -> LeaveKey {
        let is_exit = key.code == Code::Esc || (key.ctrl && key.code == Code::Char('c'));
        match &mut self.state {
            State::Summarising if is_exit => return LeaveKey::Abort,
            State::Summarising => {}
            State::Choosing(_) if is_exit => return LeaveKey::Back,
            State::Choosing(selected) => match key.code {
                Code::Up => *selected = (*selected + CHOICES.len() - 1) % CHOICES.len(),
                Code::Down | Code::Tab => *selected = (*selected + 1) % CHOICES.len(),
                Code::Enter | Code::Char('1'..='3') => {
                    let chosen = match key.code {
                        Code::Char('1') => 0,
                        Code::Char('2') => 1,
                        Code::Char('3') => 2,
                        _ => *selected,
                    };
                    match chosen {
                        0 => return LeaveKey::Go(Self::command(&self.target)),
                        1 => return self.go(None),
                        _ => self.state = State::Writing(Box::default()),
                    }
                }
                _ => {}
            },
            State::Writing(_) if is_exit => self.state = State::Choosing(2),
            State::Writing(editor) => match key.code {
                Code::Enter => {
                    let prompt = editor.content().trim().to_owned();
                    return self.go((!prompt.is_empty()).then_some(prompt));
                }
                Code::Backspace => drop(editor.apply(crate::keymap::Action::DeleteLeft)),
                _ => {
                    if let Some(character) = key.typed() {
                        editor.type_char(character);
                    }
                }
            },
        }
        LeaveKey::Stay
    }

    pub(super) fn paste(&mut self, text: &str) {
        if let State::Writing(editor) = &mut self.state {
            editor.paste(text);
        }
    }

    /// The column of the caret, while something is being written.
    pub(super) fn column(&self, view: &View<'_>) -> Option<usize> {
        match &self.state {
            State::Writing(editor) => {
                Some(field(view, &format!("  {} ", view.sign(Symbol::Prompt)), editor).1)
            }
            _ => None,
        }
    }

    pub(super) fn is_moving(&self) -> bool {
        matches!(self.state, State::Summarising)
    }

    pub(super) fn lines(&self, view: &View<'_>) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut hints = vec![("esc".to_owned(), "back to the tree")];
        match &self.state {
            State::Choosing(selected) => {
                lines.push(Line::of("  Summarise the branch that you leave?", view.fg(Token::Text)));
                for (at, choice) in CHOICES.iter().enumerate() {
                    let is_selected = at == *selected;
                    let cursor = if is_selected { view.sign(Symbol::Cursor) } else { " " };
                    let style =
                        if is_selected { view.fg(Token::Accent).bold() } else { view.fg(Token::Text) };
                    let line = Line::of(format!("  {cursor} {} ", at + 1), view.fg(Token::Accent))
                        .and(*choice, style);
                    lines.push(if is_selected {
                        line.filled(view.theme.color(Token::SelectedBg))
                    } else {
                        line
                    });
                }
                hints.push(("enter".to_owned(), "choose"));
            }
            State::Writing(editor) => {
                lines.push(Line::of("  What should the summary be about?", view.fg(Token::Text)));
                lines.push(field(view, &format!("  {} ", view.sign(Symbol::Prompt)), editor).0);
                hints = vec![("esc".to_owned(), "back"), ("enter".to_owned(), "summarise")];
            }
            State::Summarising => {
                lines.push(
                    Line::of(format!("  {} ", view.spinner()), view.fg(Token::Accent))
                        .and("summarising the branch", view.fg(Token::Text)),
                );
                hints = vec![("esc".to_owned(), "stop; nothing moves")];
            }
        }
        let mut last = Line::of("  ", Style::default());
        last.append(view.narrower(2).hints(&hints));
        lines.push(last);
        lines
    }
}
