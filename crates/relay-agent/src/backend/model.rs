//! A model, asked directly: it has no hands and sees nothing but the prompt.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use relay_exec::Cancel;
use relay_llm::{
    Client, ClientOptions, ErrorKind, Event, Key, Kind, Message, Model, OutputSchema, Request, Thinking,
};

use super::program::ANSWER_LIMIT_BYTES;
use super::{
    Answer, Availability, Backend, BackendError, Capabilities, Containment, Link, Question, Sandbox,
};

/// How often the flag that asks for an end is looked at.
const TICK: Duration = Duration::from_millis(20);

/// A model of a provider.
pub struct ModelBackend {
    /// What the user calls it: `provider/model`, or the name of a backend of his own.
    pub name: String,
    /// How it is connected to.
    pub options: ClientOptions,
    /// The model.
    pub model: Model,
    /// How hard it shall think, if that was said.
    pub thinking: Option<Thinking>,
    /// What proves who is asking.
    pub key: Key,
    /// Whether a key is needed.
    pub needs_key: bool,
}

impl Backend for ModelBackend {
    fn name(&self) -> &str {
        &self.name
    }

    /// It cannot do anything to a repository, so everything else would promise what it cannot hold.
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
            containment: Containment::NoAccess,
        }
    }

    fn availability(&self, _cancel: &Cancel) -> Availability {
        Availability {
            found: Some(self.model.id.clone()),
            logged_in: self.needs_key.then(|| !self.key.is_none()),
            remedy: format!("`relay auth login {}` stores a key.", self.model.provider.name),
        }
    }

    fn run(&self, question: &Question<'_>, link: &mut Link<'_>) -> Result<Answer, BackendError> {
        let options = ClientOptions {
            total_timeout: Some(question.timeout),
            answer_limit_bytes: ANSWER_LIMIT_BYTES,
            ..self.options.clone()
        };
        let mut model = self.model.clone();
        if let Some(id) = question.model {
            id.clone_into(&mut model.id);
        }
        let schema =
            |schema: &serde_json::Value| OutputSchema { name: "answer".to_owned(), schema: schema.clone() };
        let request = Request {
            messages: vec![Message::text(question.prompt)],
            thinking: self.thinking,
            output: question.schema.filter(|_| model.capabilities.structured).map(schema),
            ..Request::default()
        };
        let (cancel, is_over) = (relay_llm::Cancel::new(), AtomicBool::new(false));
        let outer = link.cancel;
        std::thread::scope(|scope| {
            // A flag of one kind is passed on to the other; the thread ends with the answer.
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    if outer.is_cancelled() {
                        cancel.cancel();
                        return;
                    }
                    std::thread::sleep(TICK);
                }
            });
            let answer = self.listen(
                Client::new(options).stream(&model, &self.key, &request, &cancel),
                question,
                link,
            );
            is_over.store(true, Ordering::Relaxed);
            answer
        })
    }
}

impl ModelBackend {
    fn listen(
        &self,
        events: relay_llm::Stream,
        question: &Question<'_>,
        link: &mut Link<'_>,
    ) -> Result<Answer, BackendError> {
        let mut texts = Vec::new();
        for event in events {
            match event {
                Event::Begin { index, kind: Kind::Text } => texts.push(index),
                Event::Delta { index, text } if texts.contains(&index) => (link.on_text)(&text),
                Event::Done { turn } => {
                    let answer = Answer {
                        text: turn.message().plain_text(),
                        session: None,
                        model: Some(self.model.selector()),
                    };
                    let said = String::new();
                    let is_empty = answer.text.trim().is_empty();
                    let backend = self.name.clone();
                    return if is_empty { Err(BackendError::Empty { backend, said }) } else { Ok(answer) };
                }
                Event::Error { error, .. } => return Err(self.failed(&error, question.timeout)),
                _ => {}
            }
        }
        Err(BackendError::Empty { backend: self.name.clone(), said: String::new() })
    }

    fn failed(&self, error: &relay_llm::Error, limit: Duration) -> BackendError {
        let backend = self.name.clone();
        match error.kind {
            ErrorKind::Aborted => BackendError::Cancelled { backend },
            ErrorKind::Timeout => BackendError::TimedOut { backend, limit },
            ErrorKind::TooLarge => BackendError::TooLarge { backend, limit_bytes: ANSWER_LIMIT_BYTES },
            kind => BackendError::Failed {
                backend,
                code: None,
                said: match kind.hint() {
                    Some(hint) => format!("{error}; {hint}"),
                    None => error.to_string(),
                },
            },
        }
    }
}
