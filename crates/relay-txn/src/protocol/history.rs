//! Reads the ledger. Creates nothing and never waits.

use std::io;

use uuid::Uuid;

use super::Protocol;
use super::sealed::Sealed;
use crate::error::{At, TxnError};
use crate::fs::{Found, Fs, Stat};
use crate::index::{self, Index, Names};
use crate::layout::{self, STATE};
use crate::limits::MAX_FILE_BYTES;
use crate::record::{Content, Record, Stored};

/// The ledger as it was read.
#[derive(Debug, Clone, Default)]
pub struct Entries {
    /// The transactions, oldest first.
    pub records: Vec<Record>,
    /// Records that this user's Relay wrote and that cannot be read any more.
    pub damaged: Vec<Record>,
    /// Names in `.relaycode/` that look like records and cannot be verified: planted, or damaged and not in the index
    /// either. They are ignored.
    pub foreign: Vec<String>,
}

/// What has to be known to enter a further record.
pub(super) struct Head {
    /// The largest number given so far.
    pub(super) sequence: u64,
    /// The files that look like records, foreign ones among them.
    pub(super) names: Names,
    /// The index as it is on disk, if it lacks anything, and what that is.
    pub(super) index: Option<Index>,
    pub(super) missing: Vec<(Record, Stat)>,
}

impl<F: Fs> Protocol<F> {
    /// All transactions in the ledger.
    pub(crate) fn entries(&self) -> Result<Entries, TxnError> {
        let index = Index::read(&self.fs, &self.key)?;
        let mut entries = Entries::default();
        let (mut names, mut files) = (Vec::new(), Vec::new());
        for (name, stat) in self.fs.list_stats(STATE).at("list", STATE)? {
            match layout::parse_record_name(&name) {
                Some((uuid, pending)) => {
                    names.push((name, pending));
                    files.push((uuid, stat));
                }
                None if name.ends_with(".yml") => entries.foreign.push(name),
                None => {}
            }
        }
        let indexed = index.get_all(&files);
        for (((name, pending), (uuid, _)), indexed) in names.into_iter().zip(files).zip(indexed) {
            if let (false, Some(record)) = (pending, indexed) {
                entries.records.push(record);
                continue;
            }
            match self.read_record(&format!("{STATE}/{name}"), uuid) {
                Ok(Sealed::Ours(record)) if record.approved != pending => {
                    if !pending {
                        entries.records.push(*record);
                    }
                }
                Ok(Sealed::Missing) => {}
                Ok(Sealed::Ours(_) | Sealed::Foreign) | Err(TxnError::Record { .. }) => {
                    match index.known(uuid).filter(|_| !pending) {
                        Some(record) => entries.damaged.push(record),
                        None => entries.foreign.push(name),
                    }
                }
                Err(error) => return Err(error),
            }
        }
        // Records are large: with cached keys each of them is moved once, not at every step of the sort.
        entries.records.sort_by_cached_key(|record| (record.sequence, record.created_at));
        entries.foreign.sort();
        Ok(entries)
    }

    /// What the next record needs to know. The caller holds the lock.
    pub(super) fn head(&self) -> Result<Head, TxnError> {
        let names = self.fs.list(STATE).at("list", STATE)?;
        let records = names.iter().filter_map(|name| match layout::parse_record_name(name) {
            Some((uuid, false)) => Some(uuid),
            _ => None,
        });
        let names = records.fold(Names::default(), Names::with);
        match index::tail(&self.fs, &self.key) {
            Some(tail) if tail.names == names => {
                Ok(Head { sequence: tail.sequence, names, index: None, missing: Vec::new() })
            }
            _ => self.head_from_records(),
        }
    }

    /// Looks at every record, because the index lacks some, or some are gone.
    fn head_from_records(&self) -> Result<Head, TxnError> {
        let index = Index::read(&self.fs, &self.key)?;
        let mut head = Head { sequence: 0, names: Names::default(), index: None, missing: Vec::new() };
        for (name, stat) in self.fs.list_stats(STATE).at("list", STATE)? {
            let Some((uuid, false)) = layout::parse_record_name(&name) else { continue };
            head.names = head.names.with(uuid);
            let sequence = match index.sequence(uuid, &stat) {
                Some(sequence) => sequence,
                None => match self.read_record(&format!("{STATE}/{name}"), uuid) {
                    Ok(Sealed::Ours(record)) if record.approved => {
                        let sequence = record.sequence;
                        head.missing.push((*record, stat));
                        sequence
                    }
                    // Its number is taken, though the record cannot be read any more.
                    Ok(_) | Err(TxnError::Record { .. }) => {
                        index.known(uuid).map_or(0, |record| record.sequence)
                    }
                    Err(error) => return Err(error),
                },
            };
            head.sequence = head.sequence.max(sequence);
        }
        head.index = Some(index);
        Ok(head)
    }

    /// One transaction of the ledger.
    pub(crate) fn find(&self, uuid: Uuid) -> Result<Option<Record>, TxnError> {
        match self.read_record(&layout::record(uuid), uuid)? {
            Sealed::Ours(record) if record.approved => Ok(Some(*record)),
            Sealed::Missing => Ok(None),
            Sealed::Ours(_) | Sealed::Foreign => Err(TxnError::Foreign { name: layout::record(uuid) }),
        }
    }

    /// Whether the transaction is under way, or waits for recovery.
    pub(crate) fn is_pending(&self, uuid: Uuid) -> Result<bool, TxnError> {
        Ok(matches!(self.read_record(&layout::pending(uuid), uuid)?, Sealed::Ours(_))
            && matches!(self.read_record(&layout::record(uuid), uuid)?, Sealed::Missing))
    }

    /// The bytes of a stored file, checked against their hash.
    pub(crate) fn content(&self, stored: &Stored) -> Result<Vec<u8>, TxnError> {
        let missing = || TxnError::Content { hash: stored.hash.clone() };
        let bytes = match &stored.content {
            Content::Inline(text) => text.to_vec(),
            Content::Blob => self.blob(stored)?,
            Content::Elsewhere(uuid) => {
                // Where the record is gone, the content may have been kept once more (see `remake`).
                let Some(record) = self.find(*uuid)? else { return self.blob(stored) };
                let images = record.changes.iter().flat_map(|change| [&change.before, &change.after]);
                let found = images.flatten().find(|image| image.hash == stored.hash).ok_or_else(missing)?;
                return match found.content {
                    Content::Elsewhere(_) => Err(missing()),
                    _ => self.content(found),
                };
            }
        };
        if stored.holds(&bytes) { Ok(bytes) } else { Err(missing()) }
    }

    fn blob(&self, stored: &Stored) -> Result<Vec<u8>, TxnError> {
        let missing = || TxnError::Content { hash: stored.hash.clone() };
        let path = layout::blob(&stored.hash);
        match self.fs.read(&path, MAX_FILE_BYTES) {
            Ok(Found::File(bytes, _)) if stored.holds(&bytes) => Ok(bytes),
            Ok(_) => Err(missing()),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Err(missing()),
            Err(error) => Err(TxnError::io("read", &path, error)),
        }
    }
}
