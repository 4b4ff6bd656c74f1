//! The state folder made again, when a command removed it under a living transaction.
//!
//! `git clean -fdx` in a check is enough for that: the folder is ignored, so it goes. The process still knows what the
//! files held, so the transaction can be undone all the same. The history that was in the folder is gone for good.

use std::io;
use std::sync::Arc;

use uuid::Uuid;

use super::Protocol;
use crate::error::{At, TxnError};
use crate::fs::{Attributes, Fs};
use crate::layout::{self, BLOBS};
use crate::record::content_hash;
use crate::state_folder;

impl<F: Fs> Protocol<F> {
    /// Makes the folder again if the transaction's record is gone, with the contents that a rollback needs.
    pub(crate) fn remake_state(&self, uuid: Uuid, before: &[Arc<[u8]>]) -> Result<(), TxnError> {
        let pending = layout::pending(uuid);
        if self.fs.stat(&pending).at("look at", &pending)?.is_some() {
            return Ok(());
        }
        state_folder::ensure(&self.fs)?;
        state_folder::ensure_private_folder(&self.fs, &layout::stage(uuid))?;
        let mut written = Vec::with_capacity(before.len());
        for bytes in before {
            let blob = layout::blob(&content_hash(bytes));
            match self.fs.write_new(&blob, bytes, Attributes::PRIVATE) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                other => other.at("write", &blob)?,
            }
            written.push(blob);
        }
        self.fs.sync(&written, &[BLOBS.to_owned()]).at("sync", BLOBS)
    }
}
