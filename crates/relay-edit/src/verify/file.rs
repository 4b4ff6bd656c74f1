//! A file as the verifier reads it: split by its own code, in one pass.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use crate::lines::which;

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines of a file that a certificate speaks of, each with its ending; a byte order mark belongs to none.
///
/// Of the others only those are looked at that may be another place for a hunk.
#[derive(Debug)]
pub(super) struct File<'f> {
    pub bytes: &'f [u8],
    /// Where the first line begins.
    pub body: usize,
    pub terminator: u8,
    /// Line number to where it is, in order; the line after the last one is the empty end of the file.
    lines: Vec<(usize, Range<usize>)>,
    /// The line that was asked for last, as a position in `lines`: the next one is near.
    near: Cell<usize>,
    /// Where every line begins, and where the last one ends; made where that many lines are asked for.
    all: OnceCell<Vec<usize>>,
}

impl<'f> File<'f> {
    /// Reads a file for these lines.
    pub fn new(bytes: &'f [u8], numbers: Vec<usize>) -> Self {
        let mut file = Self::unread(bytes);
        let (mut line, mut start) = (0, file.body);
        for number in in_order(numbers) {
            let Some(at) = skip_lines(bytes, start, number - line, file.terminator) else { break };
            let end = skip_lines(bytes, at, 1, file.terminator).unwrap_or(bytes.len());
            file.lines.push((number, at..end));
            if at == end {
                break;
            }
            (line, start) = (number + 1, end);
        }
        file
    }

    /// As [`Self::new`]; `look` is shown each line of the file without its ending, and where it begins.
    pub fn showing(bytes: &'f [u8], numbers: Vec<usize>, mut look: impl FnMut(usize, &'f [u8])) -> Self {
        let mut file = Self::unread(bytes);
        let mut numbers = in_order(numbers).into_iter().peekable();
        let mut lines = Vec::with_capacity(numbers.len());
        let mut number = 0;
        file.each_line(|line, text| {
            if numbers.next_if_eq(&number).is_some() {
                lines.push((number, line.clone()));
            }
            number += 1;
            look(line.start, text);
        });
        if numbers.next_if_eq(&number).is_some() {
            lines.push((number, bytes.len()..bytes.len()));
        }
        file.lines = lines;
        file
    }

    fn unread(bytes: &'f [u8]) -> Self {
        let body = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
        let text = bytes.get(body..).unwrap_or_default();
        let has = |byte: u8| memchr::memchr(byte, text).is_some();
        let terminator = if has(b'\n') || !has(b'\r') { b'\n' } else { b'\r' };
        Self { bytes, body, terminator, lines: Vec::new(), near: Cell::new(0), all: OnceCell::new() }
    }

    /// Where a line is that the certificate speaks of; `None` when the file does not reach that far.
    pub fn span(&self, number: usize) -> Option<&Range<usize>> {
        let number_at = |at: usize| self.lines.get(at).map(|(number, _)| *number);
        let near = self.near.get();
        let mut around = [near + 1, near, near.saturating_sub(1)].into_iter();
        let at = around.find(|at| number_at(*at) == Some(number));
        let at = at.or_else(|| self.lines.binary_search_by_key(&number, |(number, _)| *number).ok())?;
        self.near.set(at);
        self.lines.get(at).map(|(_, span)| span)
    }

    /// The text of a line that the certificate speaks of.
    pub fn claimed(&self, number: usize) -> Option<&'f [u8]> {
        let line = self.bytes.get(self.span(number)?.clone()).filter(|line| !line.is_empty())?;
        Some(text(line, self.terminator))
    }

    /// Where new lines before a line go: the certificate speaks of that line, or of the one above it.
    pub fn offset(&self, number: usize) -> Option<usize> {
        let above = || self.span(number.checked_sub(1)?).filter(|span| !span.is_empty());
        self.span(number).map(|span| span.start).or_else(|| above().map(|span| span.end))
    }

    /// How a new line ends that is put at a place: like the line above it, or else the one below, or else the first one.
    pub fn ending_at(&self, offset: usize) -> &'f [u8] {
        let ending_of =
            |line: &'f [u8]| Some(ending(line, self.terminator)).filter(|ending| !ending.is_empty());
        let first_ending = |bytes: &'f [u8]| {
            let end = memchr::memchr(self.terminator, bytes).map_or(bytes.len(), |at| at + 1);
            bytes.get(..end).and_then(ending_of)
        };
        let above = self.bytes.get(self.body..offset);
        let below = || self.bytes.get(offset..).and_then(first_ending);
        let first = || self.bytes.get(self.body..).and_then(first_ending);
        above.and_then(ending_of).or_else(below).or_else(first).unwrap_or(b"\n")
    }

    /// Whether a stretch of the file is its end, and lacks an ending there.
    pub fn ends_without_ending(&self, range: Range<usize>) -> bool {
        let last = self.bytes.get(range.start.max(self.body)..range.end).and_then(<[u8]>::last);
        range.end == self.bytes.len() && last.is_some_and(|last| *last != self.terminator)
    }

    /// Where the line begins that is `count` lines above one that begins at a byte.
    pub fn back(&self, start: usize, count: usize) -> Option<usize> {
        (0..count).try_fold(start, |start, _| {
            let above = self.bytes.get(self.body..start)?.split_last()?.1;
            Some(self.body + memchr::memrchr(self.terminator, above).map_or(0, |at| at + 1))
        })
    }

    /// The number of the line that begins at a byte.
    pub fn number_at(&self, start: usize) -> usize {
        self.all().partition_point(|other| *other < start)
    }

    /// Where a line begins that ends before a byte, at which there is its ending or the end of the file.
    pub fn is_line(&self, range: &Range<usize>) -> bool {
        let above = range.start.checked_sub(1).and_then(|above| self.bytes.get(above));
        let begins = range.start == self.body || range.start > self.body && above == Some(&self.terminator);
        let rest = self.bytes.get(range.end..).unwrap_or_default();
        let ends = match rest {
            [] => true,
            [b'\r', b'\n', ..] => self.terminator == b'\n',
            [first, ..] => *first == self.terminator,
        };
        begins && ends
    }

    /// Shows each line of the file with where it is, and its text. Lines are short, so the endings of many bytes are looked
    /// for at once.
    pub fn each_line(&self, mut look: impl FnMut(&Range<usize>, &'f [u8])) {
        let mut start = self.body;
        let mut show = |end: usize| {
            let line = start..end;
            look(&line, text(self.bytes.get(line.clone()).unwrap_or_default(), self.terminator));
            start = end;
        };
        let (blocks, rest) = self.bytes.get(self.body..).unwrap_or_default().as_chunks::<64>();
        for (at, block) in blocks.iter().enumerate() {
            let mut found = which(block, self.terminator);
            while found != 0 {
                show(self.body + at * 64 + found.trailing_zeros() as usize + 1);
                found &= found - 1;
            }
        }
        let read = self.bytes.len() - rest.len();
        memchr::memchr_iter(self.terminator, rest).for_each(|at| show(read + at + 1));
        if self.ends_without_ending(0..self.bytes.len()) {
            show(self.bytes.len());
        }
    }

    /// The texts of the lines from a byte on, at which one begins, each with the byte after it.
    pub fn texts_from(&self, start: usize) -> impl Iterator<Item = (&'f [u8], usize)> {
        let mut start = start;
        std::iter::from_fn(move || {
            let rest = self.bytes.get(start..).filter(|rest| !rest.is_empty())?;
            let length = memchr::memchr(self.terminator, rest).map_or(rest.len(), |at| at + 1);
            start += length;
            Some((text(rest.get(..length)?, self.terminator), start))
        })
    }

    /// The number of lines.
    pub fn len(&self) -> usize {
        self.all().len().saturating_sub(1)
    }

    /// The text of any line.
    pub fn text(&self, number: usize) -> Option<&'f [u8]> {
        let (start, end) = (*self.all().get(number)?, *self.all().get(number + 1)?);
        Some(text(self.bytes.get(start..end)?, self.terminator))
    }

    /// The texts of all lines.
    pub fn texts(&self) -> impl Iterator<Item = &'f [u8]> {
        self.texts_from(self.body).map(|(text, _)| text)
    }

    fn all(&self) -> &[usize] {
        self.all.get_or_init(|| {
            std::iter::once(self.body).chain(self.texts_from(self.body).map(|(_, end)| end)).collect()
        })
    }
}

/// Numbers in order, each of them once.
fn in_order(mut numbers: Vec<usize>) -> Vec<usize> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Where the line begins that is a number of lines below; `None` when the text ends before. The end of a text is the
/// beginning of the line after its last one.
fn skip_lines(bytes: &[u8], mut start: usize, mut lines: usize, terminator: u8) -> Option<usize> {
    const BLOCK: usize = 128;
    // Written so that many bytes are looked at together.
    let endings = |block: &[u8; BLOCK]| block.iter().map(|byte| u8::from(*byte == terminator)).sum::<u8>();
    // A block that holds fewer line endings is passed over without asking where they are.
    while lines > 1
        && let Some(block) = bytes.get(start..).and_then(<[u8]>::first_chunk)
    {
        let endings = usize::from(endings(block));
        if endings >= lines {
            break;
        }
        lines -= endings;
        start += BLOCK;
    }
    while lines > 0 {
        let rest = bytes.get(start..).filter(|rest| !rest.is_empty())?;
        start += memchr::memchr(terminator, rest).map_or(rest.len(), |at| at + 1);
        lines -= 1;
    }
    Some(start)
}

/// What a line ends with.
pub(super) fn ending(line: &[u8], terminator: u8) -> &[u8] {
    let length = match line {
        [.., b'\r', b'\n'] if terminator == b'\n' => 2,
        [.., last] if *last == terminator => 1,
        _ => 0,
    };
    line.get(line.len() - length..).unwrap_or_default()
}

/// A line without its ending.
pub(super) fn text(line: &[u8], terminator: u8) -> &[u8] {
    line.get(..line.len() - ending(line, terminator).len()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_reads_the_same_whichever_way() {
        let long = "line\n".repeat(40) + "\r\n" + &"x".repeat(130) + "\r\nlast";
        for bytes in ["", "a", "a\n", "a\r\nb", "\u{feff}a\rb\r", "\n\n", "\u{feff}", "a\n\r", &long] {
            let numbers: Vec<usize> = (0..50).rev().collect();
            let mut shown = Vec::new();
            let file = File::new(bytes.as_bytes(), numbers.clone());
            let same = File::showing(bytes.as_bytes(), numbers, |start, text| shown.push((start, text)));
            assert_eq!(file.lines, same.lines, "{bytes:?}");
            assert!(shown.iter().map(|(_, text)| *text).eq(file.texts()), "{bytes:?}");
            for (number, (start, text)) in shown.iter().enumerate() {
                assert_eq!((file.text(number), file.number_at(*start)), (Some(*text), number), "{bytes:?}");
                assert_eq!(file.back(*start, number), Some(file.body), "{bytes:?}");
                assert!(file.is_line(&(*start..start + text.len())), "{bytes:?}");
            }
            assert_eq!(file.len(), shown.len(), "{bytes:?}");
        }
    }
}
