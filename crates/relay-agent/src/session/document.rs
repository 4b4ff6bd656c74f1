//! A whole session file: its header, its entries, and what could not be read.
//!
//! Reading is lenient. A line that is not an entry is reported with its number and kept byte for byte at its place, so
//! a rewrite never loses anything; a last line that was cut off by a crash is one of them. Only a file without a header
//! is refused, because nothing says that it is a session at all.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::VERSION;
use super::entry::Entry;
use super::header::Header;
use super::migrate;
use super::text::Text;

/// A session file, read.
#[derive(Clone, Debug)]
pub struct Document {
    /// The header.
    pub header: Header,
    /// The entries, in the order of the file.
    pub entries: Vec<Entry>,
    /// Lines that are not entries, at their places.
    pub kept: Vec<Kept>,
    /// What could not be read.
    pub damage: Vec<Damage>,
    /// Whether the file had an older version and was brought up to date. It has to be written as a whole then.
    pub is_migrated: bool,
}

/// A line that is not an entry, kept for rewrites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// How many entries come before it; nothing means that it comes before the header.
    pub after: Option<usize>,
    /// The line, without its newline.
    pub bytes: Vec<u8>,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The line's number, from one.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

/// Why a file is not a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// There is nothing in it.
    #[error("the file is empty")]
    Empty,
    /// Its first line is not a header.
    #[error("the file does not begin with a session header: {reason}")]
    NoHeader {
        /// What is there instead.
        reason: String,
    },
    /// A newer program wrote it.
    #[error("the session has format version {found}; this Relay knows versions up to {VERSION}")]
    Newer {
        /// Its version.
        found: u64,
    },
}

impl Document {
    /// A session without entries.
    #[must_use]
    pub fn new(header: Header) -> Self {
        Self { header, entries: Vec::new(), kept: Vec::new(), damage: Vec::new(), is_migrated: false }
    }

    /// Reads a file, and brings it up to date if it has an older version.
    ///
    /// # Errors
    /// It is not a session, or a newer program wrote it.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, ParseError> {
        Self::parse_with(bytes, &mut super::SystemStamps)
    }

    /// As [`Document::parse`], with ids for entries of old files from `stamps`.
    ///
    /// # Errors
    /// As [`Document::parse`].
    pub fn parse_with(bytes: Vec<u8>, stamps: &mut dyn super::Stamps) -> Result<Self, ParseError> {
        let mut lines = Lines::new(bytes);
        let (mut document, version) = Self::parse_header(&mut lines)?;
        if version > VERSION {
            return Err(ParseError::Newer { found: version });
        }
        if version < VERSION {
            let objects = migrate::objects(&mut lines, &mut document);
            migrate::to_current(&mut document, objects, version, stamps);
            return Ok(document);
        }
        let mut ids: HashSet<Box<str>> = HashSet::new();
        while let Some(line) = lines.next() {
            match line.read() {
                Ok(entry) if ids.insert(entry.id().into()) => document.entries.push(entry),
                Ok(entry) => {
                    let reason = format!("another entry has the same id, {}", entry.id());
                    document.keep(&line, reason);
                }
                Err(reason) => document.keep(&line, reason),
            }
        }
        Ok(document)
    }

    /// The header, and the line that oh-my-pi writes before it.
    fn parse_header(lines: &mut Lines) -> Result<(Self, u64), ParseError> {
        let mut before = Vec::new();
        loop {
            let Some(line) = lines.next() else {
                let reason = "it ends before one".to_owned();
                return Err(if before.is_empty() {
                    ParseError::Empty
                } else {
                    ParseError::NoHeader { reason }
                });
            };
            let object = line.object().map_err(|reason| ParseError::NoHeader { reason })?;
            if before.is_empty() && object.get("type").is_some_and(|kind| kind == "title") {
                before.push(Kept { after: None, bytes: line.bytes().to_vec() });
                continue;
            }
            let header = Header::from_object(object).ok_or_else(|| ParseError::NoHeader {
                reason: "the first line has another type, or no id".to_owned(),
            })?;
            let version = header.version();
            return Ok((Self { kept: before, ..Self::new(header) }, version));
        }
    }

    /// The header of a file whose beginning this is.
    ///
    /// # Errors
    /// It is not a session, or a newer program wrote it.
    pub fn parse_header_of(bytes: Vec<u8>) -> Result<Header, ParseError> {
        let (document, version) = Self::parse_header(&mut Lines::new(bytes))?;
        if version > VERSION { Err(ParseError::Newer { found: version }) } else { Ok(document.header) }
    }

    /// The session's name, whichever program gave it.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        super::log::name_of(self)
    }

    /// The line with the session's name that oh-my-pi writes before the header.
    pub(crate) fn title_line(&self) -> Option<Map<String, Value>> {
        let line = self.kept.first().filter(|kept| kept.after.is_none())?;
        serde_json::from_slice(&line.bytes).ok()
    }

    /// Puts another name into that line, if there is one. The line keeps its length, because oh-my-pi writes it in place;
    /// a name that is too long for it is cut.
    pub(crate) fn set_title_line(&mut self, name: &str) {
        let Some(mut object) = self.title_line() else { return };
        let Some(line) = self.kept.first_mut() else { return };
        object.insert("pad".to_owned(), "".into());
        let mut title = name.to_owned();
        loop {
            object.insert("title".to_owned(), title.as_str().into());
            let length = Value::Object(object.clone()).to_string().len();
            if let Some(room) = line.bytes.len().checked_sub(length) {
                object.insert("pad".to_owned(), " ".repeat(room).into());
                line.bytes = Value::Object(object).to_string().into_bytes();
                return;
            }
            if title.pop().is_none() {
                return;
            }
        }
    }

    /// Keeps a line that is not an entry.
    fn keep(&mut self, line: &Line<'_>, reason: String) {
        self.keep_after(self.entries.len(), line, reason);
    }

    /// Keeps a line that is not an entry, after this many entries.
    pub(super) fn keep_after(&mut self, after: usize, line: &Line<'_>, reason: String) {
        self.kept.push(Kept { after: Some(after), bytes: line.bytes().to_vec() });
        self.damage.push(Damage { line: line.number, reason });
    }

    /// The file, as it is written: every line that was read, entries and others, in its place.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let lines: usize = self.entries.iter().map(|entry| entry.line().len() + 1).sum();
        let mut bytes = Vec::with_capacity(lines + 1024);
        let mut push = |line: &[u8]| {
            bytes.extend_from_slice(line);
            bytes.push(b'\n');
        };
        let mut kept = self.kept.iter().peekable();
        while let Some(line) = kept.next_if(|kept| kept.after.is_none()) {
            push(&line.bytes);
        }
        push(self.header.to_line().as_bytes());
        for (index, entry) in self.entries.iter().enumerate() {
            while let Some(line) = kept.next_if(|kept| kept.after.is_some_and(|after| after <= index)) {
                push(&line.bytes);
            }
            push(entry.line().as_bytes());
        }
        for line in kept {
            push(&line.bytes);
        }
        bytes
    }
}

/// The lines of a file that are not blank.
pub(super) struct Lines {
    source: Source,
    at: usize,
    number: usize,
}

/// A file's content: shared text, unless some of it is not text.
enum Source {
    Text(Arc<String>),
    Bytes(Vec<u8>),
}

/// One line.
pub(super) struct Line<'a> {
    source: &'a Source,
    start: usize,
    end: usize,
    pub(super) number: usize,
}

impl Lines {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        let source = match String::from_utf8(bytes) {
            Ok(text) => Source::Text(Arc::new(text)),
            Err(error) => Source::Bytes(error.into_bytes()),
        };
        Self { source, at: 0, number: 0 }
    }

    pub(super) fn next(&mut self) -> Option<Line<'_>> {
        loop {
            let rest = self.source.bytes().get(self.at..).filter(|rest| !rest.is_empty())?;
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let start = self.at;
            self.at += length + 1;
            self.number += 1;
            let is_blank = rest.get(..length).is_none_or(|line| line.iter().all(u8::is_ascii_whitespace));
            if !is_blank {
                return Some(Line { source: &self.source, start, end: start + length, number: self.number });
            }
        }
    }
}

impl Source {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl Line<'_> {
    pub(super) fn bytes(&self) -> &[u8] {
        self.source.bytes().get(self.start..self.end).unwrap_or_default()
    }

    /// The line as text.
    fn text(&self) -> Result<Text, String> {
        match self.source {
            Source::Text(whole) => Ok(Text::part(whole, self.start, self.end)),
            Source::Bytes(_) => match std::str::from_utf8(self.bytes()) {
                Ok(text) => Ok(text.to_owned().into()),
                Err(_) => Err("it is not UTF-8 text".to_owned()),
            },
        }
    }

    fn read(&self) -> Result<Entry, String> {
        Entry::from_text(self.text()?)
    }

    pub(super) fn object(&self) -> Result<Map<String, Value>, String> {
        let text = self.text()?;
        serde_json::from_str(text.as_str()).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"T","cwd":"/p"}"#;
    const A: &str = r#"{"type":"message","id":"a","parentId":null,"timestamp":"T","message":{"role":"user","content":"é"}}"#;
    const B: &str = r#"{"type":"future","id":"b","parentId":"a", "odd" : [1 ,2]}"#;

    fn parse(text: impl Into<Vec<u8>>) -> Result<Document, ParseError> {
        Document::parse(text.into())
    }

    #[test]
    fn a_sound_file_is_written_as_it_was() {
        let text = format!("{HEADER}\n{A}\n{B}\n");
        let document = parse(text.clone()).unwrap();
        assert_eq!((document.entries.len(), document.damage.len(), document.is_migrated), (2, 0, false));
        assert_eq!(document.to_bytes(), text.into_bytes());
    }

    #[test]
    fn unreadable_lines_are_reported_and_kept_in_place() {
        let mut bytes = format!("{HEADER}\nnot json\n{A}\n\n").into_bytes();
        bytes.extend_from_slice(b"{\"type\":\"custom\",\"id\":\"\xff\"}\n");
        bytes.extend_from_slice(format!("{A}\n{HEADER}\n{B}\n{{\"type\":\"custom\",\"id\":\"c").as_bytes());
        let document = parse(bytes.clone()).unwrap();
        let ids: Vec<&str> = document.entries.iter().map(Entry::id).collect();
        assert_eq!(ids, ["a", "b"]);
        let numbers: Vec<usize> = document.damage.iter().map(|damage| damage.line).collect();
        assert_eq!(numbers, [2, 5, 6, 7, 9], "{:?}", document.damage);
        assert!(document.damage[2].reason.contains("same id"));
        let blank_gone = String::from_utf8_lossy(&bytes).replace("\n\n", "\n") + "\n";
        assert_eq!(String::from_utf8_lossy(&document.to_bytes()), blank_gone);
    }

    #[test]
    fn a_file_without_a_header_is_refused() {
        assert_eq!(parse("").unwrap_err(), ParseError::Empty);
        assert_eq!(parse("\n \n").unwrap_err(), ParseError::Empty);
        for text in [A, "garbage", r#"{"type":"session","id":7}"#, r#"{"type":"title"}"#] {
            assert!(matches!(parse(text), Err(ParseError::NoHeader { .. })), "{text}");
        }
        let newer = r#"{"type":"session","version":4,"id":"s"}"#;
        assert_eq!(parse(newer).unwrap_err(), ParseError::Newer { found: 4 });
    }

    #[test]
    fn the_title_line_of_oh_my_pi_is_kept() {
        let text = format!("{{\"type\":\"title\",\"v\":1,\"title\":\"t\",\"pad\":\"   \"}}\n{HEADER}\n{A}\n");
        let document = parse(text.clone()).unwrap();
        assert_eq!((document.header.id(), document.entries.len()), ("s", 1));
        assert_eq!(document.to_bytes(), text.into_bytes());
    }

    #[test]
    fn another_name_leaves_the_title_line_as_long_as_it_was() {
        let slot = format!("{{\"type\":\"title\",\"v\":1,\"title\":\"t\",\"pad\":\"{}\"}}", " ".repeat(40));
        let mut document = parse(format!("{slot}\n{HEADER}\n")).unwrap();
        for (name, kept) in [("née", "née"), (&*"x".repeat(90), &*"x".repeat(41))] {
            document.set_title_line(name);
            assert_eq!(document.title_line().unwrap()["title"], kept);
            assert_eq!(document.kept[0].bytes.len(), slot.len());
        }
    }
}
