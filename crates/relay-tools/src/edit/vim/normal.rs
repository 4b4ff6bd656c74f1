//! Normal mode: commands, and the motions that they and operators share.

use super::keys::{ENTER, ESCAPE, Keys};
use super::motion::{self, Find, Motion, Span};
use super::object::object;
use super::operate::Stretch;
use super::state::{Change, Done, Mode, Vim, VimError, WINDOW};
use super::text::Pos;

/// What was typed before a command: a register and a count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given {
    pub register: Option<char>,
    pub count: Option<usize>,
}

impl Given {
    pub fn times(self) -> usize {
        self.count.unwrap_or(1)
    }
}

/// The largest count; more would only take time.
const COUNT: usize = 100_000;

pub fn next(keys: &mut Keys) -> Result<char, VimError> {
    keys.next().ok_or(VimError::Unfinished)
}

/// Reads a register, a count and the key after them.
pub fn prefix(keys: &mut Keys) -> Result<(Given, char), VimError> {
    let mut given = Given::default();
    loop {
        match next(keys)? {
            '"' => given.register = Some(next(keys)?),
            key if key.is_ascii_digit() && (key != '0' || given.count.is_some()) => {
                let digit = key.to_digit(10).unwrap_or_default() as usize;
                given.count = Some((given.count.unwrap_or_default() * 10 + digit).min(COUNT));
            }
            key => return Ok((given, key)),
        }
    }
}

impl Vim {
    /// Carries out one command.
    pub fn normal(&mut self, keys: &mut Keys) -> Done {
        keys.typed.clear();
        let (given, key) = prefix(keys)?;
        let start = keys.typed.len() - 1;
        if let Some(operator) = operator(key, keys)? {
            return self.operator(operator, keys, given, start);
        }
        if let Some(motion) = self.motion(key, keys, given.count, None)? {
            self.move_by(motion, matches!(key, 'j' | 'k'));
            return Ok(());
        }
        match key {
            ESCAPE => Ok(()),
            'u' => (0..given.times()).try_for_each(|_| self.undo(false)),
            '\u{12}' => (0..given.times()).try_for_each(|_| self.undo(true)),
            '.' => self.repeat(given.count),
            'v' | 'V' => {
                self.mode = Mode::Visual { from: self.cursor, lines: key == 'V' };
                Ok(())
            }
            ':' => self.command_line(keys, given),
            'g' if keys.peek() == Some('v') => {
                keys.next();
                self.reselect()
            }
            'Z' => match next(keys)? {
                'Z' => self.ex("x"),
                'Q' => self.ex("q!"),
                other => Err(unknown(&format!("Z{other}"))),
            },
            'Y' => self.on_lines('y', given),
            _ => self.change(key, keys, given, start),
        }
    }

    /// Commands that change the text.
    fn change(&mut self, key: char, keys: &mut Keys, given: Given, start: usize) -> Done {
        let times = given.times();
        let simple = match key {
            'x' => Some("dl"),
            'X' => Some("dh"),
            'D' => Some("d$"),
            'C' => Some("c$"),
            's' => Some("cl"),
            'S' => Some("cc"),
            _ => None,
        };
        if let Some(same) = simple {
            let mut rest = same.chars();
            let (operator, motion) = (rest.next().unwrap_or('d'), rest.as_str().to_owned());
            let mut typed = Keys::of(&motion.chars().collect::<Vec<_>>());
            self.note_change(keys, given, start);
            if key == 'x' && self.text.width(self.cursor.line) == 0 {
                return Err(VimError::failed("there is nothing to delete"));
            }
            return self.operate_with(operator, &mut typed, given);
        }
        // What follows is one key at most, so that the whole command is known before the text changes.
        let extra = match key {
            'r' => Some(next(keys)?),
            'g' => Some(next(keys)?),
            _ => None,
        };
        self.note_change(keys, given, start);
        self.save_undo();
        let Pos { line, col } = self.cursor;
        let width = self.text.width(line);
        let done = match (key, extra) {
            ('i', _) => self.inserts(Pos::new(line, col), times),
            ('a', _) => self.inserts(Pos::new(line, (col + 1).min(width)), times),
            ('I', _) => {
                let first = self.text.line(line).iter().position(|c| !c.is_whitespace()).unwrap_or(width);
                self.inserts(Pos::new(line, first), times)
            }
            ('A', _) => self.inserts(Pos::new(line, width), times),
            ('o' | 'O', _) => {
                let at = if key == 'o' { line + 1 } else { line };
                self.text.insert_lines(at, [Vec::new()]);
                self.begin_insert(Pos::new(at, 0), times, true);
                Ok(())
            }
            ('R', _) => {
                self.begin_insert(Pos::new(line, col), times, false);
                self.mode = Mode::Replace;
                Ok(())
            }
            ('p' | 'P', _) => self.put(given.register, times, key == 'p'),
            ('r', Some(with)) => self.replace_characters(with, times),
            ('~', _) => self.toggle(times),
            ('J', _) => self.join(line, times.max(2), true),
            ('g', Some('J')) => self.join(line, times.max(2), false),
            (key, extra) => Err(unknown(&[Some(key), extra].into_iter().flatten().collect::<String>())),
        };
        if self.mode == Mode::Normal {
            self.settle_undo();
        }
        done
    }

    fn inserts(&mut self, at: Pos, times: usize) -> Done {
        self.begin_insert(at, times, false);
        Ok(())
    }

    /// Remembers the command that is being carried out for `.`.
    pub fn note_change(&mut self, keys: &Keys, given: Given, start: usize) {
        if self.is_repeating() {
            return;
        }
        let register = given.register.map(|name| ['"', name]).into_iter().flatten();
        let own = keys.typed.get(start..).unwrap_or_default().iter().copied();
        self.last_change = Some(Change::Keys { count: given.count, keys: register.chain(own).collect() });
    }

    /// Goes where a motion leads.
    pub fn move_by(&mut self, motion: Motion, keeps_column: bool) {
        let wanted = self.wanted_col;
        let is_visual = matches!(self.mode, Mode::Visual { lines: false, .. });
        self.set_cursor(motion.to);
        if motion.to_end {
            self.wanted_col = usize::MAX;
            if is_visual {
                self.cursor.col = self.text.width(self.cursor.line);
            }
        } else if keeps_column {
            self.wanted_col = wanted;
        }
    }

    /// The motion that a key begins; nothing if it is none. `operator` is what waits for it.
    pub fn motion(
        &mut self,
        key: char,
        keys: &mut Keys,
        count: Option<usize>,
        operator: Option<char>,
    ) -> Result<Option<Motion>, VimError> {
        let times = count.unwrap_or(1);
        if let Some(motion) = self.within_line(key, times, operator)? {
            return Ok(Some(motion));
        }
        if let Some(motion) = self.by_word(key, times, operator) {
            return motion.map(Some);
        }
        if let Some(motion) = self.to_lines(key, keys, count)? {
            return Ok(Some(motion));
        }
        let at = self.cursor;
        let found = match key {
            '}' | '{' => motion::paragraph(&self.text, at, times, key == '}'),
            'f' | 'F' | 't' | 'T' => {
                let find = Find {
                    wanted: next(keys)?,
                    forward: matches!(key, 'f' | 't'),
                    till: matches!(key, 't' | 'T'),
                };
                self.last_find = Some(find);
                motion::find(&self.text, at, find, times, false)
            }
            ';' | ',' => self.last_find.and_then(|find| {
                let find = Find { forward: find.forward == (key == ';'), ..find };
                motion::find(&self.text, at, find, times, true)
            }),
            '%' if count.is_none() => {
                motion::matching(&self.text, at).map(|to| Motion::new(to, Span::Inclusive))
            }
            '/' | '?' | 'n' | 'N' | '*' | '#' => Some(self.searching(key, keys, times)?),
            _ => return Ok(None),
        };
        found.map(Some).ok_or_else(|| VimError::failed(format!("`{key}` leads nowhere from here")))
    }

    fn within_line(
        &self,
        key: char,
        times: usize,
        operator: Option<char>,
    ) -> Result<Option<Motion>, VimError> {
        let Pos { line, col } = self.cursor;
        let width = self.text.width(line);
        let fail = || VimError::failed(format!("`{key}` leads nowhere from here"));
        let exclusive = |col: usize| Ok(Some(Motion::new(Pos::new(line, col), Span::Exclusive)));
        match key {
            'h' | '\u{8}' if col == 0 => Err(fail()),
            'h' | '\u{8}' => exclusive(col.saturating_sub(times)),
            'l' | ' ' => {
                let most = if operator.is_some() { width } else { width.saturating_sub(1) };
                if col >= most { Err(fail()) } else { exclusive((col + times).min(most)) }
            }
            '0' => exclusive(0),
            '^' => exclusive(self.text.first_nonblank(line)),
            '$' => {
                let line = line + times - 1;
                if line > self.text.last() {
                    return Err(fail());
                }
                let to = Pos::new(line, self.text.width(line).saturating_sub(1));
                let span = if self.text.width(line) == 0 { Span::Exclusive } else { Span::Inclusive };
                Ok(Some(Motion { to_end: true, ..Motion::new(to, span) }))
            }
            _ => Ok(None),
        }
    }

    fn by_word(&self, key: char, times: usize, operator: Option<char>) -> Option<Result<Motion, VimError>> {
        let (text, at) = (&self.text, self.cursor);
        let big = key.is_ascii_uppercase();
        let on_character = |mut to: Pos, span: Span| {
            // Not past the end of a line: an operator takes the last character with it instead.
            match to.col > 0 && to.col >= text.width(to.line) {
                true => {
                    to.col -= 1;
                    Motion::new(to, Span::Inclusive)
                }
                false => Motion::new(to, span),
            }
        };
        let motion = match key.to_ascii_lowercase() {
            'w' if operator == Some('c') && motion::class(text, at, big) != 0 => {
                on_character(motion::word_end(text, at, times, big, true), Span::Inclusive)
            }
            'w' => {
                on_character(motion::word_forward(text, at, times, big, operator.is_some()), Span::Exclusive)
            }
            'e' => on_character(motion::word_end(text, at, times, big, false), Span::Inclusive),
            'b' => match motion::word_back(text, at, times, big) {
                Some(to) => Motion::new(to, Span::Exclusive),
                None => return Some(Err(VimError::failed("there is no word before"))),
            },
            _ => return None,
        };
        let is_stuck = motion.to == at && operator.is_none();
        Some(if is_stuck { Err(VimError::failed("there is no further word")) } else { Ok(motion) })
    }

    fn to_lines(&self, key: char, keys: &mut Keys, count: Option<usize>) -> Result<Option<Motion>, VimError> {
        let (line, last, times) = (self.cursor.line, self.text.last(), count.unwrap_or(1));
        let fail = || VimError::failed(format!("`{key}` leads nowhere from here"));
        let kept = |to: usize| Pos::new(to, self.text.col_at(to, self.wanted_col));
        let first = |to: usize| Pos::new(to, self.text.first_nonblank(to));
        let bottom = (self.top + WINDOW - 1).min(last);
        let to = match key {
            'j' | '+' | ENTER if line == last => return Err(fail()),
            'k' | '-' if line == 0 => return Err(fail()),
            'j' => kept((line + times).min(last)),
            'k' => kept(line.saturating_sub(times)),
            '+' | ENTER => first((line + times).min(last)),
            '-' => first(line.saturating_sub(times)),
            '_' if line + times - 1 > last => return Err(fail()),
            '_' => first(line + times - 1),
            'G' => first(count.map_or(last, |line| line.saturating_sub(1).min(last))),
            'g' if keys.peek() == Some('g') => {
                keys.next();
                first(times.saturating_sub(1).min(last))
            }
            'H' => first((self.top + times - 1).min(bottom)),
            'M' => first(self.top + (bottom - self.top) / 2),
            'L' => first((bottom + 1).saturating_sub(times).max(self.top)),
            _ => return Ok(None),
        };
        Ok(Some(Motion::new(to, Span::Lines)))
    }

    /// Reads an object or a motion after an operator, and operates on it.
    fn operator(&mut self, operator: char, keys: &mut Keys, given: Given, start: usize) -> Done {
        let (inner, key) = prefix(keys)?;
        let count = match (given.count, inner.count) {
            (None, None) => None,
            (outer, inner) => Some(outer.unwrap_or(1).saturating_mul(inner.unwrap_or(1)).min(COUNT)),
        };
        let given = Given { count, register: given.register.or(inner.register) };
        let at = self.cursor;
        let is_double = key == operator
            || key == 'g' && keys.peek() == Some(operator) && matches!(operator, 'u' | 'U' | '~');
        let stretch = if is_double {
            if key == 'g' {
                keys.next();
            }
            None
        } else if matches!(key, 'i' | 'a') {
            let named = next(keys)?;
            let found = object(&self.text, at, named, key == 'i', given.times());
            let found = found.ok_or_else(|| VimError::failed(format!("there is no `{key}{named}` here")))?;
            Some(Stretch::of_object(&self.text, found))
        } else {
            let motion = self.motion(key, keys, given.count, Some(operator))?;
            let motion = motion.ok_or_else(|| unknown(&format!("{operator}{key}")))?;
            Some(Stretch::of_motion(&self.text, at, motion))
        };
        if operator != 'y' {
            self.note_change(keys, given, start);
        }
        match stretch {
            None => self.on_lines(operator, given),
            Some(stretch) => self.operate(operator, stretch, given.register),
        }
    }

    /// The same with a motion that is known already.
    fn operate_with(&mut self, operator: char, keys: &mut Keys, given: Given) -> Done {
        let key = next(keys)?;
        if key == operator {
            return self.on_lines(operator, given);
        }
        let at = self.cursor;
        let is_empty = self.text.width(at.line) == 0;
        let motion = match self.motion(key, keys, given.count, Some(operator)) {
            // `s` and `C` on an empty line, or at its end, just insert.
            Err(_) if operator == 'c' && is_empty => Some(Motion::new(at, Span::Exclusive)),
            found => found?,
        };
        let motion = motion.ok_or_else(|| unknown(&format!("{operator}{key}")))?;
        self.operate(operator, Stretch::of_motion(&self.text, at, motion), given.register)
    }

    /// An operator on the cursor's line and those below, as `3dd`.
    fn on_lines(&mut self, operator: char, given: Given) -> Done {
        let (first, times) = (self.cursor.line, given.times());
        if times > 1 && first == self.text.last() {
            return Err(VimError::failed("there are no further lines"));
        }
        let last = (first + times - 1).min(self.text.last());
        self.operate(operator, Stretch::lines(first, last, self.cursor), given.register)
    }
}

/// The operator that a key begins, if it does.
fn operator(key: char, keys: &mut Keys) -> Result<Option<char>, VimError> {
    match (key, keys.peek()) {
        ('d' | 'c' | 'y' | '>' | '<', _) => Ok(Some(key)),
        ('g', Some(case @ ('u' | 'U' | '~'))) => {
            keys.next();
            Ok(Some(case))
        }
        ('g', None) => Err(VimError::Unfinished),
        _ => Ok(None),
    }
}

pub fn unknown(keys: &str) -> VimError {
    VimError::failed(format!("`{keys}` is not a command that is known here"))
}
