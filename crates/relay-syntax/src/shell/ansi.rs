//! `$'…'`: quotes in which backslashes are escapes as in C.

use super::cursor::{Cursor, Read};
use super::tree::Word;
use super::unparsed::Reason;

impl Cursor<'_> {
    /// The text of `$'…'`; the `$'` is next.
    pub(super) fn ansi_quotes(&mut self, word: &mut Word) -> Read<()> {
        self.at += 2;
        word.quoted = true;
        while let Some(next) = self.bump() {
            match next {
                '\'' => return Ok(()),
                '\\' => self.ansi_escape(word)?,
                _ => {
                    word.dormant |= matches!(next, '$' | '`');
                    word.push(next);
                }
            }
        }
        self.fail(Reason::Open("$'"))
    }

    fn ansi_escape(&mut self, word: &mut Word) -> Read<()> {
        let Some(next) = self.bump() else { return self.fail(Reason::Open("$'")) };
        let character = match next {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'e' | 'E' => '\u{1b}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '\\' | '\'' | '"' | '?' => next,
            'x' => return self.code(word, 16, 2),
            'u' => return self.code(word, 16, 4),
            'U' => return self.code(word, 16, 8),
            '0'..='7' => {
                self.at -= 1;
                return self.code(word, 8, 3);
            }
            // `\cx` and whatever a later bash may add.
            _ => return self.fail(Reason::Unsupported("this escape in `$'…'`")),
        };
        word.push(character);
        Ok(())
    }

    /// A character by its number, of at most `digits` digits.
    fn code(&mut self, word: &mut Word, radix: u32, digits: usize) -> Read<()> {
        let rest = self.rest();
        let length = rest.chars().take(digits).take_while(|digit| digit.is_digit(radix)).count();
        let number = rest.get(..length).and_then(|text| u32::from_str_radix(text, radix).ok());
        // A NUL ends the word in bash, and a single byte above 127 is half a character.
        let character =
            number.filter(|number| (1..128).contains(number) || digits >= 4).and_then(char::from_u32);
        match character.filter(|character| *character != '\0') {
            Some(character) => {
                self.at += length;
                word.dormant |= matches!(character, '$' | '`');
                word.push(character);
                Ok(())
            }
            None => self.fail(Reason::Unsupported("this escape in `$'…'`")),
        }
    }
}
