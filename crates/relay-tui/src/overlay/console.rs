//! The terminal of a program that the agent runs: shown as it is, typed into, ended with Esc.

use std::cell::Cell;
use std::num::NonZeroU16;

use serde_json::{Value, json};

use super::list::rule;
use super::{Overlay, Step, Wish};
use crate::conversation::Conversation;
use crate::input::{Code, Key, key_bytes};
use crate::text::{Attrs, Color, Line, Style, clean_line};
use crate::theme::Symbol;
use crate::view::View;

/// The size that a program begins with.
const BEGINS: (u16, u16) = (120, 40);
/// Rows that are not the program's: the title, and the keys.
const AROUND: usize = 2;

/// A program's terminal.
pub struct Console {
    id: String,
    command: String,
    terminal: vt100::Parser,
    /// The size the program knows of, and the one there is room for.
    known: (u16, u16),
    room: Cell<(u16, u16)>,
    is_ending: bool,
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN)
}

impl Console {
    /// The terminal that `pty_start` tells of.
    #[must_use]
    pub fn new(frame: &Value) -> Self {
        Self {
            id: text(frame, "ptyId"),
            command: text(frame, "command"),
            terminal: vt100::Parser::new(cells(BEGINS.1), cells(BEGINS.0), 0),
            known: BEGINS,
            room: Cell::new(BEGINS),
            is_ending: false,
        }
    }

    fn command(&self, kind: &str, more: Value) -> Wish {
        let mut command = json!({ "type": kind, "ptyId": self.id });
        if let (Some(fields), Value::Object(more)) = (command.as_object_mut(), more) {
            fields.extend(more);
        }
        Wish::Rpc(command)
    }

    fn write(&self, bytes: Vec<u8>) -> Step {
        match String::from_utf8(bytes) {
            Ok(data) if !data.is_empty() => Step::want(self.command("pty_write", json!({ "data": data }))),
            _ => Step::Stay,
        }
    }

    fn row(&self, row: u16, width: usize) -> Line {
        let mut line = Line::new();
        for column in 0..u16::try_from(width).unwrap_or(u16::MAX) {
            let Some(cell) = self.terminal.screen().cell(row, column) else { break };
            if cell.is_wide_continuation() {
                continue;
            }
            let mut style =
                Style { fg: color(cell.fgcolor()), bg: color(cell.bgcolor()), ..Style::default() };
            for (is_on, attribute) in [
                (cell.bold(), Attrs::BOLD),
                (cell.dim(), Attrs::DIM),
                (cell.italic(), Attrs::ITALIC),
                (cell.underline(), Attrs::UNDERLINE),
                (cell.inverse(), Attrs::REVERSE),
            ] {
                if is_on {
                    style = style.with(attribute);
                }
            }
            let contents = cell.contents();
            line.push(if contents.is_empty() { " " } else { contents }, style);
        }
        line.truncated(width, "")
    }
}

fn color(color: vt100::Color) -> Color {
    match color {
        vt100::Color::Default => Color::Default,
        vt100::Color::Idx(index) => Color::Indexed(index),
        vt100::Color::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}

impl Overlay for Console {
    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        let rows = view.height.saturating_sub(AROUND).max(1);
        let side = |cells: usize| u16::try_from(cells).unwrap_or(u16::MAX).max(1);
        self.room.set((side(view.width), side(rows)));
        let title = format!("terminal {} {}", view.sign(Symbol::Dot), clean_line(&self.command));
        let mut lines = vec![rule(view, &title)];
        let last = self.terminal.screen().size().0.get();
        lines.extend((0..side(rows).min(last)).map(|row| self.row(row, view.width)));
        lines.resize(rows + 1, Line::new());
        let out = if self.is_ending { "ending" } else { "ends it" };
        let hints = [("esc".to_owned(), out), ("any other key".to_owned(), "goes to the program")];
        lines.push(view.hints(&hints));
        lines
    }

    fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        let screen = self.terminal.screen();
        let (row, column) = screen.cursor_position();
        let place = (usize::from(row) + 1, usize::from(column).min(view.width.saturating_sub(1)));
        (!screen.hide_cursor() && place.0 + 1 < view.height).then_some(place)
    }

    fn key(&mut self, key: &Key, _: &View<'_>) -> Step {
        if key.code != Code::Esc {
            return self.write(key_bytes(key, self.terminal.screen().application_cursor()));
        }
        // A program that does not end is not in the way.
        if std::mem::replace(&mut self.is_ending, true) {
            return Step::Close;
        }
        Step::want(self.command("pty_kill", json!({})))
    }

    fn paste(&mut self, text: &str) -> Step {
        let text = text.replace('\n', "\r");
        match self.terminal.screen().bracketed_paste() {
            true => self.write(format!("\x1b[200~{}\x1b[201~", text.replace('\x1b', "")).into_bytes()),
            false => self.write(text.into_bytes()),
        }
    }

    fn response(&mut self, command: &str, _: Result<&Value, &str>) -> Option<Step> {
        // What was typed after the end is of no use to anyone.
        matches!(command, "pty_write" | "pty_resize" | "pty_kill").then_some(Step::Stay)
    }

    fn event(&mut self, frame: &Value) {
        if text(frame, "ptyId") == self.id {
            self.terminal.process(text(frame, "data").as_bytes());
        }
    }

    fn is_full(&self) -> bool {
        true
    }

    fn request(&self) -> Option<&str> {
        Some(&self.id)
    }

    fn next_tick(&self) -> Option<u64> {
        (self.room.get() != self.known).then_some(1)
    }

    fn tick(&mut self, _: u64) -> Step {
        let room = self.room.get();
        if room == self.known {
            return Step::Stay;
        }
        self.known = room;
        self.terminal.set_size(cells(room.1), cells(room.0));
        Step::want(self.command("pty_resize", json!({ "columns": room.0, "rows": room.1 })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::App;

    fn sent(step: Step) -> Value {
        match step {
            Step::Do(wishes) => match wishes.into_iter().next() {
                Some(Wish::Rpc(command)) => command,
                _ => Value::Null,
            },
            _ => Value::Null,
        }
    }

    #[test]
    fn a_program_is_shown_typed_into_resized_and_ended() {
        let app = App::new(60, 12);
        let mut console = Console::new(&json!({ "ptyId": "pty-1", "command": "vi a" }));
        let shown = |console: &Console| -> String {
            console.lines(&app.view(), &app.conversation).iter().map(|line| line.text() + "\n").collect()
        };
        assert!(shown(&console).contains("terminal · vi a"));
        assert_eq!(console.next_tick(), Some(1), "it does not know yet how much room there is");
        let resize = sent(console.tick(0));
        assert_eq!(
            (&resize["type"], &resize["columns"], &resize["rows"]),
            (&json!("pty_resize"), &json!(60), &json!(10))
        );
        assert_eq!(console.next_tick(), None);
        console.event(&json!({ "ptyId": "pty-1", "data": "\u{1b}[2J\u{1b}[3;5Hhello \u{1b}[31mred" }));
        console.event(&json!({ "ptyId": "pty-2", "data": "not mine" }));
        assert!(
            shown(&console).contains("    hello red") && !shown(&console).contains("mine"),
            "{}",
            shown(&console)
        );
        assert_eq!(console.cursor(&app.view()), Some((3, 13)));
        assert_eq!(sent(console.key(&Key::ctrl('c'), &app.view()))["data"], "\u{3}");
        assert_eq!(sent(console.paste("a\nb"))["data"], "a\rb");
        assert_eq!(sent(console.key(&Key::plain(Code::Esc), &app.view()))["type"], "pty_kill");
        assert!(matches!(console.key(&Key::plain(Code::Esc), &app.view()), Step::Close));
    }
}
