//! What a command did to a file before another transaction landed on it.
//!
//! The file is by now what that transaction made of it, so there is nothing left to decide about and nothing to undo:
//! the change is entered into the ledger, in its place before the other one. Undoing both, the newer one first, brings
//! back what was there before the command. Every landing leaves a number free for each command under way, so that there
//! is a place (see `enter`).

use std::collections::BTreeSet;

use super::prepare::{Contents, pending_record};
use super::{Protocol, begin};
use crate::capture::{Overtaken, PREFIX};
use crate::draft::Draft;
use crate::error::{At, TxnError};
use crate::fs::Fs;
use crate::layout::{BLOBS, CAPTURE, STATE};
use crate::record::Record;
use crate::state_folder;

/// Who approved it: the files had gone on already.
const NOBODY: &str = "nobody";

impl<F: Fs> Protocol<F> {
    /// Enters a change that another transaction has landed upon. Touches no file of the workspace.
    pub(crate) fn enter_overtaken(
        &self,
        mut draft: Draft,
        overtaken: &Overtaken,
        by: &str,
    ) -> Result<Record, TxnError> {
        state_folder::ensure(&self.fs)?;
        draft.changes.clear();
        // Holds the stage, and with it all contents, until the record is there.
        let _owner = {
            let _lock = self.lock()?;
            self.reserve(&draft)?
        };
        let mut record = pending_record(&draft, Vec::new());
        draft.changes.clone_from(&overtaken.changes);
        let entered = begin::check(&draft)
            .and_then(|()| self.describe_overtaken(&mut record, overtaken, by))
            .and_then(|()| self.place_before(&mut record, overtaken));
        let _lock = self.lock()?;
        self.discard_stage(draft.uuid);
        entered.map(|()| record)
    }

    fn describe_overtaken(
        &self,
        record: &mut Record,
        overtaken: &Overtaken,
        by: &str,
    ) -> Result<(), TxnError> {
        let mut contents = Contents::new(record.uuid);
        for change in &overtaken.changes {
            self.take_up(record, None, change, by, &mut contents)?;
        }
        record.approved = true;
        record.approved_by = Some(NOBODY.to_owned());
        let blobs: Vec<String> = contents.blobs.into_iter().collect();
        self.fs.sync(&blobs, &[BLOBS.to_owned()]).at("sync", BLOBS)
    }

    /// Gives the record its number and its name.
    fn place_before(&self, record: &mut Record, overtaken: &Overtaken) -> Result<(), TxnError> {
        let _lock = self.lock()?;
        let entries = self.entries()?;
        let all = entries.records.iter().chain(&entries.damaged);
        let taken: BTreeSet<u64> = all.map(|record| record.sequence).collect();
        let before = overtaken.by_sequence.checked_sub(1).filter(|number| *number > 0);
        record.sequence = match before.filter(|number| !taken.contains(number)) {
            Some(free) => free,
            // The other one was landed by a Relay that leaves no room: last is better than lost.
            None => self.head()?.sequence + 1,
        };
        self.name_final(record)?;
        // The index is left as it is: it lacks this record, and the next landing notices and adds it.
        self.fs.sync(&[], &[STATE.to_owned()]).at("sync", STATE)
    }

    /// How many commands are being captured, or were when their Relay died.
    pub(super) fn captures_under_way(&self) -> Result<u64, TxnError> {
        let names = self.fs.list(CAPTURE).at("list", CAPTURE)?;
        Ok(names.iter().filter(|name| name.starts_with(PREFIX)).count() as u64)
    }
}
