//! A file as lines: where each begins, where its text ends and where its line ending ends.
//!
//! Everything that touches a file's bytes goes through this table, so a byte order mark, mixed line endings and
//! a missing final newline need no special cases elsewhere. A `\r` ends a line only in a file without any `\n`.

use std::ops::Range;

/// The byte order mark of UTF-8; it belongs to the file, not to its first line.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// The lines of one file.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    spans: Vec<Span>,
    start: usize,
}

/// Where one line lies in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The first byte of its text.
    pub start: usize,
    /// The byte after its text.
    pub text_end: usize,
    /// The byte after its line ending.
    pub end: usize,
}

impl<'a> Lines<'a> {
    /// Splits a file into lines.
    pub fn new(bytes: &'a [u8]) -> Self {
        let start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let body = bytes.get(start..).unwrap_or_default();
        let spans = match memchr::memchr(b'\n', body) {
            None if memchr::memchr(b'\r', body).is_some() => split(body, start, b'\r'),
            _ => split(body, start, b'\n'),
        };
        Self { bytes, spans, start }
    }

    /// The number of lines.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// The whole file.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Where a line lies.
    pub fn span(&self, line: usize) -> Option<Span> {
        self.spans.get(line).copied()
    }

    /// The text of a line without its ending; empty when there is no such line.
    pub fn text(&self, line: usize) -> &'a [u8] {
        self.spans.get(line).map_or(&[], |span| self.slice(span.start..span.text_end))
    }

    /// The ending of a line; empty for a last line without one.
    pub fn ending(&self, line: usize) -> &'a [u8] {
        self.spans.get(line).map_or(&[], |span| self.slice(span.text_end..span.end))
    }

    /// The texts of all lines.
    pub fn texts(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        self.spans.iter().map(|span| self.slice(span.start..span.text_end))
    }

    /// The byte at which a line begins; for the line after the last one, the end of the file.
    pub fn offset(&self, line: usize) -> usize {
        match self.spans.get(line) {
            Some(span) => span.start,
            None => self.spans.last().map_or(self.start, |span| span.end),
        }
    }

    /// The ending a new line takes when it is put before `line`: that of its nearest neighbour that has one.
    pub fn ending_near(&self, line: usize) -> &'a [u8] {
        let before = line.checked_sub(1).map_or(&[][..], |line| self.ending(line));
        if !before.is_empty() {
            return before;
        }
        let after = self.ending(line);
        if !after.is_empty() {
            return after;
        }
        // Only a file of one line without an ending gets here, or one whose first line is new.
        self.spans.first().map(|_| self.ending(0)).filter(|ending| !ending.is_empty()).unwrap_or(b"\n")
    }

    /// Whether the last line has no ending.
    pub fn lacks_final_newline(&self) -> bool {
        self.spans.last().is_some_and(|span| span.text_end == span.end)
    }

    fn slice(&self, range: Range<usize>) -> &'a [u8] {
        self.bytes.get(range).unwrap_or_default()
    }
}

fn split(body: &[u8], offset: usize, terminator: u8) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut start = 0;
    for at in memchr::memchr_iter(terminator, body) {
        let text = body.get(start..at).unwrap_or_default();
        let carriage_return = usize::from(terminator == b'\n' && text.ends_with(b"\r"));
        spans.push(Span {
            start: offset + start,
            text_end: offset + at - carriage_return,
            end: offset + at + 1,
        });
        start = at + 1;
    }
    if start < body.len() {
        spans.push(Span { start: offset + start, text_end: offset + body.len(), end: offset + body.len() });
    }
    spans
}

/// Whether a line holds nothing but white space.
pub(crate) fn is_blank(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\x0c' | b'\x0b'))
}

/// Whether the bytes look like something other than text: a NUL among the first 8 KB.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes.get(..8192).unwrap_or(bytes)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &[(&str, &str)]) {
        let lines = Lines::new(bytes);
        let found: Vec<(&str, &str)> = (0..lines.len())
            .map(|line| {
                (
                    std::str::from_utf8(lines.text(line)).expect("text"),
                    std::str::from_utf8(lines.ending(line)).expect("ending"),
                )
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn splits_every_kind_of_ending() {
        check(b"", &[]);
        check(b"\n", &[("", "\n")]);
        check(b"a\nb", &[("a", "\n"), ("b", "")]);
        check(b"a\r\nb\n", &[("a", "\r\n"), ("b", "\n")]);
        check(b"a\rb\r", &[("a", "\r"), ("b", "\r")]);
        check(b"a\rb\n", &[("a\rb", "\n")]);
        check(b"\xef\xbb\xbfa\n", &[("a", "\n")]);
        check(b"\xef\xbb\xbf", &[]);
    }

    #[test]
    fn a_new_line_takes_the_ending_of_its_neighbour() {
        let lines = Lines::new(b"a\r\nb\nc");
        assert_eq!(lines.ending_near(0), b"\r\n");
        assert_eq!(lines.ending_near(1), b"\r\n");
        assert_eq!(lines.ending_near(2), b"\n");
        assert_eq!(lines.ending_near(3), b"\r\n");
        assert_eq!(Lines::new(b"a").ending_near(1), b"\n");
        assert_eq!(Lines::new(b"").ending_near(0), b"\n");
    }

    #[test]
    fn the_byte_order_mark_stands_before_the_first_line() {
        let lines = Lines::new(b"\xef\xbb\xbfa");
        assert_eq!(lines.offset(0), 3);
        assert_eq!(lines.offset(1), 4);
        assert_eq!(Lines::new(b"\xef\xbb\xbf").offset(0), 3);
    }
}
