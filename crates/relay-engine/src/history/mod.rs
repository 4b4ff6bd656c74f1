//! The ledger as a person reads it: newest first, each transaction in effect, taken back, or partly so.

mod filter;
mod states;
#[cfg(test)]
pub(crate) mod tests;
mod when;

use std::collections::BTreeSet;

use relay_edit::Diagnostic;
use relay_txn::{Entries, Record};
use uuid::Uuid;

pub use filter::Filter;
pub use when::{Edge, age, moment};

use crate::codes;

/// Whether a transaction is still in effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryStatus {
    /// It is.
    Committed,
    /// Later transactions took it back in some of its files.
    PartlyUndone,
    /// Later transactions took all of it back.
    Undone,
}

impl EntryStatus {
    /// All of them.
    pub const ALL: [EntryStatus; 3] =
        [EntryStatus::Committed, EntryStatus::PartlyUndone, EntryStatus::Undone];

    /// The name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            EntryStatus::Committed => "committed",
            EntryStatus::PartlyUndone => "partly_undone",
            EntryStatus::Undone => "undone",
        }
    }
}

/// What a transaction is to the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// It brought something new.
    Change,
    /// It took something back.
    Undo,
    /// It took an undo back.
    Redo,
}

/// The channel of a transaction that takes an undo back; every other one that takes something back is an undo.
pub(crate) const REDO_CHANNEL: &str = "redo";

/// One transaction of the ledger.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The record.
    pub record: Record,
    /// Whether it is still in effect.
    pub status: EntryStatus,
    /// The files in which it was taken back.
    pub undone: BTreeSet<String>,
}

impl Entry {
    /// What it is to the ledger.
    #[must_use]
    pub fn kind(&self) -> EntryKind {
        match self.record.undoes.is_empty() {
            true => EntryKind::Change,
            false if self.record.channel == REDO_CHANNEL => EntryKind::Redo,
            false => EntryKind::Undo,
        }
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
    /// Orders the records and works out which are undone, and in which files.
    #[must_use]
    pub fn new(entries: Entries) -> Self {
        Self { entries: states::settle(entries.records), foreign: entries.foreign }
    }

    /// The transaction a person means: a number, a uuid, or the beginning of one.
    ///
    /// # Errors
    /// None fits, or several do.
    pub fn find(&self, selector: &str) -> Result<&Entry, Diagnostic> {
        if let Ok(number) = selector.trim_start_matches('#').parse::<u64>()
            && let Some(entry) = self.entries.iter().find(|entry| entry.record.sequence == number)
        {
            return Ok(entry);
        }
        let wanted = selector.to_lowercase().replace('-', "");
        let begins = |entry: &&Entry| {
            let mut buffer = Uuid::encode_buffer();
            !wanted.is_empty() && entry.record.uuid.simple().encode_lower(&mut buffer).starts_with(&wanted)
        };
        let fitting: Vec<&Entry> = self.entries.iter().filter(begins).collect();
        match fitting.as_slice() {
            [entry] => Ok(entry),
            [] => Err(Diagnostic::error(
                codes::NO_SUCH_TRANSACTION,
                format!("no transaction on the ledger is called `{selector}`"),
            )
            .hinted("`relay log` lists them; use a number, a uuid or its beginning.")),
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

    /// What `relay undo` takes back: the newest transaction in effect that is not itself an undo or a redo.
    #[must_use]
    pub fn last_undoable(&self) -> Option<&Entry> {
        self.in_effect().find(|entry| entry.kind() == EntryKind::Change)
    }

    /// What `relay redo` brings back: the newest undo in effect. Undoing that undo is the redo.
    #[must_use]
    pub fn last_redoable(&self) -> Option<&Entry> {
        self.in_effect().find(|entry| entry.kind() == EntryKind::Undo)
    }

    /// The newest transaction in effect that takes this one back.
    #[must_use]
    pub fn undone_by(&self, uuid: Uuid) -> Option<&Entry> {
        self.in_effect().find(|entry| entry.record.undoes.iter().any(|target| target.uuid == uuid))
    }

    fn in_effect(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.status != EntryStatus::Undone)
    }
}
