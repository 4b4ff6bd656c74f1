//! Effects: what commands and other agents do to the workspace becomes a transaction.
//!
//! `wrap` runs a command, `attend` watches other work, `capture` watches checks; `adopt` makes a transaction of what they
//! did. `overtaken` and `interrupted` handle the cases in which others came first or Relay was killed, and `refs` reports
//! changes to git's references, which Relay does not restore.

pub(crate) mod adopt;
pub(crate) mod attend;
pub(crate) mod capture;
pub(crate) mod guarded;
pub(crate) mod interrupted;
mod overtaken;
pub(crate) mod refs;
pub(crate) mod wrap;
