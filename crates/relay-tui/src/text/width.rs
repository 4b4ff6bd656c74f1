//! How many cells a text takes, and text that others wrote made safe to draw.
//!
//! A user-perceived character (a grapheme) is the unit of everything here: an emoji of several code points, or a letter
//! with its combining marks, is never cut in half.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use relay_diagnostics::display::{is_invisible, visible};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// How many cells a tab takes where text is shown, unless the user's settings say otherwise.
pub const TAB: usize = 3;

/// What the settings say. One terminal has one width of tabs.
static TAB_CELLS: AtomicUsize = AtomicUsize::new(TAB);

/// Sets how many cells a tab takes from here on.
pub fn set_tab(cells: usize) {
    TAB_CELLS.store(cells.clamp(1, 16), Ordering::Relaxed);
}

/// The cells a text takes.
///
/// ```
/// use relay_tui::text::width;
/// assert_eq!(width("abc"), 3);
/// assert_eq!(width("世界"), 4);
/// assert_eq!(width("e\u{301}"), 1);
/// ```
#[must_use]
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    graphemes(text).map(|(_, _, cells)| cells).sum()
}

/// Every user-perceived character with its byte offset and its cells.
pub fn graphemes(text: &str) -> impl DoubleEndedIterator<Item = (usize, &str, usize)> {
    text.grapheme_indices(true).map(|(at, grapheme)| (at, grapheme, cells(grapheme)))
}

/// The cells of one user-perceived character: never more than two.
fn cells(grapheme: &str) -> usize {
    if grapheme.is_ascii() { grapheme.len().min(1) } else { grapheme.width().min(2) }
}

/// The longest beginning of a text that fits into `room` cells, as a byte offset, and the cells it takes.
#[must_use]
pub fn fit(text: &str, room: usize) -> (usize, usize) {
    if text.is_ascii() {
        let end = text.len().min(room);
        return (end, end);
    }
    let mut used = 0;
    for (at, _, cells) in graphemes(text) {
        if used + cells > room {
            return (at, used);
        }
        used += cells;
    }
    (text.len(), used)
}

/// Text that others wrote, made safe for the terminal: control and direction characters are spelled out, tabs become blanks,
/// and carriage returns are dropped. Emoji that are joined stay as they are.
#[must_use]
pub fn clean(text: &str) -> Cow<'_, str> {
    clean_with(text, TAB_CELLS.load(Ordering::Relaxed))
}

/// [`clean`], with tabs of this many cells.
#[must_use]
pub fn clean_with(text: &str, tab: usize) -> Cow<'_, str> {
    let is_plain = |byte: u8| (0x20..0x7f).contains(&byte) || byte == b'\n';
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len() + 16);
    let mut column = 0;
    for grapheme in text.graphemes(true) {
        match grapheme {
            "\t" => {
                let blanks = tab - column % tab;
                clean.extend(std::iter::repeat_n(' ', blanks));
                column += blanks;
            }
            "\n" | "\r\n" => {
                clean.push('\n');
                column = 0;
            }
            "\r" => {}
            _ if is_joined_emoji(grapheme) => {
                clean.push_str(grapheme);
                column += 2;
            }
            _ => {
                let shown = visible(grapheme);
                column += width(&shown);
                clean.push_str(&shown);
            }
        }
    }
    Cow::Owned(clean)
}

/// [`clean`], on one line.
#[must_use]
pub fn clean_line(text: &str) -> Cow<'_, str> {
    match clean(text) {
        Cow::Borrowed(text) if !text.contains('\n') => Cow::Borrowed(text),
        text => Cow::Owned(text.replace('\n', " ")),
    }
}

/// Several pictures that one user-perceived character is made of, with nothing else hidden in it.
fn is_joined_emoji(grapheme: &str) -> bool {
    let mut characters = grapheme.chars();
    characters.next().is_some_and(|first| first >= '\u{2190}' && !is_invisible(first))
        && grapheme.chars().nth(1).is_some()
        && characters.all(|c| {
            matches!(c, '\u{200d}' | '\u{fe0f}' | '\u{20e3}') || (c >= '\u{2190}' && !is_invisible(c))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(clean_with(text, 4), expected);
    }

    #[test]
    fn what_others_wrote_cannot_drive_the_terminal() {
        check("plain\nlines", "plain\nlines");
        check("\u{1b}[2J", "\\x1b[2J");
        check("a\tb", "a   b");
        check("世\tb", "世  b");
        assert_eq!(clean_with("a\tb\tc", 3), "a  b  c");
        assert_eq!(clean_with("abc\tb", 3), "abc   b");
        check("a\r\nb\rc", "a\nbc");
        check("👩\u{200d}👩\u{200d}👧", "👩\u{200d}👩\u{200d}👧");
        check("a\u{202e}b", "a<U+202E>b");
        assert!(!clean("a\u{200d}\u{e0041}b").contains('\u{e0041}'));
    }

    #[test]
    fn cells_of_wide_joined_and_combined_characters() {
        for (text, cells) in
            [("", 0), ("abc", 3), ("世界", 4), ("e\u{301}x", 2), ("👩\u{200d}👩\u{200d}👧", 2), ("🇩🇪", 2)]
        {
            assert_eq!(width(text), cells, "{text}");
        }
        assert_eq!(fit("世界x", 3), (3, 2));
        assert_eq!(fit("abc", 2), (2, 2));
    }
}
