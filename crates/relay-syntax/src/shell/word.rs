//! Words: what the shell splits a command into, with quotes resolved.

use super::cursor::{Cursor, Read, ends_word};
use super::tree::Word;
use super::unparsed::Reason;

impl Word {
    /// Adds a character that means itself.
    pub(super) fn push(&mut self, character: char) {
        let is_known =
            self.known == self.text.len() && !self.expands && !self.globs && !self.braces && !self.home;
        self.text.push(character);
        if is_known {
            self.known = self.text.len();
        }
    }

    /// Adds text in which nothing has a meaning.
    pub(super) fn push_quoted(&mut self, text: &str) {
        self.dormant |= text.contains("$(") || text.contains('`');
        for character in text.chars() {
            self.push(character);
        }
    }

    /// Adds text that is replaced when the command runs.
    pub(super) fn push_expansion(&mut self, written: &str) {
        self.expands = true;
        self.text.push_str(written);
    }
}

/// What a word may contain beside ordinary characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// An argument.
    Argument,
    /// The value of an assignment: `~` also after `:`.
    Value,
    /// An operand of `[[`: patterns with parentheses.
    Pattern,
    /// The right side of `=~`.
    Regex,
}

impl Cursor<'_> {
    /// The next word, if one begins here.
    pub(super) fn word(&mut self) -> Read<Option<Word>> {
        let begins = match self.peek() {
            None => false,
            Some('<' | '>') => self.second() == Some('('),
            Some(next) => !ends_word(next),
        };
        if begins { self.word_in(Place::Argument).map(Some) } else { Ok(None) }
    }

    /// The value of an assignment, which may be empty.
    pub(super) fn value(&mut self) -> Read<Word> {
        self.word_in(Place::Value)
    }

    pub(super) fn word_in(&mut self, place: Place) -> Read<Word> {
        let start = self.at;
        let mut word = Word::default();
        while let Some(next) = self.peek() {
            if next == '(' && matches!(place, Place::Pattern | Place::Regex) && self.at > start {
                self.parenthesised(&mut word, place)?;
                continue;
            }
            if next == '|' && place == Place::Regex && self.at > start && self.second() != Some('|') {
                self.bump();
                word.globs = true;
                word.push(next);
                continue;
            }
            if matches!(next, '<' | '>') && self.second() == Some('(') {
                self.process_substitution(&mut word)?;
                continue;
            }
            if next == '(' && place == Place::Regex {
                self.parenthesised(&mut word, place)?;
                continue;
            }
            if ends_word(next) {
                break;
            }
            self.unquoted(&mut word, next, place)?;
        }
        if self.peek() == Some('(') && word.text.ends_with(['@', '?', '*', '+', '!']) {
            return self.fail(Reason::Unsupported("an extended pattern outside `[[`"));
        }
        word.braces = word.braces && has_brace_expansion(self.text.get(start..self.at).unwrap_or_default());
        // The command `[` is not a pattern.
        word.globs = word.globs && word.text != "[";
        word.span = start..self.at;
        Ok(word)
    }

    /// One character, quoted part or expansion outside quotes.
    fn unquoted(&mut self, word: &mut Word, next: char, place: Place) -> Read<()> {
        match next {
            '\'' => return self.single_quotes(word),
            '"' => return self.double_quotes(word),
            '$' => return self.dollar(word, false),
            '`' => return self.backquotes(word, false),
            '\\' => {
                self.bump();
                match self.bump() {
                    Some('\n') => {}
                    Some(escaped) => {
                        word.quoted = true;
                        word.dormant |= matches!(escaped, '$' | '`');
                        word.push(escaped);
                    }
                    None => return self.fail(Reason::Open("\\")),
                }
                return Ok(());
            }
            '*' | '?' | '[' => word.globs = true,
            '{' => word.braces = true,
            '~' if word.text.is_empty() => word.home = true,
            '~' if place == Place::Value && word.text.ends_with(':') => word.expands = true,
            _ => {}
        }
        self.bump();
        word.push(next);
        Ok(())
    }

    fn single_quotes(&mut self, word: &mut Word) -> Read<()> {
        self.bump();
        word.quoted = true;
        let Some(length) = self.rest().find('\'') else { return self.fail(Reason::Open("'")) };
        let quoted = self.rest().get(..length).unwrap_or_default();
        word.push_quoted(quoted);
        self.at += length + 1;
        Ok(())
    }

    pub(super) fn double_quotes(&mut self, word: &mut Word) -> Read<()> {
        self.bump();
        word.quoted = true;
        while let Some(next) = self.peek() {
            match next {
                '"' => {
                    self.bump();
                    return Ok(());
                }
                '\\' => self.escape_in_quotes(word, "$`\"\\"),
                '$' => self.dollar(word, true)?,
                '`' => self.backquotes(word, true)?,
                _ => {
                    self.bump();
                    word.push(next);
                }
            }
        }
        self.fail(Reason::Open("\""))
    }

    /// A backslash where only some characters can be escaped; before others it means itself.
    pub(super) fn escape_in_quotes(&mut self, word: &mut Word, escapable: &str) {
        self.bump();
        match self.peek() {
            Some('\n') => {
                self.bump();
            }
            Some(next) if escapable.contains(next) => {
                self.bump();
                word.dormant |= matches!(next, '$' | '`');
                word.push(next);
            }
            _ => word.push('\\'),
        }
    }

    /// `( … )` in a pattern or regular expression. Blanks in it belong to it.
    fn parenthesised(&mut self, word: &mut Word, place: Place) -> Read<()> {
        self.nested(|cursor| {
            cursor.bump();
            word.globs = true;
            word.push('(');
            while let Some(next) = cursor.peek() {
                match next {
                    ')' => {
                        cursor.bump();
                        word.push(')');
                        return Ok(());
                    }
                    '(' => cursor.parenthesised(word, place)?,
                    '\n' | ';' | '&' | '<' | '>' => return cursor.unexpected(),
                    '|' | ' ' | '\t' => {
                        cursor.bump();
                        word.push(next);
                    }
                    _ => cursor.unquoted(word, next, place)?,
                }
            }
            cursor.fail(Reason::Open("("))
        })
    }
}

/// Whether braces in a word are expanded: `{a,b}` and `{1..3}` are, `{}` and `{x}` mean themselves.
///
/// Looks at the text as written and errs towards expansion: quotes inside braces do not protect the braces themselves.
fn has_brace_expansion(written: &str) -> bool {
    written.match_indices('{').any(|(at, _)| {
        let rest = written.get(at + 1..).unwrap_or_default();
        rest.contains('}') && (rest.contains(',') || rest.contains(".."))
    })
}
