//! What is left of a line when a tier ignores certain differences.
//!
//! A key only serves to *find* a place. What is written never comes from a key.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// Which differences between two lines are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// None.
    Exact,
    /// White space at the end.
    TrimEnd,
    /// White space at both ends.
    Trim,
    /// White space at both ends, how much of it is between words, and whether any is beside brackets and commas.
    Spaced,
    /// As `Spaced`, and which of several characters that look alike is used, or whether an accent is one of its own.
    Folded,
}

impl Key {
    /// The number of kinds, for tables.
    pub const COUNT: usize = 5;

    /// The position in a table.
    pub const fn slot(self) -> usize {
        match self {
            Self::Exact => 0,
            Self::TrimEnd => 1,
            Self::Trim => 2,
            Self::Spaced => 3,
            Self::Folded => 4,
        }
    }

    /// Whether two lines are the same but for what is ignored.
    pub fn unites(self, one: &[u8], other: &[u8]) -> bool {
        one == other || self != Self::Exact && self.of(one) == self.of(other)
    }

    /// What is left of a line.
    pub fn of(self, text: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::Exact => Cow::Borrowed(text),
            Self::TrimEnd => Cow::Borrowed(trim_end(text)),
            Self::Trim => Cow::Borrowed(trim_start(trim_end(text))),
            Self::Spaced => squeeze(Cow::Borrowed(trim_start(trim_end(text)))),
            Self::Folded => match fold(text) {
                Cow::Borrowed(text) => squeeze(Cow::Borrowed(trim_start(trim_end(text)))),
                Cow::Owned(text) => {
                    Cow::Owned(squeeze(Cow::Borrowed(trim_start(trim_end(&text)))).into_owned())
                }
            },
        }
    }
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c')
}

fn trim_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !is_space(*byte)).map_or(0, |last| last + 1);
    text.get(..end).unwrap_or_default()
}

fn trim_start(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !is_space(*byte)).unwrap_or(text.len());
    text.get(start..).unwrap_or_default()
}

/// The white space a line begins with.
pub(crate) fn indent(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// Signs beside which white space is layout in every language. Beside others it may separate: `.a .b` is not `.a.b`.
const fn is_tight(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',')
}

fn squeeze(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let fits = |(before, after): (&u8, &u8)| match (is_space(*before), is_space(*after)) {
        (false, false) => true,
        (true, true) => false,
        (true, false) => *before == b' ' && !is_tight(*after),
        (false, true) => !is_tight(*before),
    };
    if text.iter().zip(text.iter().skip(1)).all(fits) {
        return text;
    }
    let mut squeezed: Vec<u8> = Vec::with_capacity(text.len());
    let mut after_space = false;
    for byte in text.iter().copied() {
        if is_space(byte) {
            after_space = true;
            continue;
        }
        if after_space && !is_tight(byte) && squeezed.last().is_some_and(|last| !is_tight(*last)) {
            squeezed.push(b' ');
        }
        squeezed.push(byte);
        after_space = false;
    }
    Cow::Owned(squeezed)
}

/// Replaces characters that look alike by the plainest of them; bytes that are no UTF-8 stay.
fn fold(text: &[u8]) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut folded = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().nfc() {
            match plain(character) {
                Some(plain) => folded.extend_from_slice(plain.as_bytes()),
                None => {
                    let mut buffer = [0; 4];
                    folded.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
                }
            }
        }
        folded.extend_from_slice(chunk.invalid());
    }
    Cow::Owned(folded)
}

/// The plain spelling of a typographic or invisible character.
pub(crate) const fn plain(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '\u{02bc}' | '\u{ff07}' => "'",
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' | '\u{ff02}' => {
            "\""
        }
        '\u{2010}' | '\u{2011}' | '\u{2012}' | '\u{2013}' | '\u{2014}' | '\u{2015}' | '\u{2212}'
        | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => "-",
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => " ",
        '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => "",
        '\u{2026}' => "...",
        '\u{2192}' => "->",
        '\u{2190}' => "<-",
        '\u{21d2}' => "=>",
        '\u{2260}' => "!=",
        '\u{2264}' => "<=",
        '\u{2265}' => ">=",
        '\u{00d7}' => "x",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: Key, text: &str, expected: &str) {
        assert_eq!(String::from_utf8_lossy(&key.of(text.as_bytes())), expected);
    }

    #[test]
    fn each_key_ignores_a_little_more() {
        let line = "\t a  =\t\u{201c}b\u{201d} \t";
        check(Key::Exact, line, line);
        check(Key::TrimEnd, line, "\t a  =\t\u{201c}b\u{201d}");
        check(Key::Trim, line, "a  =\t\u{201c}b\u{201d}");
        check(Key::Spaced, line, "a = \u{201c}b\u{201d}");
        check(Key::Folded, line, "a = \"b\"");
        check(Key::Spaced, "if ( a [ 1 ], b )  { }", "if(a[1],b){}");
        check(Key::Spaced, ".a  .b >\tc : d", ".a .b > c : d");
        check(Key::Folded, "a\u{a0}\u{2013}\u{200b} b\u{2026}", "a - b...");
        check(Key::Folded, "Ku\u{308}che", "K\u{fc}che");
        check(Key::Folded, "o\u{fb03}ce", "o\u{fb03}ce");
    }

    #[test]
    fn bytes_that_are_no_text_stay() {
        assert_eq!(&*Key::Folded.of(b" \xff\xfea "), b"\xff\xfea");
    }
}
