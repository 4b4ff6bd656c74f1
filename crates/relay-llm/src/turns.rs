//! Whole turns: asked again, or asked of the next model of a chain, until one succeeds or trying is pointless.
//!
//! A stream that has emitted something cannot be repeated unnoticed. So a retried turn is announced by
//! [`Notice::Discarded`]: everything emitted since the last `Start` is void, and the reader must remove or mark it.

use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;

use crate::budget::Budget;
use crate::client::Client;
use crate::error::{Error, ErrorKind};
use crate::event::{Event, Notice, Turn};
use crate::fallback::{Chain, Next};
use crate::key::Key;
use crate::keys::{ChosenKey, Keyring};
use crate::model::Model;
use crate::provider::Auth;
use crate::request::Request;
use crate::retry::jitter;

/// How often a pause checks for a cancel.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How long a key is left alone that was refused, when the provider does not say.
const KEY_REST: Duration = Duration::from_secs(60);

/// The models of a chain and what was learnt about them, for a whole conversation.
#[derive(Debug)]
pub struct Turns<'a> {
    models: Vec<Model>,
    chain: Chain,
    keys: &'a Keyring,
    /// Keeps the conversation with one key, so that the provider finds its cache again.
    session: Option<String>,
    keeps_shown: bool,
    begun: Instant,
    budget: Option<&'a Budget>,
}

impl<'a> Turns<'a> {
    /// The models, the preferred one first. The chain must be as long.
    #[must_use]
    pub fn new(models: Vec<Model>, chain: Chain, keys: &'a Keyring, session: Option<String>) -> Self {
        Self { models, chain, keys, session, keeps_shown: false, begun: Instant::now(), budget: None }
    }

    /// Continues with a chain in use since then, so that resting models keep resting.
    #[must_use]
    pub fn since(mut self, begun: Instant) -> Self {
        self.begun = begun;
        self
    }

    /// The chain, with what was learnt about its models.
    #[must_use]
    pub fn into_chain(self) -> Chain {
        self.chain
    }

    /// Within these limits, which stop before the next request.
    #[must_use]
    pub fn within(mut self, budget: &'a Budget) -> Self {
        self.budget = Some(budget);
        self
    }

    /// For a reader that cannot remove anything, such as a pipe: a turn is final once part of it was emitted.
    #[must_use]
    pub fn keeping_what_was_shown(mut self) -> Self {
        self.keeps_shown = true;
        self
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
        let mut keys_tried = 0;
        loop {
            let place = self.chain.current(self.now_ms());
            let Some(model) = self.models.get(place) else {
                return Err(Error::new(ErrorKind::Config, "", "no model to ask"));
            };
            if let Err(error) = self.afford(model, Duration::ZERO) {
                let turn = Turn::new(model.origin()).failed(error.clone());
                tell(Event::Error { error: error.clone(), turn });
                return Err(error);
            }
            let chosen = self.key(model);
            let key = chosen.as_ref().map_or_else(Key::none, |chosen| chosen.key.clone());
            let mut failure = None;
            for event in client.stream(model, &key, request, cancel) {
                match event {
                    Event::Done { turn } => {
                        self.count(model, request, &turn);
                        self.chain.succeeded();
                        tell(Event::Done { turn: turn.clone() });
                        return Ok(turn);
                    }
                    Event::Error { error, turn } => failure = Some((error, turn)),
                    event => tell(event),
                }
            }
            let Some((error, turn)) = failure else {
                return Err(Error::new(ErrorKind::Network, &*model.provider.name, "the stream did not end"));
            };
            self.count(model, request, &turn);
            let now_ms = self.now_ms();
            keys_tried += 1;
            let next = if self.keeps_shown && !turn.content.is_empty() {
                Next::GiveUp
            } else if self.has_another_key(model, chosen.as_ref(), &error, keys_tried) {
                Next::Switch { to: place }
            } else {
                self.chain.failed(&error, now_ms, jitter())
            };
            let (delay_ms, to) = match next {
                Next::Retry { delay_ms, .. } => (delay_ms, place),
                Next::Switch { to } => (0, to),
                Next::GiveUp => {
                    tell(Event::Error { error: error.clone(), turn });
                    return Err(error);
                }
            };
            if to != place {
                keys_tried = 0;
            }
            let delay = Duration::from_millis(delay_ms);
            let next = self.models.get(to);
            if let Err(spent) = next.map_or(Ok(()), |next| self.afford(next, delay)) {
                let message = format!("{}; not asked again: {}", error.message, spent.message);
                let error = Error { message, kind: spent.kind, ..error };
                tell(Event::Error { error: error.clone(), turn: turn.failed(error.clone()) });
                return Err(error);
            }
            let model = next.map(Model::selector).unwrap_or_default();
            tell(Event::Notice(Notice::Discarded { turn: Box::new(turn), delay_ms, model }));
            pause(delay, cancel);
        }
    }

    /// Whether the budget has another request in it, after a pause.
    fn afford(&self, model: &Model, pause: Duration) -> Result<(), Error> {
        let within = self.budget.map_or(Ok(()), |budget| budget.check(model, pause));
        within.map_err(|spent| Error::new(ErrorKind::Budget, &*model.provider.name, spent.to_string()))
    }

    fn count(&self, model: &Model, request: &Request, turn: &Turn) {
        if let Some(budget) = self.budget {
            budget.count(model, request, turn);
        }
    }

    fn key(&self, model: &Model) -> Option<ChosenKey> {
        match model.provider.auth {
            Auth::None => None,
            _ => self.keys.choose(&model.provider.name, self.session.as_deref()),
        }
    }

    /// Lets a key rest if its account is exhausted; returns whether the user has another one for this provider that
    /// was not tried in this turn.
    fn has_another_key(&self, model: &Model, used: Option<&ChosenKey>, error: &Error, tried: usize) -> bool {
        let is_the_keys = matches!(error.kind, ErrorKind::RateLimit | ErrorKind::Quota | ErrorKind::Auth);
        let Some(used) = used.filter(|_| is_the_keys) else { return false };
        let rest = error.retry_after_ms.map_or(KEY_REST, Duration::from_millis);
        let provider = &model.provider.name;
        self.keys.rest(provider, &used.source, Instant::now() + rest);
        tried < self.keys.sources(provider).len()
            && self.key(model).is_some_and(|next| next.source != used.source)
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Waits, unless cancelled.
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
