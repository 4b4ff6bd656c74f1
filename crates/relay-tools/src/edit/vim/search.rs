//! Searching: `/`, `?`, `n`, `N`, `*`, `#`, and reading a line of keys.

use regex::Regex;

use super::keys::{BACKSPACE, ENTER, ESCAPE, Keys};
use super::motion::{Motion, Span, class};
use super::normal::next;
use super::pattern::pattern;
use super::state::{Vim, VimError};
use super::text::{Pos, Text};

/// Reads keys up to `<CR>`, as on the command line; nothing after `<Esc>`.
pub fn typed_line(keys: &mut Keys) -> Result<Option<String>, VimError> {
    let mut line = String::new();
    loop {
        match next(keys)? {
            ENTER => return Ok(Some(line)),
            ESCAPE => return Ok(None),
            BACKSPACE => drop(line.pop()),
            key => line.push(key),
        }
    }
}

/// Where a pattern matches in a line, in characters.
pub fn matches(text: &Text, line: usize, regex: &Regex) -> Vec<usize> {
    let string = text.string(line);
    let column = |byte: usize| string.get(..byte).map_or(0, |before| before.chars().count());
    regex.find_iter(&string).map(|found| column(found.start())).collect()
}

/// The next match in a direction, from the other end of the text if there is none before this one.
pub fn find(text: &Text, regex: &Regex, from: Pos, forward: bool) -> Option<Pos> {
    let lines = text.len();
    for distance in 0..=lines {
        let line = match forward {
            true => (from.line + distance) % lines,
            false => (from.line + lines - distance % lines) % lines,
        };
        let is_own = distance == 0;
        let is_again = distance == lines;
        let fits = |col: &usize| match (forward, is_own, is_again) {
            (true, true, _) => *col > from.col,
            (false, true, _) => *col < from.col,
            (true, _, true) => *col <= from.col,
            (false, _, true) => *col >= from.col,
            _ => true,
        };
        let found = matches(text, line, regex)
            .into_iter()
            .filter(|col| *col == 0 || *col < text.width(line))
            .filter(fits);
        let col = if forward { found.min() } else { found.max() };
        if let Some(col) = col {
            return Some(Pos::new(line, col));
        }
    }
    None
}

impl Vim {
    /// The motion of a search.
    pub fn searching(&mut self, key: char, keys: &mut Keys, times: usize) -> Result<Motion, VimError> {
        let forward = match key {
            '/' | '?' => {
                let line = typed_line(keys)?.ok_or_else(|| VimError::failed("the search was left"))?;
                let (written, _) = until(&line, key);
                let written = if written.is_empty() { self.last_pattern()? } else { written };
                self.last_search = Some((written, key == '/'));
                key == '/'
            }
            '*' | '#' => {
                let word = self.word_here().ok_or_else(|| VimError::failed("there is no word here"))?;
                self.last_search = Some((word, key == '*'));
                key == '*'
            }
            _ => {
                let (_, forward) = self
                    .last_search
                    .as_ref()
                    .ok_or_else(|| VimError::failed("nothing was searched for before"))?;
                *forward == (key == 'n')
            }
        };
        let written = self.last_pattern()?;
        let regex = pattern(&written, false).map_err(VimError::failed)?;
        let mut at = self.cursor;
        // `#` begins at the word's own beginning.
        if key == '#' {
            while at.col > 0
                && class(&self.text, Pos::new(at.line, at.col - 1), false) == class(&self.text, at, false)
            {
                at.col -= 1;
            }
        }
        for _ in 0..times {
            let found = find(&self.text, &regex, at, forward);
            at = found.ok_or_else(|| VimError::failed(format!("Pattern not found: {written}")))?;
        }
        Ok(Motion::new(at, Span::Exclusive))
    }

    /// The pattern that was used last.
    pub fn last_pattern(&self) -> Result<String, VimError> {
        let last = self.last_search.as_ref().map(|(written, _)| written.clone());
        last.ok_or_else(|| VimError::failed("no pattern was used before"))
    }

    /// The word at the cursor or after it in the line, as a pattern.
    fn word_here(&self) -> Option<String> {
        let line = self.text.line(self.cursor.line);
        let is_word = |col: usize| class(&self.text, Pos::new(self.cursor.line, col), false) >= 2;
        let inside = (self.cursor.col..line.len()).find(|col| is_word(*col))?;
        let start = (0..=inside).rev().take_while(|col| is_word(*col)).last()?;
        let end = (inside..line.len()).take_while(|col| is_word(*col)).last()?;
        let word: String = line.get(start..=end)?.iter().collect();
        Some(format!(r"\<{word}\>"))
    }
}

/// A text up to a delimiter without a backslash before it, and what follows; an escaped delimiter means itself.
pub fn until(text: &str, delimiter: char) -> (String, Option<&str>) {
    let mut part = String::new();
    let mut rest = text.char_indices();
    while let Some((at, c)) = rest.next() {
        match c {
            c if c == delimiter => return (part, text.get(at + c.len_utf8()..)),
            '\\' => match rest.next() {
                Some((_, next)) if next == delimiter && delimiter != '\\' => part.push(next),
                Some((_, next)) => part.extend(['\\', next]),
                None => part.push('\\'),
            },
            c => part.push(c),
        }
    }
    (part, None)
}
