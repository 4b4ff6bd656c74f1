//! Every model API as one request type and one stream of events.
//!
//! A [`Client`] asks a [`Model`] a [`Request`] and gives back a [`Stream`], a plain iterator over [`Event`]s. Whatever the
//! provider speaks, the events are the same: `Start`, for each block `Begin`, `Delta`s and `End`, and last `Done` or
//! `Error` with the whole [`Turn`]. Memory is bounded: a reader that is slow slows the provider.
//!
//! - `wire/` has one file for each format, the only places that know a provider's JSON.
//! - It connects through `relay-net` alone, which does not with `offline`.
//! - A key is never shown: not by `Debug`, not in errors, not in what is stored.
//!
//! This crate runs no tools, keeps no sessions, reads no files and looks at no environment.

mod assemble;
mod budget;
pub mod catalog;
mod classify;
mod client;
mod decode;
mod error;
mod event;
mod fallback;
mod guard;
mod hints;
mod key;
pub mod keys;
mod message;
mod model;
mod partial;
mod provider;
mod pump;
mod raw;
mod request;
mod retry;
mod sigv4;
mod stream;
mod turns;
mod usage;
mod wire;

pub use budget::{Budget, Limit, Spending, Spent};
pub use client::{Client, ClientOptions};
pub use error::{Error, ErrorKind};
pub use event::{Event, Kind, Notice, StopReason, Turn};
pub use fallback::{Chain, Next, Revert};
pub use key::Key;
pub use message::{Arguments, Block, Image, Message, Origin, Role, Seal, ToolCall, ToolResult};
pub use model::{Capabilities, Limits, Model, Prices, ThinkingStyle};
pub use partial::PartialJson;
pub use provider::{Auth, Compat, Provider, Reasoning, Wire};
pub use raw::{RawFrame, RawFrames};
pub use request::{Cache, OutputSchema, Request, Thinking, Tool, ToolChoice};
pub use retry::{Attempted, RetrySettings};
pub use stream::Stream;
pub use turns::Turns;
pub use usage::Usage;
