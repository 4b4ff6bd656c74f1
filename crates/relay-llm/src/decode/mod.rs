//! From bytes to frames: the pieces of a streamed answer, whatever the reads were cut into.
//!
//! Frames are cut at line ends only, never inside a character, and are handed on as bytes; whether they are valid UTF-8
//! is for the JSON parser to say.

mod event_stream;
mod lines;
mod sse;

pub(crate) use event_stream::{Broken, EventStream};
pub(crate) use lines::Lines;
pub(crate) use sse::Sse;

/// The longest frame: 128 MiB. Some providers repeat the whole answer in their last event, written as a JSON string.
pub(crate) const FRAME_LIMIT_BYTES: usize = 128 << 20;

/// A frame is longer than allowed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;
