//! Sessions: the log of a conversation, format version 3.
//!
//! A session file is one JSON object per line: a [`Header`], then [`Entry`]s. Every entry keeps the exact text of its
//! line beside the typed [`Body`], so types and fields that Relay does not know survive unchanged. A typed body is
//! decoded when it is first needed; opening a long session therefore reads only the few fields that place an entry in
//! the tree.
//!
//! - [`Document`] is a whole file, parsed leniently: what cannot be read is reported and kept.
//! - [`SessionLog`] is a session that is open: entries are added to it, and its leaf moves around its tree.
//! - [`context`] says what a model sees at a leaf, and the state there.
//! - [`message`] holds the messages with their content blocks, and [`convert`] turns them into `relay_llm` messages.
//!
//! Files are read and written by `relay-store` alone. `docs/formats/session.md` documents the format.

pub mod body;
pub mod content;
mod context;
pub mod convert;
mod document;
mod entry;
mod error;
mod header;
mod labels;
mod lenient;
mod list;
mod log;
pub mod message;
mod migrate;
mod persist;
mod pictures;
mod seal;
mod shown;
mod stamp;
mod text;
mod tree;

pub use body::{Body, Kind};
pub use content::{Block, Content};
pub use context::{Checkpoint, Context, DEFAULT_ROLE, Leaf, Seen, State, context};
pub use document::{Damage, Document, Kept, ParseError};
pub use entry::Entry;
pub use error::{Candidate, SessionError};
pub use header::{Header, TitleSource};
pub use labels::Labels;
pub use list::{Hit, Listing, RecentSession, SessionInfo, list, recent, search};
pub use log::{EntryId, Recent, Selection, SessionLog, Summary, humanize_plan_title};
pub use message::Message;
pub use shown::{TreeFilter, searchable, tree_search};
pub use stamp::{Stamps, SystemStamps, iso, milliseconds};
pub use tree::{Node, Tree};

/// The version of the format that Relay writes.
pub const VERSION: u64 = 3;
