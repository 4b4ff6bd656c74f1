//! The index: what the records say, without the contents, so that ten thousand of them are read at once.
//!
//! It is a cache and never the truth. Each line carries its own MAC and the identity of the record's file (size, time,
//! inode); a line that is torn, foreign or older than its file is ignored, and the record itself is read. Only the
//! holder of the lock writes: it appends what is missing, and starts over when most of it is stale.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::str::FromStr;

use uuid::Uuid;

use crate::error::TxnError;
use crate::fs::{Attributes, Found, Fs, Rename, Stat};
use crate::key::LedgerKey;
use crate::layout::INDEX;
use crate::limits::MAX_INDEX_BYTES;
use crate::parallel;
use crate::record::Record;

/// Keeps a line's MAC from being mistaken for one of another kind of document.
const CONTEXT: &[u8] = b"relay ledger index v3\n";
/// A MAC in hexadecimal.
const MAC_LENGTH: usize = 64;

/// How much of the end is read to find the last line; a longer line is found by reading everything.
const TAIL_BYTES: u64 = 64 * 1024;

/// What the last line says about the ledger as it was then.
pub(crate) struct Tail {
    /// The largest number given so far.
    pub(crate) sequence: u64,
    /// The records there were. If the same ones are there now, the index lacks none of them.
    pub(crate) names: Names,
}

/// Which records there are, in a few bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Names {
    count: u64,
    /// The sum of their names' hashes, so that their order does not matter.
    digest: u64,
}

impl Names {
    /// With one more.
    pub(crate) fn with(self, uuid: Uuid) -> Self {
        let hash = blake3::hash(uuid.as_bytes());
        let hash = hash.as_bytes().first_chunk().map_or(0, |first| u64::from_le_bytes(*first));
        Self { count: self.count + 1, digest: self.digest.wrapping_add(hash) }
    }
}

impl fmt::Display for Names {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{:016x}", self.count, self.digest)
    }
}

impl FromStr for Names {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (count, digest) = text.split_once('.').unwrap_or((text, ""));
        Ok(Self { count: count.parse()?, digest: u64::from_str_radix(digest, 16)? })
    }
}

/// The index as it was read, every line verified.
pub(crate) struct Index {
    text: String,
    lines: HashMap<Uuid, Line>,
    /// How many lines there are, also stale and foreign ones.
    total: usize,
}

/// One verified line.
struct Line {
    sequence: u64,
    /// The records there were when it was written; none where it was not the last of its lines.
    names: Names,
    file: FileIdentity,
    /// Where the record's JSON is in the text.
    json: std::ops::Range<usize>,
}

/// Shows whether a record's file is still the one that was indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileIdentity {
    size: u64,
    modified: (i64, u32),
    /// Zero if the system does not report it.
    inode: u64,
}

impl From<&Stat> for FileIdentity {
    fn from(stat: &Stat) -> Self {
        Self { size: stat.size, modified: stat.modified, inode: stat.inode.unwrap_or(0) }
    }
}

/// Reads the last line only. Nothing if it is torn or not ours: then the whole index has to be looked at.
pub(crate) fn tail<F: Fs>(fs: &F, key: &LedgerKey) -> Option<Tail> {
    // An index that cannot be read only makes things slower; it is not an error.
    let bytes = fs.read_end(INDEX, TAIL_BYTES).ok()?;
    let text = bytes.strip_suffix(b"\n")?;
    let start = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let line = std::str::from_utf8(bytes.get(start..)?).ok()?;
    let (_, line) = Line::parse(line, 0, key)?;
    Some(Tail { sequence: line.sequence, names: line.names })
}

/// Adds one record to an index that lacks no other one; it is among `names` already.
pub(crate) fn append<F: Fs>(
    fs: &F,
    key: &LedgerKey,
    record: &Record,
    stat: &Stat,
    names: Names,
) -> Result<(), TxnError> {
    let line = line(record, stat, names, key)?;
    fs.append(INDEX, line.as_bytes()).map_err(|error| TxnError::io("write", INDEX, error))
}

impl Index {
    /// Reads the index. One that cannot be used is the same as none.
    pub(crate) fn read<F: Fs>(fs: &F, key: &LedgerKey) -> Result<Self, TxnError> {
        let bytes = match fs.read(INDEX, MAX_INDEX_BYTES) {
            Ok(Found::File(bytes, _)) => bytes,
            Ok(Found::Missing | Found::Irregular(_)) => Vec::new(),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Vec::new(),
            Err(error) => return Err(TxnError::io("read", INDEX, error)),
        };
        let text = String::from_utf8(bytes).unwrap_or_default();
        let mut start = 0;
        let placed: Vec<(usize, &str)> = text
            .split_inclusive('\n')
            .map(|line| {
                start += line.len();
                (start - line.len(), line)
            })
            .collect();
        let total = placed.len();
        let lines = parallel::map(&placed, |(start, line)| Line::parse(line, *start, key))
            .into_iter()
            .flatten()
            .collect();
        Ok(Self { text, lines, total })
    }

    /// Each record whose file is still the one that was indexed.
    pub(crate) fn get_all(&self, files: &[(Uuid, Stat)]) -> Vec<Option<Record>> {
        parallel::map(files, |(uuid, stat)| self.get(*uuid, stat))
    }

    /// The record, if its file is still the one that was indexed.
    pub(crate) fn get(&self, uuid: Uuid, stat: &Stat) -> Option<Record> {
        let line = self.lines.get(&uuid).filter(|line| line.file == stat.into())?;
        // The MAC is right, so only another version of Relay could have written what is not understood here.
        crate::document::read_brief(self.text.get(line.json.clone())?, uuid).ok()
    }

    /// The record as it was when it was written, whatever happened to its file.
    pub(crate) fn known(&self, uuid: Uuid) -> Option<Record> {
        let line = self.lines.get(&uuid)?;
        crate::document::read_brief(self.text.get(line.json.clone())?, uuid).ok()
    }

    /// The record's number, if its file is still the one that was indexed.
    pub(crate) fn sequence(&self, uuid: Uuid, stat: &Stat) -> Option<u64> {
        self.lines.get(&uuid).filter(|line| line.file == stat.into()).map(|line| line.sequence)
    }

    /// Adds the records it lacks, the newest last; `names` are those the ledger has with them. A crash may keep only some
    /// of the lines, so only the last one claims that the index is whole.
    pub(crate) fn add<F: Fs>(
        &self,
        fs: &F,
        key: &LedgerKey,
        records: &[(Record, Stat)],
        names: Names,
        staged: &str,
    ) -> Result<(), TxnError> {
        let mut text = String::new();
        for (at, (record, stat)) in records.iter().enumerate() {
            let is_last = at + 1 == records.len();
            let names = if is_last { names } else { Names::default() };
            text.push_str(&line(record, stat, names, key)?);
        }
        let at = |error| TxnError::io("write", INDEX, error);
        if self.total as u64 > 2 * names.count + 1000 || (self.total > 0 && self.lines.is_empty()) {
            // Mostly stale: what is still good is kept, the rest forgotten.
            let fresh: String = self.verified_lines().chain([text.as_str()]).collect();
            fs.write_new(staged, fresh.as_bytes(), Attributes::PRIVATE).map_err(at)?;
            return fs.rename(staged, INDEX, Rename::Replace).map_err(at);
        }
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            // A crash tore the last line; the new one must not become part of it.
            text.insert(0, '\n');
        }
        fs.append(INDEX, text.as_bytes()).map_err(at)
    }

    fn verified_lines(&self) -> impl Iterator<Item = &str> {
        self.lines.values().filter_map(|line| {
            let before = self.text.get(..line.json.start)?;
            let start = before.rfind('\n').map_or(0, |end| end + 1);
            self.text.get(start..line.json.end + 1)
        })
    }
}

/// `{mac} {uuid} {sequence} {names} {size} {seconds} {nanoseconds} {inode} {json}`
fn line(record: &Record, stat: &Stat, names: Names, key: &LedgerKey) -> Result<String, TxnError> {
    let json = crate::document::write_brief(record)?;
    let (seconds, nanoseconds) = stat.modified;
    let body = format!(
        "{} {} {names} {} {seconds} {nanoseconds} {} {json}",
        record.uuid,
        record.sequence,
        stat.size,
        stat.inode.unwrap_or(0)
    );
    Ok(format!("{} {body}\n", key.mac(CONTEXT, body.as_bytes()).to_hex()))
}

impl Line {
    /// Reads a line that begins at `start` of the text; `None` if it is torn or not ours.
    fn parse(line: &str, start: usize, key: &LedgerKey) -> Option<(Uuid, Self)> {
        let line = line.strip_suffix('\n')?;
        let (mac, rest) = line.split_at_checked(MAC_LENGTH)?;
        let body = rest.strip_prefix(' ')?;
        if blake3::Hash::from_hex(mac).ok()? != key.mac(CONTEXT, body.as_bytes()) {
            return None;
        }
        let mut fields = body.splitn(8, ' ');
        let uuid = fields.next()?.parse().ok()?;
        let sequence = fields.next()?.parse().ok()?;
        let names = fields.next()?.parse().ok()?;
        let size = fields.next()?.parse().ok()?;
        let modified = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        let inode = fields.next()?.parse().ok()?;
        let json = fields.next()?;
        let end = start + line.len();
        let file = FileIdentity { size, modified, inode };
        Some((uuid, Self { sequence, names, file, json: end - json.len()..end }))
    }
}
