//! `:s/pattern/replacement/flags`.

use regex::{Captures, Regex};

use super::operate::cased;
use super::pattern::pattern;
use super::search::until;
use super::state::{Done, ROOM, Vim, VimError};

/// A substitution that was read.
pub struct Substitute {
    regex: Regex,
    written: String,
    replacement: String,
    all: bool,
    /// Nothing is said where the pattern is not found.
    quiet: bool,
    /// How many lines from the last one of the range.
    count: Option<usize>,
}

impl Substitute {
    /// Reads what follows `:s`; without anything it is the last one again.
    pub fn read(vim: &mut Vim, arguments: &str) -> Result<Self, VimError> {
        let delimiter = arguments
            .chars()
            .next()
            .filter(|c| !c.is_alphanumeric() && !c.is_whitespace() && !matches!(c, '"' | '|' | '\\'));
        let (written, replacement, flags) = match delimiter {
            Some(delimiter) => {
                let (written, rest) =
                    until(arguments.get(delimiter.len_utf8()..).unwrap_or_default(), delimiter);
                let (replacement, flags) = until(rest.unwrap_or_default(), delimiter);
                let written = if written.is_empty() { vim.last_pattern()? } else { written };
                (written, replacement, flags.unwrap_or_default().to_owned())
            }
            None => {
                let last = vim.last_substitute.clone();
                let (written, replacement, _) =
                    last.ok_or_else(|| VimError::failed("E35: No previous substitution"))?;
                (written, replacement, arguments.to_owned())
            }
        };
        let mut flags_only: String = flags.trim().to_owned();
        let digits: String = flags_only.chars().filter(char::is_ascii_digit).collect();
        flags_only.retain(|c| !c.is_ascii_digit() && !c.is_whitespace());
        if let Some(unknown) = flags_only.chars().find(|flag| !"giIe&".contains(*flag)) {
            return Err(VimError::failed(format!("`:s` does not know the flag `{unknown}`")));
        }
        let regex = pattern(&written, flags_only.contains('i')).map_err(VimError::failed)?;
        vim.last_search = Some((written.clone(), true));
        vim.last_substitute = Some((written.clone(), replacement.clone(), flags_only.clone()));
        Ok(Self {
            regex,
            written,
            replacement,
            all: flags_only.contains('g'),
            quiet: flags_only.contains('e'),
            count: digits.parse().ok(),
        })
    }

    /// Substitutes in the lines of a range.
    pub fn run(&self, vim: &mut Vim, first: usize, last: usize) -> Done {
        let (first, last) = match self.count {
            Some(count) => (last, (last + count.max(1) - 1).min(vim.text.last())),
            None => (first, last),
        };
        let (mut line, mut left, mut changed) = (first, last + 1 - first, None);
        let mut size = vim.text.size();
        while left > 0 {
            let text = vim.text.string(line);
            let mut lines = 1;
            if self.regex.is_match(&text) {
                let limit = if self.all { 0 } else { 1 };
                let replaced = self.regex.replacen(&text, limit, |found: &Captures<'_>| self.expanded(found));
                let parts: Vec<Vec<char>> = replaced.split('\r').map(|part| part.chars().collect()).collect();
                size = size.saturating_add(replaced.len().saturating_sub(text.len()));
                if size > ROOM {
                    return Err(VimError::failed("the buffer would be too large"));
                }
                lines = parts.len();
                vim.text.replace_lines(line, line, parts);
                changed = Some(line + lines - 1);
            }
            line += lines;
            left -= 1;
        }
        match changed {
            Some(line) => {
                vim.set_cursor(super::text::Pos::new(line, 0));
                Ok(())
            }
            None if self.quiet => Ok(()),
            None => Err(VimError::failed(format!("E486: Pattern not found: {}", self.written))),
        }
    }

    /// The replacement for a match: `&` and `\0` are all of it, `\1` a part, `\r` a line break, `\u` and the like change case.
    fn expanded(&self, found: &Captures<'_>) -> String {
        let mut out = Cased::default();
        let mut rest = self.replacement.chars();
        let group = |number: usize| found.get(number).map_or("", |part| part.as_str());
        while let Some(c) = rest.next() {
            match c {
                '&' => out.push(group(0)),
                '\\' => match rest.next() {
                    Some(digit @ '0'..='9') => {
                        out.push(group(digit.to_digit(10).unwrap_or_default() as usize));
                    }
                    Some('r') => out.text.push('\r'),
                    Some('n') => out.text.push('\0'),
                    Some('t') => out.push("\t"),
                    Some(case @ ('u' | 'l')) => out.once = Some(case.to_ascii_uppercase()),
                    Some(case @ ('U' | 'L')) => out.kept = Some(case),
                    Some('e' | 'E') => out.kept = None,
                    Some(other) => out.push(other.encode_utf8(&mut [0; 4])),
                    None => out.push("\\"),
                },
                c => out.push(c.encode_utf8(&mut [0; 4])),
            }
        }
        out.text
    }
}

/// A text that is written in a case.
#[derive(Default)]
struct Cased {
    text: String,
    once: Option<char>,
    kept: Option<char>,
}

impl Cased {
    fn push(&mut self, text: &str) {
        for c in text.chars() {
            match self.once.take().or(self.kept) {
                Some('U') => self.text.extend(cased(c, 'U')),
                Some(_) => self.text.extend(cased(c, 'u')),
                None => self.text.push(c),
            }
        }
    }
}
