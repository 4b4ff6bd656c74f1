//! The output of a job that is kept: its end, read from a cursor that only moves forwards.
//!
//! Offsets count UTF-8 bytes of everything the job ever wrote. The oldest chunks are dropped whole, so what is kept
//! always begins and ends between two characters.

use std::collections::VecDeque;

use serde::Serialize;

use super::Status;

/// How much output of a job is kept.
pub const OUTPUT_BYTES: usize = 512 << 10;

/// A piece of a job's output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Slice {
    /// The job.
    pub job_id: String,
    /// What the job is doing.
    pub status: Status,
    /// The text.
    pub text: String,
    /// The offset of its first byte.
    pub start_offset: u64,
    /// The offset to read from next time.
    pub next_offset: u64,
    /// Whether there was more before it that is no longer kept.
    pub truncated: bool,
}

/// Output as it is kept.
#[derive(Debug, Default)]
pub(super) struct Kept {
    chunks: VecDeque<String>,
    bytes: usize,
    start: u64,
}

impl Kept {
    /// Adds what the job wrote. Chunks that no longer fit are dropped, the oldest first; the newest always stays.
    pub fn append(&mut self, chunk: &str) {
        if chunk.is_empty() {
            return;
        }
        self.bytes += chunk.len();
        self.chunks.push_back(chunk.to_owned());
        while self.bytes > OUTPUT_BYTES && self.chunks.len() > 1 {
            let Some(dropped) = self.chunks.pop_front() else { return };
            self.bytes -= dropped.len();
            self.start += dropped.len() as u64;
        }
    }

    /// The text from an offset on, the offset it really begins at, and whether something before it is gone.
    pub fn since(&self, offset: u64) -> (String, u64, bool) {
        let end = self.end();
        if offset >= end {
            return (String::new(), offset, false);
        }
        let truncated = offset < self.start;
        let mut at = self.start;
        let mut begins = None;
        let mut text = String::new();
        for chunk in &self.chunks {
            let next = at + chunk.len() as u64;
            if next > offset {
                let inside = usize::try_from(offset.saturating_sub(at)).unwrap_or(usize::MAX);
                let inside = chunk.ceil_char_boundary(inside.min(chunk.len()));
                begins.get_or_insert(at + inside as u64);
                text.push_str(chunk.get(inside..).unwrap_or_default());
            }
            at = next;
        }
        (text, begins.unwrap_or(end), truncated)
    }

    /// The offset after the last byte.
    pub fn end(&self) -> u64 {
        self.start + self.bytes as u64
    }
}

/// An offset as a caller gave it: floored, at least zero.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped first")]
pub fn offset(number: f64) -> u64 {
    if number.is_nan() { 0 } else { number.floor().clamp(0.0, 9_007_199_254_740_992.0) as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(chunks: &[&str]) -> Kept {
        let mut kept = Kept::default();
        chunks.iter().for_each(|chunk| kept.append(chunk));
        kept
    }

    fn check(kept: &Kept, from: u64, text: &str, start: u64, truncated: bool) {
        assert_eq!(kept.since(from), (text.to_owned(), start, truncated), "from {from}");
    }

    #[test]
    fn reads_from_any_offset() {
        let kept = kept(&["ab", "", "cd"]);
        check(&kept, 0, "abcd", 0, false);
        check(&kept, 1, "bcd", 1, false);
        check(&kept, 2, "cd", 2, false);
        check(&kept, 4, "", 4, false);
        check(&kept, 9, "", 9, false);
        assert_eq!(kept.end(), 4);
    }

    #[test]
    fn offsets_are_bytes_and_no_character_is_split() {
        let kept = kept(&["é€", "x"]);
        assert_eq!(kept.end(), 6);
        check(&kept, 1, "€x", 2, false);
        check(&kept, 3, "x", 5, false);
    }

    #[test]
    fn whole_chunks_are_dropped_first() {
        let chunk = "x".repeat(200 << 10);
        let mut kept = Kept::default();
        for _ in 0..3 {
            kept.append(&chunk);
        }
        assert_eq!((kept.start, kept.bytes), (200 << 10, 400 << 10));
        let (text, start, truncated) = kept.since(0);
        assert_eq!((text.len(), start, truncated), (400 << 10, 200 << 10, true));
        check(&kept, 600 << 10, "", 600 << 10, false);
    }

    #[test]
    fn exactly_full_drops_nothing_and_one_large_chunk_stays() {
        let mut kept = Kept::default();
        kept.append(&"x".repeat(OUTPUT_BYTES));
        assert_eq!(kept.start, 0);
        kept.append("y");
        assert_eq!(kept.since(0), ("y".to_owned(), OUTPUT_BYTES as u64, true));
        kept.append(&"z".repeat(2 * OUTPUT_BYTES));
        assert_eq!(kept.since(0).0.len(), 2 * OUTPUT_BYTES);
    }

    #[test]
    fn odd_offsets_are_floored() {
        assert_eq!([-3.5, 2.9, f64::NAN, f64::INFINITY].map(offset), [0, 2, 0, 1 << 53]);
    }
}
