//! The state of an editor on one buffer: text, cursor, mode, registers, undo.

use std::collections::BTreeMap;

use super::keys::{ESCAPE, Keys};
use super::motion::Find;
use super::text::{Pos, Text};

/// How many lines the window shows, for `H`, `M` and `L`: a terminal of 24 lines without its last one.
pub const WINDOW: usize = 23;
/// How many changes can be undone.
const UNDOABLE: usize = 1_000;
/// How many keys one call may cause, also through repeats; a text that repeats itself must end.
const KEYS: usize = 1_000_000;

/// The largest buffer, in characters: yanking and putting doubles it with every few keys.
pub const ROOM: usize = 3 << 20;
/// How many characters all states that can be undone have together.
const UNDO_ROOM: usize = 16 << 20;
/// How many characters a count may type.
const TYPED: usize = 20_000;
/// A look at this many lines counts as a key.
const LINES_PER_KEY: usize = 256;

/// What the keys do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Normal,
    Insert,
    Replace,
    /// Text is selected from here to the cursor.
    Visual {
        from: Pos,
        lines: bool,
    },
}

/// Text that was yanked or deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Register {
    pub text: Vec<Vec<char>>,
    pub lines: bool,
}

/// Why keys were not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VimError {
    /// The keys end in the middle of a command.
    #[error("the keys end in the middle of a command")]
    Unfinished,
    /// A command that cannot be carried out here, where vim beeps.
    #[error("{0}")]
    Failed(String),
}

impl VimError {
    pub fn failed(why: impl Into<String>) -> Self {
        Self::Failed(why.into())
    }
}

pub type Done = Result<(), VimError>;

/// A state that `u` or `C-r` returns to.
#[derive(Clone, Debug)]
struct Version {
    text: Text,
    /// Where the cursor was before the change.
    cursor: Pos,
}

/// A visual selection that is over.
#[derive(Clone, Copy, Debug)]
pub struct Selected {
    pub from: Pos,
    pub to: Pos,
    pub lines: bool,
}

/// A change that `.` repeats.
#[derive(Clone, Debug)]
pub enum Change {
    /// Keys of normal mode, with their count.
    Keys { count: Option<usize>, keys: Vec<char> },
    /// Keys on a selection of this size.
    Selection { lines: usize, columns: usize, whole_lines: bool, keys: Vec<char> },
}

/// What an insertion needs until it ends.
#[derive(Clone, Debug, Default)]
pub struct Inserting {
    pub count: usize,
    /// What is typed again for a count.
    pub typed: Vec<char>,
    /// Each repetition begins on a new line, as with `3o`.
    pub on_new_lines: bool,
}

/// What `:w`, `:q` and the like ask of whoever owns the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    Write,
    Quit,
    /// Leave without the changes since the last write.
    Discard,
}

/// An editor on one buffer.
#[derive(Clone, Debug)]
pub struct Vim {
    pub text: Text,
    pub cursor: Pos,
    /// The column on the screen that `j` and `k` try to keep; the largest means the end of the line.
    pub wanted_col: usize,
    pub mode: Mode,
    pub registers: BTreeMap<char, Register>,
    pub last_find: Option<Find>,
    /// The last pattern, and whether it was looked for forward.
    pub last_search: Option<(String, bool)>,
    pub last_substitute: Option<(String, String, String)>,
    pub last_selected: Option<Selected>,
    pub last_change: Option<Change>,
    pub inserting: Inserting,
    /// Columns of an indentation step, and whether it is made of blanks.
    pub shift: (usize, bool),
    pub top: usize,
    pub wishes: Vec<Wish>,
    history: History,
}

#[derive(Clone, Debug, Default)]
struct History {
    undo: Vec<Version>,
    redo: Vec<Version>,
    saved: Option<Text>,
    used: usize,
    /// The buffer would be larger than it may be.
    is_full: bool,
    /// A repeat is under way, which is not a change of its own.
    repeating: bool,
}

impl Vim {
    pub fn new(content: &str) -> Self {
        let text = Text::new(content);
        Self {
            shift: shift_of(&text),
            history: History { saved: Some(text.clone()), ..History::default() },
            text,
            cursor: Pos::default(),
            wanted_col: 0,
            mode: Mode::Normal,
            registers: BTreeMap::new(),
            last_find: None,
            last_search: None,
            last_substitute: None,
            last_selected: None,
            last_change: None,
            inserting: Inserting::default(),
            top: 0,
            wishes: Vec::new(),
        }
    }

    /// Types keys. Each command is carried out, or the keys end with an error.
    pub fn type_keys(&mut self, keys: &mut Keys) -> Done {
        while !keys.is_empty() {
            self.history.used += 1;
            if self.history.used > KEYS {
                return Err(VimError::failed("the keys repeat too much"));
            }
            match self.mode {
                Mode::Normal => self.normal(keys)?,
                Mode::Insert | Mode::Replace => self.insert(keys),
                Mode::Visual { from, lines } => self.visual(keys, from, lines)?,
            }
            if self.history.is_full {
                return Err(VimError::failed("the buffer would be too large"));
            }
            self.scroll();
        }
        Ok(())
    }

    /// Refuses to put this many characters more into the buffer, if it has no room for them.
    pub fn room_for(&mut self, more: usize) -> Done {
        match self.text.size().saturating_add(more) > ROOM {
            true => Err(VimError::failed("the buffer would be too large")),
            false => Ok(()),
        }
    }

    /// Whether a count may type as many characters as this; if not, the keys end.
    pub fn may_type(&mut self, characters: usize) -> bool {
        self.history.is_full |= characters > TYPED;
        !self.history.is_full
    }

    /// Takes note of a command that looked at all lines.
    pub fn looked_at_all(&mut self) -> Done {
        self.history.used += 1 + self.text.len() / LINES_PER_KEY;
        match self.history.used > KEYS {
            true => Err(VimError::failed("the keys repeat too much")),
            false => self.room_for(0),
        }
    }

    /// Leaves every other mode, as `<Esc>` does.
    pub fn leave(&mut self) {
        // Leaving a mode cannot fail.
        drop(self.type_keys(&mut Keys::of(&[ESCAPE])));
    }

    /// Whether `text` differs from what was written last.
    pub fn is_modified(&self) -> bool {
        self.history.saved.as_ref() != Some(&self.text)
    }

    /// What is in the buffer is in the file now.
    pub fn written(&mut self) {
        self.history.saved = Some(self.text.clone());
        self.history.used = 0;
    }

    /// Puts back what was written last.
    pub fn reload(&mut self) {
        self.text = self.history.saved.clone().unwrap_or_else(|| Text::new(""));
        self.history = History { saved: Some(self.text.clone()), ..History::default() };
        self.set_cursor(self.cursor);
    }

    /// Remembers the text before a change.
    pub fn save_undo(&mut self) {
        self.history.redo.clear();
        self.history.undo.push(Version { text: self.text.clone(), cursor: self.cursor });
        let size = self.text.size();
        self.history.is_full |= size > ROOM;
        let most = (UNDO_ROOM / size.max(1)).clamp(1, UNDOABLE);
        let over = self.history.undo.len().saturating_sub(most);
        self.history.undo.drain(..over);
    }

    /// Forgets the last saved state where nothing changed since.
    pub fn settle_undo(&mut self) {
        let is_same = |version: &mut Version| version.text == self.text;
        drop(self.history.undo.pop_if(is_same));
    }

    pub fn undo(&mut self, redo: bool) -> Done {
        let (from, to) = match redo {
            false => (&mut self.history.undo, &mut self.history.redo),
            true => (&mut self.history.redo, &mut self.history.undo),
        };
        let version = from.pop().ok_or_else(|| VimError::failed("there is nothing to undo or redo"))?;
        let before = std::mem::replace(&mut self.text, version.text);
        to.push(Version { text: before.clone(), cursor: version.cursor });
        let first =
            (0..before.len().max(self.text.len())).find(|line| before.line(*line) != self.text.line(*line));
        let first = first.unwrap_or_default();
        let grown = self.text.len() as isize - before.len() as isize;
        let last = (first as isize + grown.max(0) + 1).max(0) as usize;
        let cursor = version.cursor;
        if (first.saturating_sub(1)..=last).contains(&cursor.line) {
            self.set_cursor(cursor);
        } else {
            let line = first.min(self.text.last());
            self.set_cursor(Pos::new(line, self.text.first_nonblank(line)));
        }
        Ok(())
    }

    /// Whether a repeat is under way.
    pub fn is_repeating(&self) -> bool {
        self.history.repeating
    }

    /// Repeats the last change.
    pub fn repeat(&mut self, count: Option<usize>) -> Done {
        let change =
            self.last_change.clone().ok_or_else(|| VimError::failed("there is no change to repeat"))?;
        self.history.repeating = true;
        let done = self.replay(&change, count);
        self.history.repeating = false;
        if let (Change::Keys { keys, .. }, Some(count)) = (change, count) {
            self.last_change = Some(Change::Keys { count: Some(count), keys });
        }
        done
    }

    fn replay(&mut self, change: &Change, count: Option<usize>) -> Done {
        match change {
            Change::Keys { count: own, keys } => {
                let count = count.or(*own).map(|count| count.to_string()).unwrap_or_default();
                let all: Vec<char> = count.chars().chain(keys.iter().copied()).collect();
                self.type_keys(&mut Keys::of(&all))
            }
            Change::Selection { lines, columns, whole_lines, keys } => {
                let from = self.cursor;
                let line = (from.line + lines).min(self.text.last());
                let col = if *lines == 0 { from.col + columns } else { *columns };
                self.mode = Mode::Visual { from, lines: *whole_lines };
                self.cursor = Pos::new(line, col.min(self.text.width(line).saturating_sub(1)));
                self.type_keys(&mut Keys::of(keys))
            }
        }
    }

    /// Puts the cursor somewhere, on a character if the line has one.
    pub fn set_cursor(&mut self, pos: Pos) {
        let line = pos.line.min(self.text.last());
        let width = self.text.width(line);
        let most =
            if matches!(self.mode, Mode::Insert | Mode::Replace) { width } else { width.saturating_sub(1) };
        self.cursor = Pos::new(line, pos.col.min(most));
        self.wanted_col = self.text.screen_col(self.cursor);
    }

    /// Puts the cursor on the first character of a line that is not blank.
    pub fn go_to_line(&mut self, line: usize) {
        let line = line.min(self.text.last());
        self.set_cursor(Pos::new(line, self.text.first_nonblank(line)));
    }

    /// Keeps the cursor in the window.
    fn scroll(&mut self) {
        let line = self.cursor.line;
        if (self.top..self.top + WINDOW).contains(&line) {
            return;
        }
        let distance = if line < self.top { self.top - line } else { line + 1 - self.top - WINDOW };
        self.top = match distance >= WINDOW / 2 {
            true => line.saturating_sub(WINDOW / 2).min(self.text.len().saturating_sub(WINDOW)),
            false if line < self.top => line,
            false => line + 1 - WINDOW,
        };
    }

    /// Puts text into a register and the unnamed one.
    pub fn store(&mut self, name: Option<char>, text: Vec<Vec<char>>, lines: bool, is_yank: bool) {
        let mut register = Register { text, lines };
        match name {
            Some('_') => return,
            Some(name) if name.is_ascii_uppercase() => {
                if let Some(old) = self.registers.get(&name.to_ascii_lowercase()).cloned() {
                    register = appended(old, register);
                }
                self.registers.insert(name.to_ascii_lowercase(), register.clone());
            }
            Some(name) => drop(self.registers.insert(name, register.clone())),
            None if is_yank => drop(self.registers.insert('0', register.clone())),
            None => {}
        }
        self.registers.insert('"', register);
    }

    pub fn register(&self, name: Option<char>) -> Result<Register, VimError> {
        let name = name.unwrap_or('"').to_ascii_lowercase();
        let register = self.registers.get(&name).filter(|register| !register.text.is_empty());
        register.cloned().ok_or_else(|| VimError::failed(format!("nothing in register {name}")))
    }
}

fn appended(mut old: Register, new: Register) -> Register {
    if old.lines || new.lines {
        old.text.extend(new.text);
        old.lines = true;
        return old;
    }
    let mut new = new.text.into_iter();
    if let (Some(last), Some(first)) = (old.text.last_mut(), new.next()) {
        last.extend(first);
    }
    old.text.extend(new);
    old
}

/// How a text is indented: by this many columns, and whether by blanks.
fn shift_of(text: &Text) -> (usize, bool) {
    let lines = || (0..text.len()).map(|line| text.line(line));
    if lines().any(|line| line.first() == Some(&'\t')) {
        return (8, false);
    }
    let blanks = |line: &[char]| line.iter().take_while(|c| **c == ' ').count();
    let indents = lines().filter(|line| line.len() > blanks(line)).map(blanks).filter(|blanks| *blanks > 1);
    match indents.min() {
        Some(least) if least <= 8 => (least, true),
        _ => (8, false),
    }
}
