//! The ledger as people use it: its history, who wrote a line, what may be removed, restored, or is damaged.
//!
//! relay-txn keeps the records; here they are read. Undoing a transaction is in [`crate::undo`].

pub(crate) mod blame;
pub mod damaged;
pub mod group;
pub mod history;
pub(crate) mod restore;
pub mod retention;
