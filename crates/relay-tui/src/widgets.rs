//! The smallest widgets: a rule with a title, a line of keys, a spinner. They need no more than colours and signs, so that commands
//! which only print something look like the rest.

use std::time::Duration;

use crate::text::{Line, Style};
use crate::theme::{Preset, Symbol, Symbols};

/// How long each picture of a spinner is shown.
const SPINNER: Duration = Duration::from_millis(80);

/// A line across the screen with a title in it.
#[must_use]
pub fn rule(symbols: &Symbols, width: usize, title: &str, frame: Style, text: Style) -> Line {
    let horizontal = symbols.get(Symbol::BoxHorizontal);
    let line = Line::of(horizontal.repeat(2), frame).and(format!(" {title} "), text);
    let line = line.truncated(width.saturating_sub(2), symbols.get(Symbol::Ellipsis));
    let rest = width.saturating_sub(line.width());
    line.and(horizontal.repeat(rest), frame)
}

/// A line of keys and what they do. What does not fit is left out from the end.
#[must_use]
pub fn keys(symbols: &Symbols, width: usize, hints: &[(String, &str)], key: Style, text: Style) -> Line {
    let mut line = Line::new();
    for (name, what) in hints.iter().filter(|(name, _)| !name.is_empty()) {
        let mut more = Line::new();
        if !line.spans.is_empty() {
            more.push(format!(" {} ", symbols.get(Symbol::Dot)), text);
        }
        more.push(name.clone(), key);
        more.push(format!(" {what}"), text);
        if line.width() + more.width() > width {
            break;
        }
        line.append(more);
    }
    line
}

/// The picture of a spinner after this time.
#[must_use]
pub fn spinner(preset: Preset, elapsed: Duration) -> &'static str {
    let pictures = Symbols { preset, ..Symbols::default() }.spinner();
    let turn = usize::try_from(elapsed.as_millis() / SPINNER.as_millis()).unwrap_or_default();
    pictures.get(turn % pictures.len().max(1)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_fills_its_line_and_keys_give_way() {
        let (symbols, plain) = (Symbols::default(), Style::default());
        assert_eq!(rule(&symbols, 16, "a title", plain, plain).text(), "── a title ─────");
        assert_eq!(rule(&symbols, 10, "a long title", plain, plain).width(), 10);
        let hints = [("y".to_owned(), "yes"), ("n".to_owned(), "no"), (String::new(), "nothing")];
        assert_eq!(keys(&symbols, 20, &hints, plain, plain).text(), "y yes · n no");
        assert_eq!(keys(&symbols, 8, &hints, plain, plain).text(), "y yes");
        assert_ne!(spinner(Preset::Ascii, Duration::ZERO), spinner(Preset::Ascii, SPINNER));
    }
}
