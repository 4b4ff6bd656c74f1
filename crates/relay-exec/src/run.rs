//! How a command ended, and the end of its output.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

/// What came of a command.
#[derive(Debug)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// What it printed, output and errors together, the last part of it.
    pub output: Tail,
    /// How long it took.
    pub duration: Duration,
    /// What it left running, and what was therefore ended after it.
    pub ended: Vec<String>,
}

impl Run {
    /// Whether it exited with 0.
    #[must_use]
    pub fn success(&self) -> bool {
        self.end.success()
    }

    /// Whether the command never ran: it could not be started, or the shell says that there is no such program (127) or
    /// that it cannot be executed (126).
    #[must_use]
    pub fn could_not_start(&self) -> bool {
        matches!(self.end, End::NotStarted(_) | End::Exited(126 | 127))
    }
}

/// How a command ended.
#[derive(Debug)]
pub enum End {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that was not Relay's.
    Signalled(i32),
    /// It timed out; it and everything it had started were killed.
    TimedOut,
    /// The user cancelled it; it and everything it had started were killed.
    Cancelled,
    /// It never began.
    NotStarted(io::Error),
}

impl End {
    /// Whether it exited with 0.
    #[must_use]
    pub fn success(&self) -> bool {
        matches!(self, Self::Exited(0))
    }
}

/// The last part of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// The bytes that were kept.
    pub bytes: Vec<u8>,
    /// How many came before them and were dropped.
    pub omitted_bytes: u64,
}

impl Tail {
    /// The output as text. Bytes that are not UTF-8 are replaced; a character cut in half by the limit is left out.
    #[must_use]
    pub fn text(&self) -> String {
        let is_continuation = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
        let cut = if self.omitted_bytes == 0 {
            0
        } else {
            self.bytes.iter().take(3).take_while(is_continuation).count()
        };
        String::from_utf8_lossy(self.bytes.get(cut..).unwrap_or_default()).into_owned()
    }
}

/// Collects an output, keeping at most a limit of it.
#[derive(Debug)]
pub(crate) struct TailBuffer {
    kept: VecDeque<u8>,
    limit_bytes: usize,
    omitted_bytes: u64,
}

impl TailBuffer {
    pub(crate) fn new(limit_bytes: usize) -> Self {
        Self { kept: VecDeque::new(), limit_bytes, omitted_bytes: 0 }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let skipped = bytes.len().saturating_sub(self.limit_bytes);
        let new = bytes.get(skipped..).unwrap_or_default();
        let dropped = (self.kept.len() + new.len()).saturating_sub(self.limit_bytes);
        self.kept.drain(..dropped);
        self.kept.extend(new);
        self.omitted_bytes += (skipped + dropped) as u64;
    }

    /// What is kept so far, as text.
    pub(crate) fn text(&self) -> String {
        let bytes: Vec<u8> = self.kept.iter().copied().collect();
        Tail { bytes, omitted_bytes: self.omitted_bytes }.text()
    }

    pub(crate) fn finish(self) -> Tail {
        Tail { bytes: self.kept.into(), omitted_bytes: self.omitted_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(limit_bytes: usize, pieces: &[&str], kept: &str, omitted_bytes: u64) {
        let mut buffer = TailBuffer::new(limit_bytes);
        for piece in pieces {
            buffer.push(piece.as_bytes());
        }
        assert_eq!(buffer.finish(), Tail { bytes: kept.into(), omitted_bytes });
    }

    #[test]
    fn the_end_is_kept_and_the_rest_counted() {
        check(5, &[], "", 0);
        check(5, &["abc", "de"], "abcde", 0);
        check(5, &["abc", "def"], "bcdef", 1);
        check(5, &["abcdefgh"], "defgh", 3);
        check(5, &["ab", "cdefghijk"], "ghijk", 6);
        check(0, &["abc"], "", 3);
    }

    #[test]
    fn text_does_not_begin_with_half_a_character() {
        let tail = |bytes: &[u8], omitted_bytes| Tail { bytes: bytes.to_vec(), omitted_bytes }.text();
        assert_eq!(tail(&"é!".as_bytes()[1..], 1), "!");
        assert_eq!(tail(&"🙂!".as_bytes()[1..], 1), "!");
        assert_eq!(tail(b"\xa9!", 0), "\u{fffd}!");
        assert_eq!(tail(b"a\xff", 7), "a\u{fffd}");
    }

    #[test]
    fn commands_that_never_ran_are_distinguished() {
        let run = |end| Run { end, output: Tail::default(), duration: Duration::ZERO, ended: Vec::new() };
        for end in [End::Exited(127), End::Exited(126), End::NotStarted(io::Error::other("x"))] {
            assert!(run(end).could_not_start());
        }
        for end in [End::Exited(0), End::Exited(1), End::Signalled(9), End::TimedOut, End::Cancelled] {
            assert!(!run(end).could_not_start());
        }
    }
}
