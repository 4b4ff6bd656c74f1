//! The output sink: what a program prints, in bounded memory, with head and tail for the model and all of it on disk.
//!
//! Every byte that comes goes through here once. Up to a threshold everything is kept; beyond it the whole stream is in an
//! artifact, and the beginning and the end are kept to be shown. A disk that is full costs the artifact, never the run.

mod clean;

use std::collections::VecDeque;
use std::io::Write as _;

pub use clean::Cleaner;
use relay_agent::tool::Services;
use relay_store::{ArtifactFile, Artifacts};

/// How much is kept and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Output beyond this goes to an artifact.
    pub spill_bytes: usize,
    /// How much of the beginning is shown then.
    pub head_bytes: usize,
    /// How much of the end.
    pub tail_bytes: usize,
    /// How many lines of the end.
    pub tail_lines: usize,
    /// The longest line.
    pub columns: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            spill_bytes: 50 << 10,
            head_bytes: 20 << 10,
            tail_bytes: 20 << 10,
            tail_lines: 500,
            columns: 768,
        }
    }
}

impl Limits {
    /// The user's limits.
    pub fn of(services: &Services) -> Self {
        let usual = Self::default();
        let number = |key: &str, default: usize, unit: usize| {
            let value = services.number(key, (default / unit) as f64);
            if value.is_finite() && value >= 0.0 { (value as usize).saturating_mul(unit) } else { default }
        };
        Self {
            spill_bytes: number("tools.artifactSpillThreshold", usual.spill_bytes, 1 << 10),
            head_bytes: number("tools.artifactHeadBytes", usual.head_bytes, 1 << 10),
            tail_bytes: number("tools.artifactTailBytes", usual.tail_bytes, 1 << 10),
            tail_lines: number("tools.artifactTailLines", usual.tail_lines, 1),
            columns: number("tools.outputMaxColumns", usual.columns, 1),
        }
    }
}

/// Takes what a program prints.
pub struct Sink {
    limits: Limits,
    tool: &'static str,
    artifacts: Option<Artifacts>,
    artifact: Artifact,
    cleaner: Cleaner,
    /// The first bytes as they came, until there is an artifact.
    raw: Vec<u8>,
    /// The first text, up to the threshold.
    head: String,
    /// The last text.
    tail: VecDeque<u8>,
    total_bytes: u64,
    total_lines: u64,
    shown_bytes: u64,
    ends_in_line: bool,
}

enum Artifact {
    NotYet,
    Open(ArtifactFile),
    Failed(String),
}

/// What a sink took in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// What is shown of it.
    pub text: String,
    /// Whether something was left out.
    pub is_cut: bool,
    /// The artifact that has all of it.
    pub artifact: Option<u64>,
    /// Why there is none although there should be one.
    pub failure: Option<String>,
    /// How much came.
    pub total_bytes: u64,
    /// How many lines, the last one included.
    pub total_lines: u64,
}

impl Sink {
    /// An empty sink, which keeps what does not fit as an artifact of this tool.
    pub fn new(limits: Limits, tool: &'static str, artifacts: Option<Artifacts>) -> Self {
        Self {
            limits,
            tool,
            artifacts,
            artifact: Artifact::NotYet,
            cleaner: Cleaner::default(),
            raw: Vec::new(),
            head: String::new(),
            tail: VecDeque::new(),
            total_bytes: 0,
            total_lines: 0,
            shown_bytes: 0,
            ends_in_line: false,
        }
    }

    /// Takes a piece, and gives it back as text.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.total_bytes += bytes.len() as u64;
        self.store(bytes);
        let text = self.cleaner.push(bytes);
        self.show(&text);
        text
    }

    fn store(&mut self, bytes: &[u8]) {
        match &mut self.artifact {
            Artifact::Open(file) => {
                if let Err(error) = file.write_all(bytes) {
                    self.artifact = Artifact::Failed(error.to_string());
                }
            }
            Artifact::Failed(_) => {}
            Artifact::NotYet => {
                self.raw.extend_from_slice(bytes);
                if self.raw.len() > self.limits.spill_bytes {
                    self.spill();
                }
            }
        }
    }

    /// Begins the artifact with what came so far.
    fn spill(&mut self) {
        let raw = std::mem::take(&mut self.raw);
        let Some(artifacts) = &self.artifacts else {
            self.artifact = Artifact::Failed("this session keeps nothing on disk".to_owned());
            return;
        };
        let made = artifacts.create(self.tool).map_err(|error| error.to_string());
        let written = made.and_then(|mut file| match file.write_all(&raw) {
            Ok(()) => Ok(file),
            Err(error) => Err(error.to_string()),
        });
        self.artifact = written.map_or_else(Artifact::Failed, Artifact::Open);
    }

    fn show(&mut self, text: &str) {
        let lines = text.bytes().filter(|byte| *byte == b'\n').count() as u64;
        self.total_lines += lines;
        if let Some(last) = text.bytes().last() {
            self.ends_in_line = last != b'\n';
        }
        self.shown_bytes += text.len() as u64;
        let room = self.limits.spill_bytes.saturating_sub(self.head.len());
        self.head.push_str(text.get(..floor(text, room)).unwrap_or_default());
        let bytes = text.as_bytes();
        let new = bytes.get(bytes.len().saturating_sub(self.limits.tail_bytes)..).unwrap_or_default();
        let dropped = (self.tail.len() + new.len()).saturating_sub(self.limits.tail_bytes);
        self.tail.drain(..dropped.min(self.tail.len()));
        self.tail.extend(new);
    }

    /// What is shown so far, for someone who watches.
    pub fn so_far(&self) -> String {
        self.shown().0
    }

    /// How much came so far.
    pub fn bytes(&self) -> u64 {
        self.total_bytes
    }

    /// Ends it. `keep_raw` keeps all of it as an artifact even if it would fit, because what is shown is something else.
    pub fn finish(mut self, keep_raw: bool) -> Taken {
        let rest = self.cleaner.finish();
        self.show(&rest);
        let (text, is_cut) = self.shown();
        if (keep_raw || is_cut) && matches!(self.artifact, Artifact::NotYet) && !self.raw.is_empty() {
            self.spill();
        }
        let (artifact, failure) = match self.artifact {
            Artifact::Open(file) => (Some(file.id), None),
            Artifact::Failed(why) => (None, Some(why)),
            Artifact::NotYet => (None, None),
        };
        Taken {
            text,
            is_cut,
            artifact,
            failure,
            total_bytes: self.total_bytes,
            total_lines: self.total_lines + u64::from(self.ends_in_line),
        }
    }

    /// The text to show, and whether it is not all.
    fn shown(&self) -> (String, bool) {
        if self.shown_bytes <= self.limits.spill_bytes as u64 {
            let (text, is_cut) = within_columns(&self.head, self.limits.columns);
            return (text, is_cut);
        }
        let head = self.head.get(..floor(&self.head, self.limits.head_bytes)).unwrap_or_default();
        // Whole lines only, unless one line is longer than that.
        let head = head.rfind('\n').map_or(head, |end| head.get(..=end).unwrap_or_default());
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        let tail = String::from_utf8_lossy(&tail).into_owned();
        let tail = tail.trim_start_matches('\u{fffd}');
        let tail = tail.find('\n').map_or(tail, |at| tail.get(at + 1..).unwrap_or_default());
        let tail = last_lines(tail, self.limits.tail_lines);
        let count = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count() as u64;
        let missing = self.total_lines.saturating_sub(count(head) + count(tail));
        let bytes = self.shown_bytes.saturating_sub((head.len() + tail.len()) as u64);
        let (head, _) = within_columns(head, self.limits.columns);
        let (tail, _) = within_columns(tail, self.limits.columns);
        let gap = if head.ends_with('\n') || head.is_empty() { "" } else { "\n" };
        (format!("{head}{gap}[… {missing} lines, {bytes} bytes left out …]\n{tail}"), true)
    }
}

/// The longest beginning of a text of at most this many bytes that does not split a character.
fn floor(text: &str, bytes: usize) -> usize {
    let mut at = bytes.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn last_lines(text: &str, lines: usize) -> &str {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let start = body.rmatch_indices('\n').nth(lines.saturating_sub(1)).map_or(0, |(at, _)| at + 1);
    text.get(start..).unwrap_or_default()
}

/// The text with long lines cut, and whether one was.
fn within_columns(text: &str, columns: usize) -> (String, bool) {
    if columns == 0 || text.len() <= columns {
        return (text.to_owned(), false);
    }
    let (mut cut, mut is_cut) = (String::with_capacity(text.len()), false);
    for line in text.split_inclusive('\n') {
        let body = line.strip_suffix('\n').unwrap_or(line);
        if body.len() <= columns || body.chars().nth(columns).is_none() {
            cut.push_str(line);
            continue;
        }
        is_cut = true;
        let end = body.char_indices().nth(columns).map_or(body.len(), |(at, _)| at);
        cut.push_str(body.get(..end).unwrap_or_default());
        cut.push('…');
        if line.ends_with('\n') {
            cut.push('\n');
        }
    }
    (cut, is_cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(pieces: &[&[u8]], artifacts: Option<Artifacts>) -> Taken {
        let mut sink = Sink::new(Limits::default(), "bash", artifacts);
        for piece in pieces {
            sink.push(piece);
        }
        sink.finish(false)
    }

    #[test]
    fn what_fits_is_shown_as_it_is() {
        let taken = taken(&[b"one\n", b"two"], None);
        assert_eq!((taken.text.as_str(), taken.is_cut, taken.artifact), ("one\ntwo", false, None));
        assert_eq!((taken.total_bytes, taken.total_lines), (7, 2));
    }

    #[test]
    fn what_does_not_fit_keeps_head_and_tail() {
        let lines: Vec<String> = (0..20_000).map(|n| format!("line {n} with some words\n")).collect();
        let pieces: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
        let taken = taken(&pieces, None);
        assert!(taken.is_cut && taken.failure.is_some());
        assert!(taken.text.starts_with("line 0 ") && taken.text.ends_with("line 19999 with some words\n"));
        assert!(taken.text.len() < 42 << 10 && taken.text.contains("left out"));
        assert_eq!(taken.total_lines, 20_000);
        let tail = taken.text.split("left out …]\n").nth(1).unwrap();
        assert!(tail.lines().count() <= 500);
    }

    #[test]
    fn long_lines_are_cut_in_what_is_shown() {
        let taken = taken(&["é".repeat(2000).as_bytes(), b"\nshort\n"], None);
        assert!(taken.is_cut && taken.text.ends_with("…\nshort\n"), "{}", taken.text);
        assert_eq!(taken.text.lines().next().unwrap().chars().count(), 769);
    }

    #[test]
    fn one_endless_line_stays_bounded() {
        let piece = vec![b'x'; 1 << 16];
        let pieces: Vec<&[u8]> = (0..64).map(|_| piece.as_slice()).collect();
        let taken = taken(&pieces, None);
        assert!(taken.text.len() < 8 << 10, "{}", taken.text.len());
        assert_eq!(taken.total_bytes, 4 << 20);
    }
}
