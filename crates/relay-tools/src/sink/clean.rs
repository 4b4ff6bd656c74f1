//! Output of programs as plain text: UTF-8 across pieces, without escape sequences and controls.
//!
//! What programs print is made for terminals, and may be made to deceive one. A model needs the words. The artifact keeps
//! every byte; this is what is shown.

/// Turns pieces of output into text, one after another.
#[derive(Debug, Default)]
pub struct Cleaner {
    /// The beginning of a character whose rest has not come yet.
    unfinished: Vec<u8>,
    state: State,
    /// A carriage return whose line feed may follow.
    has_return: bool,
}

/// Where in an escape sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// In a control sequence, until its last byte.
    Control,
    /// In a string for the terminal, until BEL or ESC.
    Words,
    /// After ESC in such a string.
    WordsEscape,
    /// After ESC and a byte that announces one more.
    Charset,
}

impl Cleaner {
    /// The text of a piece, as far as it is complete.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
        if self.unfinished.is_empty()
            && self.state == State::Text
            && !self.has_return
            && bytes.iter().all(is_plain)
        {
            return String::from_utf8_lossy(bytes).into_owned();
        }
        let mut all = std::mem::take(&mut self.unfinished);
        all.extend_from_slice(bytes);
        let mut text = String::with_capacity(all.len());
        let mut rest = all.as_slice();
        while !rest.is_empty() {
            match str::from_utf8(rest) {
                Ok(valid) => {
                    self.text(valid, &mut text);
                    break;
                }
                Err(error) => {
                    let (valid, bad) = rest.split_at(error.valid_up_to());
                    self.text(str::from_utf8(valid).unwrap_or_default(), &mut text);
                    match error.error_len() {
                        None => {
                            self.unfinished = bad.to_vec();
                            break;
                        }
                        Some(length) => {
                            self.character('\u{fffd}', &mut text);
                            rest = bad.get(length..).unwrap_or_default();
                        }
                    }
                }
            }
        }
        text
    }

    /// What is left when there is no more output.
    pub fn finish(&mut self) -> String {
        let mut text = String::new();
        if !std::mem::take(&mut self.unfinished).is_empty() {
            self.character('\u{fffd}', &mut text);
        }
        if std::mem::take(&mut self.has_return) {
            text.push('\n');
        }
        text
    }

    fn text(&mut self, valid: &str, text: &mut String) {
        for character in valid.chars() {
            self.character(character, text);
        }
    }

    fn character(&mut self, character: char, text: &mut String) {
        self.state = match (self.state, character) {
            (State::Text, '\u{1b}') => State::Escape,
            (State::Text, '\u{9b}') => State::Control,
            (State::Text, '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}') => State::Words,
            (State::Text, _) => {
                self.plain(character, text);
                State::Text
            }
            (State::Escape, '[') => State::Control,
            (State::Escape, ']' | 'P' | 'X' | '^' | '_') => State::Words,
            (State::Escape, ' '..='/') => State::Charset,
            (State::Control, '@'..='~') | (State::Escape | State::Charset, _) => State::Text,
            // A line never ends inside a sequence: one that was not finished must not swallow what follows.
            (State::Control | State::Words | State::WordsEscape, '\n') => {
                text.push('\n');
                State::Text
            }
            (State::Control, '\u{1b}') => State::Escape,
            (State::Control, _) => State::Control,
            (State::Words, '\u{7}' | '\u{9c}') => State::Text,
            (State::Words, '\u{1b}') => State::WordsEscape,
            (State::Words, _) => State::Words,
            (State::WordsEscape, '\\') => State::Text,
            (State::WordsEscape, _) => State::Words,
        };
    }

    fn plain(&mut self, character: char, text: &mut String) {
        if std::mem::take(&mut self.has_return) {
            text.push('\n');
            if character == '\n' {
                return;
            }
        }
        match character {
            '\r' => self.has_return = true,
            '\n' | '\t' => text.push(character),
            _ if character.is_control() => {}
            _ => text.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pieces: &[&[u8]], expected: &str) {
        let mut cleaner = Cleaner::default();
        let mut text: String = pieces.iter().map(|piece| cleaner.push(piece)).collect();
        text.push_str(&cleaner.finish());
        assert_eq!(text, expected);
        // Byte by byte it is the same.
        let mut cleaner = Cleaner::default();
        let mut text: String = pieces.concat().iter().map(|byte| cleaner.push(&[*byte])).collect();
        text.push_str(&cleaner.finish());
        assert_eq!(text, expected);
    }

    #[test]
    fn characters_survive_the_edges_of_pieces() {
        check(&["é🙂".as_bytes()], "é🙂");
        check(&[b"\xf0\x9f", b"\x99\x82!"], "🙂!");
        check(&[b"a\xffb\xc3"], "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn escape_sequences_and_controls_go() {
        check(&[b"\x1b[31mred\x1b[0m \x1b]0;title\x07x\x1b]8;;u\x1b\\y"], "red xy");
        check(&[b"a\0b\x08c\x1b(Bd\x1b7e"], "abcde");
        check(&[b"\x1bPq#0\x1b\\sixel"], "sixel");
    }

    #[test]
    fn a_sequence_that_never_ends_does_not_swallow_the_next_line() {
        check(&[b"\x1b]0;never ends\nnext"], "\nnext");
        check(&[b"\x1b[12;\nnext"], "\nnext");
    }

    #[test]
    fn line_ends_are_one() {
        check(&[b"a\r\nb\rc\r"], "a\nb\nc\n");
    }

    /// Random bytes, made of what terminals know, cut anywhere: the text has neither controls nor the beginning of a sequence,
    /// and does not depend on the cuts.
    #[test]
    fn nothing_that_a_terminal_would_obey_comes_through() {
        const PARTS: [&[u8]; 24] = [
            b"\x1b",
            b"[",
            b"31m",
            b"]",
            b"0;title",
            b"\x07",
            b"\\",
            b"P",
            b"q#0",
            b"\xc2\x9b",
            b"\xc2\x9d",
            b"\xc2\x9c",
            b"\r",
            b"\n",
            b"\t",
            b"\0",
            b"\x7f",
            b"\xff",
            b"\xf0\x9f",
            "\u{1f642}".as_bytes(),
            b"word ",
            b"(B",
            b"\x08",
            b"\xe2\x80\xae",
        ];
        let mut seed = 7u32;
        let mut below = |most: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as usize % most
        };
        for round in 0..20_000 {
            let bytes: Vec<u8> = (0..below(24)).flat_map(|_| PARTS[below(PARTS.len())].to_vec()).collect();
            let mut whole = Cleaner::default();
            let expected = whole.push(&bytes) + &whole.finish();
            let is_fit = |c: char| matches!(c, '\n' | '\t') || !c.is_control();
            assert!(expected.chars().all(is_fit), "{round}: {bytes:?} became {expected:?}");
            let mut cut = Cleaner::default();
            let mut text = String::new();
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                let (piece, after) = rest.split_at(1 + below(rest.len()));
                text.push_str(&cut.push(piece));
                rest = after;
            }
            text.push_str(&cut.finish());
            assert_eq!(text, expected, "{round}: {bytes:?}");
            // What is clean stays as it is.
            let mut again = Cleaner::default();
            assert_eq!(again.push(expected.as_bytes()) + &again.finish(), expected, "{round}");
        }
    }
}
