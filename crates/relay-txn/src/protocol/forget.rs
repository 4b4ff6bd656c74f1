//! Forgetting: old records leave the ledger, and contents that no record needs leave the disk.
//!
//! Which records are old is decided elsewhere; here they go oldest first, so that whatever interrupts it leaves a
//! ledger that lacks only its beginning. Contents go only while nobody prepares a transaction: those of a transaction
//! under way belong to no record yet. A record that cannot be read by this version keeps everything in place.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::Protocol;
use super::sealed::Sealed;
use crate::error::{At, TxnError};
use crate::fs::{Fs, Kind};
use crate::index::Index;
use crate::layout::{self, BLOBS, INDEX, STAGE, STATE};
use crate::record::Record;
use crate::state::unlink_if_there;

/// What was forgotten, or would be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Records that left the ledger.
    pub records: usize,
    /// Contents that no record needs.
    pub blobs: usize,
    /// How much room they took, in bytes.
    pub bytes: u64,
    /// Another transaction was under way, so no contents were looked at.
    pub busy: bool,
}

/// The ledger, sorted into what goes and what stays.
#[derive(Default)]
struct Sorted {
    /// The records to forget by their number, with the size of their files.
    doomed: BTreeMap<(u64, Uuid), u64>,
    /// The hashes of all contents of the records that stay.
    needed: BTreeSet<String>,
}

impl<F: Fs> Protocol<F> {
    /// Forgets these records and all contents nobody needs; with `dry_run` only says what that would be.
    pub(crate) fn forget(&self, uuids: &BTreeSet<Uuid>, dry_run: bool) -> Result<Forgotten, TxnError> {
        if self.fs.stat(STATE).at("look at", STATE)?.is_none() {
            return Ok(Forgotten::default());
        }
        let _lock = self.lock()?;
        self.recover_dead()?;
        let sorted = self.sort(uuids)?;
        let mut forgotten = Forgotten {
            records: sorted.doomed.len(),
            bytes: sorted.doomed.values().sum(),
            busy: !self.fs.list(STAGE).at("list", STAGE)?.is_empty(),
            ..Forgotten::default()
        };
        if !dry_run && !sorted.doomed.is_empty() {
            // The last line of the index counts the records; it must not fit again by accident.
            self.fs.append(INDEX, b"forgotten\n").at("write", INDEX)?;
            for (_, uuid) in sorted.doomed.keys() {
                unlink_if_there(&self.fs, &layout::record(*uuid))?;
            }
            // A content may go only when the record that needs it is gone for good.
            self.fs.sync(&[], &[STATE.to_owned()]).at("sync", STATE)?;
        }
        if !forgotten.busy {
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
                None => match self.read_record(&format!("{STATE}/{name}"), uuid)? {
                    Sealed::Ours(record) => *record,
                    Sealed::Missing | Sealed::Foreign => continue,
                },
            };
            if !pending && uuids.contains(&uuid) {
                sorted.doomed.insert((record.sequence, uuid), stat.size);
            } else {
                sorted.needed.extend(hashes(&record));
            }
        }
        Ok(sorted)
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
