//! Lines of a file of any size, in bounded memory.
//!
//! A model reads a few hundred lines of a file that may have a gigabyte, or be sparse, or grow while it is read. Only the
//! wanted lines are kept; lines before them are skipped in pieces, and lines after them are counted only as far as that is
//! cheap.

use std::io::{self, Read};

use relay_diagnostics::Cancel;

/// How much is read at once.
const PIECE_BYTES: usize = 64 << 10;

/// Which lines to read, and how much of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The first line, from 1.
    pub first: usize,
    /// How many lines.
    pub count: usize,
    /// How many bytes of them, line ends included.
    pub budget_bytes: usize,
    /// How many bytes are read beyond them to count the lines of the file.
    pub count_bytes: u64,
}

/// The lines read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// The lines without their ends. The last one may be cut.
    pub lines: Vec<Vec<u8>>,
    /// The number of lines in the file; `None` if the end was not reached. If the request is beyond the end, all
    /// lines are counted.
    pub total: Option<usize>,
    /// Whether the last of the lines was cut because the budget was spent.
    pub is_cut: bool,
}

/// Reads lines from a reader at its beginning.
///
/// # Errors
/// The system refuses, or [`io::ErrorKind::Interrupted`] once the cancel is set.
pub fn read_lines(mut reader: impl Read, wish: &Wish, cancel: &Cancel) -> io::Result<Lines> {
    let mut piece = vec![0; PIECE_BYTES];
    let mut state = State { found: Lines::default(), number: 1, open: Vec::new(), spent: 0, has_open: false };
    let last = wish.first.saturating_add(wish.count).saturating_sub(1);
    let mut beyond = 0u64;
    loop {
        if cancel.is_cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let read = match reader.read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        let bytes = piece.get(..read).unwrap_or_default();
        if read == 0 {
            state.finish(wish);
            state.found.total = Some(state.number - 1);
            return Ok(state.found);
        }
        state.take(bytes, wish, last);
        if state.number > last || state.found.is_cut {
            beyond += read as u64;
            if beyond > wish.count_bytes {
                return Ok(state.found);
            }
        }
    }
}

struct State {
    found: Lines,
    /// The line that is being read.
    number: usize,
    open: Vec<u8>,
    spent: usize,
    /// Whether the current line has any bytes.
    has_open: bool,
}

impl State {
    fn take(&mut self, mut bytes: &[u8], wish: &Wish, last: usize) {
        while !bytes.is_empty() {
            let is_wanted = self.number >= wish.first && self.number <= last && !self.found.is_cut;
            if !is_wanted && (self.number > last || self.found.is_cut) {
                // From here on, lines are only counted.
                let ends = memchr::memchr_iter(b'\n', bytes).count();
                self.number += ends;
                self.has_open = bytes.last() != Some(&b'\n');
                return;
            }
            let end = memchr::memchr(b'\n', bytes);
            let (line, rest) = match end {
                Some(end) => (bytes.get(..end).unwrap_or_default(), bytes.get(end + 1..).unwrap_or_default()),
                None => (bytes, &[][..]),
            };
            if is_wanted {
                let room = wish.budget_bytes.saturating_sub(self.spent);
                let kept = line.get(..line.len().min(room)).unwrap_or_default();
                self.open.extend_from_slice(kept);
                self.spent += kept.len();
                if kept.len() < line.len() || (end.is_some() && self.spent >= wish.budget_bytes) {
                    self.found.is_cut = kept.len() < line.len();
                    self.close();
                    // The budget is spent: the rest is only counted.
                    if !self.found.is_cut {
                        self.found.is_cut = !rest.is_empty();
                    }
                    self.has_open = end.is_none();
                    self.number += usize::from(end.is_some());
                    bytes = rest;
                    continue;
                }
                self.spent += 1;
            }
            self.has_open = end.is_none();
            if end.is_some() {
                if is_wanted {
                    self.close();
                }
                self.number += 1;
            }
            bytes = rest;
        }
    }

    fn close(&mut self) {
        let mut line = std::mem::take(&mut self.open);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        self.found.lines.push(line);
    }

    /// A last line without an end counts too.
    fn finish(&mut self, wish: &Wish) {
        if self.has_open {
            let last = wish.first.saturating_add(wish.count).saturating_sub(1);
            if !self.open.is_empty() && self.number <= last && !self.found.is_cut {
                self.close();
            }
            self.number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        text: &str,
        first: usize,
        count: usize,
        budget: usize,
        lines: &[&str],
        total: Option<usize>,
        cut: bool,
    ) {
        let wish = Wish { first, count, budget_bytes: budget, count_bytes: 1 << 20 };
        let found = read_lines(text.as_bytes(), &wish, &Cancel::new()).unwrap();
        let shown: Vec<&str> = found.lines.iter().map(|line| std::str::from_utf8(line).unwrap()).collect();
        assert_eq!(
            (shown.as_slice(), found.total, found.is_cut),
            (lines, total, cut),
            "{text:?} {first}+{count}"
        );
    }

    #[test]
    fn lines_are_counted_and_cut() {
        check("a\nb\nc\n", 1, 9, 99, &["a", "b", "c"], Some(3), false);
        check("a\nb\nc", 2, 1, 99, &["b"], Some(3), false);
        check("a\r\nb\r\n", 1, 9, 99, &["a", "b"], Some(2), false);
        check("", 1, 9, 99, &[], Some(0), false);
        check("\n\n", 1, 9, 99, &["", ""], Some(2), false);
        check("a", 5, 9, 99, &[], Some(1), false);
        check("a\nb", 2, 9, 99, &["b"], Some(2), false);
        check("abcdef\nx\n", 1, 9, 4, &["abcd"], Some(2), true);
        check("ab\ncd\nef\n", 1, 9, 4, &["ab", "c"], Some(3), true);
    }

    #[test]
    fn agrees_with_the_standard_library_on_any_piece_of_a_long_text() {
        let text: String = (0..40_000).map(|n| format!("line {n} {}\n", "x".repeat(n % 17))).collect();
        let all: Vec<&str> = text.lines().collect();
        for (first, count) in [(1, 300), (17_000, 40), (39_990, 100), (40_000, 1), (40_001, 5)] {
            let wish = Wish { first, count, budget_bytes: 1 << 20, count_bytes: u64::MAX };
            let found = read_lines(text.as_bytes(), &wish, &Cancel::new()).unwrap();
            let expected: Vec<&str> = all.iter().skip(first - 1).take(count).copied().collect();
            let shown: Vec<&str> =
                found.lines.iter().map(|line| std::str::from_utf8(line).unwrap()).collect();
            assert_eq!((shown, found.total), (expected, Some(40_000)));
        }
    }

    /// Endless input, as some files of `/proc` are.
    struct Endless(u64);

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += buffer.len() as u64;
            buffer.fill(b'x');
            Ok(buffer.len())
        }
    }

    #[test]
    fn endless_input_ends_at_the_budget_and_at_the_cancel() {
        let mut source = Endless(0);
        let wish = Wish { first: 1, count: 300, budget_bytes: 50 << 10, count_bytes: 1 << 20 };
        let found = read_lines(&mut source, &wish, &Cancel::new()).unwrap();
        assert_eq!((found.lines.len(), found.lines[0].len(), found.total), (1, 50 << 10, None));
        assert!(found.is_cut && source.0 < 2 << 20);
        let cancel = Cancel::new();
        cancel.cancel();
        let far = Wish { first: 9, ..wish };
        assert_eq!(read_lines(Endless(0), &far, &cancel).unwrap_err().kind(), io::ErrorKind::Interrupted);
    }
}
