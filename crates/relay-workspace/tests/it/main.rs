//! The workspace on a real disk.

#![allow(clippy::disallowed_methods, reason = "tests prepare their own folders")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests may be blunt")]

#[cfg(unix)]
mod containment;
#[cfg(unix)]
mod discover;
mod names;
#[cfg(unix)]
mod oracles;
#[cfg(unix)]
mod read;
#[cfg(unix)]
mod search;
#[cfg(unix)]
mod survey;
mod walk;
