//! Insert and replace mode.

use super::keys::{BACKSPACE, ENTER, ESCAPE, Keys};
use super::state::{Change, Inserting, Mode, Vim};
use super::text::Pos;

impl Vim {
    /// Begins to insert at a place; the change ends with `<Esc>`.
    pub fn begin_insert(&mut self, at: Pos, count: usize, on_new_lines: bool) {
        self.mode = Mode::Insert;
        self.inserting = Inserting { count, on_new_lines, ..Inserting::default() };
        self.set_cursor(at);
    }

    /// Takes one key in insert or replace mode.
    pub fn insert(&mut self, keys: &mut Keys) {
        let Some(key) = keys.next() else { return };
        if !self.is_repeating()
            && let Some(Change::Keys { keys, .. } | Change::Selection { keys, .. }) = &mut self.last_change
        {
            keys.push(key);
        }
        if key == ESCAPE {
            self.end_insert();
            return;
        }
        self.inserting.typed.push(key);
        self.type_key(key);
    }

    fn type_key(&mut self, key: char) {
        let at = self.cursor;
        match key {
            ENTER => {
                let end = self.text.insert(at, &[Vec::new(), Vec::new()]);
                self.cursor = end;
            }
            BACKSPACE if at.col > 0 => {
                let before = Pos::new(at.line, at.col - 1);
                self.text.remove(before, at);
                self.cursor = before;
            }
            BACKSPACE => {}
            key => {
                if self.mode == Mode::Replace && at.col < self.text.width(at.line) {
                    self.text.remove(at, Pos::new(at.line, at.col + 1));
                }
                self.cursor = self.text.insert(at, &[vec![key]]);
            }
        }
    }

    fn end_insert(&mut self) {
        let Inserting { count, typed, on_new_lines, .. } = std::mem::take(&mut self.inserting);
        let is_allowed = self.may_type(count.saturating_sub(1).saturating_mul(typed.len() + 1));
        for _ in (1..count).take_while(|_| is_allowed) {
            if on_new_lines {
                let line = self.cursor.line + 1;
                self.text.insert_lines(line, [Vec::new()]);
                self.cursor = Pos::new(line, 0);
            }
            for key in &typed {
                self.type_key(*key);
            }
        }
        self.mode = Mode::Normal;
        self.set_cursor(Pos::new(self.cursor.line, self.cursor.col.saturating_sub(1)));
        self.settle_undo();
    }
}
