//! Escapes text for display, so that it can mislead neither the terminal nor the reader.
//!
//! Replies, file contents, paths and command output come from others. Escape sequences can rewrite the screen,
//! bidirectional overrides reorder code, tag characters carry invisible text. Everything printed for people goes
//! through [`visible`]; it never shortens and never styles.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::hidden;

pub use crate::hidden::is_invisible;

/// Why a character is not shown as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// A control character, such as ESC.
    Control,
    /// Reorders the text around it.
    Bidi,
    /// Invisible, or only affects its neighbours.
    Invisible,
}

/// Makes control, bidirectional and invisible characters visible. Newlines and tabs are kept, and so is the single
/// emoji or text selector after a symbol, which is how ordinary emoji are written.
///
/// ```
/// use relay_diagnostics::display::visible;
/// assert_eq!(visible("plain\ttext\n"), "plain\ttext\n");
/// assert_eq!(visible("\u{1b}[2J"), "\\x1b[2J");
/// assert_eq!(visible("a\u{202e}b"), "a<U+202E>b");
/// ```
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    let Some((start, ..)) = first_hidden(text) else { return Cow::Borrowed(text) };
    let mut shown = String::with_capacity(text.len() + 16);
    let (plain, rest) = text.split_at_checked(start).unwrap_or(("", text));
    shown.push_str(plain);
    let mut before = plain.chars().next_back();
    for character in rest.chars() {
        match classify(character, before) {
            None => shown.push(character),
            Some(_) => push_escaped(&mut shown, character),
        }
        before = Some(character);
    }
    Cow::Owned(shown)
}

/// Like [`visible`], for text that must stay on one line: newlines and tabs are escaped as well.
#[must_use]
pub fn visible_line(text: &str) -> Cow<'_, str> {
    if !text.contains(['\n', '\t']) {
        return visible(text);
    }
    Cow::Owned(visible(text).replace('\n', "\\n").replace('\t', "\\t"))
}

/// A JSON text in which every character that [`visible`] would change is written as an escape. Such characters occur in
/// strings only, where the escape means the same.
///
/// ```
/// use relay_diagnostics::display::escaped_json;
/// assert_eq!(escaped_json("{\"a\": \"b\u{202e}\u{e0041}\"}"), r#"{"a": "b\u202e\udb40\udc41"}"#);
/// ```
#[must_use]
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    if first_hidden(json).is_none() {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    let mut end = 0;
    for (at, character, _) in all_hidden(json) {
        escaped.push_str(json.get(end..at).unwrap_or_default());
        for unit in character.encode_utf16(&mut [0; 2]) {
            let written = write!(escaped, "\\u{unit:04x}");
            debug_assert!(written.is_ok(), "writing to a string cannot fail");
        }
        end = at + character.len_utf8();
    }
    escaped.push_str(json.get(end..).unwrap_or_default());
    Cow::Owned(escaped)
}

/// The first character that [`visible`] would change: its byte offset, itself, and why.
#[must_use]
pub fn first_hidden(text: &str) -> Option<(usize, char, Hidden)> {
    all_hidden(text).next()
}

/// Every character that [`visible`] would change: byte offset, character, and why. For warnings about code that
/// contains them.
pub fn all_hidden(text: &str) -> impl Iterator<Item = (usize, char, Hidden)> + '_ {
    // Most text is plain, and scanning bytes is faster than decoding characters.
    let is_plain = |byte: &u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
    let text = if text.as_bytes().iter().all(is_plain) { "" } else { text };
    let mut before = None;
    text.char_indices().filter_map(move |(at, character)| {
        let why = classify(character, before);
        before = Some(character);
        why.map(|why| (at, character, why))
    })
}

fn classify(character: char, before: Option<char>) -> Option<Hidden> {
    match character {
        '\n' | '\t' | ' '..='~' => None,
        '\u{FE0E}' | '\u{FE0F}' if before.is_some_and(takes_selector) => None,
        _ if character.is_control() => Some(Hidden::Control),
        _ if hidden::is_bidi(character) => Some(Hidden::Bidi),
        _ if is_invisible(character) => Some(Hidden::Invisible),
        _ => None,
    }
}

/// Whether an emoji or text selector after this character is ordinary: symbols and keycaps, never another selector.
fn takes_selector(before: char) -> bool {
    matches!(
        before,
        '#' | '*' | '0'..='9' | '©' | '®' | '\u{203C}' | '\u{2049}' | '\u{2100}'..='\u{27BF}'
            | '\u{2900}'..='\u{2BFF}' | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}' | '\u{1F000}'..='\u{1FAFF}'
    )
}

fn push_escaped(shown: &mut String, character: char) {
    let code = u32::from(character);
    let written = match character {
        '\r' => {
            shown.push_str("\\r");
            Ok(())
        }
        _ if character.is_control() => write!(shown, "\\x{code:02x}"),
        _ => write!(shown, "<U+{code:04X}>"),
    };
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(visible(text), expect);
        assert_eq!(first_hidden(text).is_some(), text != expect);
    }

    #[test]
    fn ordinary_text_is_borrowed() {
        for text in ["", "plain", "tab\tand\nnewline", "äöü 世界 🙂 \u{a0}", "❤️ and 1️⃣ and ☎︎"]
        {
            check(text, text);
            assert!(matches!(visible(text), Cow::Borrowed(_)), "{text:?}");
        }
    }

    #[test]
    fn controls_are_named() {
        check("a\u{1b}]52;c;x\u{7}", "a\\x1b]52;c;x\\x07");
        check("\u{9b}2J\u{7f}\0", "\\x9b2J\\x7f\\x00");
        check("over\rwritten", "over\\rwritten");
    }

    #[test]
    fn bidi_and_invisible_characters_are_named() {
        check("\u{202e}evil\u{2066}", "<U+202E>evil<U+2066>");
        check("a\u{200b}b\u{feff}", "a<U+200B>b<U+FEFF>");
        check("\u{e0041}\u{e007f}", "<U+E0041><U+E007F>");
        check("x\u{2028}y", "x<U+2028>y");
    }

    #[test]
    fn selectors_are_only_left_alone_behind_a_symbol_and_only_once() {
        check("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}<U+FE0F>");
        check("a\u{fe0f}", "a<U+FE0F>");
        check("\u{fe0f}", "<U+FE0F>");
        check("❤\u{fe01}", "❤<U+FE01>");
    }

    #[test]
    fn one_line_stays_one_line() {
        assert_eq!(visible_line("a\nb\tc\u{1b}"), "a\\nb\\tc\\x1b");
        assert_eq!(visible_line("plain"), "plain");
    }

    #[test]
    fn reasons_and_offsets_are_given() {
        let found: Vec<_> = all_hidden("é\u{1b}x\u{202e}\u{200b}").collect();
        assert_eq!(
            found,
            [
                (2, '\u{1b}', Hidden::Control),
                (4, '\u{202e}', Hidden::Bidi),
                (7, '\u{200b}', Hidden::Invisible)
            ]
        );
    }

    #[test]
    fn nothing_hidden_is_left() {
        // Every Unicode character, alone, after a letter, and after a symbol that takes a selector.
        let mut text = String::new();
        for character in '\0'..=char::MAX {
            for before in ["", "a", "❤"] {
                text.clear();
                text.push_str(before);
                text.push(character);
                let shown = visible(&text);
                assert_eq!(first_hidden(&shown), None, "{text:?}");
                assert!(shown.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'), "{text:?}");
            }
        }
    }
}
