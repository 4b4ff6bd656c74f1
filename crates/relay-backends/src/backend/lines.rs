//! Cuts a stream of bytes into lines, in bounded memory.

/// The longest line that is kept. Backends put whole tool results on one line; a longer one is not an event Relay
/// knows.
const LINE_LIMIT_BYTES: usize = 8 << 20;

/// The line that is being read.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    line: Vec<u8>,
    is_too_long: bool,
}

impl Lines {
    /// Takes bytes, and passes on every line that they complete. Lines that are too long are skipped.
    pub(crate) fn push(&mut self, bytes: &[u8], on_line: &mut dyn FnMut(&str)) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + piece.len() > LINE_LIMIT_BYTES {
                self.is_too_long = true;
                self.line = Vec::new();
            }
            if !self.is_too_long {
                self.line.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                self.finish(on_line);
            }
        }
    }

    /// Passes on what follows the last line break.
    pub(crate) fn finish(&mut self, on_line: &mut dyn FnMut(&str)) {
        let line = std::mem::take(&mut self.line);
        if !std::mem::take(&mut self.is_too_long) && !line.is_empty() {
            on_line(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pieces: &[&[u8]], expected: &[&str]) {
        let mut lines = Lines::default();
        let mut seen = Vec::new();
        for piece in pieces {
            lines.push(piece, &mut |line| seen.push(line.to_owned()));
        }
        lines.finish(&mut |line| seen.push(line.to_owned()));
        assert_eq!(seen, expected);
    }

    #[test]
    fn lines_are_found_wherever_the_pieces_end() {
        check(&[b"a\nb", b"c\r\n", b"", b"\nd"], &["a", "bc", "", "d"]);
        check(&["h\u{e9}".as_bytes().split_at(2).0, "h\u{e9}".as_bytes().split_at(2).1], &["h\u{e9}"]);
    }

    #[test]
    fn an_endless_line_is_skipped() {
        let flood = vec![b'x'; LINE_LIMIT_BYTES];
        check(&[b"a\n", &flood, &flood, b"\nb\n"], &["a", "b"]);
    }
}
