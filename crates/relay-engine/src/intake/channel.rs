//! The interface to the sources of replies: a clipboard, a file, a stream.
//!
//! A channel delivers texts as they arrive and knows nothing about replies. [`crate::recognise`] decides whether a
//! text is a reply, and [`crate::land`] lands it.

use std::time::Duration;

use thiserror::Error;

/// The largest text a channel accepts. A longer reply can only be a mistake, and a clipboard may hold anything.
pub const CHANNEL_LIMIT_BYTES: usize = 10 << 20;

/// What a channel delivers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// A text that was there when the channel was opened.
    Present(String),
    /// A new text.
    Text(String),
    /// Something was skipped; why, for a person.
    PassedOver(String),
    /// Nothing arrived in time.
    Nothing,
    /// The source has ended.
    End,
}

/// A channel that broke, for example because the display it belongs to went away.
#[derive(Debug, Error)]
#[error("{place} can no longer be watched")]
pub struct ChannelError {
    /// The channel's name, for a person.
    pub place: String,
    /// What the system said.
    #[source]
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

/// Where replies come from.
pub trait Channel {
    /// What is watched, for a person: `the clipboard`, or a file's name.
    fn place(&self) -> &str;

    /// Waits for something new, for about the given time. Texts above [`CHANNEL_LIMIT_BYTES`] are skipped, if
    /// possible without ever holding them in memory.
    ///
    /// # Errors
    /// The channel broke permanently.
    fn next(&mut self, patience: Duration) -> Result<Arrival, ChannelError>;
}
