//! A file as lines: where each begins, where its text ends and where its line ending ends.
//!
//! Everything that touches a file's bytes goes through this table, so a byte order mark, mixed line endings and
//! a missing final newline need no special cases elsewhere. A `\r` ends a line only in a file without any `\n`.

use std::ops::Range;

/// The byte order mark of UTF-8; it belongs to the file, not to its first line.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// The lines of one file.
///
/// Only where each line begins is kept; the rest can be read off the bytes. Files have very many lines, and most of them
/// are never looked at.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    /// Where each line begins, and where the last one ends.
    starts: Vec<usize>,
    terminator: u8,
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
        let terminator = match memchr::memchr(b'\n', body) {
            None if memchr::memchr(b'\r', body).is_some() => b'\r',
            _ => b'\n',
        };
        Self { bytes, starts: starts(body, start, terminator), terminator }
    }

    /// The number of lines.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The whole file.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Where a line lies.
    pub fn span(&self, line: usize) -> Option<Span> {
        let (start, end) = (*self.starts.get(line)?, *self.starts.get(line + 1)?);
        let whole = self.slice(start..end);
        let text = match whole.strip_suffix(&[self.terminator]) {
            Some(text) if self.terminator == b'\n' => text.strip_suffix(b"\r").unwrap_or(text),
            Some(text) => text,
            None => whole,
        };
        Some(Span { start, text_end: start + text.len(), end })
    }

    /// The text of a line without its ending; empty when there is no such line.
    pub fn text(&self, line: usize) -> &'a [u8] {
        self.span(line).map_or(&[], |span| self.slice(span.start..span.text_end))
    }

    /// The ending of a line; empty for a last line without one.
    pub fn ending(&self, line: usize) -> &'a [u8] {
        self.span(line).map_or(&[], |span| self.slice(span.text_end..span.end))
    }

    /// The texts of all lines.
    pub fn texts(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        (0..self.len()).map(|line| self.text(line))
    }

    /// Whether one of them ends with blanks. Asked of every file, so the lines are not taken apart for it.
    pub fn have_blanks_at_ends(&self) -> bool {
        let ends_with_blank = |end: &usize| {
            let until = self.bytes.get(..*end).unwrap_or_default();
            matches!(until, [.., b' ' | b'\t', b'\n' | b'\r'] | [.., b' ' | b'\t', b'\r', b'\n'])
        };
        self.starts.iter().skip(1).any(ends_with_blank) || matches!(self.bytes, [.., b' ' | b'\t'])
    }

    /// The byte at which a line begins; for the line after the last one, the end of the file.
    pub fn offset(&self, line: usize) -> usize {
        self.starts.get(line).or(self.starts.last()).copied().unwrap_or_default()
    }

    /// The line in which a byte of the file lies; the line after the last one for the end of the file.
    pub fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
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
        Some(self.ending(0)).filter(|ending| !ending.is_empty()).unwrap_or(b"\n")
    }

    /// Whether the last line has no ending.
    pub fn lacks_final_newline(&self) -> bool {
        self.len().checked_sub(1).is_some_and(|last| self.ending(last).is_empty())
    }

    fn slice(&self, range: Range<usize>) -> &'a [u8] {
        self.bytes.get(range).unwrap_or_default()
    }
}

/// Where the lines of a text begin, and where the last one ends.
///
/// Lines are short, so that looking for one line ending after the other would mostly be looking for the next call.
/// This takes all the endings of a block at once.
fn starts(body: &[u8], offset: usize, terminator: u8) -> Vec<usize> {
    const SHORT_LINE: usize = 16;
    // Room for lines of that length costs nothing where they are longer: memory that is never touched is never given.
    let mut starts = Vec::with_capacity(body.len() / SHORT_LINE + 2);
    starts.push(offset);
    let (blocks, rest) = body.as_chunks::<64>();
    for (at, block) in blocks.iter().enumerate() {
        let mut found = which(block, terminator);
        while found != 0 {
            starts.push(offset + at * 64 + found.trailing_zeros() as usize + 1);
            found &= found - 1;
        }
    }
    let read = body.len() - rest.len();
    let last = rest.iter().enumerate().filter(|(_, byte)| **byte == terminator);
    starts.extend(last.map(|(at, _)| offset + read + at + 1));
    let end = offset + body.len();
    if starts.last() != Some(&end) {
        starts.push(end);
    }
    starts
}

/// Which bytes of a block are this one: one bit for each, the lowest for the first. Written so that many bytes are
/// looked at together.
pub(crate) fn which(block: &[u8; 64], wanted: u8) -> u64 {
    // Eight bytes that are zero or one, times this, have their bits side by side in the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let flags = block.map(|byte| u8::from(byte == wanted));
    let bits = |word: &[u8; 8]| u64::from_le_bytes(*word).wrapping_mul(GATHER) >> 56;
    flags.as_chunks::<8>().0.iter().rev().fold(0, |found, word| found << 8 | bits(word))
}

/// How often a byte is in a text; written so that many bytes are looked at together.
pub(crate) fn count(bytes: &[u8], wanted: u8) -> usize {
    let some = |part: &[u8]| part.iter().map(|byte| u8::from(*byte == wanted)).fold(0_u8, u8::wrapping_add);
    bytes.chunks(192).map(|part| usize::from(some(part))).sum()
}

/// Whether a line holds nothing but white space.
pub(crate) fn is_blank(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\x0c' | b'\x0b'))
}

/// How many bytes at the beginning of a file are searched for a NUL, which shows that it is not text.
pub(crate) const BINARY_BYTES: usize = 8192;

/// Whether the bytes look like something other than text: a NUL among the first 8 KB.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes.get(..BINARY_BYTES).unwrap_or(bytes)).is_some()
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
    fn blanks_are_seen_before_every_ending() {
        for text in ["a \nb\n", "a\n\t\r\nb\n", "a\nb ", "a\t\rb\r"] {
            assert!(Lines::new(text.as_bytes()).have_blanks_at_ends(), "{text:?}");
        }
        for text in ["", "a b\n c\r\n", "\td", " a\rb\r"] {
            assert!(!Lines::new(text.as_bytes()).have_blanks_at_ends(), "{text:?}");
        }
    }

    #[test]
    fn a_byte_is_found_in_its_line() {
        let lines = Lines::new(b"\xef\xbb\xbfab\n\ncdefghijklmnop\nq");
        let found: Vec<usize> = [3, 5, 6, 7, 20, 21, 22, 23].map(|offset| lines.line_at(offset)).into();
        assert_eq!(found, [0, 0, 1, 2, 2, 2, 3, 4]);
        assert_eq!(count(&b"a\nb\n".repeat(1000), b'\n'), 2000);
    }

    #[test]
    fn the_byte_order_mark_comes_before_the_first_line() {
        let lines = Lines::new(b"\xef\xbb\xbfa");
        assert_eq!(lines.offset(0), 3);
        assert_eq!(lines.offset(1), 4);
        assert_eq!(Lines::new(b"\xef\xbb\xbf").offset(0), 3);
    }
}
