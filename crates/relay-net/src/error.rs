//! Why no answer came back, in a form that programs can act on.

use thiserror::Error;

/// The kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetErrorKind {
    /// Relay was asked to make no connections.
    Offline,
    /// The address, a header or the TLS setup cannot be used.
    Config,
    /// No server is running at an address of this machine.
    NotRunning,
    /// The server was silent for too long.
    Timeout,
    /// The connection failed or broke off.
    Network,
    /// The caller cancelled.
    Aborted,
}

/// Why no answer came back. It contains no address and no header, because both may hold a secret.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct NetError {
    /// The kind of failure.
    pub kind: NetErrorKind,
    /// What happened.
    pub message: String,
}

impl NetError {
    /// A failure of this kind.
    #[must_use]
    pub fn new(kind: NetErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// A connection that failed or broke off. Addresses are left out: they may carry a password.
    pub(crate) fn broken(error: reqwest::Error) -> Self {
        let kind = if error.is_timeout() { NetErrorKind::Timeout } else { NetErrorKind::Network };
        let what = if error.is_connect() { "cannot connect" } else { "the connection broke off" };
        Self::new(kind, format!("{what}: {}", cause(&error.without_url())))
    }
}

/// The root cause of an error: the layers above it only say that something below failed.
pub(crate) fn cause(error: &reqwest::Error) -> String {
    let mut deepest: &dyn std::error::Error = error;
    while let Some(below) = deepest.source() {
        deepest = below;
    }
    deepest.to_string()
}
