//! The steps that make a set of changes land entirely or not at all, written against [`Fs`] alone.
//!
//! ```text
//! begin    lock → recover, leases, reserve the stage → unlock
//!          read and compare every file, stage contents, blobs and the record → one batch of syncs
//!          lock → recover, leases → name the pending record, sync
//!          → what goes, folders that go, folders that come, what comes or changes → unlock
//! commit   sync the touched folders → lock → number, final record, sync → rename (the commit point), sync → unlock
//! rollback lock → what came, folders that came, folders that went, what went or changed → sync
//!          → remove the pending record, sync → unlock
//! ```
//! Deletions make room for creations, so a file and a folder can change places; a rollback is the same in reverse. At
//! any moment the disk holds either a record in the ledger, with all files new, or a pending record from which all
//! files become old again, or neither and all files are old. Each module here is one of those steps.

mod adopt;
mod apply;
mod begin;
mod commit;
mod folders;
mod forget;
mod history;
mod kept;
mod overtaken;
mod prepare;
mod recover;
mod remake;
mod rescue;
mod restore;
mod rollback;
mod sealed;
mod undecided;
mod unfinished;

use std::io;
use std::sync::OnceLock;

pub use forget::Forgotten;
pub use history::Entries;
pub use kept::{Kept, Origin};
pub use recover::{Recovered, Recovery};
pub use rescue::Rescued;
pub use rollback::RolledBack;
pub use unfinished::Unfinished;

use crate::error::{At, TxnError};
use crate::fs::{Found, Fs, Kind, Stat, ancestors, is_link};
use crate::key::LedgerKey;
use crate::limits::MAX_FILE_BYTES;
use crate::record::{Record, Stored, content_hash};
use crate::state_folder;

/// The protocol on one disk.
pub(crate) struct Protocol<F: Fs> {
    fs: F,
    key: LedgerKey,
    /// Called when the lock does not become free at once.
    waits: OnceLock<Tell>,
}

/// Reports that something takes longer.
pub(crate) type Tell = Box<dyn Fn() + Send + Sync>;

/// A transaction whose files have landed and that awaits its verdict.
pub(crate) struct Open<L> {
    /// The record as it is in `{uuid}.pending.yml`.
    pub(crate) record: Record,
    /// Files that did not get all their attributes.
    pub(crate) disowned: Vec<String>,
    /// Held while the transaction lives, so that recovery leaves it alone.
    _owner: L,
}

/// What is at a path, as far as the protocol cares.
enum Seen {
    Missing,
    /// A file, or a link with its target as content: its hash, and what the disk says about it.
    File(String, Stat),
    Other(Kind),
}

impl Seen {
    /// Whether it has the content of `stored`.
    fn has_content(&self, stored: &Stored) -> bool {
        matches!(self, Self::File(hash, stat) if *hash == stored.hash && is_link(stat.mode) == is_link(stored.mode))
    }

    /// The file's identity, where the system reports it.
    fn inode(&self) -> Option<u64> {
        match self {
            Self::File(_, stat) => stat.inode,
            Self::Missing | Self::Other(_) => None,
        }
    }

    /// Whether it has the content and the mode of `stored`.
    fn is(&self, stored: &Stored) -> bool {
        matches!(self, Self::File(hash, stat) if *hash == stored.hash && stat.mode == stored.mode)
    }
}

impl<F: Fs> Protocol<F> {
    /// Nothing is touched before the first call.
    pub(crate) fn new(fs: F, key: LedgerKey) -> Self {
        Self { fs, key, waits: OnceLock::new() }
    }

    /// Sets the callback for when the lock is not free at once. The first one stays.
    pub(crate) fn tell_waits(&self, tell: Tell) {
        drop(self.waits.set(tell));
    }

    fn lock(&self) -> Result<F::Lock, TxnError> {
        state_folder::lock(&self.fs, || {
            if let Some(tell) = self.waits.get() {
                tell();
            }
        })
    }

    /// Takes and releases the lock, which detects anything planted in its place.
    pub(crate) fn check_lock(&self) -> Result<(), TxnError> {
        self.lock().map(drop)
    }

    /// Inspects a path and hashes what is there.
    fn see(&self, path: &str) -> Result<Seen, TxnError> {
        match self.fs.read(path, MAX_FILE_BYTES) {
            Ok(Found::Missing) => Ok(Seen::Missing),
            Ok(Found::Irregular(Kind::Symlink)) => self.see_link(path),
            Ok(Found::Irregular(kind)) => Ok(Seen::Other(kind)),
            Ok(Found::File(bytes, stat)) => Ok(Seen::File(content_hash(&bytes), stat)),
            // No transaction holds a file of that size, so it is another program's.
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(Seen::Other(Kind::File)),
            Err(_) if self.is_below_link(path) => Ok(Seen::Missing),
            Err(error) => Err(TxnError::io("read", path, error)),
        }
    }

    /// What the disk says about a path of the workspace.
    fn look(&self, path: &str) -> Result<Option<Stat>, TxnError> {
        match self.fs.stat(path) {
            Err(_) if self.is_below_link(path) => Ok(None),
            other => other.at("look at", path),
        }
    }

    /// Whether a link is where a folder of the path would be. No link is followed, so nothing is there: a folder and
    /// a link may be changing places. The state folder is not part of the workspace; a link in it is an error.
    fn is_below_link(&self, path: &str) -> bool {
        let is_link =
            |folder: &str| matches!(self.fs.stat(folder), Ok(Some(stat)) if stat.kind == Kind::Symlink);
        self.fs.permits(path) && ancestors(path).any(is_link)
    }

    /// A link's content is where it points.
    fn see_link(&self, path: &str) -> Result<Seen, TxnError> {
        let target = match self.fs.read_link(path) {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(Seen::Other(Kind::Symlink));
            }
            Err(error) => return Err(TxnError::io("read", path, error)),
        };
        let stat = self.fs.stat(path).map_err(|error| TxnError::io("look at", path, error))?;
        Ok(match (target, stat) {
            (Some(target), Some(stat)) => Seen::File(content_hash(&target), stat),
            _ => Seen::Missing,
        })
    }
}
