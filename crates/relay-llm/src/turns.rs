//! Whole turns: asked again, or asked of the next model of a chain, until one succeeds or trying is no use.
//!
//! A stream that has told something cannot be repeated unnoticed. So a turn that is tried again is announced by
//! [`Notice::Discarded`]: everything told since the last `Start` is void, and the reader must take it back or mark it.

use std::time::{Duration, Instant};

use crate::cancel::Cancel;
use crate::client::Client;
use crate::error::{Error, ErrorKind};
use crate::event::{Event, Notice, Turn};
use crate::fallback::{Chain, Next};
use crate::key::Key;
use crate::model::Model;
use crate::request::Request;
use crate::retry::jitter;

/// How often a pause looks whether an end was asked for.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The models of a chain and what was learnt about them, for a whole conversation.
#[derive(Debug)]
pub struct Turns {
    models: Vec<(Model, Key)>,
    chain: Chain,
    begun: Instant,
}

impl Turns {
    /// The models, the preferred one first, each with its key. The chain must be as long.
    #[must_use]
    pub fn new(models: Vec<(Model, Key)>, chain: Chain) -> Self {
        Self { models, chain, begun: Instant::now() }
    }

    /// Gets one turn. Every event goes to `tell`; the last is `Done` or `Error`, whatever was tried in between.
    ///
    /// # Errors
    /// Why the last attempt failed.
    pub fn ask(
        &mut self,
        client: &Client,
        request: &Request,
        cancel: &Cancel,
        tell: &mut dyn FnMut(Event),
    ) -> Result<Turn, Error> {
        loop {
            let place = self.chain.current(self.now_ms());
            let Some((model, key)) = self.models.get(place) else {
                return Err(Error::new(ErrorKind::Config, "", "there is no model to ask"));
            };
            let mut failure = None;
            for event in client.stream(model, key, request, cancel) {
                match event {
                    Event::Done { turn } => {
                        self.chain.succeeded();
                        tell(Event::Done { turn: turn.clone() });
                        return Ok(turn);
                    }
                    Event::Error { error, turn } => failure = Some((error, turn)),
                    event => tell(event),
                }
            }
            let Some((error, turn)) = failure else {
                return Err(Error::new(ErrorKind::Network, &*model.provider.name, "the stream has no end"));
            };
            let now_ms = self.now_ms();
            let (delay_ms, to) = match self.chain.failed(&error, now_ms, jitter()) {
                Next::Retry { delay_ms, .. } => (delay_ms, place),
                Next::Switch { to } => (0, to),
                Next::GiveUp => {
                    tell(Event::Error { error: error.clone(), turn });
                    return Err(error);
                }
            };
            let model = self.models.get(to).map(|(model, _)| model.selector()).unwrap_or_default();
            tell(Event::Notice(Notice::Discarded { turn: Box::new(turn), delay_ms, model }));
            pause(Duration::from_millis(delay_ms), cancel);
        }
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Waits, unless an end is asked for.
fn pause(time: Duration, cancel: &Cancel) {
    let until = Instant::now() + time;
    while !cancel.is_cancelled() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(LOOK_EVERY));
    }
}
