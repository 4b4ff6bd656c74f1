//! Lines of a reply that are kept until it is clear what they are: one text instead of one for each line.
//!
//! A reply may have millions of short lines, and a text of its own for each of them would cost many times the reply.

use std::ops::Range;

use super::Line;

/// Kept lines, in order.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Every line with a newline after it.
    text: String,
    lines: Vec<Entry>,
}

/// Where a line lies.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// In the reply, counted from 1.
    number: usize,
    /// The byte after its newline.
    end: usize,
}

impl Kept {
    /// Adds a line.
    pub fn push(&mut self, line: Line<'_>) {
        self.text.push_str(line.text);
        self.text.push('\n');
        self.lines.push(Entry { number: line.number, end: self.text.len() });
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// One of the lines.
    pub fn get(&self, at: usize) -> Option<Line<'_>> {
        let Entry { number, end } = *self.lines.get(at)?;
        let text = self.text.get(self.start(at)..end.saturating_sub(1))?;
        Some(Line { number, text })
    }

    /// The first line.
    pub fn first(&self) -> Option<Line<'_>> {
        self.get(0)
    }

    /// The last line.
    pub fn last(&self) -> Option<Line<'_>> {
        self.get(self.len().checked_sub(1)?)
    }

    /// All lines.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = Line<'_>> {
        self.range(0..self.len())
    }

    /// Some of the lines; those that are not there are left out.
    pub fn range(&self, range: Range<usize>) -> impl DoubleEndedIterator<Item = Line<'_>> {
        range.filter_map(|at| self.get(at))
    }

    /// Some of the lines as one text, each with a newline after it.
    pub fn text(&self, range: Range<usize>) -> &str {
        self.text.get(self.start(range.start)..self.start(range.end)).unwrap_or_default()
    }

    /// All lines in a list.
    pub fn to_list(&self) -> Vec<Line<'_>> {
        let mut list = Vec::with_capacity(self.len());
        list.extend(self.lines());
        list
    }

    /// Forgets all lines from this one on.
    pub fn truncate(&mut self, len: usize) {
        self.text.truncate(self.start(len));
        self.lines.truncate(len);
    }

    /// Takes all lines from this one on.
    pub fn split_off(&mut self, at: usize) -> Self {
        let mut rest = Self::default();
        self.range(at..self.len()).for_each(|line| rest.push(line));
        self.truncate(at);
        rest
    }

    /// The last line before `end` that is not blank, if only one blank line at most is below it. What is further above
    /// is not meant by what comes at `end`, and a long gap is not gone through again and again.
    pub fn written_before(&self, end: usize) -> Option<usize> {
        self.last_before(end, 2, |text| text.trim().is_empty())
    }

    /// The last of this many lines before `end` that is not to be passed over.
    pub fn last_before(&self, end: usize, reach: usize, pass: fn(&str) -> bool) -> Option<usize> {
        (end.saturating_sub(reach)..end).rev().find(|at| self.get(*at).is_some_and(|line| !pass(line.text)))
    }

    /// Where a line begins in the text; for the line after the last one, its end.
    fn start(&self, at: usize) -> usize {
        let before = at.min(self.len()).checked_sub(1);
        before.and_then(|before| self.lines.get(before)).map_or(0, |entry| entry.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(texts: &[&str]) -> Kept {
        let mut kept = Kept::default();
        for (at, text) in texts.iter().enumerate() {
            kept.push(Line { number: at + 1, text });
        }
        kept
    }

    fn texts(kept: &Kept) -> Vec<&str> {
        kept.lines().map(|line| line.text).collect()
    }

    #[test]
    fn lines_come_back_as_they_were() {
        let mut lines = kept(&["", "a", "", "b c"]);
        assert_eq!(texts(&lines), ["", "a", "", "b c"]);
        assert_eq!(lines.last(), Some(Line { number: 4, text: "b c" }));
        assert_eq!(lines.get(4), None);
        assert_eq!(lines.text(1..3), "a\n\n");
        assert_eq!(lines.text(3..9), "b c\n");
        let rest = lines.split_off(1);
        assert_eq!((texts(&lines), texts(&rest)), (vec![""], vec!["a", "", "b c"]));
        assert_eq!(rest.first(), Some(Line { number: 2, text: "a" }));
    }

    #[test]
    fn a_line_is_not_looked_for_across_a_gap() {
        assert_eq!(kept(&["a", " "]).written_before(2), Some(0));
        assert_eq!(kept(&["a", "", ""]).written_before(3), None);
        assert_eq!(kept(&["a", "b"]).written_before(1), Some(0));
        assert_eq!(kept(&[]).written_before(0), None);
    }
}
