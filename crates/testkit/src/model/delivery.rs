//! How an answer arrives: in which pieces, how fast, and what breaks on the way.

use std::time::Duration;

use serde::{Deserialize, Deserializer};

use super::Failure;

/// The way of an answer to the client. The default is a healthy connection with one write for each event.
///
/// Event numbers count from zero, and what is set for number *n* happens instead of or before sending that event.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Delivery {
    /// Cuts the stream after every this many bytes, wherever that falls: inside lines, names, characters.
    pub cut_bytes: Option<usize>,
    /// Collects events until there are this many bytes, then sends them at once.
    pub burst_bytes: Option<usize>,
    /// Waits before every write.
    #[serde(rename = "pause_ms", deserialize_with = "milliseconds")]
    pub pause: Duration,
    /// Waits before the status line.
    #[serde(rename = "header_delay_ms", deserialize_with = "milliseconds")]
    pub header_delay: Duration,
    /// Ends lines with carriage return and newline.
    pub crlf: bool,
    /// Puts a comment line before every event.
    pub comments: bool,
    /// Sends the provider's keep-alive before every event: a ping event or a comment.
    pub keep_alives: bool,
    /// Sends an event of a type no client knows before every event.
    pub unknown_events: bool,
    /// Closes the connection before the status line.
    pub drop_before_headers: bool,
    /// Closes the connection instead of sending this event.
    pub drop_at: Option<usize>,
    /// Sends all events but not the end of the HTTP body.
    pub drop_at_end: bool,
    /// Ends the HTTP body properly, without the event that ends the answer.
    pub without_terminator: bool,
    /// Sends nothing more from this event on, and keeps the connection open.
    pub stall_at: Option<usize>,
    /// Sends something that is not JSON instead of this event.
    pub malformed_at: Option<usize>,
    /// Reports a failure inside the stream, instead of this event and all after it.
    pub fail_at: Option<(usize, Failure)>,
}

fn milliseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_millis)
}
