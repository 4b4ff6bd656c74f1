//! Landing: a plan becomes a transaction, which is applied, checked, approved, and then committed or rolled back.
//!
//! relay-txn moves the bytes; this module decides whether they stay, and what happens if another transaction came
//! first.

pub(crate) mod drafting;
pub(crate) mod exact;
pub(crate) mod landing;
pub(crate) mod replan;
pub(crate) mod transact;
pub(crate) mod versions;
