//! Standard input: replies with a NUL between them, the last one ends with the input.

use std::io::{BufRead as _, BufReader, Read};
use std::time::Duration;

use relay_engine::{Arrival, CHANNEL_LIMIT_BYTES, Channel, ChannelError};

/// A stream of texts.
pub struct Stream<R> {
    source: BufReader<R>,
    is_fresh: bool,
}

impl Stream<std::io::Stdin> {
    /// The one on standard input.
    pub fn stdin() -> Self {
        Self::new(std::io::stdin())
    }
}

impl<R: Read> Stream<R> {
    fn new(source: R) -> Self {
        Self { source: BufReader::new(source), is_fresh: true }
    }

    /// Reads up to the next NUL or the end. Text beyond the limit is read and dropped.
    fn read(&mut self) -> std::io::Result<Arrival> {
        let mut bytes = Vec::new();
        let (mut is_too_large, mut is_blank) = (false, true);
        loop {
            let found = self.source.fill_buf()?;
            let is_end = found.is_empty();
            let nul = found.iter().position(|byte| *byte == 0);
            let piece = found.get(..nul.unwrap_or(found.len())).unwrap_or_default();
            is_too_large |= bytes.len() + piece.len() > CHANNEL_LIMIT_BYTES;
            if is_too_large {
                bytes = Vec::new();
            } else {
                bytes.extend_from_slice(piece);
            }
            is_blank &= piece.iter().all(u8::is_ascii_whitespace);
            let taken = piece.len() + usize::from(nul.is_some());
            self.source.consume(taken);
            let is_empty = is_blank && !is_too_large;
            match (nul, is_end) {
                (None, false) => {}
                (None, true) if is_empty => return Ok(Arrival::End),
                _ if is_too_large => return Ok(super::too_large()),
                _ if is_empty => return Ok(Arrival::Nothing),
                _ => return Ok(super::sent(bytes)),
            }
        }
    }
}

impl<R: Read> Channel for Stream<R> {
    fn place(&self) -> &str {
        "standard input"
    }

    /// Waits as long as the other side takes: a read cannot be cancelled.
    fn next(&mut self, _patience: Duration) -> Result<Arrival, ChannelError> {
        // Nothing was there before; everything on this stream is meant for Relay.
        if std::mem::take(&mut self.is_fresh) {
            return Ok(Arrival::Nothing);
        }
        self.read().map_err(|source| ChannelError { place: self.place().to_owned(), source: source.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &[u8], expected: &[Arrival]) {
        let mut stream = Stream::new(input);
        let mut found = Vec::new();
        loop {
            match stream.next(Duration::ZERO).unwrap() {
                Arrival::Nothing => {}
                Arrival::End => break,
                arrival => found.push(arrival),
            }
        }
        assert_eq!(found, expected);
    }

    fn text(text: &str) -> Arrival {
        Arrival::Text(text.to_owned())
    }

    #[test]
    fn a_nul_or_the_end_ends_a_text() {
        check(b"", &[]);
        check(b" \n", &[]);
        check(b"one\n", &[text("one\n")]);
        check(b"one\0two\0", &[text("one"), text("two")]);
        check(b"\0\0one\0\n", &[text("one")]);
    }

    #[test]
    fn oversized_and_binary_items_are_skipped_and_the_next_is_read() {
        let mut input = vec![b'a'; CHANNEL_LIMIT_BYTES + 1];
        input.extend(b"\0\xff\xfe\0last");
        let passed = |why: &str| Arrival::PassedOver(why.to_owned());
        check(
            &input,
            &[
                passed("ignored a text of more than 10 MB"),
                passed("ignored something that is not text"),
                text("last"),
            ],
        );
    }
}
