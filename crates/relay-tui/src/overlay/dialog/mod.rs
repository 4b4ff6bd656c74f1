//! Questions of the agent: approvals, choices, and texts. Every one can be left with Esc, which is an answer too.

mod request;

use serde_json::{Value, json};

use super::field::field;
use super::list::rule;
use super::{Overlay, Step, Wish};
use crate::conversation::{Conversation, diff};
use crate::editor::Editor;
use crate::input::{Code, Key};
use crate::keymap::Action;
use crate::text::{Line, Style, clean};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// Lines that a page of the text above the answers has.
const PAGE: usize = 4;
/// What ends a choice of several.
const DONE: &str = "Done selecting";

/// What kind of answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Choice,
    Confirm,
    Text,
}

/// Ways to the questions before and after, what was written here before, and how far the text is scrolled.
#[derive(Clone, Debug, Default)]
struct Moves {
    back: Option<String>,
    forward: Option<String>,
    words: String,
    first: usize,
}

/// When the agent answers by itself.
#[derive(Clone, Copy, Debug)]
enum Time {
    /// In this many milliseconds from when it is first drawn.
    Left(u64),
    /// At this moment.
    At(u64),
}

/// A question of the agent.
pub struct Dialog {
    id: String,
    kind: Kind,
    title: String,
    message: String,
    /// The call that asks.
    about: Option<String>,
    /// What is at stake, shown as it is: a diff, or a command.
    diff: Option<String>,
    reason: Option<String>,
    options: Vec<(String, String)>,
    /// The key of each option, where it has one.
    letters: Vec<Option<char>>,
    several: bool,
    chosen: Vec<usize>,
    selected: usize,
    /// The answer in one's own words, while it is written.
    words: Option<Editor>,
    moves: Moves,
    time: Option<Time>,
}

impl Dialog {
    /// Reads a request of the agent.
    #[must_use]
    pub fn new(request: &Value) -> Option<Self> {
        request::read(request)
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

    /// The ids of what is marked, in the order in which it was marked.
    fn marked(&self) -> Vec<String> {
        self.chosen.iter().filter_map(|at| self.options.get(*at)).map(|(id, _)| id.clone()).collect()
    }

    /// A line after the options ends a choice of several, unless there is a next question to go to.
    fn has_done(&self) -> bool {
        self.several && self.moves.forward.is_none()
    }

    /// To another question; what is marked here is kept.
    fn go(&self, to: &str) -> Step {
        let mut values = if self.several { self.marked() } else { Vec::new() };
        values.push(to.to_owned());
        self.answer(json!({ "value": values }))
    }

    /// The person has begun to answer: from now on, the agent waits for them.
    fn attended(&self, step: Step) -> Step {
        let word = Wish::Rpc(json!({ "type": "extension_ui_response", "id": self.id, "attended": true }));
        match step {
            Step::Stay => Step::want(word),
            Step::Do(mut wishes) => {
                wishes.push(word);
                Step::Do(wishes)
            }
            answered => answered,
        }
    }

    fn choose(&mut self, at: usize) -> Step {
        let Some((id, _)) = self.options.get(at) else {
            return self.answer(json!({ "value": self.marked() }));
        };
        if id.is_empty() {
            let mut editor = Editor::default();
            editor.set(&self.moves.words);
            self.words = Some(editor);
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
                    let mut values = self.marked();
                    values.push(text);
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
        let done = self.has_done().then(|| (String::new(), DONE.to_owned()));
        for (at, (_, label)) in self.options.iter().chain(done.as_ref()).enumerate() {
            let is_selected = at == self.selected;
            let cursor = if is_selected { view.sign(Symbol::Cursor) } else { " " };
            let mut line = Line::of(format!("  {cursor} "), view.fg(Token::Accent));
            if self.several && at < self.options.len() {
                let symbol = if self.chosen.contains(&at) { Symbol::CheckboxOn } else { Symbol::CheckboxOff };
                line.push(format!("{} ", view.sign(symbol)), view.fg(Token::Accent));
            } else if let Some(letter) = self.letters.get(at).copied().flatten() {
                line.push(format!("{letter} "), view.fg(Token::Dim));
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

    /// What is asked, wrapped.
    fn head(&self, view: &View<'_>) -> Vec<Line> {
        let title = if self.title.is_empty() { "Relay asks" } else { &self.title };
        let mut head = vec![rule(view, title)];
        let mut say = |text: &str, style: Style| {
            for line in clean(text.trim()).lines() {
                for part in Line::of(line, style).wrapped(view.width.saturating_sub(4), 0) {
                    let mut whole = Line::of("  ", Style::default());
                    whole.append(part);
                    head.push(whole);
                }
            }
        };
        if let Some(about) = &self.about {
            say(about, view.fg(Token::ToolTitle).bold());
        }
        say(&self.message, view.fg(Token::Text));
        if let Some(reason) = self.reason.as_ref().filter(|reason| !self.message.contains(reason.as_str())) {
            say(reason, view.fg(Token::Muted));
        }
        head
    }

    /// The keys, the most important first.
    fn hints(&self) -> Vec<(String, &'static str)> {
        let hint = |key: &str, what: &'static str| (key.to_owned(), what);
        if self.words.is_some() {
            return vec![hint("esc", "back"), hint("enter", "send")];
        }
        let out = if self.about.is_some() { "refuse" } else { "cancel" };
        let mut hints = vec![hint("esc", out), hint("enter", if self.several { "mark" } else { "choose" })];
        match (&self.moves.back, &self.moves.forward) {
            (Some(_), Some(_)) => hints.push(hint("left right", "other questions")),
            (Some(_), None) => hints.push(hint("left", "the question before")),
            (None, Some(_)) => hints.push(hint("right", "the next question")),
            (None, None) => {}
        }
        let letters: String = self.letters.iter().flatten().map(|letter| format!("{letter} ")).collect();
        match letters.trim() {
            "" => hints.push(hint("1-9", "choose directly")),
            letters => hints.push(hint(letters, "choose directly")),
        }
        hints
    }

    /// The title and as much below it as fits, with how much there is beside it. What one agrees to can be read to its end.
    fn window(&self, view: &View<'_>, mut head: Vec<Line>, room: usize) -> Vec<Line> {
        if head.len() <= room {
            return head;
        }
        let rows = room.saturating_sub(2).max(1);
        let body = head.split_off(1.min(head.len()));
        let first = self.moves.first.min(body.len().saturating_sub(rows));
        let below = body.len().saturating_sub(first + rows);
        head.extend(body.into_iter().skip(first).take(rows));
        let text =
            format!("  {} {below} more lines below, {first} above (pgup pgdn)", view.sign(Symbol::Ellipsis));
        head.push(Line::of(text, view.fg(Token::Warning)).truncated(view.width, view.sign(Symbol::Ellipsis)));
        head.truncate(room);
        head
    }

    /// How many lines the text above the answers has.
    fn length(&self, view: &View<'_>) -> usize {
        let diff = self.diff.as_ref().map_or(0, |text| stake(view, text).len());
        self.head(view).len() + diff
    }

    /// The lines, and row and column of the caret if something is being written.
    fn drawn(&self, view: &View<'_>) -> (Vec<Line>, Option<(usize, usize)>) {
        let mut head = self.head(view);
        let mut tail = vec![Line::new()];
        let mut column = None;
        match &self.words {
            Some(editor) => {
                let label = format!("  {} ", view.sign(Symbol::Prompt));
                let (line, caret) = field(view, &label, editor);
                tail.push(line);
                column = Some(caret);
            }
            None => tail.extend(self.option_lines(view)),
        }
        if let Some(Time::At(deadline)) = self.time {
            let left = deadline.saturating_sub(view.now_ms).div_ceil(1000);
            tail.push(Line::of(format!("  answers by itself in {left}s"), view.fg(Token::Muted)));
        }
        let mut last = Line::of("  ", Style::default());
        last.append(view.narrower(2).hints(&self.hints()));
        tail.push(last);
        if let Some(text) = &self.diff {
            head.extend(stake(view, text));
        }
        let room = view.height.saturating_sub(tail.len()).max(2);
        let mut head = self.window(view, head, room);
        let row = head.len() + 1;
        head.extend(tail);
        (head, column.map(|column| (row, column)))
    }

    fn press(&mut self, key: &Key, view: &View<'_>) -> Step {
        if self.words.is_some() {
            return self.write(key, view);
        }
        let count = (self.options.len() + usize::from(self.has_done())).max(1);
        match key.code {
            Code::Esc => return self.cancel(),
            Code::Char('c') if key.ctrl => return self.cancel(),
            Code::PageUp => self.moves.first = self.moves.first.saturating_sub(PAGE),
            Code::PageDown => {
                let last = self.length(view).saturating_sub(2);
                self.moves.first = (self.moves.first + PAGE).min(last);
            }
            Code::Up => self.selected = (self.selected + count - 1) % count,
            Code::Down | Code::Tab => self.selected = (self.selected + 1) % count,
            Code::Left => return self.moves.back.as_ref().map_or(Step::Stay, |back| self.go(back)),
            Code::Right => return self.moves.forward.as_ref().map_or(Step::Stay, |next| self.go(next)),
            Code::Enter => return self.choose(self.selected),
            Code::Char(' ') if self.several => return self.choose(self.selected),
            Code::Char('y') if self.kind == Kind::Confirm => return self.choose(0),
            Code::Char('n') if self.kind == Kind::Confirm => return self.choose(1),
            Code::Char(character) if !key.ctrl && !key.alt => {
                let digit = character.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
                let letter = self.letters.iter().position(|letter| *letter == Some(character));
                let at = letter.or_else(|| digit.and_then(|digit| digit.checked_sub(1)));
                if let Some(at) = at.filter(|at| *at < self.options.len()) {
                    self.selected = at;
                    return self.choose(at);
                }
            }
            _ => {}
        }
        Step::Stay
    }
}

/// A diff or a command.
fn stake(view: &View<'_>, text: &str) -> Vec<Line> {
    let indent = |line: Line| {
        let mut whole = Line::of(format!("  {} ", view.sign(Symbol::Gutter)), view.fg(Token::BorderMuted));
        whole.append(line);
        whole
    };
    diff::draw(&view.narrower(4), &diff::read_patch(text)).into_iter().map(indent).collect()
}

impl Overlay for Dialog {
    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        self.drawn(view).0
    }

    fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        self.drawn(view).1
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        // Whoever presses a key decides; nothing answers by itself any more.
        let was_timed = self.time.take().is_some();
        let step = self.press(key, view);
        if was_timed { self.attended(step) } else { step }
    }

    fn paste(&mut self, text: &str) -> Step {
        if let Some(editor) = &mut self.words {
            editor.paste(text);
        }
        if self.time.take().is_some() { self.attended(Step::Stay) } else { Step::Stay }
    }

    fn request(&self) -> Option<&str> {
        Some(&self.id)
    }

    fn next_tick(&self) -> Option<u64> {
        self.time.map(|time| if matches!(time, Time::Left(_)) { 1 } else { 1000 })
    }

    fn tick(&mut self, now_ms: u64) -> Step {
        // The agent itself keeps the time; this only shows how much of it is left.
        if let Some(Time::Left(ms)) = self.time {
            self.time = Some(Time::At(now_ms + ms));
        }
        Step::Stay
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::App;

    fn press(dialog: &mut Dialog, chord: &str) -> Value {
        let app = App::new(80, 24);
        match dialog.key(&Key::parse(chord).unwrap(), &app.view()) {
            Step::Finish(wishes) => match wishes.into_iter().next() {
                Some(Wish::Rpc(answer)) => answer,
                _ => Value::Null,
            },
            _ => Value::Null,
        }
    }

    fn asked(index: usize, selected: &[&str]) -> Dialog {
        Dialog::new(&json!({
            "id": "u", "method": "select", "title": "Question 2 of 3", "message": "Which?", "multiple": true,
            "options": ["SQLite", "Postgres"], "optionIds": ["0", "1"], "allowOther": true,
            "details": { "ask": { "index": index, "count": 3, "selected": selected,
                "back": (index > 0).then_some("ask:back"), "forward": (index < 2).then_some("ask:forward") } },
        }))
        .unwrap()
    }

    #[test]
    fn one_goes_between_questions_and_keeps_what_is_marked() {
        let mut dialog = asked(1, &["Postgres"]);
        press(&mut dialog, "space");
        assert_eq!(press(&mut dialog, "right")["value"], json!(["1", "0", "ask:forward"]));
        assert_eq!(press(&mut asked(1, &[]), "left")["value"], json!(["ask:back"]));
        assert_eq!(press(&mut asked(0, &[]), "left"), Value::Null);
        let app = App::new(80, 24);
        let text = |dialog: &Dialog| {
            dialog.lines(&app.view(), &app.conversation).iter().map(Line::text).collect::<String>()
        };
        assert!(!text(&asked(1, &[])).contains(DONE), "forward ends it");
        assert!(text(&asked(2, &[])).contains(DONE));
    }

    #[test]
    fn the_time_is_over_for_no_one_who_answers() {
        let request = |several: bool| {
            json!({ "id": "u", "method": "select", "options": ["A", "B"], "optionIds": ["0", "1"], "multiple": several,
                "allowOther": true, "timeout": 5000 })
        };
        let app = App::new(80, 24);
        let attends =
            |dialog: &mut Dialog, chord: &str| match dialog.key(&Key::parse(chord).unwrap(), &app.view()) {
                Step::Do(wishes) => {
                    matches!(&wishes[..], [Wish::Rpc(word)] if word["attended"] == true && word["id"] == "u")
                }
                _ => false,
            };
        let mut dialog = Dialog::new(&request(false)).unwrap();
        assert!(attends(&mut dialog, "3") && !attends(&mut dialog, "x"), "own words; once is enough");
        assert!(dialog.next_tick().is_none(), "it shows no time any more");
        let mut dialog = Dialog::new(&request(true)).unwrap();
        assert!(attends(&mut dialog, "space") && !attends(&mut dialog, "space"), "once is enough");
    }

    #[test]
    fn approvals_have_one_key_for_each_answer() {
        let request = json!({
            "id": "u", "method": "select", "options": ["Allow once", "Allow for this session", "Always allow, by this rule", "No"],
            "optionIds": ["once", "session", "always", "no"], "allowOther": true,
            "details": { "approval": true, "tool": "bash", "arguments": { "command": "curl x" } },
        });
        for (key, value) in [("y", "once"), ("s", "session"), ("a", "always"), ("n", "no"), ("2", "session")]
        {
            assert_eq!(press(&mut Dialog::new(&request).unwrap(), key)["value"], value, "{key}");
        }
        let mut dialog = Dialog::new(&request).unwrap();
        press(&mut dialog, "t");
        press(&mut dialog, "x");
        assert_eq!(press(&mut dialog, "enter")["value"], "x");
        let more = json!({ "id": "u", "method": "select", "options": ["Run it again with network access", "Run it again without the sandbox", "Leave it"],
            "optionIds": ["network", "open", "no"] });
        for (key, value) in [("w", "network"), ("o", "open"), ("n", "no")] {
            assert_eq!(press(&mut Dialog::new(&more).unwrap(), key)["value"], value, "{key}");
        }
    }

    #[test]
    fn what_one_agrees_to_can_be_read_to_its_end() {
        let message: String = (1..=30).map(|number| format!("line {number}\n")).collect();
        let request = json!({ "id": "u", "method": "select", "message": message, "options": ["Yes", "No"], "optionIds": ["yes", "no"] });
        let mut dialog = Dialog::new(&request).unwrap();
        let app = App::new(40, 15);
        let text = |dialog: &Dialog| {
            let lines = dialog.lines(&app.view(), &app.conversation);
            assert!(lines.len() <= 15);
            lines.iter().map(|line| line.text() + "\n").collect::<String>()
        };
        assert!(
            text(&dialog).contains("more lines below") && text(&dialog).contains("No"),
            "{}",
            text(&dialog)
        );
        for _ in 0..10 {
            dialog.key(&Key::plain(Code::PageDown), &app.view());
        }
        assert!(text(&dialog).contains("line 30"), "{}", text(&dialog));
        assert!(text(&dialog).contains(" 0 more lines below"), "{}", text(&dialog));
    }
}
