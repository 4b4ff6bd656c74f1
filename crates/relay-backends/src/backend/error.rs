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
        /// The end of its output.
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
    /// It succeeded without any output.
    #[error("{backend} ended without an answer{}", if .said.is_empty() { String::new() } else { format!(": {said}") })]
    Empty {
        /// The backend.
        backend: String,
        /// What it wrote to standard error.
        said: String,
    },
    /// Its answer exceeded the limit.
    #[error("{backend} printed more than {limit_bytes} bytes; Relay stopped it")]
    TooLarge {
        /// The backend.
        backend: String,
        /// The limit.
        limit_bytes: usize,
    },
    /// A limit was reached before it was asked, or while a program ran.
    #[error("{backend} was {}: {source}", if *.was_running { "ended" } else { "not asked" })]
    Budget {
        /// The backend.
        backend: String,
        /// Which limit.
        source: Spent,
        /// Whether it had already started.
        was_running: bool,
    },
    /// It cannot obey a limit.
    #[error("{backend} cannot be limited to {what} ({flag})")]
    Unkept {
        /// The backend.
        backend: String,
        /// The limit.
        what: &'static str,
        /// The option that asked for it.
        flag: &'static str,
    },
    /// The system cannot enforce its sandbox.
    #[error(
        "{backend} was not started: this system cannot keep its writes inside the workspace (see `relay doctor`)"
    )]
    Unconfined {
        /// The backend.
        backend: String,
    },
    /// It does not support the request.
    #[error("{backend} cannot {what}")]
    Unsupported {
        /// The backend.
        backend: String,
        /// What it does not support.
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
                "Ask it with --sandbox read-only, or let it write wherever you can: --sandbox danger-full-access."
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
