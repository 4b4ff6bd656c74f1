//! Forgetting: old records leave the ledger, and contents that no record needs leave the disk.
//!
//! The caller decides which records are old. An undo is forgotten only when what it undid is gone for good, so that
//! whatever interrupts this, no remaining record looks as if it were in effect again. Contents are removed only while
//! no transaction is being prepared: its contents belong to no record yet. A record that this version cannot read keeps
//! everything in place.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use uuid::Uuid;

use super::Protocol;
use super::sealed::Sealed;
use crate::error::{At, TxnError};
use crate::fs::{Fs, Kind};
use crate::index::Index;
use crate::layout::{self, BLOBS, INDEX, RESCUED, STAGE, STATE};
use crate::record::Record;
use crate::state_folder::unlink_if_there;

/// What was forgotten, or would be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Records that left the ledger.
    pub records: usize,
    /// Contents that no record needs.
    pub blobs: usize,
    /// Their size in bytes.
    pub bytes: u64,
    /// Another transaction was under way, so no contents were looked at.
    pub busy: bool,
    /// How many files that name contents cannot be verified: as long as there are any, no contents are removed.
    pub unverified: usize,
}

/// The ledger, split into what to delete and what to keep.
#[derive(Default)]
struct Sorted {
    /// The records to forget, by their number.
    doomed: BTreeMap<(u64, Uuid), Doomed>,
    /// The hashes of all contents of the records that stay.
    needed: BTreeSet<String>,
    /// How many files may need contents that Relay cannot identify.
    unverified: usize,
}

/// A record to forget.
struct Doomed {
    /// The size of its file.
    size: u64,
    /// What it undid.
    undoes: Vec<Uuid>,
}

impl Sorted {
    /// The records to forget in the rounds in which they go: each after everything it undid. An undo of an undo
    /// is as deep as it gets by hand, so there are few rounds.
    fn rounds(&self) -> Vec<Vec<Uuid>> {
        let mut round_of: HashMap<Uuid, usize> = HashMap::new();
        let mut rounds: Vec<Vec<Uuid>> = Vec::new();
        // What a record undid is older, so its round is known by then.
        for ((_, uuid), doomed) in &self.doomed {
            let before = doomed.undoes.iter().filter_map(|target| round_of.get(target)).max();
            let round = before.map_or(0, |round| round + 1);
            round_of.insert(*uuid, round);
            match rounds.get_mut(round) {
                Some(together) => together.push(*uuid),
                None => rounds.push(vec![*uuid]),
            }
        }
        rounds
    }
}

impl<F: Fs> Protocol<F> {
    /// Forgets these records and all contents that are no longer needed; with `dry_run` only reports them.
    pub(crate) fn forget(&self, uuids: &BTreeSet<Uuid>, dry_run: bool) -> Result<Forgotten, TxnError> {
        if self.fs.stat(STATE).at("look at", STATE)?.is_none() {
            return Ok(Forgotten::default());
        }
        let _lock = self.lock()?;
        self.recover_dead()?;
        let sorted = self.sort(uuids)?;
        let mut forgotten = Forgotten {
            records: sorted.doomed.len(),
            bytes: sorted.doomed.values().map(|doomed| doomed.size).sum(),
            busy: !self.fs.list(STAGE).at("list", STAGE)?.is_empty(),
            unverified: sorted.unverified,
            ..Forgotten::default()
        };
        if !dry_run && !sorted.doomed.is_empty() {
            // The last line of the index counts the records; it must not fit again by accident.
            self.fs.append(INDEX, b"forgotten\n").at("write", INDEX)?;
            for round in sorted.rounds() {
                for uuid in round {
                    unlink_if_there(&self.fs, &layout::record(uuid))?;
                }
                // An undo, or a content, may go only when the record that needs it is gone for good.
                self.fs.sync(&[], &[STATE.to_owned()]).at("sync", STATE)?;
            }
        }
        if !forgotten.busy && forgotten.unverified == 0 {
            self.sweep(&sorted.needed, dry_run, &mut forgotten)?;
        }
        Ok(forgotten)
    }

    fn sort(&self, uuids: &BTreeSet<Uuid>) -> Result<Sorted, TxnError> {
        let index = Index::read(&self.fs, &self.key)?;
        let mut sorted = Sorted::default();
        for (name, stat) in self.fs.list_stats(STATE).at("list", STATE)? {
            let Some((uuid, pending)) = layout::parse_record_name(&name) else { continue };
            let known = if pending { None } else { index.get(uuid, &stat) };
            let record = match known {
                Some(record) => record,
                None => match (self.read_record(&format!("{STATE}/{name}"), uuid)?, index.known(uuid)) {
                    (Sealed::Ours(record), _) => *record,
                    (Sealed::Missing, _) => continue,
                    // Damaged, but what it needs is known.
                    (Sealed::Foreign, Some(record)) if !pending => record,
                    (Sealed::Foreign, _) => {
                        sorted.unverified += 1;
                        continue;
                    }
                },
            };
            if !pending && uuids.contains(&uuid) {
                let undoes = record.header.undoes.iter().map(|undone| undone.uuid).collect();
                sorted.doomed.insert((record.sequence, uuid), Doomed { size: stat.size, undoes });
            } else {
                sorted.needed.extend(hashes(&record));
            }
        }
        self.sort_taken_back(&mut sorted)?;
        Ok(sorted)
    }

    /// What commands had written when it was undone can still be restored.
    fn sort_taken_back(&self, sorted: &mut Sorted) -> Result<(), TxnError> {
        for name in self.fs.list(RESCUED).at("list", RESCUED)? {
            let Some(uuid) = layout::parse_uuid(&name) else { continue };
            match self.read_record(&layout::taken_back(uuid), uuid) {
                Ok(Sealed::Ours(record)) => sorted.needed.extend(hashes(&record)),
                Ok(Sealed::Missing) => {}
                Ok(Sealed::Foreign) | Err(TxnError::Record { .. }) => sorted.unverified += 1,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Removes the blobs that are not needed.
    fn sweep(
        &self,
        needed: &BTreeSet<String>,
        dry_run: bool,
        forgotten: &mut Forgotten,
    ) -> Result<(), TxnError> {
        for (name, stat) in self.fs.list_stats(BLOBS).at("list", BLOBS)? {
            let is_blob = stat.kind == Kind::File && blake3::Hash::from_hex(&name).is_ok();
            if !is_blob || needed.contains(&name) {
                continue;
            }
            forgotten.blobs += 1;
            forgotten.bytes += stat.size;
            if !dry_run {
                unlink_if_there(&self.fs, &layout::blob(&name))?;
            }
        }
        Ok(())
    }
}

fn hashes(record: &Record) -> impl Iterator<Item = String> {
    let images = record.changes.iter().flat_map(|change| [&change.before, &change.after]);
    images.flatten().map(|image| image.hash.clone())
}
