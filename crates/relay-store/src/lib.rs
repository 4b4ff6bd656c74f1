//! The only writer of user data: XDG folders, trust, the ledger key, providers' keys, what models were shown, replies
//! under repair.
//!
//! This data decides what may run and which history is trusted, so it is kept outside every repository and private to
//! the user: folders 0700, files 0600. A file that is a link, belongs to another user, or is writable by others may
//! have been planted; it is refused, not repaired. Every change replaces a file in one step or not at all, and
//! survives a power cut once the call has returned. Writers take turns, so none is lost.
//!
//! Reading creates nothing: only calls that store something create folders. `docs/formats/user-data.md` lists what is
//! stored where.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their own folders"))]

mod correspondence;
mod credentials;
mod database;
mod dirs;
mod error;
mod export;
mod folder;
mod history;
mod jobs;
mod key;
mod locked;
mod mailbox;
mod place;
mod scratch;
mod sessions;
mod shelf;
mod store;
mod trust;
mod watching;

pub use credentials::{Credential, Credentials};
pub use error::StoreError;
pub use export::export;
pub use folder::{Facts, Folder, Writer};
pub use history::{History, HistoryWriter, Prompt};
pub use jobs::{JobLock, Jobs};
pub use mailbox::{Letter, Mailbox, Tray, canonical};
pub use scratch::Scratch;
pub use sessions::{
    Artifact, ArtifactFile, Artifacts, Blobs, Breadcrumb, FoundSession, IndexedSession, SESSION_SUFFIX,
    SessionFile, SessionIndex, Sessions, terminal_id,
};
pub use shelf::Shelf;
pub use store::Store;
pub use watching::Watching;

/// The largest file that is read back: 16 MiB. Nothing stored here grows that large on its own.
pub const FILE_LIMIT_BYTES: u64 = 16 << 20;

/// The longest log that is opened: 4 GiB.
pub const LOG_LIMIT_BYTES: u64 = 4 << 30;
