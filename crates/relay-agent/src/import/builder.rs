//! Builds a session from another program's log, entry by entry.

use super::omissions::Omissions;
use super::{ENTRY_LIMIT, ImportError, Imported, Program};
use crate::session::{Body, Document, Entry, Header, TitleSource, milliseconds};

/// The longest id, folder or name that is taken from a file.
const FACT_LIMIT_CHARS: usize = 4096;

/// What the log says about the whole conversation.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub id: Option<String>,
    pub timestamp: Option<String>,
    pub cwd: Option<String>,
    pub title: Option<(String, TitleSource)>,
}

/// A session under construction.
#[derive(Debug)]
pub(super) struct Builder {
    entries: Vec<Entry>,
    pub omissions: Omissions,
    pub facts: Facts,
    last_time: String,
}

/// A time that every entry may have.
const EPOCH: &str = "1970-01-01T00:00:00.000Z";

impl Builder {
    pub(super) fn new() -> Self {
        let last_time = EPOCH.to_owned();
        Self { entries: Vec::new(), omissions: Omissions::default(), facts: Facts::default(), last_time }
    }

    /// Appends an entry and returns its id; none if there are too many. Ids are counted, so that the same file always
    /// becomes the same session.
    pub(super) fn push(&mut self, parent: Option<&str>, time: Option<&str>, body: Body) -> Option<String> {
        if self.entries.len() >= ENTRY_LIMIT {
            self.omissions.add("entries beyond the limit");
            return None;
        }
        let time = self.time(time);
        let id = format!("{:08x}", self.entries.len() + 1);
        self.entries.push(Entry::new(&id, parent, &time, body));
        Some(id)
    }

    /// A time that can be read; a line without one happened when the line before it did.
    pub(super) fn time(&mut self, time: Option<&str>) -> String {
        if let Some(time) = time.filter(|time| milliseconds(time).is_some()) {
            time.clone_into(&mut self.last_time);
        }
        self.last_time.clone()
    }

    /// As [`Builder::time`], in milliseconds since 1970.
    pub(super) fn milliseconds(&mut self, time: Option<&str>) -> Option<i64> {
        milliseconds(&self.time(time))
    }

    /// The session.
    pub(super) fn finish(self, program: Program) -> Result<Imported, ImportError> {
        if self.entries.is_empty() {
            return Err(ImportError::Empty(program));
        }
        let short = |text: &str| text.chars().take(FACT_LIMIT_CHARS).collect::<String>();
        let first = self.entries.first().map_or(EPOCH, Entry::timestamp);
        let began = self.facts.timestamp.as_deref().filter(|time| milliseconds(time).is_some());
        let id = self
            .facts
            .id
            .as_deref()
            .filter(|id| is_id(id))
            .map_or_else(|| id_of(&self.entries), str::to_owned);
        let mut header =
            Header::new(&id, began.unwrap_or(first), &short(self.facts.cwd.as_deref().unwrap_or_default()));
        if let Some((title, source)) = &self.facts.title {
            header.set_title(&short(title), *source);
        }
        let mut document = Document::new(header);
        document.entries = self.entries;
        Ok(Imported { document, program, left_out: self.omissions.finish() })
    }
}

/// Whether a text may be a session's id: it becomes a part of a file's name.
fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// An id for a log that has none, from its content.
fn id_of(entries: &[Entry]) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in entries.iter().flat_map(|entry| entry.line().bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{hash:016x}")
}
