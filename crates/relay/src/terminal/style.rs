//! The colours, named by what they mean.

use std::fmt::{self, Display};

use anstyle::{AnsiColor, Style};

/// Landed, added, passed.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Refused, removed, failed.
pub const BAD: Style = AnsiColor::Red.on_default();
/// Worth a look.
pub const NOTE: Style = AnsiColor::Yellow.on_default();
/// A place: a hunk header, a path that can be typed.
pub const PLACE: Style = AnsiColor::Cyan.on_default();
/// Less important.
pub const FAINT: Style = Style::new().dimmed();
/// More important.
pub const STRONG: Style = Style::new().bold();

/// A piece of text in a style.
pub struct Styled<T>(Style, T);

/// Puts text into a style.
pub fn paint<T: Display>(style: Style, text: T) -> Styled<T> {
    Styled(style, text)
}

impl<T: Display> Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.0.render(), self.1, self.0.render_reset())
    }
}

/// "1 file", "2 files".
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
