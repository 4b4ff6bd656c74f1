//! Lines out of pieces.

/// How long a line may become; the rest of it is dropped.
const LINE_BYTES: usize = 16 << 10;

/// Puts pieces together to lines.
#[derive(Debug, Default)]
pub struct Lines {
    begun: String,
    is_begun: bool,
}

impl Lines {
    /// The lines that a piece completes.
    pub fn push(&mut self, piece: &str) -> Vec<String> {
        let mut lines = Vec::new();
        for part in piece.split_inclusive('\n') {
            let text = part.strip_suffix('\n').unwrap_or(part);
            let room = LINE_BYTES.saturating_sub(self.begun.len());
            let cut = text.floor_char_boundary(room.min(text.len()));
            self.begun.push_str(text.get(..cut).unwrap_or_default());
            self.is_begun = true;
            if part.ends_with('\n') {
                lines.extend(self.finish());
            }
        }
        lines
    }

    /// The last line, if it was begun and not ended.
    pub fn finish(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.begun);
        std::mem::take(&mut self.is_begun).then(|| line.trim_end_matches('\r').to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_become_lines() {
        let mut lines = Lines::default();
        assert!(lines.push("on").is_empty());
        assert_eq!(lines.push("e\r\ntwo\n\nth"), ["one", "two", ""]);
        assert_eq!((lines.push("ree"), lines.finish()), (Vec::new(), Some("three".to_owned())));
        assert_eq!(lines.finish(), None);
    }

    #[test]
    fn an_endless_line_is_cut() {
        let mut lines = Lines::default();
        for _ in 0..1_000 {
            assert!(lines.push(&"é".repeat(1_000)).is_empty());
        }
        let line = lines.push("\n").remove(0);
        assert!(line.len() <= LINE_BYTES && line.len() > LINE_BYTES - 4);
    }
}
