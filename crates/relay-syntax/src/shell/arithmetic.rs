//! `$((…))`, `((…))`, `for ((…))` and indexes in brackets.
//!
//! Arithmetic looks harmless and is not: the shell evaluates the *values* of the variables in it, indexes and the
//! substitutions inside them included. A word therefore records whether arithmetic in it reads a variable.

use super::cursor::{Cursor, Read};
use super::tree::Word;
use super::unparsed::Reason;

impl Cursor<'_> {
    pub(super) fn arithmetic_expansion(&mut self, word: &mut Word) -> Read<()> {
        let start = self.at;
        self.at += 3;
        let inner = self.arithmetic()?;
        word.evaluates |= inner.evaluates;
        word.scripts.extend(inner.scripts);
        word.push_expansion(self.text.get(start..self.at).unwrap_or_default());
        Ok(())
    }

    /// An expression up to `))`.
    ///
    /// Where the second parenthesis closes early, as in `((a); (b))`, bash reads nested subshells. That is refused.
    pub(super) fn arithmetic(&mut self) -> Read<Word> {
        let word = self.nested(|cursor| cursor.expression('(', ')'))?;
        if self.take(")") { Ok(word) } else { self.fail(Reason::Unsupported("`((` that is not arithmetic")) }
    }

    /// An index up to `]`.
    pub(super) fn subscript(&mut self) -> Read<Word> {
        self.nested(|cursor| cursor.expression('[', ']'))
    }

    fn expression(&mut self, open: char, close: char) -> Read<Word> {
        let start = self.at;
        let mut word = Word::default();
        let mut level = 0usize;
        while let Some(next) = self.peek() {
            match next {
                '$' => self.dollar(&mut word, true)?,
                '`' => self.backquotes(&mut word, false)?,
                '"' => self.double_quotes(&mut word)?,
                '\\' | '\'' => return self.fail(Reason::Unsupported("a quote in arithmetic")),
                '\n' if self.jump.is_some() => return self.unexpected(),
                _ => {
                    self.bump();
                    if next == close {
                        if level == 0 {
                            word.evaluates |= word.expands || has_name(&word.text);
                            word.span = start..self.at;
                            return Ok(word);
                        }
                        level -= 1;
                    } else if next == open {
                        level += 1;
                    }
                    word.push(next);
                }
            }
        }
        self.fail(Reason::Open(if open == '(' { "((" } else { "[" }))
    }
}

/// Whether an expression has a letter that is not part of a number such as `0xff`.
fn has_name(text: &str) -> bool {
    text.split(|next: char| !next.is_ascii_alphanumeric() && next != '_')
        .any(|token| token.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_'))
}
