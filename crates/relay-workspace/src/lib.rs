//! The only opener of workspace paths, and read-only.
//!
//! A [`RelPath`] is a name that may be touched; it can only be made by [`RelPath::new`] ([`Workspace::path`]), which
//! refuses everything that leads outside, into git's or Relay's own files, or disguises itself. A path is resolved from
//! the root's directory handle without following symbolic links, so a link planted between check and use changes
//! nothing.
//!
//! Decisions:
//! - **The root** may be reached through symbolic links: the user chose it. Everything below it may not.
//! - **Mount points** below the root are entered. Only the machine's owner can make one, never a reply or a clone;
//!   whether a file can be renamed across them is which the writer must find out.
//! - **Case**: names are compared as the file system compares them. Whether two spellings are one file is asked by
//!   inode ([`Workspace::same_file`]), never guessed; protected names are refused in every case everywhere.
//! - **Names are UTF-8.** A reply cannot name a file with any other name, and [`Workspace::walk`] leaves it out.
//!
//! Nothing here writes or spawns, and the kernel never gets a whole path string without `RESOLVE_BENEATH` or a walk
//! that checks every component.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their own folders"))]

mod alike;
mod dir;
mod discover;
mod git_programs;
mod ignored;
mod lines;
mod lookout;
mod mounts;
mod names;
mod place;
mod read;
mod refusal;
mod rel_path;
mod rules;
pub mod search;
mod sensitive;
mod sieve;
mod suggest;
mod survey;
mod tree;
mod unnameable;
mod walk;
mod workspace;

/// A file opened here; its holder can read it and open nothing else.
pub use std::fs::File;

pub use alike::{false_letter, likeness, path_escape};
pub use dir::{Dir, read_opened};
pub use git_programs::{GitProgramChange, GitPrograms};
pub use ignored::{IGNORED_LIMIT_BYTES, IGNORED_LIMIT_FILES, Ignored, Included};
pub use lines::{Lines, Wish, read_lines};
pub use lookout::{Lookout, Pulse};
pub use mounts::Mounts;
pub use place::{Place, PlaceError};
pub use read::{Facts, Kind, ReadError, Snapshot};
pub use refusal::PathRefusal;
pub use rel_path::{InWorkspace, OwnPath, RelPath};
pub use sensitive::{Sensitive, sensitive};
pub use survey::{Survey, Surveyed};
pub use tree::{Below, Depth, Listed, list as list_tree};
pub use walk::Walk;
pub use workspace::{Workspace, WorkspaceError};

/// Relay's configuration file, at the root of a workspace.
pub const CONFIG_FILE: &str = "relaycode.config.json";

/// Relay's folder for the ledger, at the root of a workspace.
pub const STATE_FOLDER: &str = ".relaycode";

/// The largest file that is read: 64 MiB. Larger ones are refused, whatever their size claims to be.
pub const FILE_LIMIT_BYTES: u64 = 64 << 20;

/// The longest component of a path, in bytes: what common file systems can store.
pub const NAME_LIMIT_BYTES: usize = 255;

/// The longest path, in bytes: what the kernel accepts in one call.
pub const PATH_LIMIT_BYTES: usize = 4096;

/// The most files that [`Workspace::walk`] returns.
pub const WALK_LIMIT_FILES: usize = 200_000;

/// The most files, links and folders that [`Workspace::survey`] returns.
pub const SURVEY_LIMIT_ENTRIES: usize = 1_000_000;
