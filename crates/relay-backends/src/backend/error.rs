//! Why a backend gave no answer.

use std::time::Duration;

use relay_llm::{ErrorKind, Spent};
use thiserror::Error;

/// Why a backend gave no answer. Messages say what to do next; text that came from the backend is kept short.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BackendError {
    /// It is not installed.
    #[error("{backend} is not installed: no program `{program}` in PATH")]
    NotFound {
        /// The backend.
        backend: String,
        /// Its program.
        program: String,
        /// How to get it.
        remedy: String,
    },
    /// It was not started.
    #[error("{backend} cannot be started: {reason}")]
    NotStarted {
        /// The backend.
        backend: String,
        /// What the system said.
        reason: String,
    },
    /// It ended with an error.
    #[error("{backend} failed{}: {said}", .code.map_or(String::new(), |code| format!(" (exit code {code})")))]
    Failed {
        /// The backend.
        backend: String,
        /// Its exit code, if it ended by itself.
        code: Option<i32>,
        /// What it said last.
        said: String,
    },
    /// A model was asked directly and did not answer.
    #[error("{backend} failed: {source}")]
    Model {
        /// The backend.
        backend: String,
        /// Why.
        source: relay_llm::Error,
    },
    /// It took too long.
    #[error("{backend} did not answer within {} s; Relay stopped it and everything it started", .limit.as_secs())]
    TimedOut {
        /// The backend.
        backend: String,
        /// How long it had.
        limit: Duration,
    },
    /// The user interrupted it.
    #[error("interrupted; Relay stopped {backend} and everything it started")]
    Cancelled {
        /// The backend.
        backend: String,
    },
    /// It ended well and said nothing.
    #[error("{backend} ended without an answer{}", if .said.is_empty() { String::new() } else { format!(": {said}") })]
    Empty {
        /// The backend.
        backend: String,
        /// What it said beside.
        said: String,
    },
    /// Its answer exceeded the limit.
    #[error("{backend} printed more than {limit_bytes} bytes; Relay stopped it")]
    TooLarge {
        /// The backend.
        backend: String,
        /// How much it may say.
        limit_bytes: usize,
    },
    /// A limit was reached before it was asked, or while a program ran.
    #[error("{backend} was {}: {source}", if *.was_running { "ended" } else { "not asked" })]
    Budget {
        /// The backend.
        backend: String,
        /// Which limit.
        source: Spent,
        /// Whether it was at work already.
        was_running: bool,
    },
    /// It cannot be kept to a limit.
    #[error("{backend} cannot be limited to {what} ({flag})")]
    Unkept {
        /// The backend.
        backend: String,
        /// To what.
        what: &'static str,
        /// How that was asked for.
        flag: &'static str,
    },
    /// The system cannot keep it inside its sandbox.
    #[error(
        "{backend} was not started: this system cannot keep its writes inside the workspace (see `relay doctor`)"
    )]
    Unconfined {
        /// The backend.
        backend: String,
    },
    /// It cannot do what was asked.
    #[error("{backend} cannot {what}")]
    Unsupported {
        /// The backend.
        backend: String,
        /// What it cannot do.
        what: String,
    },
}

impl BackendError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            BackendError::NotFound { remedy, .. } => Some(remedy.clone()),
            BackendError::Model { source, .. } => source.hint(),
            BackendError::Budget { source: Spent::Unpriced { .. }, .. } => Some(
                "Write its price into your models.toml (docs/formats/models.md), or do without the limit: --max-cost none."
                    .to_owned(),
            ),
            BackendError::Budget { .. } => ErrorKind::Budget.hint().map(str::to_owned),
            BackendError::Unkept { flag, .. } => {
                let setting = if *flag == "--max-cost" { "maxCost" } else { "maxTurns" };
                Some(format!(
                    "Ask a model itself (`relay models`), which can be, or do without the limit: `{flag} none`, or \
                     `relay config unset backends.{setting}` to take it out of your settings. --max-time works for every backend."
                ))
            }
            BackendError::Unconfined { .. } => Some(
                "Ask it with --sandbox read-only, or let it write everywhere you may: --sandbox danger-full-access."
                    .to_owned(),
            ),
            BackendError::TimedOut { .. } => Some("Give it longer with --timeout SECONDS.".to_owned()),
            BackendError::NotStarted { .. } | BackendError::Failed { .. } | BackendError::Empty { .. } => {
                Some("`relay backends` shows whether it is installed and logged in.".to_owned())
            }
            BackendError::Cancelled { .. }
            | BackendError::TooLarge { .. }
            | BackendError::Unsupported { .. } => None,
        }
    }
}
