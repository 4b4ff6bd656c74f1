//! Questions of the agent: approvals, choices, and texts. Every one can be left with Esc, which is an answer too.

use serde_json::{Value, json};

use super::list::rule;
use super::{Overlay, Step, Wish};
use crate::conversation::{Conversation, diff};
use crate::editor::Editor;
use crate::input::{Code, Key};
use crate::keymap::Action;
use crate::text::{Line, Style, clean};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// What the last choice is called where one may answer in one's own words.
const OTHER: &str = "Other (type your own)";
/// What ends a choice of several.
const DONE: &str = "Done selecting";

/// What kind of answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Choice,
    Confirm,
    Text,
}

/// A question of the agent.
pub struct Dialog {
    id: String,
    kind: Kind,
    title: String,
    message: String,
    /// What is at stake, shown as it is: a diff, or a command.
    diff: Option<String>,
    reason: Option<String>,
    options: Vec<(String, String)>,
    several: bool,
    chosen: Vec<usize>,
    selected: usize,
    /// The answer in one's own words, while it is written.
    words: Option<Editor>,
    deadline_ms: Option<u64>,
    timeout_ms: Option<u64>,
}

impl Dialog {
    /// Reads a request of the agent.
    #[must_use]
    pub fn new(request: &Value) -> Option<Self> {
        let text = |name: &str| request.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let method = text("method");
        let kind = match method.as_str() {
            "select" => Kind::Choice,
            "confirm" => Kind::Confirm,
            "input" | "editor" => Kind::Text,
            _ => return None,
        };
        let strings = |name: &str| -> Vec<String> {
            let list = request.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let (labels, ids) = (strings("options"), strings("optionIds"));
        let is = |name: &str| request.get(name).and_then(Value::as_bool).unwrap_or_default();
        let mut options: Vec<(String, String)> = labels
            .into_iter()
            .enumerate()
            .map(|(at, label)| (ids.get(at).cloned().unwrap_or_else(|| label.clone()), label))
            .collect();
        if kind == Kind::Confirm {
            options = vec![("yes".to_owned(), "Yes".to_owned()), ("no".to_owned(), "No".to_owned())];
        }
        if is("allowOther") {
            options.push((String::new(), OTHER.to_owned()));
        }
        let words = (kind == Kind::Text).then(|| {
            let mut editor = Editor::default();
            editor.set(&text("prefill"));
            editor
        });
        let details = request.get("details").cloned().unwrap_or_default();
        let detail = |names: &[&str]| {
            let found = names.iter().find_map(|name| details.get(name)?.as_str());
            found.map(str::to_owned).filter(|text| !text.is_empty())
        };
        Some(Self {
            id: text("id"),
            kind,
            title: text("title"),
            message: text("message"),
            diff: detail(&["diff", "command"]),
            reason: detail(&["reason", "why", "text"]).or_else(|| reasons(&details)),
            options,
            several: is("multiple"),
            chosen: Vec::new(),
            selected: 0,
            words,
            deadline_ms: None,
            timeout_ms: request.get("timeout").and_then(Value::as_u64),
        })
    }

    fn answer(&self, fields: Value) -> Step {
        let mut answer = json!({ "type": "extension_ui_response", "id": self.id });
        if let (Some(answer), Value::Object(fields)) = (answer.as_object_mut(), fields) {
            answer.extend(fields);
        }
        Step::finish(Wish::Rpc(answer))
    }

    fn cancel(&self) -> Step {
        self.answer(json!({ "cancelled": true }))
    }

    fn choose(&mut self, at: usize) -> Step {
        let Some((id, _)) = self.options.get(at) else {
            // The line after the options of a choice of several.
            let ids: Vec<&str> = self
                .chosen
                .iter()
                .filter_map(|at| self.options.get(*at))
                .map(|(id, _)| id.as_str())
                .collect();
            return self.answer(json!({ "value": ids }));
        };
        if id.is_empty() {
            self.words = Some(Editor::default());
            return Step::Stay;
        }
        if self.kind == Kind::Confirm {
            return self.answer(json!({ "confirmed": id == "yes" }));
        }
        if self.several {
            match self.chosen.iter().position(|chosen| *chosen == at) {
                Some(place) => drop(self.chosen.remove(place)),
                None => self.chosen.push(at),
            }
            return Step::Stay;
        }
        self.answer(json!({ "value": id }))
    }

    fn write(&mut self, key: &Key, view: &View<'_>) -> Step {
        let Some(editor) = &mut self.words else { return Step::Stay };
        match view.keys.action(key) {
            Some(Action::Submit) => {
                let text = editor.content();
                if self.several && !self.chosen.is_empty() {
                    let ids =
                        self.chosen.iter().filter_map(|at| self.options.get(*at)).map(|(id, _)| id.clone());
                    let values: Vec<String> = ids.chain(std::iter::once(text)).collect();
                    return self.answer(json!({ "value": values }));
                }
                return self.answer(json!({ "value": text }));
            }
            Some(Action::Interrupt | Action::Clear) => {
                if self.kind == Kind::Text {
                    return self.cancel();
                }
                self.words = None;
            }
            Some(action) if editor.apply(action) => {}
            _ => {
                if let Some(character) = key.typed() {
                    editor.type_char(character);
                }
            }
        }
        Step::Stay
    }

    fn option_lines(&self, view: &View<'_>) -> Vec<Line> {
        let mut lines = Vec::new();
        let done = self.several.then(|| (String::new(), DONE.to_owned()));
        for (at, (_, label)) in self.options.iter().chain(done.as_ref()).enumerate() {
            let is_selected = at == self.selected;
            let cursor = if is_selected { view.sign(Symbol::Cursor) } else { " " };
            let mut line = Line::of(format!("  {cursor} "), view.fg(Token::Accent));
            if self.several && at < self.options.len() {
                let symbol = if self.chosen.contains(&at) { Symbol::CheckboxOn } else { Symbol::CheckboxOff };
                line.push(format!("{} ", view.sign(symbol)), view.fg(Token::Accent));
            } else if at < 9 && at < self.options.len() {
                line.push(format!("{} ", at + 1), view.fg(Token::Dim));
            }
            let style = if is_selected { view.fg(Token::Accent).bold() } else { view.fg(Token::Text) };
            line.push(crate::text::clean_line(label), style);
            let line = line.truncated(view.width, view.sign(Symbol::Ellipsis));
            lines.push(if is_selected { line.filled(view.theme.color(Token::SelectedBg)) } else { line });
        }
        lines
    }
}

/// Why the agent has to ask, one line for each reason.
fn reasons(details: &Value) -> Option<String> {
    let list = details.get("reasons")?.as_array()?;
    let text =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let lines: Vec<String> =
        list.iter().map(|reason| format!("{}: {}", text(reason, "what"), text(reason, "why"))).collect();
    Some(lines.join("\n")).filter(|lines| !lines.is_empty())
}

impl Overlay for Dialog {
    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        let title = if self.title.is_empty() { "Relay asks" } else { &self.title };
        let mut head = vec![rule(view, title)];
        let narrow = view.narrower(4);
        let mut say = |text: &str, style: Style| {
            for line in clean(text.trim()).lines() {
                for part in Line::of(line, style).wrapped(narrow.width, 0) {
                    let mut whole = Line::of("  ", Style::default());
                    whole.append(part);
                    head.push(whole);
                }
            }
        };
        say(&self.message, view.fg(Token::Text));
        if let Some(reason) = self.reason.as_ref().filter(|reason| !self.message.contains(reason.as_str())) {
            say(reason, view.fg(Token::Muted));
        }
        let mut tail = vec![Line::new()];
        let mut hints = vec![("esc".to_owned(), "refuse"), ("enter".to_owned(), "choose")];
        if let Some(editor) = &self.words {
            let mut line = Line::of(format!("  {} ", view.sign(Symbol::Prompt)), view.fg(Token::Accent));
            line.push(clean(editor.text()).replace('\n', "⏎"), view.fg(Token::Text));
            tail.push(line.truncated(view.width, view.sign(Symbol::Ellipsis)));
            hints = vec![("esc".to_owned(), "back"), ("enter".to_owned(), "send")];
        } else {
            tail.extend(self.option_lines(view));
            if self.several {
                hints.push(("space".to_owned(), "mark"));
            }
            hints.push(("1-9".to_owned(), "choose directly"));
        }
        if let Some(deadline) = self.deadline_ms {
            let left = deadline.saturating_sub(view.now_ms).div_ceil(1000);
            tail.push(Line::of(format!("  answers by itself in {left}s"), view.fg(Token::Muted)));
        }
        let mut last = Line::of("  ", Style::default());
        last.append(view.narrower(2).hints(&hints));
        tail.push(last);
        if let Some(text) = &self.diff {
            let room = view.height.saturating_sub(head.len() + tail.len() + 1);
            let drawn = diff::draw(&narrow, &diff::read_patch(text));
            let hidden = drawn.len().saturating_sub(room);
            for line in drawn.into_iter().take(room) {
                let mut whole =
                    Line::of(format!("  {} ", view.sign(Symbol::Gutter)), view.fg(Token::BorderMuted));
                whole.append(line);
                head.push(whole);
            }
            if hidden > 0 {
                head.push(Line::of(
                    format!("  {} {hidden} more lines", view.sign(Symbol::Ellipsis)),
                    view.fg(Token::Dim),
                ));
            }
        }
        let room = view.height.saturating_sub(tail.len()).max(1);
        head.truncate(room);
        head.extend(tail);
        head
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        // Whoever types decides; nothing answers by itself any more.
        self.deadline_ms = None;
        if self.words.is_some() {
            return self.write(key, view);
        }
        let count = self.options.len() + usize::from(self.several);
        match key.code {
            Code::Esc => return self.cancel(),
            Code::Char('c') if key.ctrl => return self.cancel(),
            Code::Up => self.selected = (self.selected + count - 1) % count.max(1),
            Code::Down | Code::Tab => self.selected = (self.selected + 1) % count.max(1),
            Code::Enter => return self.choose(self.selected),
            Code::Char(' ') if self.several => return self.choose(self.selected),
            Code::Char('y') if self.kind == Kind::Confirm => return self.choose(0),
            Code::Char('n') if self.kind == Kind::Confirm => return self.choose(1),
            Code::Char(digit) => {
                let at = digit
                    .to_digit(10)
                    .and_then(|digit| usize::try_from(digit).ok())
                    .and_then(|digit| digit.checked_sub(1));
                if let Some(at) = at.filter(|at| *at < self.options.len()) {
                    self.selected = at;
                    return self.choose(at);
                }
            }
            _ => {}
        }
        Step::Stay
    }

    fn paste(&mut self, text: &str) -> Step {
        if let Some(editor) = &mut self.words {
            editor.paste(text);
        }
        Step::Stay
    }

    fn request(&self) -> Option<&str> {
        Some(&self.id)
    }

    fn next_tick(&self) -> Option<u64> {
        self.timeout_ms.map(|_| 1000)
    }

    fn tick(&mut self, now_ms: u64) -> Step {
        // The agent itself keeps the time; this only shows how much of it is left.
        if let Some(timeout) = self.timeout_ms.take() {
            self.deadline_ms = Some(now_ms + timeout);
        }
        Step::Stay
    }
}
