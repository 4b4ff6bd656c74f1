//! The editor at the bottom: text, caret, undo, deleted text, folded pastes, history.
//!
//! It knows nothing of the agent: keys become [`Action`]s elsewhere, and what it holds is read by the application.

mod buffer;
mod layout;
mod memory;
mod view;
mod vim;

pub use buffer::Buffer;
pub use layout::Layout;
pub use memory::{History, Pastes};
pub use view::Shown;
pub use vim::{Vim, VimKey};

use memory::{Kills, Undo};

use crate::input::Image;
use crate::keymap::Action;

/// What the text is for, by how it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A message for the model.
    Prompt,
    /// `!`: a command, with its output for the model.
    Shell,
    /// `!!`: a command, without.
    ShellAside,
    /// `$`: Python.
    Python,
}

/// The editor.
#[derive(Clone, Debug, Default)]
pub struct Editor {
    buffer: Buffer,
    undo: Undo,
    kills: Kills,
    pastes: Pastes,
    /// Earlier prompts.
    pub history: History,
    /// Pictures that go with the message.
    pub images: Vec<Image>,
    /// The column that moving up and down keeps.
    column: Option<usize>,
    /// The cells of a row when it was drawn last: rows are what up and down go by.
    room: usize,
    /// The keys of vi, if they are wanted.
    pub vim: Option<Vim>,
}

impl Editor {
    /// The text and the caret.
    #[must_use]
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// What is shown, with pastes folded.
    #[must_use]
    pub fn text(&self) -> &str {
        self.buffer.text()
    }

    /// What is sent, with pastes in full.
    #[must_use]
    pub fn content(&self) -> String {
        self.pastes.unfold(self.buffer.text())
    }

    /// Whether nothing is written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buffer.text().is_empty() && self.images.is_empty()
    }

    /// What the text is for.
    #[must_use]
    pub fn mode(&self) -> Mode {
        let text = self.buffer.text();
        match text {
            _ if text.starts_with("!!") => Mode::ShellAside,
            _ if text.starts_with('!') => Mode::Shell,
            _ if text.starts_with('$') && !text.starts_with("${") => Mode::Python,
            _ => Mode::Prompt,
        }
    }

    /// Replaces everything; can be undone.
    pub fn set(&mut self, text: &str) {
        self.undo.before(&self.buffer, None);
        self.buffer = Buffer::new(text);
        self.column = None;
    }

    /// Empties the editor, for good.
    pub fn clear(&mut self) {
        self.set("");
        self.pastes.clear();
        self.images.clear();
        self.history.leave();
    }

    /// A character was typed.
    pub fn type_char(&mut self, character: char) {
        self.undo.before(&self.buffer, Some(character));
        self.moved();
        self.history.leave();
        self.buffer.insert(character.encode_utf8(&mut [0; 4]));
    }

    /// Text arrived as a whole: pasted, or completed. Long pastes are folded.
    pub fn paste(&mut self, text: &str) {
        self.undo.before(&self.buffer, None);
        self.moved();
        self.history.leave();
        let folded = self.pastes.fold(text);
        self.buffer.insert(&folded);
    }

    /// Puts `with` in the place of the text from `start` to the caret.
    pub fn complete(&mut self, start: usize, with: &str) {
        self.undo.before(&self.buffer, None);
        self.moved();
        let end = self.buffer.caret();
        self.buffer.replace(start.min(end)..end, with);
    }

    /// Moves the caret to a place.
    pub fn set_caret(&mut self, to: usize) {
        self.moved();
        self.buffer.set_caret(to);
    }

    /// Does what an editing action asks for. `false` if it is not one, or there is nothing to do: then it may mean something
    /// else, such as an earlier prompt for going up in the first row.
    pub fn apply(&mut self, action: Action) -> bool {
        match action {
            Action::Up => return self.vertical(-1),
            Action::Down => return self.vertical(1),
            Action::DeleteLeft | Action::DeleteRight => self.delete(action),
            Action::DeleteWordLeft
            | Action::DeleteWordRight
            | Action::DeleteToStart
            | Action::DeleteToEnd => {
                self.kill(action);
            }
            Action::Yank => {
                self.undo.before(&self.buffer, None);
                self.kills.yank(&mut self.buffer);
            }
            Action::YankOlder => {
                self.undo.before(&self.buffer, None);
                self.kills.older(&mut self.buffer);
            }
            Action::Undo => self.undo.undo(&mut self.buffer),
            Action::Redo => self.undo.redo(&mut self.buffer),
            Action::NewLine => {
                self.undo.before(&self.buffer, None);
                self.moved();
                self.buffer.insert("\n");
            }
            _ => return self.horizontal(action),
        }
        true
    }

    fn horizontal(&mut self, action: Action) -> bool {
        let caret = self.buffer.caret();
        let to = match action {
            Action::Left => self.buffer.left(caret),
            Action::Right => self.buffer.right(caret),
            Action::WordLeft => self.buffer.word_left(caret),
            Action::WordRight => self.buffer.word_right(caret),
            Action::LineStart => self.buffer.line_start(caret),
            Action::LineEnd => self.buffer.line_end(caret),
            Action::TextStart => 0,
            Action::TextEnd => self.buffer.text().len(),
            _ => return false,
        };
        self.set_caret(to);
        true
    }

    fn vertical(&mut self, by: isize) -> bool {
        let layout = self.layout();
        let (row, column) = layout.locate(self.buffer.text(), self.buffer.caret());
        let Some(to) = row.checked_add_signed(by).filter(|row| *row < layout.rows.len()) else {
            return false;
        };
        let column = *self.column.get_or_insert(column);
        self.kills.interrupt();
        let place = layout.place(self.buffer.text(), to, column);
        self.buffer.set_caret(place);
        true
    }

    /// The rows as they were drawn last.
    #[must_use]
    pub fn layout(&self) -> Layout {
        Layout::new(self.buffer.text(), if self.room == 0 { 80 } else { self.room })
    }

    /// The cells of a row from now on.
    pub fn set_room(&mut self, room: usize) {
        self.room = room;
    }

    fn delete(&mut self, action: Action) {
        self.undo.before(&self.buffer, None);
        self.moved();
        self.history.leave();
        let caret = self.buffer.caret();
        let range = if action == Action::DeleteRight {
            caret..self.buffer.right(caret)
        } else {
            let mark = self.pastes.ending_at(self.buffer.before()).map(|length| caret - length);
            mark.unwrap_or_else(|| self.buffer.left(caret))..caret
        };
        if range.is_empty() && action == Action::DeleteLeft {
            self.images.pop();
        }
        drop(self.buffer.take(range));
    }

    fn kill(&mut self, action: Action) {
        self.undo.before(&self.buffer, None);
        self.column = None;
        let caret = self.buffer.caret();
        let (range, forward) = match action {
            Action::DeleteWordLeft => (self.buffer.word_left(caret)..caret, false),
            Action::DeleteWordRight => (caret..self.buffer.word_right(caret), true),
            Action::DeleteToStart => {
                let start = self.buffer.line_start(caret);
                // At the beginning of a line, the line break goes.
                (if start == caret { self.buffer.left(caret) } else { start }..caret, false)
            }
            _ => {
                let end = self.buffer.line_end(caret);
                (caret..if end == caret { self.buffer.right(caret) } else { end }, true)
            }
        };
        let taken = self.buffer.take(range);
        self.kills.push(&taken, forward);
    }

    fn moved(&mut self) {
        self.column = None;
        self.kills.interrupt();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> Editor {
        let mut editor = Editor::default();
        for character in text.chars() {
            editor.type_char(character);
        }
        editor
    }

    #[test]
    fn editing_actions() {
        let mut editor = typed("one two\nthree");
        assert!(editor.apply(Action::Up));
        assert_eq!(editor.buffer().caret(), 5);
        assert!(!editor.apply(Action::Up));
        editor.apply(Action::DeleteWordLeft);
        assert_eq!(editor.text(), "one wo\nthree");
        editor.apply(Action::DeleteToEnd);
        assert_eq!(editor.text(), "one \nthree");
        editor.apply(Action::Yank);
        assert_eq!(editor.text(), "one two\nthree");
        editor.apply(Action::Undo);
        editor.apply(Action::Undo);
        editor.apply(Action::Undo);
        assert_eq!(editor.text(), "one two\nthree");
    }

    #[test]
    fn the_first_characters_say_what_the_text_is_for() {
        for (text, mode) in [
            ("ls", Mode::Prompt),
            ("!ls", Mode::Shell),
            ("!!ls", Mode::ShellAside),
            ("$x", Mode::Python),
            ("${x}", Mode::Prompt),
        ] {
            assert_eq!(typed(text).mode(), mode, "{text}");
        }
    }

    #[test]
    fn a_folded_paste_is_deleted_as_a_whole() {
        let mut editor = typed("a ");
        editor.paste(&"x\n".repeat(30));
        assert_eq!(editor.text(), "a [paste #1: 30 lines]");
        assert!(editor.content().contains("x\nx\n"));
        editor.apply(Action::DeleteLeft);
        assert_eq!(editor.text(), "a ");
    }
}
