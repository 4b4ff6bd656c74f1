//! Asking a model: one turn on a separate thread.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use jiff::Timestamp;
use relay_diagnostics::Cancel;
use relay_llm::keys::Keyring;
use relay_llm::{
    Budget, Chain, Client, ClientOptions, Error, ErrorKind, Event, Kind, Model, Notice, Request, Revert,
    Turn, Turns,
};

use super::StreamRules;
use crate::session::convert;
use crate::turn::{Answer, Happened};

/// Answers requests: a provider, or a recording of one.
pub trait Asker: Send + Sync {
    /// The model that is asked first.
    fn model(&self) -> Model;

    /// Requests one turn. Every event goes to `tell`; the last is `Done` or `Error`.
    fn ask(&self, request: &Request, cancel: &Cancel, tell: &mut dyn FnMut(Event));

    /// Connects before the first request, so that the first answer starts sooner. May do nothing.
    fn warm_up(&self) {}

    /// The error for a turn that does not end when asked to.
    fn gave_up(&self) -> Happened {
        let error = Error::new(ErrorKind::Aborted, "", "the request did not end in time");
        let turn = Turn::new(self.model().origin()).failed(error.clone());
        Happened::Failed { error, answer: answer(&turn, &self.model(), None) }
    }
}

/// What a live model needs.
pub struct LiveOptions {
    /// How to connect.
    pub client: ClientOptions,
    /// The model.
    pub model: Model,
    /// The fallbacks, in this order.
    pub fallback: Vec<Model>,
    /// Whether to return to the first model once it has recovered.
    pub revert: Revert,
    /// The keys.
    pub keys: Arc<Keyring>,
    /// The budget.
    pub budget: Arc<Budget>,
    /// Keeps the conversation with one key.
    pub session: Option<String>,
}

/// A model of a provider, and its fallbacks.
pub struct Live {
    options: LiveOptions,
    /// One for all turns, so that a connection serves more than one of them.
    client: Client,
    chain: Mutex<Option<(Instant, Chain)>>,
}

impl Live {
    /// Asks with these options.
    #[must_use]
    pub fn new(options: LiveOptions) -> Self {
        let client = Client::new(options.client.clone());
        Self { options, client, chain: Mutex::default() }
    }

    fn take_chain(&self) -> (Instant, Chain) {
        let known = self.chain.lock().unwrap_or_else(PoisonError::into_inner).take();
        known.unwrap_or_else(|| {
            let LiveOptions { fallback, client, revert, .. } = &self.options;
            (Instant::now(), Chain::new(fallback.len() + 1, client.retry.clone(), *revert))
        })
    }
}

impl Asker for Live {
    fn model(&self) -> Model {
        self.options.model.clone()
    }

    fn warm_up(&self) {
        self.client.warm_up(&self.options.model);
    }

    fn ask(&self, request: &Request, cancel: &Cancel, tell: &mut dyn FnMut(Event)) {
        let LiveOptions { model, fallback, keys, budget, session, .. } = &self.options;
        let models: Vec<Model> = std::iter::once(model).chain(fallback).cloned().collect();
        let (since, chain) = self.take_chain();
        let mut turns = Turns::new(models, chain, keys, session.clone()).since(since).within(budget);
        // The last event carries what became of the turn; the result says nothing more.
        drop(turns.ask(&self.client.until(budget.ends()), request, cancel, tell));
        *self.chain.lock().unwrap_or_else(PoisonError::into_inner) = Some((since, turns.into_chain()));
    }
}

/// Asks, and reports what happens.
pub fn run(
    asker: &dyn Asker,
    request: &Request,
    cancel: &Cancel,
    watch: &Mutex<Box<dyn StreamRules>>,
    send: &dyn Fn(Happened),
) {
    let model = asker.model();
    let started = Instant::now();
    let mut first = None;
    let mut kinds: BTreeMap<usize, Kind> = BTreeMap::new();
    let mut retries = 0;
    asker.ask(request, cancel, &mut |event| {
        let happened = match event {
            Event::Start { model } => Happened::ModelStarted { model },
            Event::Begin { index, kind } => {
                kinds.insert(index, kind.clone());
                Happened::BlockBegan { index, kind }
            }
            Event::Delta { index, text } => {
                first.get_or_insert_with(|| started.elapsed());
                let kind = kinds.get(&index).cloned().unwrap_or(Kind::Other);
                let hits = watch.lock().unwrap_or_else(PoisonError::into_inner).delta(index, &kind, &text);
                Happened::Delta { index, kind, text, hits }
            }
            Event::End { index, block } => {
                let hits = watch.lock().unwrap_or_else(PoisonError::into_inner).block_ended(index);
                if !hits.is_empty() {
                    let kind = kinds.get(&index).cloned().unwrap_or(Kind::Other);
                    send(Happened::Delta { index, kind, text: String::new(), hits });
                }
                Happened::BlockEnded { index, block }
            }
            Event::Notice(notice) => match retrying(notice, &model, &mut retries) {
                Some(happened) => happened,
                None => return,
            },
            Event::Done { turn } => Happened::Answered(timed(answer(&turn, &model, Some(started)), first)),
            Event::Error { error, turn } => {
                Happened::Failed { error, answer: timed(answer(&turn, &model, Some(started)), first) }
            }
        };
        send(happened);
    });
}

fn retrying(notice: Notice, asked: &Model, retries: &mut u32) -> Option<Happened> {
    match notice {
        Notice::Retry { attempt, max_attempts, delay_ms, error } => Some(Happened::Retrying {
            attempt,
            max_attempts,
            delay_ms,
            error: error.to_string(),
            discards: false,
            model: None,
        }),
        Notice::Discarded { turn, delay_ms, model } => {
            *retries += 1;
            let error = turn.error.as_ref().map_or_else(String::new, ToString::to_string);
            let model = (model != asked.selector()).then_some(model);
            Some(Happened::Retrying {
                attempt: *retries,
                max_attempts: (*retries).max(3),
                delay_ms,
                error,
                discards: true,
                model,
            })
        }
        Notice::HarmonyLeak { .. } | Notice::Repetition { .. } | Notice::UnknownEvent { .. } => None,
    }
}

fn answer(turn: &Turn, model: &Model, started: Option<Instant>) -> Answer {
    let now = Timestamp::now().as_millisecond();
    let mut message = convert::from_turn(turn, model.prices.as_ref(), now);
    message.duration = started.and_then(|started| i64::try_from(started.elapsed().as_millis()).ok());
    Answer { message: Box::new(message), calls: turn.message().tool_calls().cloned().collect() }
}

fn timed(mut answer: Answer, first: Option<std::time::Duration>) -> Answer {
    answer.message.ttft = first.and_then(|time| i64::try_from(time.as_millis()).ok());
    answer
}
