//! Real processes, and what becomes of them.

#![allow(clippy::disallowed_methods, reason = "tests prepare their own folders")]
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests may be blunt")]

mod detach;
mod passthrough;
mod process;
mod program;
mod session;
mod shell;
mod tree;
