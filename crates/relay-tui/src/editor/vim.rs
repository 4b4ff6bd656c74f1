//! The keys of vi for the editor, for those who want them: motions, operators, counts, and two modes.
//!
//! Keys that mean nothing here are passed on, so that Enter sends, Esc in normal mode stops what runs, and chords with Ctrl and
//! Alt do what they always do.

use std::ops::Range;

use super::Editor;
use crate::input::{Code, Key};
use crate::keymap::Action;

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VimKey {
    /// It was vi's.
    Taken,
    /// It is for others.
    Passed,
    /// Up from the first line: an earlier prompt.
    Older,
    /// Down from the last line: a later prompt.
    Newer,
}

/// Modes, and what was typed of a command.
#[derive(Clone, Debug, Default)]
pub struct Vim {
    is_normal: bool,
    count: Option<usize>,
    /// `d`, `c` or `y`, and the count before it.
    operator: Option<(char, usize)>,
    /// `f`, `F`, `t`, `T`, `r` or `g`, which wait for another character.
    waits: Option<char>,
    /// What was deleted or copied last, and whether it was whole lines.
    register: (String, bool),
    /// The last search in a line.
    found: Option<(char, char)>,
}

/// Where a motion leads, and how much of it an operator takes.
struct Motion {
    to: usize,
    /// The character there belongs to it.
    is_inclusive: bool,
    /// Whole lines belong to it.
    is_linewise: bool,
}

impl Motion {
    fn to(to: usize) -> Self {
        Self { to, is_inclusive: false, is_linewise: false }
    }
}

impl Vim {
    /// The name of the mode.
    #[must_use]
    pub fn mode(&self) -> &'static str {
        if self.is_normal { "NORMAL" } else { "INSERT" }
    }

    /// Back to writing, for a new prompt.
    pub fn reset(&mut self) {
        *self = Self { register: std::mem::take(&mut self.register), ..Self::default() };
    }

    /// A key was pressed.
    pub fn key(&mut self, editor: &mut Editor, key: &Key) -> VimKey {
        if !self.is_normal {
            if key.code != Code::Esc {
                return VimKey::Passed;
            }
            self.is_normal = true;
            let caret = editor.buffer.caret();
            if caret > editor.buffer.line_start(caret) {
                editor.set_caret(editor.buffer.left(caret));
            }
            return VimKey::Taken;
        }
        match key.code {
            Code::Esc if self.is_pending() => self.forget(),
            Code::Char('r') if key.ctrl => drop(editor.apply(Action::Redo)),
            Code::Backspace => drop(editor.apply(Action::Left)),
            Code::Char(character) if !key.ctrl && !key.alt => return self.character(editor, character),
            _ => return VimKey::Passed,
        }
        VimKey::Taken
    }

    fn is_pending(&self) -> bool {
        self.count.is_some() || self.operator.is_some() || self.waits.is_some()
    }

    fn forget(&mut self) {
        (self.count, self.operator, self.waits) = (None, None, None);
    }

    fn character(&mut self, editor: &mut Editor, character: char) -> VimKey {
        if let Some(waits) = self.waits.take() {
            return self.waited(editor, waits, character);
        }
        if let Some(digit) = character.to_digit(10).filter(|digit| *digit > 0 || self.count.is_some()) {
            let digit = usize::try_from(digit).unwrap_or_default();
            self.count = Some((self.count.unwrap_or_default() * 10 + digit).min(9999));
            return VimKey::Taken;
        }
        if matches!(character, 'f' | 'F' | 't' | 'T' | 'r' | 'g') {
            self.waits = Some(character);
            return VimKey::Taken;
        }
        if let Some((operator, before)) = self.operator {
            let count = before * self.count.take().unwrap_or(1);
            if character == operator {
                self.operator = None;
                self.lines(editor, operator, count);
            } else if let Some(motion) = self.motion(editor, changed(operator, character), count) {
                self.operator = None;
                self.operate(editor, operator, &motion);
            } else {
                self.forget();
            }
            return VimKey::Taken;
        }
        if matches!(character, 'd' | 'c' | 'y') {
            self.operator = Some((character, self.count.take().unwrap_or(1)));
            return VimKey::Taken;
        }
        let count = self.count.take().unwrap_or(1);
        if matches!(character, 'j' | 'k') {
            return vertical(editor, character, count);
        }
        match self.motion(editor, character, count) {
            Some(motion) => editor.set_caret(motion.to),
            None => self.command(editor, character, count),
        }
        VimKey::Taken
    }

    /// The second character of a command that needs one.
    fn waited(&mut self, editor: &mut Editor, first: char, second: char) -> VimKey {
        let count = self.count.take().unwrap_or(1);
        let motion = match (first, second) {
            ('g', 'g') => Some(Motion { is_linewise: true, ..Motion::to(0) }),
            ('g', _) => None,
            ('r', _) => {
                let at = editor.buffer.caret();
                let end = editor.buffer.right(at);
                if end > at && second != '\n' {
                    editor.undo.before(&editor.buffer, None);
                    editor.buffer.replace(at..end, second.encode_utf8(&mut [0; 4]));
                    editor.set_caret(at);
                }
                return VimKey::Taken;
            }
            _ => {
                self.found = Some((first, second));
                find(editor, first, second, count)
            }
        };
        match (motion, self.operator.take()) {
            (Some(motion), Some((operator, _))) => self.operate(editor, operator, &motion),
            (Some(motion), None) => editor.set_caret(motion.to),
            (None, _) => {}
        }
        VimKey::Taken
    }

    fn motion(&self, editor: &Editor, character: char, count: usize) -> Option<Motion> {
        let (buffer, caret) = (&editor.buffer, editor.buffer.caret());
        let (start, end) = (buffer.line_start(caret), buffer.line_end(caret));
        let times = |step: &dyn Fn(usize) -> usize| (0..count).fold(caret, |at, _| step(at));
        Some(match character {
            'h' => Motion::to(times(&|at| if at > start { buffer.left(at) } else { at })),
            'l' | ' ' => Motion::to(times(&|at| if at < end { buffer.right(at) } else { at })),
            '0' => Motion::to(start),
            '^' => {
                let line = buffer.text().get(start..end).unwrap_or_default();
                Motion::to(start + line.len() - line.trim_start().len())
            }
            '$' => Motion::to(end),
            'w' | 'W' => Motion::to(times(&|at| next_word(buffer.text(), at, character == 'W'))),
            'b' | 'B' => Motion::to(times(&|at| word_before(buffer.text(), at, character == 'B'))),
            'e' | 'E' => Motion {
                is_inclusive: true,
                ..Motion::to(times(&|at| word_end(buffer.text(), at, character == 'E')))
            },
            'G' => Motion { is_linewise: true, ..Motion::to(buffer.text().len()) },
            'j' | 'k' => {
                // Only for operators: whole lines.
                let to = times(&|at| {
                    if character == 'j' {
                        (buffer.line_end(at) + 1).min(buffer.text().len())
                    } else {
                        buffer.line_start(at).saturating_sub(1)
                    }
                });
                Motion { is_linewise: true, ..Motion::to(to) }
            }
            ';' => self.found.and_then(|(how, what)| find(editor, how, what, count))?,
            _ => return None,
        })
    }

    /// Commands that are neither motions nor operators.
    fn command(&mut self, editor: &mut Editor, character: char, count: usize) {
        let caret = editor.buffer.caret();
        let (start, end) = (editor.buffer.line_start(caret), editor.buffer.line_end(caret));
        match character {
            'i' => self.is_normal = false,
            'a' => self.insert_at(editor, if caret < end { editor.buffer.right(caret) } else { caret }),
            'I' => self.insert_at(editor, start),
            'A' => self.insert_at(editor, end),
            'o' | 'O' => {
                editor.set_caret(if character == 'o' { end } else { start });
                editor.apply(Action::NewLine);
                if character == 'O' {
                    editor.set_caret(start);
                }
                self.is_normal = false;
            }
            'x' => {
                let to = (0..count).fold(caret, |at, _| if at < end { editor.buffer.right(at) } else { at });
                self.take(editor, caret..to, false);
            }
            'X' => {
                let from =
                    (0..count).fold(caret, |at, _| if at > start { editor.buffer.left(at) } else { at });
                self.take(editor, from..caret, false);
            }
            'D' => self.take(editor, caret..end, false),
            'C' => {
                self.take(editor, caret..end, false);
                self.is_normal = false;
            }
            's' => {
                self.take(editor, caret..if caret < end { editor.buffer.right(caret) } else { caret }, false);
                self.is_normal = false;
            }
            'S' => self.lines(editor, 'c', 1),
            'Y' => self.lines(editor, 'y', 1),
            'p' | 'P' => self.put(editor, character == 'p', count),
            'u' => drop(editor.apply(Action::Undo)),
            _ => {}
        }
    }

    fn insert_at(&mut self, editor: &mut Editor, at: usize) {
        editor.set_caret(at);
        self.is_normal = false;
    }

    /// Takes a part out and keeps it.
    fn take(&mut self, editor: &mut Editor, range: Range<usize>, is_linewise: bool) {
        if range.is_empty() {
            return;
        }
        editor.undo.before(&editor.buffer, None);
        editor.column = None;
        let taken = editor.buffer.take(range);
        self.register = (taken, is_linewise);
    }

    /// An operator over whole lines: `dd`, `cc`, `yy`.
    fn lines(&mut self, editor: &mut Editor, operator: char, count: usize) {
        let caret = editor.buffer.caret();
        let end =
            (1..count).fold(caret, |at, _| (editor.buffer.line_end(at) + 1).min(editor.buffer.text().len()));
        let motion = Motion { is_linewise: true, ..Motion::to(end) };
        self.operate(editor, operator, &motion);
    }

    fn operate(&mut self, editor: &mut Editor, operator: char, motion: &Motion) {
        let caret = editor.buffer.caret();
        let (mut from, mut to) = (caret.min(motion.to), caret.max(motion.to));
        if motion.is_linewise {
            (from, to) = (editor.buffer.line_start(from), editor.buffer.line_end(to));
        } else if motion.is_inclusive {
            to = editor.buffer.right(to);
        }
        let text = editor.buffer.text().get(from..to).unwrap_or_default().to_owned();
        match operator {
            'y' => {
                self.register = (text, motion.is_linewise);
                editor.set_caret(from);
            }
            'd' if motion.is_linewise => {
                // The line break goes too: the one after it, or before it at the end.
                let length = editor.buffer.text().len();
                let (from, to) = if to < length { (from, to + 1) } else { (from.saturating_sub(1), to) };
                self.take(editor, from..to, true);
                self.register.0 = text;
                let caret = editor.buffer.caret();
                editor.set_caret(editor.buffer.line_start(caret));
            }
            _ => {
                self.take(editor, from..to, motion.is_linewise);
                editor.set_caret(from);
                self.is_normal = operator != 'c';
            }
        }
    }

    fn put(&mut self, editor: &mut Editor, is_after: bool, count: usize) {
        let (text, is_linewise) = self.register.clone();
        if text.is_empty() {
            return;
        }
        editor.undo.before(&editor.buffer, None);
        let caret = editor.buffer.caret();
        let (start, end) = (editor.buffer.line_start(caret), editor.buffer.line_end(caret));
        let at = match (is_linewise, is_after) {
            (true, true) => end,
            (true, false) => start,
            (false, true) if caret < end => editor.buffer.right(caret),
            (false, _) => caret,
        };
        editor.set_caret(at);
        for _ in 0..count.min(100) {
            match (is_linewise, is_after) {
                (true, true) => editor.buffer.insert(&format!("\n{text}")),
                (true, false) => editor.buffer.insert(&format!("{text}\n")),
                (false, _) => editor.buffer.insert(&text),
            }
        }
        if is_linewise {
            editor.set_caret(if is_after { at + 1 } else { at });
        }
    }
}

/// Up and down by rows; from the first and the last one, to other prompts.
fn vertical(editor: &mut Editor, character: char, count: usize) -> VimKey {
    let action = if character == 'j' { Action::Down } else { Action::Up };
    let is_moved = (0..count).fold(false, |moved, _| editor.apply(action) || moved);
    match (is_moved, character) {
        (true, _) => VimKey::Taken,
        (false, 'j') => VimKey::Newer,
        (false, _) => VimKey::Older,
    }
}

/// A character in the line, before or after the caret.
fn find(editor: &Editor, how: char, what: char, count: usize) -> Option<Motion> {
    let (buffer, caret) = (&editor.buffer, editor.buffer.caret());
    let (start, end) = (buffer.line_start(caret), buffer.line_end(caret));
    let nth = count.saturating_sub(1);
    if matches!(how, 'f' | 't') {
        let from = buffer.right(caret).min(end);
        let rest = buffer.text().get(from..end)?;
        let at = from + rest.match_indices(what).nth(nth)?.0;
        let to = if how == 't' { buffer.left(at) } else { at };
        return Some(Motion { is_inclusive: true, ..Motion::to(to) });
    }
    let rest = buffer.text().get(start..caret)?;
    let at = start + rest.rmatch_indices(what).nth(nth)?.0;
    Some(Motion::to(if how == 'T' { buffer.right(at) } else { at }))
}

/// To change a word leaves the blank after it.
fn changed(operator: char, motion: char) -> char {
    match (operator, motion) {
        ('c', 'w') => 'e',
        ('c', 'W') => 'E',
        _ => motion,
    }
}

/// Blank, word or other.
fn class(character: char, is_wide: bool) -> u8 {
    match character {
        _ if character.is_whitespace() => 0,
        _ if is_wide || character.is_alphanumeric() || character == '_' => 1,
        _ => 2,
    }
}

fn next_word(text: &str, from: usize, is_wide: bool) -> usize {
    let mut rest = text.get(from..).unwrap_or_default().char_indices();
    let Some((_, first)) = rest.next() else { return from };
    let mut before = class(first, is_wide);
    for (at, character) in rest {
        let now = class(character, is_wide);
        if now != 0 && now != before {
            return from + at;
        }
        before = now;
    }
    text.len()
}

fn word_end(text: &str, from: usize, is_wide: bool) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let mut last = None;
    for (at, character) in rest.char_indices().skip(1) {
        let now = class(character, is_wide);
        match last {
            Some((place, before)) if before != 0 && now != before => return from + place,
            _ => last = Some((at, now)),
        }
    }
    last.map_or(from, |(place, _)| from + place)
}

fn word_before(text: &str, from: usize, is_wide: bool) -> usize {
    let before: Vec<(usize, char)> = text.get(..from).unwrap_or_default().char_indices().collect();
    let mut begin = 0;
    let mut now = None;
    for (at, character) in before.into_iter().rev() {
        let kind = class(character, is_wide);
        match now {
            None if kind == 0 => {}
            None => (now, begin) = (Some(kind), at),
            Some(known) if known == kind => begin = at,
            Some(_) => break,
        }
    }
    begin
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Types keys after Esc and `0`; `<esc>` is Esc, and `|` marks the caret.
    #[track_caller]
    fn check(text: &str, keys: &str, expected: &str) {
        let mut editor = Editor::default();
        editor.set(text);
        let mut vim = Vim::default();
        vim.key(&mut editor, &Key::plain(Code::Esc));
        editor.set_caret(0);
        let keys = keys.replace("<esc>", "\u{1b}");
        for character in keys.chars() {
            let key = match character {
                '\u{1b}' => Key::plain(Code::Esc),
                other => Key::plain(Code::Char(other)),
            };
            if vim.key(&mut editor, &key) == VimKey::Passed
                && let Some(character) = key.typed()
            {
                editor.type_char(character);
            }
        }
        let mut shown = editor.text().to_owned();
        shown.insert(editor.buffer().caret(), '|');
        assert_eq!(shown, expected, "{keys}");
    }

    #[test]
    fn motions() {
        check("one, two three", "w", "one|, two three");
        check("one, two three", "ww", "one, |two three");
        check("one, two three", "W", "one, |two three");
        check("one, two three", "e", "on|e, two three");
        check("one, two three", "$b", "one, two |three");
        check("one, two three", "2w3l", "one, two| three");
        check("  one", "^", "  |one");
        check("one two", "fo", "one tw|o");
        check("a.b.c", "f.;", "a.b|.c");
        check("one two", "tw", "one |two");
        check("one two", "$Fo", "one tw|o");
        check("a\nb\nc", "G", "a\nb\nc|");
        check("a\nb\nc", "Ggg", "|a\nb\nc");
    }

    #[test]
    fn operators() {
        check("one two three", "dw", "|two three");
        check("one two three", "2dw", "|three");
        check("one two three", "wd$", "one |");
        check("one two three", "de", "| two three");
        check("a\nb\nc", "dd", "|b\nc");
        check("a\nb\nc", "2dd", "|c");
        check("a\nb\nc", "dG", "|");
        check("one two", "cwx<esc>", "|x two");
        check("one two", "cex<esc>", "|x two");
        check("a\nb", "ccx<esc>", "|x\nb");
        check("one two", "dtw", "|wo");
        check("a\nb", "yyjp", "a\nb\n|a");
        check("ab", "xp", "ba|");
        check("one two", "D", "|");
        check("abc", "rx", "|xbc");
        check("one two", "dwu", "|one two");
    }

    #[test]
    fn inserting() {
        check("bc", "ia<esc>", "|abc");
        check("ac", "ab<esc>", "a|bc");
        check("ab", "Ac<esc>", "ab|c");
        check("a", "ob<esc>", "a\n|b");
        check("b", "Oa<esc>", "|a\nb");
        check("abc", "lsx<esc>", "a|xc");
    }
}
