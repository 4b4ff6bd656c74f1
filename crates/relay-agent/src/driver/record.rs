//! Records what a model says, and replays it without a network.
//!
//! A recording is JSON lines: a head that names the model, then for every request the results of the calls before it,
//! followed by the events of the answer. Played again, the same events come in the same order; tools really run, and
//! the first result that differs from the recorded one is reported.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use relay_diagnostics::Cancel;
use relay_llm::{
    Auth, Block, Compat, Error, ErrorKind, Event, Message, Model, Provider, Request, Turn, Wire,
};
use serde::{Deserialize, Serialize};
use thiserror::Error as ThisError;

use super::model::Asker;

/// The version of the format.
const VERSION: u32 = 1;
/// How much of two results that differ is shown of each.
const SHOWN: usize = 200;

/// A line of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Recording { version: u32, provider: String, model: String, wire: Wire, tools: bool },
    Request { results: Vec<Returned> },
    Event { event: Box<Event> },
}

/// What a call returned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Returned {
    id: String,
    tool: String,
    text: String,
}

/// Why a recording cannot be played.
#[derive(Clone, Debug, ThisError, PartialEq, Eq)]
pub enum RecordingError {
    /// A line cannot be read.
    #[error("line {line} of the recording cannot be read: {reason}")]
    Line {
        /// Which line, from one.
        line: usize,
        /// Why.
        reason: String,
    },
    /// It does not begin with the head of a recording.
    #[error("this is not a recording that Relay made")]
    NotOne,
    /// A newer Relay made it.
    #[error("the recording has version {0}, and this Relay reads version {VERSION}")]
    Version(u32),
}

/// Asks a model, and records what it says.
pub struct Recorder {
    inner: Arc<dyn Asker>,
    out: Mutex<Box<dyn Write + Send>>,
}

impl Recorder {
    /// Records to `out`.
    ///
    /// # Errors
    /// It cannot be written to.
    pub fn new(inner: Arc<dyn Asker>, mut out: Box<dyn Write + Send>) -> std::io::Result<Self> {
        let model = inner.model();
        let head = Line::Recording {
            version: VERSION,
            provider: model.provider.name.clone(),
            wire: model.provider.wire,
            tools: model.capabilities.tools,
            model: model.id,
        };
        put(&mut *out, &head)?;
        Ok(Self { inner, out: Mutex::new(out) })
    }

    /// Writes a line. A recording that cannot be written ends here; the run itself goes on.
    fn write(&self, line: &Line) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        drop(put(&mut **out, line));
    }
}

fn put(out: &mut dyn Write, line: &Line) -> std::io::Result<()> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    out.write_all(text.as_bytes())?;
    out.flush()
}

impl Asker for Recorder {
    fn model(&self) -> Model {
        self.inner.model()
    }

    fn ask(&self, request: &Request, cancel: &Cancel, tell: &mut dyn FnMut(Event)) {
        self.write(&Line::Request { results: results(request) });
        self.inner.ask(request, cancel, &mut |event| {
            self.write(&Line::Event { event: Box::new(event.clone()) });
            tell(event);
        });
    }
}

/// Plays a recording.
pub struct Replay {
    model: Model,
    turns: Mutex<std::collections::VecDeque<Recorded>>,
    difference: Mutex<Option<String>>,
}

#[derive(Debug, Default)]
struct Recorded {
    results: Vec<Returned>,
    events: Vec<Event>,
}

impl Replay {
    /// Reads a recording.
    ///
    /// # Errors
    /// It is not one, or a line of it cannot be read.
    pub fn parse(text: &str) -> Result<Self, RecordingError> {
        let mut lines = text.lines().enumerate().map(|(at, line)| {
            serde_json::from_str::<Line>(line)
                .map_err(|error| RecordingError::Line { line: at + 1, reason: error.to_string() })
        });
        let model = match lines.next() {
            Some(Ok(Line::Recording { version: VERSION, provider, model, wire, tools })) => {
                let provider = Provider {
                    name: provider,
                    wire,
                    base_url: String::new(),
                    auth: Auth::None,
                    headers: std::collections::BTreeMap::new(),
                    compat: Compat::default(),
                };
                let mut model = Model::new(Arc::new(provider), model);
                model.capabilities.tools = tools;
                model
            }
            Some(Ok(Line::Recording { version, .. })) => return Err(RecordingError::Version(version)),
            _ => return Err(RecordingError::NotOne),
        };
        let mut turns: std::collections::VecDeque<Recorded> = std::collections::VecDeque::new();
        for line in lines {
            match line? {
                Line::Request { results } => turns.push_back(Recorded { results, events: Vec::new() }),
                Line::Event { event } => match turns.back_mut() {
                    Some(turn) => turn.events.push(*event),
                    None => return Err(RecordingError::NotOne),
                },
                Line::Recording { .. } => return Err(RecordingError::NotOne),
            }
        }
        Ok(Self { model, turns: Mutex::new(turns), difference: Mutex::default() })
    }

    /// The first difference from the recording.
    #[must_use]
    pub fn difference(&self) -> Option<String> {
        self.difference.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn compare(&self, recorded: &[Returned], now: &[Returned]) {
        let mut difference = self.difference.lock().unwrap_or_else(PoisonError::into_inner);
        if difference.is_none() {
            *difference = first_difference(recorded, now);
        }
    }
}

fn first_difference(recorded: &[Returned], now: &[Returned]) -> Option<String> {
    let pairs = recorded.iter().zip(now);
    let different = pairs.into_iter().find(|(recorded, now)| recorded != now);
    if let Some((recorded, now)) = different {
        let shown = |text: &str| text.chars().take(SHOWN).collect::<String>();
        return Some(format!(
            "call {} of `{}` did not return the recorded result\n- {}\n+ {}",
            recorded.id,
            recorded.tool,
            shown(&recorded.text),
            shown(&now.text)
        ));
    }
    (recorded.len() != now.len())
        .then(|| format!("the recording has {} results here, this run has {}", recorded.len(), now.len()))
}

impl Asker for Replay {
    fn model(&self) -> Model {
        self.model.clone()
    }

    fn ask(&self, request: &Request, cancel: &Cancel, tell: &mut dyn FnMut(Event)) {
        let next = self.turns.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let fail = |kind, message: &str, tell: &mut dyn FnMut(Event)| {
            let error = Error::new(kind, "replay", message);
            let turn = Turn::new(self.model.origin()).failed(error.clone());
            tell(Event::Error { error, turn });
        };
        let Some(recorded) = next else {
            return fail(ErrorKind::NotFound, "the recording ends here; the run asks for more", tell);
        };
        self.compare(&recorded.results, &results(request));
        let mut is_over = false;
        for event in recorded.events {
            if cancel.is_cancelled() {
                return fail(ErrorKind::Aborted, "aborted", tell);
            }
            is_over = matches!(event, Event::Done { .. } | Event::Error { .. });
            tell(event);
        }
        if !is_over {
            fail(ErrorKind::Malformed, "the recording breaks off here", tell);
        }
    }
}

/// The results that a request carries since the model's last answer.
fn results(request: &Request) -> Vec<Returned> {
    let since = request.messages.iter().rposition(|message| message.role == relay_llm::Role::Assistant);
    let after = request.messages.get(since.map_or(0, |at| at + 1)..).unwrap_or_default();
    after.iter().flat_map(returned).collect()
}

fn returned(message: &Message) -> impl Iterator<Item = Returned> + '_ {
    message.content.iter().filter_map(|block| match block {
        Block::ToolResult(result) => {
            let texts = result.content.iter().filter_map(|block| match block {
                Block::Text { text, .. } => Some(text.as_str()),
                _ => None,
            });
            let text = texts.collect::<Vec<_>>().join("\n");
            Some(Returned { id: result.call_id.clone(), tool: result.name.clone(), text })
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returned(text: &str) -> Returned {
        Returned { id: "c".to_owned(), tool: "read".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn the_first_difference_is_named() {
        assert_eq!(first_difference(&[returned("a")], &[returned("a")]), None);
        let text = first_difference(&[returned("a")], &[returned("b")]).unwrap();
        assert!(text.contains("- a\n+ b"), "{text}");
        assert!(first_difference(&[returned("a")], &[]).unwrap().contains("1 results"));
    }

    #[test]
    fn what_is_not_a_recording_is_refused() {
        assert!(matches!(Replay::parse("").err(), Some(RecordingError::NotOne)));
        assert!(matches!(Replay::parse("{}").err(), Some(RecordingError::NotOne)));
        let newer = r#"{"type":"recording","version":9,"provider":"p","model":"m","wire":"anthropic-messages","tools":true}"#;
        assert!(matches!(
            Replay::parse(newer).err(),
            Some(RecordingError::Version(9) | RecordingError::NotOne)
        ));
    }
}
