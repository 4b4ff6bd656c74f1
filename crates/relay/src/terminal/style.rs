//! The colours, named by what they mean.

use std::fmt::{self, Display};
use std::sync::OnceLock;

use relay_tui::render::{Depth, foreground};
use relay_tui::theme::{Theme, Token};

/// Landed, added, passed.
pub const GOOD: Style = Style::new(Role::Good);
/// Refused, removed, failed.
pub const BAD: Style = Style::new(Role::Bad);
/// Worth a look.
pub const NOTE: Style = Style::new(Role::Note);
/// A location: a hunk header, a path to type.
pub const PLACE: Style = Style::new(Role::Place);
/// Less important.
pub const FAINT: Style = Style::new(Role::Faint);
/// More important.
pub const STRONG: Style = Style::new(Role::Plain).bold();

/// The colours of the theme that the user chose, if they did.
static CHOSEN: OnceLock<[(Role, String); 5]> = OnceLock::new();

/// The meaning of a style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Good,
    Bad,
    Note,
    Place,
    Faint,
    Plain,
}

impl Role {
    /// Its escape sequence: the theme's colour, or one of the terminal's own.
    fn start(self) -> &'static str {
        let chosen = CHOSEN.get().and_then(|chosen| chosen.iter().find(|(role, _)| *role == self));
        match (chosen, self) {
            (Some((_, start)), _) if !start.is_empty() => start,
            (_, Self::Good) => "\x1b[32m",
            (_, Self::Bad) => "\x1b[31m",
            (_, Self::Note) => "\x1b[33m",
            (_, Self::Place) => "\x1b[36m",
            (_, Self::Faint) => "\x1b[2m",
            (_, Self::Plain) => "",
        }
    }
}

/// Uses the colours of a theme from now on, as the terminal interface does.
pub fn wear(theme: &Theme, depth: Depth) {
    let start = |token: Token| foreground(theme.color(token), depth);
    let colors = [
        (Role::Good, start(Token::Success)),
        (Role::Bad, start(Token::Error)),
        (Role::Note, start(Token::Warning)),
        (Role::Place, start(Token::Accent)),
        (Role::Faint, start(Token::Dim)),
    ];
    // Only the first call counts, and it comes before any output.
    drop(CHOSEN.set(colors));
}

/// The background that some terminals report in `COLORFGBG`: `15;0` is white on black.
pub fn is_dark(colors: &str) -> Option<bool> {
    let background: u8 = colors.rsplit(';').next()?.parse().ok()?;
    Some(background < 8)
}

const BOLD: &str = "\x1b[1m";
/// Ends every style.
const RESET: &str = "\x1b[0m";

/// How text looks.
#[derive(Clone, Copy)]
pub struct Style {
    role: Role,
    is_bold: bool,
}

impl Style {
    const fn new(role: Role) -> Self {
        Self { role, is_bold: false }
    }

    /// The same in bold.
    pub const fn bold(self) -> Self {
        Self { is_bold: true, ..self }
    }

    /// Surrounds what `add` adds with this style.
    pub fn around(self, text: &mut String, add: impl FnOnce(&mut String)) {
        if self.is_bold {
            text.push_str(BOLD);
        }
        text.push_str(self.role.start());
        add(text);
        text.push_str(RESET);
    }
}

/// A piece of text in a style.
pub struct Styled<T>(Style, T);

/// Styles a text.
pub fn paint<T: Display>(style: Style, text: T) -> Styled<T> {
    Styled(style, text)
}

impl<T: Display> Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Style { role, is_bold }, text) = self;
        if *is_bold {
            f.write_str(BOLD)?;
        }
        f.write_str(role.start())?;
        write!(f, "{text}")?;
        f.write_str(RESET)
    }
}

/// The text without its styles.
pub fn unpainted(text: &str) -> String {
    plain(text).unwrap_or_else(|| anstream::adapter::strip_str(text).to_string())
}

/// The text without its styles; `None` if it contains other control sequences, which need closer inspection.
fn plain(text: &str) -> Option<String> {
    let is_odd = |byte: u8| {
        let is_known = byte.is_ascii_whitespace() | (byte == b'\x1b');
        (byte < b' ') & !is_known | (byte == 0x7f)
    };
    // Written so that the compiler can check many bytes at once.
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
    fn styles_can_be_removed_again() {
        check(&format!("a {} b\n", paint(GOOD.bold(), "+ é\t")), "a + é\t b\n");
        check(&format!("{}{}", paint(STRONG, ""), paint(FAINT, "x")), "x");
        check("plain\r\n", "plain\r\n");
    }

    #[test]
    fn other_control_sequences_are_removed_too() {
        check("a\x1b[1;31mb\x1b[0mc", "abc");
        check("a\x07b\x1b[2Jc", "abc");
        check("\x1b]0;title\x07a", "a");
    }
}
