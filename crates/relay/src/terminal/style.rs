//! The colours, named by what they mean.

use std::fmt::{self, Display};

/// Landed, added, passed.
pub const GOOD: Style = Style::new("\x1b[32m");
/// Refused, removed, failed.
pub const BAD: Style = Style::new("\x1b[31m");
/// Worth a look.
pub const NOTE: Style = Style::new("\x1b[33m");
/// A place: a hunk header, a path that can be typed.
pub const PLACE: Style = Style::new("\x1b[36m");
/// Less important.
pub const FAINT: Style = Style::new("\x1b[2m");
/// More important.
pub const STRONG: Style = Style::new("").bold();

const BOLD: &str = "\x1b[1m";
/// Ends every style.
const RESET: &str = "\x1b[0m";

/// How text looks.
#[derive(Clone, Copy)]
pub struct Style {
    start: &'static str,
    is_bold: bool,
}

impl Style {
    const fn new(start: &'static str) -> Self {
        Self { start, is_bold: false }
    }

    /// The same, heavier.
    pub const fn bold(self) -> Self {
        Self { is_bold: true, ..self }
    }

    /// Adds text in this style, whatever `add` adds.
    pub fn around(self, text: &mut String, add: impl FnOnce(&mut String)) {
        if self.is_bold {
            text.push_str(BOLD);
        }
        text.push_str(self.start);
        add(text);
        text.push_str(RESET);
    }
}

/// A piece of text in a style.
pub struct Styled<T>(Style, T);

/// Puts text into a style.
pub fn paint<T: Display>(style: Style, text: T) -> Styled<T> {
    Styled(style, text)
}

impl<T: Display> Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Style { start, is_bold }, text) = self;
        if *is_bold {
            f.write_str(BOLD)?;
        }
        f.write_str(start)?;
        write!(f, "{text}")?;
        f.write_str(RESET)
    }
}

/// The text without its styles.
pub fn unpainted(text: &str) -> String {
    plain(text).unwrap_or_else(|| anstream::adapter::strip_str(text).to_string())
}

/// The text without its styles; `None` when there is something else in it that is not to be read, which must be looked
/// at more closely.
fn plain(text: &str) -> Option<String> {
    let is_odd = |byte: u8| {
        let is_known = byte.is_ascii_whitespace() | (byte == b'\x1b');
        (byte < b' ') & !is_known | (byte == 0x7f)
    };
    // Written so that many bytes are looked at together.
    if text.bytes().fold(false, |odd, byte| odd | is_odd(byte)) {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\x1b', rest.as_bytes()) {
        let (shown, style) = rest.split_at_checked(at)?;
        plain.push_str(shown);
        let number = style.strip_prefix("\x1b[")?;
        rest = number.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('m')?;
    }
    plain.push_str(rest);
    Some(plain)
}

/// "1 file", "2 files".
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(unpainted(text), expected);
        assert_eq!(anstream::adapter::strip_str(text).to_string(), expected);
    }

    #[test]
    fn what_was_painted_can_be_unpainted() {
        check(&format!("a {} b\n", paint(GOOD.bold(), "+ é\t")), "a + é\t b\n");
        check(&format!("{}{}", paint(STRONG, ""), paint(FAINT, "x")), "x");
        check("plain\r\n", "plain\r\n");
    }

    #[test]
    fn whatever_else_drives_a_terminal_goes_too() {
        check("a\x1b[1;31mb\x1b[0mc", "abc");
        check("a\x07b\x1b[2Jc", "abc");
        check("\x1b]0;title\x07a", "a");
    }
}
