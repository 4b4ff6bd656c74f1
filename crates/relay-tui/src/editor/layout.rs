//! How the text of the editor is spread over rows, and where the caret is then.

use std::ops::Range;

use crate::text::graphemes;

/// The rows of a text: byte ranges, in order. A row that ends at a line break does not contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The rows; there is at least one.
    pub rows: Vec<Range<usize>>,
}

impl Layout {
    /// Spreads a text over rows of `room` cells. Lines break after blanks where there are some.
    #[must_use]
    pub fn new(text: &str, room: usize) -> Self {
        let room = room.max(2);
        let mut rows = Vec::new();
        let mut start = 0;
        for line in text.split('\n') {
            let (mut row, mut used, mut blank) = (start, 0, None);
            for (at, grapheme, cells) in graphemes(line) {
                let at = start + at;
                if used + cells > room && at > row {
                    let cut = blank.filter(|cut| *cut > row).unwrap_or(at);
                    rows.push(row..cut);
                    used = text.get(cut..at).map_or(0, crate::text::width);
                    row = cut;
                    blank = None;
                }
                used += cells;
                if grapheme == " " {
                    blank = Some(at + 1);
                }
            }
            rows.push(row..start + line.len());
            start += line.len() + 1;
        }
        Self { rows }
    }

    /// The row and the column of a place.
    #[must_use]
    pub fn locate(&self, text: &str, place: usize) -> (usize, usize) {
        let row = self.rows.iter().rposition(|row| row.start <= place).unwrap_or(0);
        let start = self.rows.get(row).map_or(0, |row| row.start);
        (row, text.get(start..place).map_or(0, crate::text::width))
    }

    /// The place nearest to a column of a row.
    #[must_use]
    pub fn place(&self, text: &str, row: usize, column: usize) -> usize {
        let Some(range) = self.rows.get(row) else { return text.len() };
        let line = text.get(range.clone()).unwrap_or_default();
        let (end, _) = crate::text::fit(line, column);
        let is_last_of_line = self.rows.get(row + 1).is_none_or(|next| next.start > range.end);
        // The end of a row that goes on below is the beginning of the next one.
        if end == line.len() && !is_last_of_line {
            return graphemes(line).next_back().map_or(range.start, |(at, ..)| range.start + at);
        }
        range.start + end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, room: usize, expected: &[&str]) {
        let layout = Layout::new(text, room);
        let rows: Vec<&str> = layout.rows.iter().map(|row| &text[row.clone()]).collect();
        assert_eq!(rows, expected);
        for (place, _) in text.char_indices() {
            let (row, column) = layout.locate(text, place);
            assert!(column <= room && row < layout.rows.len());
        }
    }

    #[test]
    fn rows_break_at_blanks_and_lines() {
        check("", 5, &[""]);
        check("one two three", 8, &["one two ", "three"]);
        check("a\n\nb", 5, &["a", "", "b"]);
        check("abcdefgh", 3, &["abc", "def", "gh"]);
        check("世界世界", 5, &["世界", "世界"]);
    }

    #[test]
    fn columns_are_found_again() {
        let text = "one two three\nx";
        let layout = Layout::new(text, 8);
        assert_eq!(layout.locate(text, 8), (1, 0));
        assert_eq!(layout.place(text, 0, 99), 7);
        assert_eq!(layout.place(text, 1, 99), 13);
        assert_eq!(layout.place(text, 2, 5), 15);
    }
}
