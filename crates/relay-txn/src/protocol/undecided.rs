//! The marks on the stage of an undecided transaction: that it may have changed files, and whether it is what a command
//! did.
//!
//! What a reply does is undone if its Relay dies before the verdict. What a command did is the user's work and is never
//! undone automatically: recovery enters it into the ledger. A decided rollback removes the mark first, which takes no
//! disk space, so an interrupted rollback continues as one. The mark carries a MAC, so only this user's Relay can turn
//! a rollback into a commit.

use uuid::Uuid;

use super::Protocol;
use super::sealed::Sealed;
use crate::error::{At, TxnError};
use crate::fs::{Attributes, Found, Fs};
use crate::layout;

/// Keeps the mark's MAC from being mistaken for one of another kind of document.
const CONTEXT: &[u8] = b"relay captured transaction v1\n";
/// A MAC in hexadecimal.
const MARK_BYTES: u64 = 64;

impl<F: Fs> Protocol<F> {
    /// Writes the mark; returns its path, which is not durable yet.
    pub(super) fn mark_to_be_kept(&self, uuid: Uuid) -> Result<String, TxnError> {
        let mark = layout::kept_mark(uuid);
        self.fs.write_new(&mark, self.mark(uuid).as_bytes(), Attributes::PRIVATE).at("write", &mark)?;
        Ok(mark)
    }

    /// Whether a pending transaction is what a command did, and still undecided.
    pub(super) fn is_to_be_kept(&self, uuid: Uuid) -> Result<bool, TxnError> {
        let mark = layout::kept_mark(uuid);
        match self.fs.read(&mark, MARK_BYTES) {
            Ok(Found::File(bytes, _)) => Ok(bytes == self.mark(uuid).as_bytes()),
            Ok(Found::Missing | Found::Irregular(_)) => Ok(false),
            Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => Ok(false),
            Err(error) => Err(TxnError::io("read", &mark, error)),
        }
    }

    /// The verdict was no: from here on the next process rolls back too.
    pub(super) fn decide_against(&self, uuid: Uuid) -> Result<(), TxnError> {
        let mark = layout::kept_mark(uuid);
        match self.fs.unlink(&mark) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            other => {
                other.at("remove", &mark)?;
                let stage = layout::stage(uuid);
                self.fs.sync(&[], std::slice::from_ref(&stage)).at("sync", &stage)
            }
        }
    }

    /// Marks the stage durably, once the pending record is durable: from here on the stage may hold the only copy of a
    /// file, and must stay until a record accounts for it.
    pub(super) fn mark_landing(&self, uuid: Uuid) -> Result<(), TxnError> {
        let (mark, stage) = (layout::landing_mark(uuid), layout::stage(uuid));
        self.fs.write_new(&mark, b"", Attributes::PRIVATE).at("write", &mark)?;
        self.fs.sync(&[], std::slice::from_ref(&stage)).at("sync", &stage)
    }

    /// Whether files may have changed, though there is neither a pending nor a final record.
    pub(super) fn has_lost_its_record(&self, uuid: Uuid) -> Result<bool, TxnError> {
        let mark = layout::landing_mark(uuid);
        Ok(self.fs.stat(&mark).at("look at", &mark)?.is_some()
            && !matches!(self.read_record(&layout::record(uuid), uuid)?, Sealed::Ours(_)))
    }

    fn mark(&self, uuid: Uuid) -> String {
        self.key.mac(CONTEXT, uuid.as_bytes()).to_hex().to_string()
    }
}
