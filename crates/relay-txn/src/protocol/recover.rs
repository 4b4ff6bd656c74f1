//! Finds transactions of dead processes, and finishes what they began.
//!
//! Runs under the lock, before every transaction. A living transaction is known by the lock on its `owner` file, which
//! the system releases at its death, however it died. What does not carry this user's MAC is left exactly as it is.

use std::collections::BTreeMap;
use std::io;

use uuid::Uuid;

use super::Protocol;
use super::rollback::RolledBack;
use super::sealed::Sealed;
use crate::error::{At, TxnError};
use crate::fs::{Fs, ancestors};
use crate::layout::{self, STAGE, STATE};
use crate::record::Record;
use crate::state_folder::unlink_if_there;

/// What recovery did about one transaction.
#[derive(Debug)]
pub struct Recovered {
    /// The transaction.
    pub uuid: Uuid,
    /// The files it is about.
    pub paths: Vec<String>,
    /// What was done.
    pub outcome: Recovery,
}

/// How an interrupted transaction ended.
#[derive(Debug)]
pub enum Recovery {
    /// It had not been decided: all its files are as they were before.
    RolledBack(RolledBack),
    /// It was in the ledger already; only leftovers were removed.
    Finished,
    /// Its record, or what there is of it, does not carry this user's MAC: damaged, or not written here. Nothing was
    /// touched; the stage, if there is one, may hold the only copy of files.
    Unverified {
        /// The file that cannot be verified, or is gone.
        name: String,
    },
    /// It is what a command did, and it was still undecided: the files stay as they are, and it is in the ledger now.
    Kept,
    /// It could not be rolled back now. Its paths stay reserved, everything else goes on.
    Stuck {
        /// Why.
        reason: Box<TxnError>,
    },
}

/// The paths of transactions that are not decided.
#[derive(Default)]
pub(super) struct Leases(BTreeMap<String, Uuid>);

impl Leases {
    fn add(&mut self, record: &Record) {
        self.0.extend(record.paths().map(|path| (path.to_owned(), record.uuid)));
    }

    /// Who works on the path, on a folder it is in, or on something inside it.
    pub(super) fn holder(&self, path: &str) -> Option<Uuid> {
        let inside = format!("{path}/");
        std::iter::once(path)
            .chain(ancestors(path))
            .find_map(|name| self.0.get(name))
            .or_else(|| {
                let (leased, uuid) = self.0.range(inside.clone()..).next()?;
                leased.starts_with(&inside).then_some(uuid)
            })
            .copied()
    }
}

impl<F: Fs> Protocol<F> {
    /// Finishes everything that a dead process left, also where its staging folder is gone. Creates nothing.
    pub(crate) fn recover(&self) -> Result<Vec<Recovered>, TxnError> {
        if self.fs.stat(STATE).at("look at", STATE)?.is_none() {
            return Ok(Vec::new());
        }
        let names = self.fs.list(STATE).at("list", STATE)?;
        let pending: Vec<Uuid> = names
            .iter()
            .filter_map(|name| layout::parse_record_name(name))
            .filter_map(|(uuid, pending)| pending.then_some(uuid))
            .collect();
        if pending.is_empty() && self.fs.list(STAGE).at("list", STAGE)?.is_empty() {
            return Ok(Vec::new());
        }
        let _lock = self.lock()?;
        let (_, mut recovered) = self.recover_dead()?;
        for uuid in pending {
            let stage = layout::stage(uuid);
            if self.fs.stat(&stage).at("look at", &stage)?.is_none() {
                recovered.extend(self.finish(uuid)?);
            }
        }
        Ok(recovered)
    }

    /// Whether an undecided transaction works on one of the paths: the error that says so. Does not wait, so it may
    /// still find one that is decided at this moment, and may miss one that begins.
    pub(crate) fn lease_on<'p>(
        &self,
        mut paths: impl Iterator<Item = &'p str>,
    ) -> Result<Option<TxnError>, TxnError> {
        let mut leases = Leases::default();
        for uuid in self.fs.list(STAGE).at("list", STAGE)?.iter().filter_map(|name| layout::parse_uuid(name))
        {
            if let Sealed::Ours(record) = self.read_record(&layout::pending(uuid), uuid)?
                && self.is_pending(uuid)?
            {
                leases.add(&record);
            }
        }
        Ok(paths.find_map(|path| {
            leases.holder(path).map(|uuid| TxnError::Leased { path: path.to_owned(), uuid })
        }))
    }

    /// Goes through the staging folders: finishes the dead, lists what the living work on. The caller holds the lock.
    pub(super) fn recover_dead(&self) -> Result<(Leases, Vec<Recovered>), TxnError> {
        let mut leases = Leases::default();
        let mut recovered = Vec::new();
        for uuid in self.fs.list(STAGE).at("list", STAGE)?.iter().filter_map(|name| layout::parse_uuid(name))
        {
            let owner = layout::owner(uuid);
            let _dead = match self.fs.try_lock(&owner, false) {
                Ok(Some(lock)) => Some(lock),
                Ok(None) => {
                    if let Sealed::Ours(record) = self.read_record(&layout::pending(uuid), uuid)? {
                        leases.add(&record);
                    }
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                // Not a file Relay made: a planted stage.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => continue,
                Err(error) => return Err(TxnError::io("lock", &owner, error)),
            };
            let outcome = self.finish(uuid)?;
            if let Some(Recovered { outcome: Recovery::Stuck { .. }, .. }) = &outcome
                && let Sealed::Ours(record) = self.read_record(&layout::pending(uuid), uuid)?
            {
                leases.add(&record);
            }
            recovered.extend(outcome);
        }
        Ok((leases, recovered))
    }

    /// Ends one transaction of a dead process.
    fn finish(&self, uuid: Uuid) -> Result<Option<Recovered>, TxnError> {
        let record = match self.read_record(&layout::pending(uuid), uuid) {
            Ok(Sealed::Ours(record)) => record,
            // The stage of a pending record that cannot be verified may hold the only copy of the user's files.
            Ok(Sealed::Foreign) => return Ok(Some(unverified(uuid))),
            Ok(Sealed::Missing) if self.has_lost_its_record(uuid)? => return Ok(Some(unverified(uuid))),
            // It died before it touched a file, or after all was done.
            Ok(Sealed::Missing) => return self.clean_stage(uuid).map(|()| None),
            Err(reason) => {
                let outcome = Recovery::Stuck { reason: Box::new(reason) };
                return Ok(Some(Recovered { uuid, paths: Vec::new(), outcome }));
            }
        };
        let paths = record.paths().map(str::to_owned).collect();
        let outcome = match self.end(&record) {
            Ok(outcome) => outcome,
            Err(reason) => Recovery::Stuck { reason: Box::new(reason) },
        };
        Ok(Some(Recovered { uuid, paths, outcome }))
    }

    fn end(&self, record: &Record) -> Result<Recovery, TxnError> {
        match self.read_record(&layout::record(record.uuid), record.uuid)? {
            Sealed::Ours(_) => {
                // Other processes may have read it in the ledger; now it must also survive.
                self.fs.sync(&[], &[STATE.to_owned()]).at("sync", STATE)?;
                unlink_if_there(&self.fs, &layout::pending(record.uuid))?;
                self.clean_stage(record.uuid)?;
                Ok(Recovery::Finished)
            }
            // The record of a commit, perhaps a confirmed one, that cannot be read: what was decided is unknown.
            Sealed::Foreign => Err(TxnError::Foreign { name: layout::record(record.uuid) }),
            Sealed::Missing if self.is_to_be_kept(record.uuid)? => self.keep(record).map(|()| Recovery::Kept),
            Sealed::Missing => self.roll_back(record, None).map(Recovery::RolledBack),
        }
    }
}

fn unverified(uuid: Uuid) -> Recovered {
    let outcome = Recovery::Unverified { name: layout::pending(uuid) };
    Recovered { uuid, paths: Vec::new(), outcome }
}
