//! The reader's place in the text: characters, blanks, comments, line ends.

use super::unparsed::{Reason, Unparsed};

/// Where a line with here-documents ends, and where reading goes on after their bodies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Jump {
    /// The line end.
    pub(super) newline: usize,
    /// The first byte after the last body.
    pub(super) resume: usize,
    /// How many substitutions the redirection is in.
    pub(super) substitutions: usize,
}

pub(super) struct Cursor<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) depth: usize,
    /// How many `$(…)`, backquotes and `<(…)` the reader is in.
    pub(super) substitutions: usize,
    /// Here-documents of the current line, whose bodies were read ahead.
    pub(super) jump: Option<Jump>,
}

pub(super) type Read<T> = Result<T, Unparsed>;

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str, depth: usize) -> Self {
        Self { text, at: 0, depth, substitutions: 0, jump: None }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The character after the next one.
    pub(super) fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(super) fn is_at(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Steps over `text` if it is next.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let is_next = self.is_at(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    pub(super) fn fail<T>(&self, reason: Reason) -> Read<T> {
        Err(Unparsed::at(self.text, self.at, reason))
    }

    pub(super) fn unexpected<T>(&self) -> Read<T> {
        match self.peek() {
            Some('\n') => self.fail(Reason::Unexpected("end of line".to_owned())),
            Some(next) => self.fail(Reason::Unexpected(next.to_string())),
            None => self.fail(Reason::Unexpected("end of the command".to_owned())),
        }
    }

    /// Goes one level deeper for the time of `read`.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= super::MAX_DEPTH {
            return self.fail(Reason::TooDeep);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Steps over blanks, escaped line ends, and a comment, but not over the line end.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            if self.take(" ") || self.take("\t") || self.take("\\\n") {
                continue;
            }
            if self.peek() == Some('#') {
                let length = self.rest().find('\n').unwrap_or(self.rest().len());
                self.at += length;
            }
            return;
        }
    }

    /// Steps over a line end and the here-documents that begin after it.
    pub(super) fn take_newline(&mut self) -> Read<bool> {
        if self.peek() != Some('\n') {
            return Ok(false);
        }
        let Some(jump) = self.jump else {
            self.at += 1;
            return Ok(true);
        };
        // A quoted or escaped line end on the line of the redirection moves the body; bash versions differ about it.
        if jump.newline != self.at || jump.substitutions != self.substitutions {
            return self.fail(Reason::Unsupported("a line end between `<<` and the end of its line"));
        }
        self.at = jump.resume;
        self.jump = None;
        Ok(true)
    }

    /// Steps over blanks, comments and line ends.
    pub(super) fn skip_lines(&mut self) -> Read<()> {
        loop {
            self.skip_blanks();
            if !self.take_newline()? {
                return Ok(());
            }
        }
    }
}

/// Characters that end an unquoted word.
pub(super) fn ends_word(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}

/// Whether `text` is a variable's name.
pub(super) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|next| next.is_ascii_alphanumeric() || next == '_')
}
