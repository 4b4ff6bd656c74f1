//! `$name`, `${…}`, `$(…)`, backquotes and `<(…)`: what is only known when the command runs.
//!
//! The commands inside are read as well: they run before the command around them does.

use super::cursor::{Cursor, Read};
use super::grammar;
use super::tree::{Script, Word};
use super::unparsed::Reason;

impl Cursor<'_> {
    /// A `$` and what it begins.
    pub(super) fn dollar(&mut self, word: &mut Word, in_quotes: bool) -> Read<()> {
        match self.second() {
            Some('(') if self.is_at("$((") => self.arithmetic_expansion(word),
            Some('(') => self.command_substitution(word),
            Some('{') => self.nested(|cursor| cursor.parameter(word)),
            Some('[') => self.fail(Reason::Unsupported("`$[…]`")),
            Some('\'') if !in_quotes => self.ansi_quotes(word),
            Some('"') if !in_quotes => {
                self.bump();
                self.double_quotes(word)
            }
            Some(next) if next.is_ascii_alphabetic() || next == '_' => {
                let start = self.at;
                self.bump();
                while self.peek().is_some_and(|next| next.is_ascii_alphanumeric() || next == '_') {
                    self.bump();
                }
                self.push_written(word, start);
                Ok(())
            }
            Some('0'..='9' | '@' | '*' | '#' | '?' | '-' | '$' | '!') => {
                let start = self.at;
                self.at += 2;
                self.push_written(word, start);
                Ok(())
            }
            _ => {
                self.bump();
                word.push('$');
                Ok(())
            }
        }
    }

    fn push_written(&self, word: &mut Word, start: usize) {
        word.push_expansion(self.text.get(start..self.at).unwrap_or_default());
    }

    /// Reads commands up to a `)`.
    fn commands(&mut self) -> Read<Script> {
        self.substitutions += 1;
        let script = self.nested(Self::script)?;
        self.substitutions -= 1;
        if self.take(")") { Ok(script) } else { self.fail(Reason::Open("(")) }
    }

    fn command_substitution(&mut self, word: &mut Word) -> Read<()> {
        let start = self.at;
        self.at += 2;
        let script = self.commands()?;
        word.scripts.push(script);
        self.push_written(word, start);
        Ok(())
    }

    pub(super) fn process_substitution(&mut self, word: &mut Word) -> Read<()> {
        self.command_substitution(word)
    }

    /// Backquotes. Their text is unescaped once and then read as a script of its own.
    pub(super) fn backquotes(&mut self, word: &mut Word, in_quotes: bool) -> Read<()> {
        let start = self.at;
        self.bump();
        let mut inner = String::new();
        loop {
            match self.bump() {
                None => return self.fail(Reason::Open("`")),
                Some('`') => break,
                Some('\\') => match self.bump() {
                    None => return self.fail(Reason::Open("`")),
                    Some(next) if matches!(next, '`' | '\\' | '$') || (next == '"' && in_quotes) => {
                        inner.push(next);
                    }
                    Some('\n') => {}
                    Some(next) => inner.extend(['\\', next]),
                },
                Some(next) => inner.push(next),
            }
        }
        let script = grammar::parse(&inner, self.depth)?;
        word.scripts.push(script);
        self.push_written(word, start);
        Ok(())
    }

    /// `${…}`: a variable, and what is to be done with its value.
    fn parameter(&mut self, word: &mut Word) -> Read<()> {
        let start = self.at;
        self.at += 2;
        let mut inner = Word::default();
        self.parameter_name(&mut inner)?;
        if self.peek() == Some('@') && !self.is_at("@}") {
            // `@P` expands the value as a prompt, which runs commands in it.
            let is_harmless = ["@Q}", "@U}", "@u}", "@L}", "@E}", "@A}", "@a}", "@K}", "@k}"]
                .iter()
                .any(|tail| self.is_at(tail));
            if !is_harmless {
                return self.fail(Reason::Unsupported("this operator in `${…}`"));
            }
        }
        // `${x:offset:length}` is arithmetic.
        let is_offset = self.peek() == Some(':') && !self.second().is_some_and(|next| "-=?+".contains(next));
        let operands = self.at;
        while let Some(next) = self.peek() {
            match next {
                '}' => {
                    let operand = self.text.get(operands..self.at).unwrap_or_default();
                    word.evaluates |= is_offset && operand.contains(|next: char| next.is_ascii_alphabetic());
                    self.bump();
                    word.evaluates |= inner.evaluates;
                    word.scripts.append(&mut inner.scripts);
                    self.push_written(word, start);
                    return Ok(());
                }
                '\\' => {
                    self.bump();
                    self.bump();
                }
                '"' => self.double_quotes(&mut inner)?,
                '\'' => self.quote_in_braces()?,
                '$' => self.dollar(&mut inner, false)?,
                '`' => self.backquotes(&mut inner, false)?,
                '<' | '>' if self.second() == Some('(') => self.process_substitution(&mut inner)?,
                _ => {
                    self.bump();
                }
            }
        }
        self.fail(Reason::Open("${"))
    }

    /// The name in `${…}` with what may be around it: `!x`, `#x`, `x[i]`.
    fn parameter_name(&mut self, inner: &mut Word) -> Read<()> {
        if self.peek() == Some('!') {
            // The value names another variable, perhaps with an index that is evaluated.
            inner.evaluates = true;
            self.bump();
        } else if self.peek() == Some('#') && self.second() != Some('}') {
            self.bump();
        }
        let start = self.at;
        while self.peek().is_some_and(|next| next.is_ascii_alphanumeric() || next == '_') {
            self.bump();
        }
        if self.at == start {
            match self.peek() {
                Some('@' | '*' | '#' | '?' | '-' | '$' | '!') => self.at += 1,
                // `${ command; }` and `${| command; }` of newer versions run it.
                _ => return self.fail(Reason::Expected("a variable's name after `${`")),
            }
        }
        if self.take("[") {
            let index = self.subscript()?;
            inner.evaluates |= index.expands || index.text.contains(|next: char| next.is_ascii_alphabetic());
            inner.scripts.extend(index.scripts);
        }
        Ok(())
    }

    /// A single quote in `${…}` quotes outside double quotes only. Which of the two it is matters only if the quoted
    /// text has something that would end or begin an expansion.
    fn quote_in_braces(&mut self) -> Read<()> {
        self.bump();
        let Some(length) = self.rest().find('\'') else { return self.fail(Reason::Open("'")) };
        let quoted = self.rest().get(..length).unwrap_or_default();
        if quoted.contains(['}', '$', '`', '"', '\\', '{']) {
            return self.fail(Reason::Unsupported("this quoted text in `${…}`"));
        }
        self.at += length + 1;
        Ok(())
    }
}
