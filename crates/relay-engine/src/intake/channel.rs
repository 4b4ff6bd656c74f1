//! The seam to where replies come from: a clipboard, a file, a stream.
//!
//! A channel hands over texts as they arrive and knows nothing about replies. [`crate::recognise`] decides whether a
//! text is a reply, and [`crate::land`] lands it.

use std::time::Duration;

use thiserror::Error;

/// The largest text a channel takes. A reply that long is possible only by mistake, and a clipboard may hold anything.
pub const CHANNEL_LIMIT_BYTES: usize = 10 << 20;

/// What a channel has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// A text that was there when the channel was opened.
    Present(String),
    /// A new text.
    Text(String),
    /// Something came that is not handed over, and why, for a person.
    PassedOver(String),
    /// Nothing came in the time given.
    Nothing,
    /// Nothing will come any more.
    End,
}

/// A channel that broke, for example because the display it belongs to went away.
#[derive(Debug, Error)]
#[error("{place} cannot be watched any more")]
pub struct ChannelError {
    /// The channel, for a person.
    pub place: String,
    /// What the system said.
    #[source]
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

/// Where replies come from.
pub trait Channel {
    /// What is watched, for a person: `the clipboard`, or a file's name.
    fn place(&self) -> &str;

    /// Waits for something new, at most about as long as given. Texts above [`CHANNEL_LIMIT_BYTES`] are passed over,
    /// without ever being held in memory whole where the system allows that.
    ///
    /// # Errors
    /// The channel broke and will not come back by itself.
    fn next(&mut self, patience: Duration) -> Result<Arrival, ChannelError>;
}
