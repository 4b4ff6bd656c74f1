//! Which transactions are in effect, file by file.
//!
//! A file of a transaction is undone when one that takes it back is itself in effect there; so redo is the undo of an
//! undo, to any depth. Whatever takes a transaction back is younger than it: walking from the newest to the oldest,
//! everything that can undo a record is settled before the record is reached.

use std::collections::{BTreeSet, HashMap, HashSet};

use relay_txn::Record;
use uuid::Uuid;

use super::{Entry, EntryStatus};

/// A younger transaction's claim to have taken an older one back, except where it was itself taken back.
struct Claim {
    /// Only in these files; in all of them if there are none.
    files: HashSet<String>,
    except: BTreeSet<String>,
}

impl Claim {
    fn holds(&self, path: &str) -> bool {
        (self.files.is_empty() || self.files.contains(path)) && !self.except.contains(path)
    }
}

/// Settles the records, which come oldest first; the entries are newest first.
pub(super) fn settle(records: Vec<Record>) -> Vec<Entry> {
    let mut claims: HashMap<Uuid, Vec<Claim>> = HashMap::new();
    let mut entries = Vec::with_capacity(records.len());
    for record in records.into_iter().rev() {
        let claimed = claims.remove(&record.uuid).unwrap_or_default();
        let undone: BTreeSet<String> = record
            .paths()
            .filter(|path| claimed.iter().any(|claim| claim.holds(path)))
            .map(str::to_owned)
            .collect();
        let status = match undone.len() {
            0 => EntryStatus::Committed,
            all if all == record.changes.len() => EntryStatus::Undone,
            _ => EntryStatus::PartlyUndone,
        };
        if status != EntryStatus::Undone {
            for undoes in &record.undoes {
                let files = undoes.files.iter().cloned().collect();
                let claim = Claim { files, except: undone.clone() };
                claims.entry(undoes.uuid).or_default().push(claim);
            }
        }
        entries.push(Entry { record, status, undone });
    }
    entries
}
