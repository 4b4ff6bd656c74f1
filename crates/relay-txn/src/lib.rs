//! The only writer of workspace files: makes a set of file changes happen entirely or not at all.
//!
//! A caller hands over exact bytes ([`Draft`]), gets a [`Pending`] transaction with its files landed, and gives a
//! verdict: [`Pending::commit`] enters it into the [`Ledger`], [`Pending::rollback`] (or dropping it, or dying) makes
//! every file what it was. This crate does not merge, spawn or decide. `docs/formats/state-file.md` describes what is
//! on disk; the `protocol` module how it survives crashes.
//!
//! ```
//! use relay_txn::{Draft, FileChange, Ledger, LedgerKey, Target, Verdict};
//! use relay_workspace::{RelPath, Workspace};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let workspace = Workspace::open(folder.path())?;
//! let ledger = Ledger::open(&workspace, LedgerKey::new([7; 32]))?;
//! let change = FileChange::new(RelPath::new("hello.txt")?, None, Some(Target::new(*b"Hello\n")));
//! let draft = Draft { uuid: uuid::Uuid::new_v4(), changes: vec![change], ..Draft::default() };
//!
//! let pending = ledger.begin(draft)?;
//! assert!(folder.path().join("hello.txt").exists());
//! let record = pending.commit(Verdict { approved_by: "example".to_owned(), ..Verdict::default() })?;
//! assert_eq!(ledger.entries()?.records, [record]);
//! # Ok(())
//! # }
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their own folders"))]

mod belongings;
pub mod capture;
mod disk;
mod document;
mod draft;
mod error;
mod fs;
pub mod guarded;
mod index;
mod key;
mod layout;
mod ledger;
pub mod limits;
mod parallel;
pub mod project;
mod protocol;
mod record;
#[cfg(test)]
mod sim;
mod state_folder;
mod undoes;

pub use belongings::{Belongings, Extended, Owner};
pub use draft::{Draft, FileChange, Header, Image, Target, Verdict};
pub use error::TxnError;
pub use fs::is_link;
pub use key::LedgerKey;
pub use ledger::{Ledger, Pending};
pub use protocol::{Entries, Forgotten, Kept, Origin, Recovered, Recovery, Rescued, RolledBack, Unfinished};
pub use record::{
    BlockRecord, ChangeRecord, CheckRecord, FolderRecord, Operation, OperationRecord, RECORD_VERSION, Record,
    Stored,
};
pub use undoes::{Undoes, short_form};
