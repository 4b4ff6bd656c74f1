//! Visual mode: what is selected, and what is done with it.

use super::keys::{ESCAPE, Keys};
use super::normal::{next, prefix, unknown};
use super::object::object;
use super::operate::Stretch;
use super::state::{Change, Done, Mode, Register, Selected, Vim, VimError};
use super::text::Pos;

impl Vim {
    /// Takes one command in visual mode.
    pub fn visual(&mut self, keys: &mut Keys, from: Pos, lines: bool) -> Done {
        keys.typed.clear();
        let (given, key) = prefix(keys)?;
        let start = keys.typed.len() - 1;
        match key {
            ESCAPE => self.end_visual(from, lines),
            'v' | 'V' if lines == (key == 'V') => self.end_visual(from, lines),
            'v' | 'V' => self.mode = Mode::Visual { from, lines: key == 'V' },
            'o' | 'O' => {
                let to = std::mem::replace(&mut self.cursor, from);
                self.mode = Mode::Visual { from: to, lines };
            }
            'i' | 'a' => {
                let named = next(keys)?;
                let found = object(&self.text, self.cursor.max(from), named, key == 'i', given.times());
                let found =
                    found.ok_or_else(|| VimError::failed(format!("there is no `{key}{named}` here")))?;
                let mut last = found.to;
                match found.lines {
                    true => last.col = last.col.saturating_sub(1),
                    false => drop(self.text.step_back(&mut last)),
                }
                self.mode = Mode::Visual { from: found.from, lines: lines || found.lines };
                self.set_cursor(last);
            }
            ':' => {
                self.end_visual(from, lines);
                return self.command_line_in(keys, "'<,'>");
            }
            _ => {
                let is_command =
                    "dxDXycCsSR><~uUrpPJYg".contains(key) && !(key == 'g' && keys.peek() == Some('g'));
                if is_command {
                    return self.on_selection(key, keys, given.register, start);
                }
                let motion =
                    self.motion(key, keys, given.count, None)?.ok_or_else(|| unknown(&key.to_string()))?;
                self.move_by(motion, matches!(key, 'j' | 'k'));
            }
        }
        Ok(())
    }

    fn end_visual(&mut self, from: Pos, lines: bool) {
        self.last_selected = Some(Selected { from, to: self.cursor, lines });
        self.mode = Mode::Normal;
        let wanted = self.wanted_col;
        self.set_cursor(self.cursor);
        self.wanted_col = wanted;
    }

    /// `gv`.
    pub fn reselect(&mut self) -> Done {
        let selected = self.last_selected.ok_or_else(|| VimError::failed("nothing was selected before"))?;
        self.mode = Mode::Visual { from: selected.from, lines: selected.lines };
        self.cursor = Pos::new(selected.to.line.min(self.text.last()), selected.to.col);
        Ok(())
    }

    /// Does something with what is selected, and leaves visual mode.
    fn on_selection(&mut self, key: char, keys: &mut Keys, register: Option<char>, start: usize) -> Done {
        let Mode::Visual { from, lines } = self.mode else { return Ok(()) };
        let extra = match key {
            'r' | 'g' => Some(next(keys)?),
            _ => None,
        };
        let (first, last) = (from.min(self.cursor), from.max(self.cursor));
        self.end_visual(from, lines);
        let whole = lines || matches!(key, 'D' | 'X' | 'Y' | 'C' | 'S' | 'R');
        let end = match last.col >= self.text.width(last.line) && last.line < self.text.last() {
            true => Pos::new(last.line + 1, 0),
            false => Pos::new(last.line, last.col + 1),
        };
        let stretch = match whole {
            true => Stretch { from: Pos::new(first.line, first.col), to: last, lines: true, selected: true },
            false => Stretch { from: first, to: end, lines: false, selected: true },
        };
        if !matches!(key, 'y' | 'Y') && !self.is_repeating() {
            let columns = if first.line == last.line { last.col.saturating_sub(first.col) } else { last.col };
            let typed = keys.typed.get(start..).unwrap_or_default().to_vec();
            let lines = last.line - first.line;
            self.last_change = Some(Change::Selection { lines, columns, whole_lines: whole, keys: typed });
        }
        match (key, extra) {
            ('d' | 'x' | 'D' | 'X', _) => self.operate('d', stretch, register),
            ('y' | 'Y', _) => {
                let from = if lines { Pos::new(first.line, self.cursor_col_of(first)) } else { first };
                self.operate('y', Stretch { from, ..stretch }, register)
            }
            ('c' | 's' | 'C' | 'S' | 'R', _) => self.operate('c', stretch, register),
            ('>' | '<', _) => self.operate(key, stretch, register),
            ('~' | 'u' | 'U', _) => self.operate(key, stretch, register),
            ('r', Some(with)) => {
                self.fill(stretch, with);
                Ok(())
            }
            ('p' | 'P', _) => self.put_over(stretch, register),
            ('J', _) | ('g', Some('J')) => {
                self.save_undo();
                let count = (last.line - first.line + 1).max(2);
                let done = self.join(first.line, count, key == 'J');
                self.settle_undo();
                done
            }
            ('g', Some('v')) => self.reselect(),
            _ => Err(unknown(&[Some(key), extra].into_iter().flatten().collect::<String>())),
        }
    }

    fn cursor_col_of(&self, first: Pos) -> usize {
        first.col.min(self.text.width(first.line).saturating_sub(1))
    }

    /// `r` on a selection: every character becomes this one.
    fn fill(&mut self, stretch: Stretch, with: char) {
        self.save_undo();
        let Stretch { from, to, lines, .. } = stretch;
        for line in from.line..=to.line.min(self.text.last()) {
            let start = if line == from.line && !lines { from.col } else { 0 };
            let end = if line == to.line && !lines { to.col } else { usize::MAX };
            let filled = |(col, c): (usize, &char)| if (start..end).contains(&col) { with } else { *c };
            let text = self.text.line(line).iter().enumerate().map(filled).collect();
            self.text.set(line, text);
        }
        let first = if lines { Pos::new(from.line, 0) } else { from };
        self.set_cursor(first);
        self.settle_undo();
    }

    /// `p` on a selection: the register takes its place, and what was there goes into the unnamed one.
    fn put_over(&mut self, stretch: Stretch, register: Option<char>) -> Done {
        let Register { text, lines } = self.register(register)?;
        self.save_undo();
        let taken = self.taken(stretch);
        let at = stretch.from;
        if stretch.lines {
            self.text.replace_lines(at.line, stretch.to.line, text);
            self.go_to_line(at.line);
        } else {
            self.text.remove(at, stretch.to);
            if lines {
                self.text.insert(at, &[Vec::new(), Vec::new()]);
                self.text.insert_lines(at.line + 1, text);
                self.go_to_line(at.line + 1);
            } else {
                let end = self.text.insert(at, &text);
                match text.len() {
                    1 => self.set_cursor(Pos::new(end.line, end.col.saturating_sub(1))),
                    _ => self.set_cursor(at),
                }
            }
        }
        self.store(None, taken, stretch.lines, false);
        self.settle_undo();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::operate::cased;

    #[test]
    fn case_may_take_more_characters() {
        assert_eq!(cased('ß', 'U'), ['S', 'S']);
    }
}
