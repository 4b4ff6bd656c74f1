//! The text that is being written, and the caret in it. Positions are byte offsets at the edges of user-perceived characters.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// A text with a caret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buffer {
    text: String,
    caret: usize,
}

impl Buffer {
    /// A text with the caret at its end.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let caret = text.len();
        Self { text, caret }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the caret is.
    #[must_use]
    pub fn caret(&self) -> usize {
        self.caret
    }

    /// Moves the caret; to the nearest edge of a character before it, if it is not one.
    pub fn set_caret(&mut self, to: usize) {
        let mut to = to.min(self.text.len());
        while !self.text.is_char_boundary(to) {
            to -= 1;
        }
        self.caret = to;
    }

    /// The text before the caret.
    #[must_use]
    pub fn before(&self) -> &str {
        self.text.get(..self.caret).unwrap_or_default()
    }

    /// The text after the caret.
    #[must_use]
    pub fn after(&self) -> &str {
        self.text.get(self.caret..).unwrap_or_default()
    }

    /// Puts a text at the caret.
    pub fn insert(&mut self, text: &str) {
        self.text.insert_str(self.caret, text);
        self.caret += text.len();
    }

    /// Replaces a part of the text; the caret goes to the end of what is new.
    pub fn replace(&mut self, range: Range<usize>, with: &str) {
        if self.text.get(range.clone()).is_some() {
            self.text.replace_range(range.clone(), with);
            self.caret = range.start + with.len();
        }
    }

    /// Takes a part of the text out.
    pub fn take(&mut self, range: Range<usize>) -> String {
        let taken = self.text.get(range.clone()).unwrap_or_default().to_owned();
        self.replace(range, "");
        taken
    }

    /// One character to the left of a place.
    #[must_use]
    pub fn left(&self, from: usize) -> usize {
        let before = self.text.get(..from).unwrap_or_default();
        before.grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    /// One character to the right of a place.
    #[must_use]
    pub fn right(&self, from: usize) -> usize {
        let after = self.text.get(from..).unwrap_or_default();
        from + after.graphemes(true).next().map_or(0, str::len)
    }

    /// The beginning of the word before a place.
    #[must_use]
    pub fn word_left(&self, from: usize) -> usize {
        let before = self.text.get(..from).unwrap_or_default();
        let trimmed = before.trim_end_matches(|c: char| !is_word(c));
        trimmed.trim_end_matches(is_word).len()
    }

    /// The end of the word after a place.
    #[must_use]
    pub fn word_right(&self, from: usize) -> usize {
        let after = self.text.get(from..).unwrap_or_default();
        let rest = after.trim_start_matches(|c: char| !is_word(c)).trim_start_matches(is_word);
        self.text.len() - rest.len()
    }

    /// The beginning of the line of a place.
    #[must_use]
    pub fn line_start(&self, from: usize) -> usize {
        self.text.get(..from).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1)
    }

    /// The end of the line of a place.
    #[must_use]
    pub fn line_end(&self, from: usize) -> usize {
        self.text.get(from..).and_then(|after| after.find('\n')).map_or(self.text.len(), |at| from + at)
    }

    /// The word at the caret that reaches back to a blank: what completion works on.
    #[must_use]
    pub fn token(&self) -> (usize, &str) {
        let before = self.before();
        let start = before.rfind(|c: char| c.is_whitespace()).map_or(0, |at| {
            at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
        });
        (start, before.get(start..).unwrap_or_default())
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motions_stop_at_words_and_characters() {
        let buffer = Buffer::new("one, two e\u{301}x\n👩\u{200d}👧 z");
        assert_eq!(buffer.word_left(8), 5);
        assert_eq!(buffer.word_left(5), 0);
        assert_eq!(buffer.word_right(0), 3);
        assert_eq!(buffer.right(9), 12);
        assert_eq!(buffer.left(12), 9);
        let line = buffer.line_start(buffer.text().len());
        assert_eq!(buffer.right(line) - line, "👩\u{200d}👧".len());
        assert_eq!((buffer.line_start(3), buffer.line_end(3)), (0, 13));
    }

    #[test]
    fn a_token_reaches_back_to_a_blank() {
        let buffer = Buffer::new("look at @src/li");
        assert_eq!(buffer.token(), (8, "@src/li"));
        assert_eq!(Buffer::new("").token(), (0, ""));
    }
}
