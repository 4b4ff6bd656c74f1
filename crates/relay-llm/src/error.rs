//! Why a request failed, in words a program can decide by.

use relay_net::{NetError, NetErrorKind};
use serde::{Deserialize, Serialize};

/// What kind of failure it was. It decides whether trying again can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// Too many requests for now.
    RateLimit,
    /// The provider has too much to do.
    Overloaded,
    /// The provider failed by itself.
    Server,
    /// The key is missing, wrong or not allowed to do this.
    Auth,
    /// The money or the plan is used up.
    Quota,
    /// The conversation does not fit the model's context window.
    ContextOverflow,
    /// The model or the provider's filter refused to answer.
    Refusal,
    /// There is no such model or no such address.
    NotFound,
    /// The provider refused the request as wrong.
    BadRequest,
    /// The answer cannot be understood.
    Malformed,
    /// The model said the same over and over.
    Repetition,
    /// The model wrote its own routing instead of content.
    Leak,
    /// The answer is larger than allowed.
    TooLarge,
    /// The connection failed or broke off.
    Network,
    /// Nothing listens at an address of this machine: the server is not running.
    NotRunning,
    /// Nothing came for too long.
    Timeout,
    /// Relay runs with `--offline`.
    Offline,
    /// The provider's description cannot be used.
    Config,
    /// The caller cancelled.
    Aborted,
    /// A limit of money, turns or time was reached.
    Budget,
}

impl ErrorKind {
    /// Whether the same request may succeed later. Overflow, refusals, wrong keys and used-up plans do not pass by
    /// themselves.
    #[must_use]
    pub fn is_transient(self) -> bool {
        matches!(
            self,
            Self::RateLimit
                | Self::Overloaded
                | Self::Server
                | Self::Malformed
                | Self::Repetition
                | Self::Leak
                | Self::Network
                | Self::Timeout
        )
    }

    /// What a person can do about it.
    #[must_use]
    pub fn hint(self) -> Option<&'static str> {
        Some(match self {
            Self::RateLimit | Self::Overloaded | Self::Server => "Try again later, or ask another model.",
            Self::Auth => "Check the key: `relay auth status` shows which one is used.",
            Self::Quota => "The account has no credit left; top it up or ask another provider.",
            Self::ContextOverflow => "Ask with less context, or a model with a larger window.",
            Self::NotFound => "Check the model's name: `relay models` lists what is known.",
            Self::Network | Self::Timeout => "Check the connection and the provider's base URL.",
            Self::NotRunning => "Start the server on this machine, then ask again.",
            Self::Offline => "Leave out --offline to let Relay connect.",
            Self::Malformed => "Check that the base URL is the API's and not a web page's.",
            Self::Budget => {
                "Allow more with --max-cost, --max-turns or --max-time; `none` overrides a limit in your settings."
            }
            Self::Repetition | Self::Leak => "The model lost its way; ask again, or ask another one.",
            Self::Refusal | Self::BadRequest | Self::TooLarge | Self::Config | Self::Aborted => return None,
        })
    }
}

/// Why a request failed. It never contains the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{provider}: {message}")]
pub struct Error {
    /// What kind of failure it was.
    pub kind: ErrorKind,
    /// The provider's name.
    pub provider: String,
    /// What happened, in the provider's words where it gave some.
    pub message: String,
    /// The HTTP status, if an answer came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long the provider asks to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The provider's name for the request, which its support asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// How a model server of this machine is started, where it is known.
fn start_command(provider: &str) -> Option<&'static str> {
    match provider {
        "ollama" => Some("ollama serve"),
        "lmstudio" => Some("lms server start"),
        "llamacpp" => Some("llama-server -m MODEL.gguf"),
        "vllm" => Some("vllm serve MODEL"),
        _ => None,
    }
}

impl Error {
    /// What a person can do about it, and how long the provider asks to wait.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        if let (ErrorKind::NotRunning, Some(start)) = (self.kind, start_command(&self.provider)) {
            return Some(format!("Start it with `{start}`, then ask again."));
        }
        let wait = self.retry_after_ms.filter(|&ms| ms > 0);
        let wait = wait.map(|ms| format!("It asks to wait {} s.", ms.div_ceil(1000)));
        match (self.kind.hint(), wait) {
            (Some(hint), Some(wait)) => Some(format!("{hint} {wait}")),
            (hint, wait) => hint.map(str::to_owned).or(wait),
        }
    }

    /// A connection that failed while this provider was asked.
    #[must_use]
    pub fn of_connection(provider: &str, error: NetError) -> Self {
        let kind = match error.kind {
            NetErrorKind::Offline => ErrorKind::Offline,
            NetErrorKind::Config => ErrorKind::Config,
            NetErrorKind::NotRunning => ErrorKind::NotRunning,
            NetErrorKind::Timeout => ErrorKind::Timeout,
            NetErrorKind::Network => ErrorKind::Network,
            NetErrorKind::Aborted => ErrorKind::Aborted,
        };
        Self::new(kind, provider, error.message)
    }

    /// A failure of this kind.
    #[must_use]
    pub fn new(kind: ErrorKind, provider: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind,
            provider: provider.into(),
            message: message.into(),
            status: None,
            retry_after_ms: None,
            request_id: None,
        }
    }
}
