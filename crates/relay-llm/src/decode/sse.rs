//! Server-sent events: lines into the data of events.
//!
//! Only `data` matters. Every provider repeats the event's name inside its JSON, and reconnecting (`id`, `retry`) would
//! send a paid request twice.

use super::{FRAME_LIMIT_BYTES, Lines, TooLong};

/// Reads an event stream.
#[derive(Debug, Default)]
pub(crate) struct Sse {
    lines: Lines,
    data: Vec<u8>,
    has_data: bool,
    is_begun: bool,
}

impl Sse {
    /// Adds what was read.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        self.lines.push(bytes)
    }

    /// The data of the next complete event.
    pub(crate) fn next_event(&mut self) -> Option<Result<&[u8], TooLong>> {
        // What was handed out last is not needed any more.
        if !self.has_data {
            self.data.clear();
        }
        loop {
            let mut line = self.lines.next_line()?;
            if !self.is_begun {
                self.is_begun = true;
                line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
            }
            if line.is_empty() {
                if self.has_data {
                    self.has_data = false;
                    return Some(Ok(&self.data));
                }
            } else if let Some(value) = line.strip_prefix(b"data") {
                let value = match value {
                    [b':', b' ', value @ ..] | [b':', value @ ..] => value,
                    [] => &[],
                    // Another field with a longer name.
                    [_, ..] => continue,
                };
                if self.data.len() + value.len() > FRAME_LIMIT_BYTES {
                    return Some(Err(TooLong));
                }
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
        }
    }

    /// The data of an event without its closing blank line. Some servers close right after the last event.
    pub(crate) fn finish(&mut self) -> Option<&[u8]> {
        if let Some(value) = self.lines.rest().strip_prefix(b"data:") {
            let value = value.strip_prefix(b" ").unwrap_or(value);
            if self.has_data {
                self.data.push(b'\n');
            } else {
                self.data.clear();
            }
            self.has_data = true;
            self.data.extend_from_slice(value);
        }
        std::mem::take(&mut self.has_data).then_some(self.data.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::Sse;

    fn collect(pieces: &[&[u8]]) -> Vec<String> {
        let mut sse = Sse::default();
        let mut events = Vec::new();
        for piece in pieces {
            sse.push(piece).unwrap();
            while let Some(event) = sse.next_event() {
                events.push(String::from_utf8(event.unwrap().to_vec()).unwrap());
            }
        }
        events.extend(sse.finish().map(|data| String::from_utf8(data.to_vec()).unwrap()));
        events
    }

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(collect(&[text.as_bytes()]), expected);
        for cut in 0..=text.len() {
            let (left, right) = text.as_bytes().split_at(cut);
            assert_eq!(collect(&[left, right]), expected, "cut at {cut}");
        }
    }

    #[test]
    fn events() {
        check("data: a\n\ndata: b\n\n", &["a", "b"]);
        check("event: x\r\ndata: {\"t\":\"café\"}\r\n\r\n", &["{\"t\":\"café\"}"]);
        check("\u{feff}data:a\n\n", &["a"]);
    }

    #[test]
    fn comments_other_fields_and_blank_lines_are_not_events() {
        check(": keep-alive\n\n\n\nid: 7\nretry: 10\ndatabase: x\n\n: again\ndata: a\n\n", &["a"]);
    }

    #[test]
    fn data_over_several_lines_is_joined() {
        check("data: a\ndata:\ndata\ndata:  b\n\n", &["a\n\n\n b"]);
    }

    #[test]
    fn a_last_event_without_its_blank_line_counts() {
        check("data: a\n\ndata: [DONE]", &["a", "[DONE]"]);
        check("data: a\n\ndata: b\n", &["a", "b"]);
    }
}
