//! What a provider says when it cannot answer, apart from any wire format.

use serde::Deserialize;

/// A failure, as a status before the answer or as an event inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// Too many requests.
    RateLimited,
    /// The account has no credit left; waiting does not help.
    Quota,
    /// Anthropic's 529; elsewhere a 503.
    Overloaded,
    /// A 500.
    Internal,
    /// A 503.
    Unavailable,
    /// A key that is missing or wrong.
    Authentication,
    /// A key that may not do this.
    Permission,
    /// A model or path that does not exist.
    NotFound,
    /// The request is not understood.
    BadRequest,
    /// The prompt is longer than the model's window.
    ContextOverflow,
}
