//! A streaming answer: a blocking iterator over events.

use tokio::sync::mpsc::Receiver;

use crate::client::Client;
use crate::error::{Error, ErrorKind};
use crate::event::{Event, Turn};
use crate::message::Origin;

/// A streaming answer. The last event is `Done` or `Error`; then the iterator ends.
///
/// Between the socket and here is a short queue, so a slow reader slows the provider. Dropping the stream closes the
/// connection.
#[derive(Debug)]
pub struct Stream {
    events: Receiver<Event>,
    origin: Origin,
    is_over: bool,
    /// The connection lives in the client's thread, so the answer keeps the client.
    _client: Client,
}

impl Stream {
    pub(crate) fn new(events: Receiver<Event>, origin: Origin, client: Client) -> Self {
        Self { events, origin, is_over: false, _client: client }
    }

    /// Waits for the end and returns the whole answer.
    ///
    /// # Errors
    /// Why the answer ended unfinished.
    pub fn finish(self) -> Result<Turn, Error> {
        let mut last = None;
        for event in self {
            last = Some(event);
        }
        match last {
            Some(Event::Done { turn }) => Ok(turn),
            Some(Event::Error { error, .. }) => Err(error),
            _ => Err(Error::new(ErrorKind::Network, "", "the stream did not end")),
        }
    }
}

impl Iterator for Stream {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        if self.is_over {
            return None;
        }
        // A reader that vanished without an end has panicked; the caller must not wait for more.
        let event = self.events.blocking_recv().unwrap_or_else(|| {
            let error = Error::new(
                ErrorKind::Network,
                self.origin.provider.clone(),
                "the connection's reader failed",
            );
            Event::Error { turn: Turn::new(self.origin.clone()).failed(error.clone()), error }
        });
        self.is_over = matches!(event, Event::Done { .. } | Event::Error { .. });
        Some(event)
    }
}
