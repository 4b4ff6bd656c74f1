//! A model, asked directly: it cannot act, and sees only the prompt.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use relay_diagnostics::Cancel;
use relay_llm::keys::Keyring;
use relay_llm::{
    Chain, Client, ClientOptions, ErrorKind, Event, Kind, Limit, Message, Model, Notice, OutputSchema,
    Request, Revert, Thinking, Turns,
};

use super::program::ANSWER_LIMIT_BYTES;
use super::{
    Answer, Availability, Backend, BackendError, Capabilities, Containment, Link, Presence, Question, Sandbox,
};

/// A model of a provider, and its fallbacks.
pub struct ModelBackend {
    /// What the user calls it: `provider/model`, or the name of a custom backend.
    pub name: String,
    /// How to connect to it.
    pub options: ClientOptions,
    /// The model.
    pub model: Model,
    /// The fallbacks, in this order, used only while nothing of an answer was shown.
    pub fallback: Vec<Model>,
    /// How hard it should think, if specified.
    pub thinking: Option<Thinking>,
    /// The keys.
    pub keys: Keyring,
    /// Whether a key is needed.
    pub needs_key: bool,
    /// Whether to return to the first model once it has recovered.
    pub revert: Revert,
    /// What earlier requests showed about the models, and since when.
    pub chain: Mutex<Option<(Instant, Chain)>>,
}

impl Backend for ModelBackend {
    fn name(&self) -> &str {
        &self.name
    }

    /// It cannot act on a repository, so any other sandbox would promise too much.
    fn sandboxes(&self) -> &[Sandbox] {
        &[Sandbox::ReadOnly]
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            streaming: true,
            resume: false,
            structured: self.model.capabilities.structured,
            local_files: false,
            review: false,
            max_cost: self.check_limit(&Limit { cost: Some(1.0), ..Limit::default() }).is_ok(),
            max_turns: true,
            containment: Containment::NoAccess,
        }
    }

    fn check_limit(&self, limit: &Limit) -> Result<(), BackendError> {
        let unpriced =
            |source| BackendError::Budget { backend: self.name.clone(), source, was_running: false };
        limit.check(&self.model).map_err(unpriced)
    }

    fn presence(&self) -> Presence {
        Presence {
            is_there: true,
            logged_in: self.needs_key.then(|| !self.keys.sources(&self.model.provider.name).is_empty()),
        }
    }

    fn availability(&self, _cancel: &Cancel) -> Availability {
        Availability {
            found: Some(self.model.id.clone()),
            logged_in: self.presence().logged_in,
            remedy: format!("`relay auth login {}` stores a key.", self.model.provider.name),
        }
    }

    fn run(&self, question: &Question<'_>, link: &mut Link<'_>) -> Result<Answer, BackendError> {
        let options = ClientOptions {
            answer_limit_bytes: ANSWER_LIMIT_BYTES,
            no_request_after: link.budget.ends(),
            ..self.options.clone()
        };
        let schema =
            |schema: &serde_json::Value| OutputSchema { name: "answer".to_owned(), schema: schema.clone() };
        let request = Request {
            messages: vec![Message::text(question.prompt)],
            thinking: self.thinking,
            output: question.schema.filter(|_| self.model.capabilities.structured).map(schema),
            ..Request::default()
        };
        // One limit for all attempts, including pauses.
        let (outer, deadline) = (link.cancel.clone(), Instant::now() + question.timeout);
        let cancel = Cancel::watching(move || outer.is_cancelled() || Instant::now() >= deadline);
        let affordable = |model: &&Model| link.budget.limit().check(model).is_ok();
        let fallback = self.fallback.iter().filter(affordable).cloned();
        let models: Vec<Model> = std::iter::once(self.model.clone()).chain(fallback).collect();
        let (since, chain) = self.take_chain(models.len());
        let mut turns = Turns::new(models, chain, &self.keys, None).since(since).within(link.budget);
        if link.is_final {
            turns = turns.keeping_what_was_shown();
        }
        let (mut texts, mut trouble) = (Vec::new(), None);
        let mut tell = |event: Event| match event {
            Event::Begin { index, kind: Kind::Text } => texts.push(index),
            Event::Delta { index, text } if texts.contains(&index) => (link.on_text)(&text),
            Event::Notice(Notice::Retry { attempt, max_attempts, delay_ms, error }) => {
                (link.on_note)(&format!(
                    "{error}; retrying in {} ({attempt} of {max_attempts})",
                    seconds(delay_ms)
                ));
                trouble = Some(error);
            }
            Event::Notice(Notice::Discarded { turn, delay_ms, model }) => {
                if let Some(error) = turn.error {
                    (link.on_note)(&format!("{error}; asking {model} in {}", seconds(delay_ms)));
                    trouble = Some(error);
                }
            }
            _ => {}
        };
        let turn = turns.ask(&Client::new(options), &request, &cancel, &mut tell);
        self.keep_chain(since, turns.into_chain());
        let turn = turn.map_err(|error| match (error.kind, trouble) {
            (ErrorKind::Aborted, _) if link.cancel.is_cancelled() => {
                BackendError::Cancelled { backend: self.name.clone() }
            }
            // Time ran out while attempts failed: their error says more than their duration.
            (ErrorKind::Aborted, Some(trouble)) => self.failed(trouble),
            (ErrorKind::Aborted, None) => {
                BackendError::TimedOut { backend: self.name.clone(), limit: question.timeout }
            }
            _ => self.failed(error),
        })?;
        let text = turn.message().plain_text();
        if text.trim().is_empty() {
            return Err(BackendError::Empty { backend: self.name.clone(), said: String::new() });
        }
        let model = format!("{}/{}", turn.origin.provider, turn.origin.model);
        Ok(Answer { text, session: None, model: Some(model), service_tier: turn.service_tier })
    }
}

impl ModelBackend {
    /// What earlier questions showed about the models, or an empty state.
    fn take_chain(&self, models: usize) -> (Instant, Chain) {
        let known = self.chain.lock().unwrap_or_else(PoisonError::into_inner).take();
        known
            .filter(|(_, chain)| chain.len() == models)
            .unwrap_or_else(|| (Instant::now(), Chain::new(models, self.options.retry.clone(), self.revert)))
    }

    fn keep_chain(&self, since: Instant, chain: Chain) {
        *self.chain.lock().unwrap_or_else(PoisonError::into_inner) = Some((since, chain));
    }

    fn failed(&self, error: relay_llm::Error) -> BackendError {
        let backend = self.name.clone();
        match error.kind {
            ErrorKind::TooLarge => BackendError::TooLarge { backend, limit_bytes: ANSWER_LIMIT_BYTES },
            _ => BackendError::Model { backend, source: error },
        }
    }
}

/// A pause, formatted for a person.
fn seconds(ms: u64) -> String {
    if ms == 0 { "a moment".to_owned() } else { format!("{} s", ms.div_ceil(1000)) }
}
