//! What text in a programming language is made of, for everything in Relay that must not go by characters alone.
//!
//! - [`summarise`]: a file in short, with the bodies of functions left out; [`symbols`]: its declarations; [`highlight`]: its
//!   colours. For [`Language::all`].
//! - [`mermaid`]: a diagram as a drawing of characters.
//! - [`cells`]: text for a terminal, wrapped and cut by the cells it takes.
//! - [`shell`]: a command as bash reads it: words, pipelines, redirections; what it would do, in plain English.
//!
//! The crate is pure: text in, values out. It opens no file, starts nothing, reads no clock and no environment, so the
//! same input gives the same answer in a test, in a policy and in a replay.

pub mod cells;
mod highlight;
mod language;
pub mod mermaid;
mod shape;
pub mod shell;
mod summary;
mod symbols;

pub use highlight::{MAX_HIGHLIGHT_BYTES, Span, Token, highlight};
pub use language::Language;
pub use summary::{MAX_SUMMARY_BYTES, MAX_SUMMARY_LINES, Segment, Summary, SummarySettings, summarise};
pub use symbols::{MAX_SYMBOLS, Symbol, SymbolKind, symbols};
