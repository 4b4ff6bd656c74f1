//! Sessions: the log of a conversation, format version 3.
//!
//! A session file is one JSON object per line: a [`Header`], then [`Entry`]s. Every entry keeps the exact text of its
//! line beside the typed [`Body`], so types and fields that Relay does not know survive unchanged. A typed body is
//! decoded when it is first needed; opening a long session therefore reads only the few fields that place an entry in
//! the tree.
//!
//! - [`Document`] is a whole file, parsed leniently: what cannot be read is reported and kept.
//! - [`message`] holds the messages with their content blocks, and [`convert`] turns them into `relay_llm` messages.
//!
//! Nothing here opens a file. `docs/formats/session.md` documents the format.

pub mod body;
pub mod content;
pub mod convert;
mod document;
mod entry;
mod header;
mod lenient;
pub mod message;
mod migrate;
mod seal;
mod stamp;
mod text;

pub use body::{Body, Kind};
pub use content::{Block, Content};
pub use document::{Damage, Document, Kept, ParseError};
pub use entry::Entry;
pub use header::{Header, TitleSource};
pub use message::Message;
pub use stamp::{Stamps, SystemStamps, iso, milliseconds};

/// The version of the format that Relay writes.
pub const VERSION: u64 = 3;
