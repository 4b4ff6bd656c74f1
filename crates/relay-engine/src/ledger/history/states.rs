//! Which transactions are in effect, file by file, and since when.
//!
//! A file of a transaction is undone when one that undoes it is itself in effect there; so redo is the undo of an
//! undo, to any depth. The records are followed in the order in which they landed: each one claims the files it
//! undoes, and the transactions this puts out of effect release their own claims. The last step for each file is noted
//! on the way, because the next undo or redo depends on it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use relay_txn::Record;
use uuid::Uuid;

use super::{Entry, EntryStatus};

/// What a transaction undoes of an earlier one: these of its files.
struct Claim<'r> {
    target: usize,
    files: HashSet<&'r str>,
}

/// What later transactions did to one transaction.
#[derive(Default)]
struct Fate<'r> {
    /// How many transactions in effect claim each file.
    claims: HashMap<&'r str, usize>,
    /// The number of the transaction that put each file into or out of effect last.
    settled_by: BTreeMap<&'r str, u64>,
    /// How many files are out of effect.
    undone: usize,
}

/// A claim on a file that begins or ends.
struct Step<'r> {
    target: usize,
    file: &'r str,
    begins: bool,
}

struct Replay<'r> {
    records: &'r [Record],
    claims: HashMap<usize, Vec<Claim<'r>>>,
    fates: HashMap<usize, Fate<'r>>,
}

/// Settles the records, which come oldest first; the entries are newest first. What a damaged one undid stays so.
pub(super) fn settle(mut records: Vec<Record>, damaged: Vec<Record>) -> Vec<Entry> {
    let is_damaged: HashSet<Uuid> = damaged.iter().map(|record| record.uuid).collect();
    if !damaged.is_empty() {
        records.extend(damaged);
        records.sort_by_cached_key(|record| (record.sequence, record.created_at));
    }
    let mut replay = Replay { records: &records, claims: HashMap::new(), fates: HashMap::new() };
    let places: HashMap<Uuid, usize> = records.iter().map(|record| record.uuid).zip(0..).collect();
    for (at, record) in records.iter().enumerate() {
        replay.land(at, record, &places);
    }
    let settled: HashMap<usize, (BTreeSet<String>, BTreeMap<String, u64>)> =
        replay.fates.into_iter().map(|(at, fate)| (at, fate.owned())).collect();
    let mut entries = entries(records, settled);
    for entry in entries.iter_mut().filter(|entry| is_damaged.contains(&entry.record.uuid)) {
        entry.status = EntryStatus::Damaged;
    }
    entries
}

fn entries(
    records: Vec<Record>,
    mut settled: HashMap<usize, (BTreeSet<String>, BTreeMap<String, u64>)>,
) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(records.len());
    for (at, record) in records.into_iter().enumerate().rev() {
        let (undone, settled_by) = settled.remove(&at).unwrap_or_default();
        let status = match undone.len() {
            0 => EntryStatus::Committed,
            all if all == record.changes.len() => EntryStatus::Undone,
            _ => EntryStatus::PartlyUndone,
        };
        entries.push(Entry { record, status, undone, settled_by });
    }
    entries
}

impl<'r> Replay<'r> {
    /// A transaction lands, with its claims.
    fn land(&mut self, at: usize, record: &'r Record, places: &HashMap<Uuid, usize>) {
        // A transaction is only undone by younger ones, so claims never form a cycle.
        let targets = record.header.undoes.iter().filter_map(|undoes| {
            let target = *places.get(&undoes.uuid).filter(|target| **target < at)?;
            let named: HashSet<&str> = undoes.files.iter().map(String::as_str).collect();
            let files = self.records.get(target)?.paths();
            let files = files.filter(|file| named.is_empty() || named.contains(file)).collect();
            Some(Claim { target, files })
        });
        let claims: Vec<Claim<'r>> = targets.collect();
        let mut steps: Vec<Step<'r>> = Vec::new();
        for claim in &claims {
            let begun = claim.files.iter().map(|file| Step { target: claim.target, file, begins: true });
            steps.extend(begun);
        }
        if !claims.is_empty() {
            self.claims.insert(at, claims);
        }
        while let Some(step) = steps.pop() {
            self.take(&step, record.sequence, &mut steps);
        }
    }

    /// One claim begins or ends; the consequences are added to the steps.
    fn take(&mut self, step: &Step<'r>, number: u64, steps: &mut Vec<Step<'r>>) {
        let Some(record) = self.records.get(step.target) else { return };
        let fate = self.fates.entry(step.target).or_default();
        let claims = fate.claims.entry(step.file).or_default();
        let was_undone = *claims > 0;
        *claims = if step.begins { *claims + 1 } else { claims.saturating_sub(1) };
        let is_undone = *claims > 0;
        if was_undone == is_undone {
            return;
        }
        let was_whole = fate.undone == record.changes.len();
        fate.undone = if is_undone { fate.undone + 1 } else { fate.undone.saturating_sub(1) };
        let is_whole = fate.undone == record.changes.len();
        fate.settled_by.insert(step.file, number);
        let Some(claims) = self.claims.get(&step.target) else { return };
        let own: HashSet<&str> =
            if was_whole == is_whole { HashSet::new() } else { record.paths().collect() };
        for claim in claims {
            let follows = |file| Step { target: claim.target, file, begins: !is_undone };
            steps.extend(claim.files.get(step.file).copied().map(follows));
            // What was so already when it was undone is not a file of the record; it goes with the whole.
            if was_whole != is_whole {
                steps.extend(claim.files.iter().copied().filter(|file| !own.contains(file)).map(follows));
            }
        }
    }
}

impl Fate<'_> {
    fn owned(self) -> (BTreeSet<String>, BTreeMap<String, u64>) {
        let undone = self.claims.iter().filter(|(_, claims)| **claims > 0);
        let undone = undone.map(|(file, _)| (*file).to_owned()).collect();
        (undone, self.settled_by.into_iter().map(|(file, number)| (file.to_owned(), number)).collect())
    }
}
