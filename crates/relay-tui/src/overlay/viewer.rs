//! The whole conversation, with every result in full.
//!
//! The place is kept as a part and a line in it, and only parts on the screen, or between two places, are worked out: a long
//! conversation scrolls as fast as a short one.

use std::cell::Cell;

use super::pages::{is_exit, scroll};
use super::{Overlay, Step, list::rule};
use crate::conversation::Conversation;
use crate::input::Key;
use crate::text::Line;
use crate::view::View;

/// The first line on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// As far down as it goes; follows what is new.
    End,
    /// A line of a part.
    At(usize, usize),
}

/// The whole conversation.
pub struct Viewer {
    place: Cell<Place>,
    /// How far keys have scrolled since it was drawn last.
    pending: Cell<isize>,
}

impl Default for Viewer {
    fn default() -> Self {
        Self { place: Cell::new(Place::End), pending: Cell::new(0) }
    }
}

impl Viewer {
    fn rows(&self, view: &View<'_>, conversation: &Conversation, rows: usize) -> Vec<Line> {
        let view = View { is_expanded: true, shows_thinking: true, ..*view };
        let lines_of = |at: usize| conversation.block_lines(at, &view);
        let count = conversation.blocks().len();
        // Back from a line of part `block`, by this many lines.
        let back = |mut block: usize, mut line: usize, mut by: usize| loop {
            if line >= by {
                break (block, line - by);
            }
            by -= line;
            let Some(before) = block.checked_sub(1) else { break (0, 0) };
            block = before;
            line = lines_of(block).len();
        };
        let end = back(count, 0, rows);
        let by = self.pending.take();
        let (mut block, mut line) = match self.place.get() {
            Place::End => end,
            Place::At(block, line) => (block, line),
        };
        if by < isize::MIN / 4 {
            (block, line) = (0, 0);
        } else if by < 0 {
            (block, line) = back(block, line, by.unsigned_abs());
        } else if by > isize::MAX / 4 {
            (block, line) = end;
        } else {
            line += by.unsigned_abs();
            while block < count {
                let length = lines_of(block).len();
                if line < length {
                    break;
                }
                line -= length;
                block += 1;
            }
        }
        if (block, line) >= end {
            (block, line) = end;
            self.place.set(Place::End);
        } else {
            self.place.set(Place::At(block, line));
        }
        let mut shown = Vec::new();
        while shown.len() < rows && block < count {
            shown.extend(lines_of(block).into_iter().skip(line));
            (block, line) = (block + 1, 0);
        }
        shown.truncate(rows);
        shown
    }
}

impl Overlay for Viewer {
    fn lines(&self, view: &View<'_>, conversation: &Conversation) -> Vec<Line> {
        let rows = view.height.saturating_sub(2).max(1);
        let mut lines = vec![rule(view, "conversation, in full")];
        lines.extend(self.rows(view, conversation, rows));
        while lines.len() < rows + 1 {
            lines.push(Line::new());
        }
        let hints = [
            ("esc".to_owned(), "close"),
            (format!("{} pgup pgdn", view.arrows()), "scroll"),
            ("g G".to_owned(), "ends"),
        ];
        lines.push(view.hints(&hints));
        lines
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        if is_exit(key) {
            return Step::Close;
        }
        if let Some(by) = scroll(key, view.height.saturating_sub(2)) {
            self.pending.set(self.pending.get().saturating_add(by));
        }
        Step::Stay
    }

    fn is_full(&self) -> bool {
        true
    }
}
