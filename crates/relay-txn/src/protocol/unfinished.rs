//! Lists undecided transactions for display. Changes nothing and waits for no lock.

use uuid::Uuid;

use super::Protocol;
use super::sealed::Sealed;
use crate::error::{At, TxnError};
use crate::fs::Fs;
use crate::layout::{self, STATE};

/// A transaction that is neither committed nor rolled back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The transaction.
    pub uuid: Uuid,
    /// The files it is about.
    pub paths: Vec<String>,
    /// Whether its process is still running; otherwise it was interrupted, and the next command recovers it.
    pub is_running: bool,
}

impl<F: Fs> Protocol<F> {
    /// The transactions that are not decided. One that is decided at this moment may still be listed.
    pub(crate) fn unfinished(&self) -> Result<Vec<Unfinished>, TxnError> {
        let mut found = Vec::new();
        if self.fs.stat(STATE).at("look at", STATE)?.is_none() {
            return Ok(found);
        }
        for name in self.fs.list(STATE).at("list", STATE)? {
            let Some((uuid, true)) = layout::parse_record_name(&name) else { continue };
            let Sealed::Ours(record) = self.read_record(&layout::pending(uuid), uuid)? else { continue };
            if !self.is_pending(uuid)? {
                continue;
            }
            // A lock that can be taken belongs to a dead process; it is let go of at once.
            let is_running = matches!(self.fs.try_lock(&layout::owner(uuid), false), Ok(None));
            found.push(Unfinished { uuid, paths: record.paths().map(str::to_owned).collect(), is_running });
        }
        Ok(found)
    }
}
