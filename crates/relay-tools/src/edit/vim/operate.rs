//! Operators, and the commands that are made of them.

use super::motion::{Motion, Span};
use super::object::Object;
use super::state::{Done, Mode, Vim, VimError};
use super::text::{Pos, Text};

/// What an operator works on: from a place up to, but not including, another, or whole lines.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    pub from: Pos,
    pub to: Pos,
    pub lines: bool,
    /// It was selected, so that it means exactly what it says.
    pub selected: bool,
}

impl Stretch {
    /// Whole lines, the last included; `at` is where the cursor goes that has no better place.
    pub fn lines(first: usize, last: usize, at: Pos) -> Self {
        let from = Pos::new(first, if at.line == first { at.col } else { 0 });
        Self { from, to: Pos::new(last, 0), lines: true, selected: false }
    }

    pub fn of_motion(text: &Text, at: Pos, motion: Motion) -> Self {
        let (from, to) = (at.min(motion.to), at.max(motion.to));
        match motion.span {
            Span::Lines => Self { from, to, lines: true, selected: false },
            Span::Inclusive => Self::exclusive(text, from, Pos::new(to.line, to.col + 1), false),
            Span::Exclusive => Self::exclusive(text, from, to, true),
        }
    }

    pub fn of_object(text: &Text, object: Object) -> Self {
        match object.lines {
            true => Self { from: object.from, to: object.to, lines: true, selected: false },
            false => Self::exclusive(text, object.from, object.to, true),
        }
    }

    /// Text up to a place. One that ends at the beginning of a line ends at the end of the line above, and means whole lines if it
    /// begins within an indentation.
    fn exclusive(text: &Text, from: Pos, to: Pos, adjusts: bool) -> Self {
        if adjusts && to.col == 0 && to.line > from.line {
            if text.is_in_indent(from) {
                return Self { from, to: Pos::new(to.line - 1, 0), lines: true, selected: false };
            }
            let above = Pos::new(to.line - 1, text.width(to.line - 1));
            return Self { from, to: above, lines: false, selected: false };
        }
        Self { from, to, lines: false, selected: false }
    }
}

impl Vim {
    /// Carries out an operator.
    pub fn operate(&mut self, operator: char, stretch: Stretch, register: Option<char>) -> Done {
        if operator == 'y' {
            self.yank(stretch, register);
            return Ok(());
        }
        self.save_undo();
        match operator {
            'd' => self.delete(stretch, register),
            'c' => self.replace_by_typing(stretch, register),
            '>' | '<' => self.shift_lines(stretch.from.line, stretch.to.line, operator == '>', 1),
            case => self.change_case(stretch, case),
        }
        if self.mode == Mode::Normal {
            self.settle_undo();
        }
        Ok(())
    }

    /// The text of a stretch.
    pub fn taken(&self, stretch: Stretch) -> Vec<Vec<char>> {
        match stretch.lines {
            true => (stretch.from.line..=stretch.to.line).map(|line| self.text.line(line).to_vec()).collect(),
            false => self.text.slice(stretch.from, stretch.to),
        }
    }

    fn yank(&mut self, stretch: Stretch, register: Option<char>) {
        let taken = self.taken(stretch);
        if stretch.lines || stretch.from < stretch.to {
            self.store(register, taken, stretch.lines, true);
        }
        self.set_cursor(stretch.from);
    }

    pub fn delete(&mut self, mut stretch: Stretch, register: Option<char>) {
        let Stretch { from, to, .. } = stretch;
        // A deletion over several lines that leaves only blanks on both sides takes the whole lines.
        let is_rest_blank = || self.text.line(to.line).iter().skip(to.col).all(|c| c.is_whitespace());
        if !stretch.lines
            && !stretch.selected
            && to.line > from.line
            && is_rest_blank()
            && self.text.is_in_indent(from)
        {
            stretch.lines = true;
        }
        let taken = self.taken(stretch);
        if stretch.lines {
            self.store(register, taken, true, false);
            self.text.remove_lines(from.line, to.line);
            self.go_to_line(from.line);
        } else if from < to {
            self.store(register, taken, false, false);
            self.text.remove(from, to);
            self.set_cursor(from);
        } else {
            self.set_cursor(from);
        }
    }

    pub fn replace_by_typing(&mut self, stretch: Stretch, register: Option<char>) {
        let taken = self.taken(stretch);
        let Stretch { from, to, lines, .. } = stretch;
        if lines {
            self.store(register, taken, true, false);
            self.text.replace_lines(from.line, to.line, [Vec::new()]);
            self.begin_insert(Pos::new(from.line, 0), 1, false);
            return;
        }
        if from < to {
            self.store(register, taken, false, false);
            self.text.remove(from, to);
        }
        self.begin_insert(from, 1, false);
    }

    /// Moves lines by steps of indentation.
    pub fn shift_lines(&mut self, first: usize, last: usize, right: bool, steps: usize) {
        let (width, blanks) = self.shift;
        for line in first..=last.min(self.text.last()) {
            let text = self.text.line(line).to_vec();
            let indent: Vec<char> = text.iter().copied().take_while(|c| matches!(c, ' ' | '\t')).collect();
            if indent.len() == text.len() && (right || text.is_empty()) {
                continue;
            }
            let columns =
                indent.iter().fold(0, |column, c| if *c == '\t' { (column / 8 + 1) * 8 } else { column + 1 });
            let columns = if right { columns + width * steps } else { columns.saturating_sub(width * steps) };
            let mut shifted: Vec<char> = match blanks {
                true => vec![' '; columns],
                false => [vec!['\t'; columns / 8], vec![' '; columns % 8]].concat(),
            };
            shifted.extend(text.iter().skip(indent.len()));
            self.text.set(line, shifted);
        }
        self.go_to_line(first);
    }

    /// `gu`, `gU` and `g~` on a stretch.
    pub fn change_case(&mut self, stretch: Stretch, case: char) {
        let Stretch { from, to, lines, .. } = stretch;
        for line in from.line..=to.line.min(self.text.last()) {
            let start = if line == from.line && !lines { from.col } else { 0 };
            let end = if line == to.line && !lines { to.col } else { usize::MAX };
            let in_case = |(col, c): (usize, &char)| match (start..end).contains(&col) {
                true => cased(*c, case),
                false => vec![*c],
            };
            let text = self.text.line(line).iter().enumerate().flat_map(in_case).collect();
            self.text.set(line, text);
        }
        self.set_cursor(from);
    }

    /// `~` in normal mode.
    pub fn toggle(&mut self, times: usize) -> Done {
        let Pos { line, col } = self.cursor;
        let width = self.text.width(line);
        if width == 0 {
            return Err(VimError::failed("there is no character here"));
        }
        let to = Pos::new(line, (col + times).min(width));
        self.change_case(Stretch { from: self.cursor, to, lines: false, selected: true }, '~');
        self.set_cursor(to);
        Ok(())
    }

    /// `r`.
    pub fn replace_characters(&mut self, with: char, times: usize) -> Done {
        let Pos { line, col } = self.cursor;
        if with == super::keys::ESCAPE {
            return Ok(());
        }
        if col + times > self.text.width(line) {
            return Err(VimError::failed("there are fewer characters than that to replace"));
        }
        self.text.remove(self.cursor, Pos::new(line, col + times));
        if with == super::keys::ENTER {
            self.text.insert(Pos::new(line, col), &[Vec::new(), Vec::new()]);
            self.go_to_line(line + 1);
            return Ok(());
        }
        self.text.insert(Pos::new(line, col), &[vec![with; times]]);
        self.set_cursor(Pos::new(line, col + times - 1));
        Ok(())
    }

    /// Joins lines into one, with a blank between them or as they are.
    pub fn join(&mut self, first: usize, count: usize, spaced: bool) -> Done {
        if first >= self.text.last() {
            return Err(VimError::failed("there is no line below to join"));
        }
        let last = (first + count - 1).min(self.text.last());
        let mut joined = self.text.line(first).to_vec();
        let mut at = joined.len();
        // How the line above ends, which may be an empty one by itself.
        let mut end = joined.last().copied();
        for line in first + 1..=last {
            let mut next = self.text.line(line).to_vec();
            at = joined.len();
            if spaced {
                next.drain(..next.iter().take_while(|c| matches!(c, ' ' | '\t')).count());
                let ends_blank = matches!(end, Some(' ' | '\t'));
                if !next.is_empty() && !joined.is_empty() && !ends_blank && next.first() != Some(&')') {
                    // Vim sets sentences two blanks apart.
                    let ends_sentence = matches!(end, Some('.' | '!' | '?'));
                    joined.extend(std::iter::repeat_n(' ', 1 + usize::from(ends_sentence)));
                }
            }
            end = next.last().copied();
            joined.extend(next);
        }
        self.text.remove_lines(first + 1, last);
        self.text.set(first, joined);
        self.set_cursor(Pos::new(first, at));
        Ok(())
    }

    /// `p` and `P`.
    pub fn put(&mut self, register: Option<char>, times: usize, behind: bool) -> Done {
        let register = self.register(register)?;
        let size: usize = register.text.iter().map(|line| line.len() + 1).sum();
        self.room_for(size.saturating_mul(times))?;
        let Pos { line, col } = self.cursor;
        if register.lines {
            let at = if behind { line + 1 } else { line };
            let all = (0..times).flat_map(|_| register.text.iter().cloned());
            self.text.insert_lines(at, all);
            self.go_to_line(at);
            return Ok(());
        }
        let from = Pos::new(line, if behind { (col + 1).min(self.text.width(line)) } else { col });
        let mut end = from;
        for _ in 0..times {
            end = self.text.insert(end, &register.text);
        }
        match register.text.len() {
            1 => self.set_cursor(Pos::new(end.line, end.col.saturating_sub(1))),
            _ => self.set_cursor(from),
        }
        Ok(())
    }
}

/// A character in another case, which may be several.
pub fn cased(c: char, case: char) -> Vec<char> {
    match case {
        'u' => c.to_lowercase().collect(),
        'U' => c.to_uppercase().collect(),
        _ if c.is_lowercase() => c.to_uppercase().collect(),
        _ => c.to_lowercase().collect(),
    }
}
