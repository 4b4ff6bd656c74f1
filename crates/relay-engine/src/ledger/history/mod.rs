//! The ledger's history: newest first, with each transaction in effect, undone, or partly undone.

mod filter;
mod order;
mod states;
#[cfg(test)]
pub(crate) mod tests;
mod when;

use std::collections::{BTreeMap, BTreeSet};

use relay_diagnostics::Diagnostic;
use relay_txn::{Entries, Record};
use uuid::Uuid;

pub use filter::Filter;
pub use order::Next;
pub use when::{Edge, age, moment};

use crate::codes;
use crate::ledger::damaged;

/// Whether a transaction is still in effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryStatus {
    /// It is.
    Committed,
    /// Later transactions undid it in some of its files.
    PartlyUndone,
    /// Later transactions undid all of it.
    Undone,
    /// Its record cannot be read any more; only what the index knows of it is known.
    Damaged,
}

impl EntryStatus {
    /// All of them.
    pub const ALL: [EntryStatus; 4] =
        [EntryStatus::Committed, EntryStatus::PartlyUndone, EntryStatus::Undone, EntryStatus::Damaged];

    /// The name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            EntryStatus::Committed => "committed",
            EntryStatus::PartlyUndone => "partly_undone",
            EntryStatus::Undone => "undone",
            EntryStatus::Damaged => "damaged",
        }
    }
}

/// The role of a transaction on the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// It landed something new.
    Change,
    /// It undid something.
    Undo,
    /// It undid an undo.
    Redo,
}

/// The channel of a transaction that undoes an undo; any other transaction that undoes something is an undo.
pub(crate) const REDO_CHANNEL: &str = "redo";

/// One transaction of the ledger.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The record.
    pub record: Record,
    /// Whether it is still in effect.
    pub status: EntryStatus,
    /// The files in which it was undone.
    pub undone: BTreeSet<String>,
    /// The number of the transaction that last undid or reapplied each file; `None` for other files.
    pub(crate) settled_by: BTreeMap<String, u64>,
}

impl Entry {
    /// Its role on the ledger.
    #[must_use]
    pub fn kind(&self) -> EntryKind {
        match self.record.header.undoes.is_empty() {
            true => EntryKind::Change,
            false if self.record.header.channel == REDO_CHANNEL => EntryKind::Redo,
            false => EntryKind::Undo,
        }
    }

    /// Whether all of it was undone, also where its record is damaged.
    fn is_undone(&self) -> bool {
        !self.record.changes.is_empty() && self.record.paths().all(|path| self.undone.contains(path))
    }

    /// The files in which it is still in effect.
    pub(crate) fn in_effect(&self) -> BTreeSet<String> {
        self.record.paths().filter(|path| !self.undone.contains(*path)).map(str::to_owned).collect()
    }
}

/// The ledger, newest first.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The transactions.
    pub entries: Vec<Entry>,
    /// State files that were not written by this user's Relay, and are ignored.
    pub foreign: Vec<String>,
}

/// The first eight digits of a uuid: what lists show and commands take.
#[must_use]
pub fn short(uuid: Uuid) -> String {
    uuid.simple().to_string().chars().take(8).collect()
}

impl History {
    /// Orders the records and determines which are undone, and in which files.
    #[must_use]
    pub fn new(entries: Entries) -> Self {
        Self { entries: states::settle(entries.records, entries.damaged), foreign: entries.foreign }
    }

    /// The transaction a person means: a number, a uuid, or the beginning of one. A beginning has at least four digits,
    /// and eight if it could be a number: `relay undo 99` must not reach a uuid that happens to begin with 99.
    ///
    /// # Errors
    /// None matches, or several do.
    pub fn find(&self, selector: &str) -> Result<&Entry, Diagnostic> {
        if let Ok(number) = selector.trim_start_matches('#').parse::<u64>()
            && let Some(entry) = self.entries.iter().find(|entry| entry.record.sequence == number)
        {
            return Ok(entry);
        }
        let wanted = selector.to_lowercase().replace('-', "");
        let shortest = if wanted.bytes().all(|byte| byte.is_ascii_digit()) { 8 } else { 4 };
        let begins = |entry: &&Entry| {
            let mut buffer = Uuid::encode_buffer();
            wanted.len() >= shortest
                && entry.record.uuid.simple().encode_lower(&mut buffer).starts_with(&wanted)
        };
        let fitting: Vec<&Entry> = self.entries.iter().filter(begins).collect();
        match fitting.as_slice() {
            [entry] => Ok(entry),
            [] if self.unverified_records().any(|name| name.replace('-', "").starts_with(&wanted)) => {
                let names: Vec<String> = self.unverified_records().map(str::to_owned).collect();
                Err(damaged::unknown(&names))
            }
            [] => Err(Diagnostic::error(
                codes::NO_SUCH_TRANSACTION,
                format!("the ledger has no transaction `{selector}`"),
            )
            .hinted("`relay log` lists them; use a number, a uuid or its first four digits.")),
            several => Err(Diagnostic::error(
                codes::AMBIGUOUS_TRANSACTION,
                format!("{} transactions begin with `{selector}`", several.len()),
            )
            .hinted(format!(
                "Write more of it: {}.",
                several.iter().take(5).map(|e| e.record.uuid.to_string()).collect::<Vec<_>>().join(", ")
            ))),
        }
    }

    /// The names of files that look like records of the ledger and cannot be verified.
    pub fn unverified_records(&self) -> impl Iterator<Item = &str> {
        let names = self.foreign.iter().map(String::as_str);
        names.filter(|name| {
            let stem = name.strip_suffix(".yml").unwrap_or_default();
            Uuid::try_parse(stem).is_ok()
        })
    }

    /// The newest transaction in effect that undoes this one.
    #[must_use]
    pub fn undone_by(&self, uuid: Uuid) -> Option<&Entry> {
        self.in_effect().find(|entry| entry.record.header.undoes.iter().any(|target| target.uuid == uuid))
    }

    fn in_effect(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| !entry.is_undone())
    }
}
