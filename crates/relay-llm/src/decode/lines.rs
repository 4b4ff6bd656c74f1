//! Bytes into lines: LF, CRLF or a lone CR, however the reads were cut.

use super::{FRAME_LIMIT_BYTES, TooLong};

/// Collects bytes and gives out whole lines without their ends.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    buffer: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// How far the buffer is known to have no line end.
    searched: usize,
    /// Whether the last line ended in a CR that an LF may still follow.
    is_after_cr: bool,
}

impl Lines {
    /// Adds what was read.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        if self.buffer.len() + bytes.len() > FRAME_LIMIT_BYTES {
            return Err(TooLong);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    /// The next whole line.
    pub(crate) fn next_line(&mut self) -> Option<&[u8]> {
        if self.is_after_cr && self.start < self.buffer.len() {
            self.is_after_cr = false;
            if self.buffer.get(self.start) == Some(&b'\n') {
                self.start += 1;
                self.searched = self.searched.max(self.start);
            }
        }
        let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
        let Some(found) = memchr::memchr2(b'\n', b'\r', unsearched) else {
            self.searched = self.buffer.len();
            return None;
        };
        let end = self.searched + found;
        self.is_after_cr = self.buffer.get(end) == Some(&b'\r');
        let line = self.start..end;
        self.start = end + 1;
        self.searched = self.start;
        self.buffer.get(line)
    }

    /// What came after the last line end.
    pub(crate) fn rest(&mut self) -> &[u8] {
        let rest = self.start..self.buffer.len();
        self.start = rest.end;
        self.searched = rest.end;
        self.buffer.get(rest).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FRAME_LIMIT_BYTES, TooLong};
    use super::Lines;

    fn collect(pieces: &[&[u8]]) -> Vec<String> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for piece in pieces {
            lines.push(piece).unwrap();
            while let Some(line) = lines.next_line() {
                found.push(String::from_utf8(line.to_vec()).unwrap());
            }
        }
        found.push(format!("rest:{}", String::from_utf8_lossy(lines.rest())));
        found
    }

    #[test]
    fn lines_do_not_depend_on_how_they_were_cut() {
        let text = "a\r\nbé\n\r\n\rc\n\nd".as_bytes();
        let expected = ["a", "bé", "", "", "c", "", "rest:d"];
        assert_eq!(collect(&[text]), expected);
        for cut in 0..=text.len() {
            let (left, right) = text.split_at(cut);
            assert_eq!(collect(&[left, right]), expected, "cut at {cut}");
        }
        assert_eq!(collect(&text.chunks(1).collect::<Vec<_>>()), expected);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut lines = Lines::default();
        let piece = vec![b'x'; 8 << 20];
        let pushed = (0..=FRAME_LIMIT_BYTES >> 23).map(|_| lines.push(&piece)).find(Result::is_err);
        assert_eq!(pushed, Some(Err(TooLong)));
    }
}
