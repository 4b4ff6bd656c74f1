//! User data on a real disk.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests may be blunt")]

mod credentials;
mod folder;
mod key;
mod mailbox;
mod soundness;
mod trust;
