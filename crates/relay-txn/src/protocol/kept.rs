//! Contents that no record of the ledger leads to, and that the user may want back.
//!
//! Files that rollbacks moved aside, what commands had written before it was undone, and what is in the stage of an
//! interrupted transaction with a record that cannot be verified. They are only listed and read here.

use std::io;

use uuid::Uuid;

use super::Protocol;
use super::sealed::Sealed;
use crate::error::{At, TxnError};
use crate::fs::{Found, Fs, Kind};
use crate::layout::{self, RESCUED, STAGE, TAKEN_BACK};
use crate::limits::MAX_FILE_BYTES;
use crate::record::Stored;

/// A content that can be restored.
#[derive(Debug, Clone)]
pub struct Kept {
    /// Its id for people: the beginning of the transaction's uuid, and a number.
    pub id: String,
    /// The transaction it was kept for.
    pub uuid: Uuid,
    /// The path it had in the workspace, where that is known.
    pub path: Option<String>,
    /// The file that holds it, or names it, relative to the workspace.
    pub kept_in: String,
    /// Its length in bytes.
    pub size: u64,
    /// Why it is there.
    pub origin: Origin,
    place: Source,
}

/// Why a content was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It was moved aside by a rollback.
    Rescued,
    /// A command had written it, and that was undone.
    TakenBack,
    /// It is in the stage of an interrupted transaction whose record cannot be verified: an original or its successor.
    Staged,
}

#[derive(Debug, Clone)]
enum Source {
    /// A file of the state folder.
    File,
    /// Wherever the record has it.
    Stored(Stored),
}

impl<F: Fs> Protocol<F> {
    /// Everything that is kept, by transaction.
    pub(crate) fn kept(&self) -> Result<Vec<Kept>, TxnError> {
        let mut kept = Vec::new();
        let mut uuids = self.uuids_in(RESCUED)?;
        uuids.extend(self.uuids_in(STAGE)?);
        uuids.sort_unstable();
        uuids.dedup();
        for uuid in uuids {
            let first = kept.len();
            self.rescued_of(uuid, &mut kept)?;
            self.staged_of(uuid, &mut kept)?;
            let name: String = uuid.simple().to_string().chars().take(8).collect();
            for (number, found) in kept.iter_mut().skip(first).enumerate() {
                found.id = format!("{name}.{}", number + 1);
            }
        }
        Ok(kept)
    }

    /// The bytes of a kept content.
    pub(crate) fn kept_content(&self, kept: &Kept) -> Result<Vec<u8>, TxnError> {
        match &kept.place {
            Source::Stored(stored) => self.content(stored),
            Source::File => match self.fs.read(&kept.kept_in, MAX_FILE_BYTES).at("read", &kept.kept_in)? {
                Found::File(bytes, _) => Ok(bytes),
                Found::Missing | Found::Irregular(_) => {
                    Err(TxnError::io("read", &kept.kept_in, io::ErrorKind::NotFound.into()))
                }
            },
        }
    }

    fn rescued_of(&self, uuid: Uuid, kept: &mut Vec<Kept>) -> Result<(), TxnError> {
        self.files_in(
            &format!("{RESCUED}/{uuid}"),
            (uuid, Origin::Rescued),
            |name| name != TAKEN_BACK,
            kept,
        )?;
        let name = layout::taken_back(uuid);
        let Ok(Sealed::Ours(record)) = self.read_record(&name, uuid) else { return Ok(()) };
        let written = record.changes.into_iter().filter(|change| change.by.is_some());
        kept.extend(written.filter_map(|change| {
            let stored = change.after?;
            Some(Kept {
                id: String::new(),
                uuid,
                path: Some(change.path),
                kept_in: name.clone(),
                size: stored.size,
                origin: Origin::TakenBack,
                place: Source::Stored(stored),
            })
        }));
        Ok(())
    }

    /// What is in a stage that recovery does not touch.
    fn staged_of(&self, uuid: Uuid, kept: &mut Vec<Kept>) -> Result<(), TxnError> {
        let pending = self.read_record(&layout::pending(uuid), uuid)?;
        let is_lost = matches!(pending, Sealed::Missing) && self.has_lost_its_record(uuid)?;
        if !is_lost && !matches!(pending, Sealed::Foreign) {
            return Ok(());
        }
        let is_slot = |name: &str| name.starts_with(|first: char| first.is_ascii_digit());
        self.files_in(&layout::stage(uuid), (uuid, Origin::Staged), is_slot, kept)
    }

    fn files_in(
        &self,
        folder: &str,
        (uuid, origin): (Uuid, Origin),
        wanted: impl Fn(&str) -> bool,
        kept: &mut Vec<Kept>,
    ) -> Result<(), TxnError> {
        let mut files = self.fs.list_stats(folder).at("list", folder)?;
        files.retain(|(name, stat)| stat.kind == Kind::File && wanted(name));
        files.sort_by(|a, b| a.0.cmp(&b.0));
        kept.extend(files.into_iter().map(|(name, stat)| Kept {
            id: String::new(),
            uuid,
            path: None,
            kept_in: format!("{folder}/{name}"),
            size: stat.size,
            origin,
            place: Source::File,
        }));
        Ok(())
    }

    fn uuids_in(&self, folder: &str) -> Result<Vec<Uuid>, TxnError> {
        let names = self.fs.list(folder).at("list", folder)?;
        Ok(names.iter().filter_map(|name| layout::parse_uuid(name)).collect())
    }
}
