//! Why a question was not asked, or not answered: one type for all errors the user sees.

use std::path::PathBuf;

use thiserror::Error;

use crate::backend::{BackendError, Sandbox, UnknownBackend};

/// Why there is no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AskError {
    /// Nothing was asked.
    #[error("Prompt is required")]
    NoPrompt,
    /// No time was given.
    #[error("Timeout must be greater than zero")]
    NoTime,
    /// There is no such repository.
    #[error("invalid repo path: `{}` does not exist or is not a directory", .repo.display())]
    NoRepo {
        /// What was named.
        repo: PathBuf,
    },
    /// There is no such backend.
    #[error(transparent)]
    Unknown(#[from] UnknownBackend),
    /// The backend has no such sandbox.
    #[error("invalid sandbox `{sandbox}` for {backend}; it has: {}", allowed.join(", "))]
    Sandbox {
        /// The backend.
        backend: String,
        /// What was asked for.
        sandbox: Sandbox,
        /// What it has.
        allowed: Vec<&'static str>,
    },
    /// Context was given twice.
    #[error("use either a context file or a context text, not both")]
    TwoContexts,
    /// The context file cannot be used.
    #[error("the context file `{}` {reason}", .path.display())]
    ContextFile {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Something is too large.
    #[error("the {what} is too large: {bytes} bytes, at most {limit_bytes}")]
    TooLarge {
        /// What.
        what: &'static str,
        /// How large it is, as far as it was read.
        bytes: usize,
        /// How large it may be.
        limit_bytes: usize,
    },
    /// Git could not show the changes to review.
    #[error("the diff could not be collected: {said}")]
    Diff {
        /// What git said.
        said: String,
    },
    /// An agent that is being asked tried to ask.
    #[error(
        "relay depth limit reached: this already runs inside a `relay ask` ({depth} deep, at most {limit})"
    )]
    TooDeep {
        /// How deep.
        depth: u64,
        /// How deep it may be.
        limit: u64,
    },
    /// Several backends may write.
    #[error("only one backend at a time may write")]
    SeveralWriters,
    /// An agent would ask itself.
    #[error("{backend} would be asked by {backend} itself")]
    OwnHost {
        /// The agent.
        backend: String,
    },
    /// The schema for the answer cannot be used.
    #[error("the schema cannot be used: {reason}")]
    Schema {
        /// Why not.
        reason: String,
    },
    /// The answer does not follow the schema.
    #[error("the answer of {backend} does not follow the schema: {}", faults.join("; "))]
    Unfit {
        /// The backend.
        backend: String,
        /// What is wrong with it.
        faults: Vec<String>,
    },
    /// The backend gave no answer.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// The name for a diff that is too large to review.
const DIFF_TO_REVIEW: &str = "diff to review";

impl AskError {
    /// Changes that are too large to be sent to a reviewer.
    #[must_use]
    pub const fn diff_to_review(bytes: usize) -> Self {
        AskError::TooLarge { what: DIFF_TO_REVIEW, bytes, limit_bytes: super::DIFF_LIMIT_BYTES }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            AskError::NoPrompt => "Write it after the command, or pipe it in: echo \"…\" | relay ask",
            AskError::NoTime => "Give seconds: --timeout 600",
            AskError::NoRepo { .. } => "Name a folder with --repo, or leave it out for the current one.",
            AskError::Unknown(_) => {
                "`relay backends` lists them and says how to get each; a model is asked as provider/model \
                 (`relay models`), a local one as ollama with --model."
            }
            AskError::Sandbox { .. } => "Choose one of those with --sandbox.",
            AskError::TwoContexts => "Leave out --context-file or --context-text.",
            AskError::ContextFile { .. } => "Name a text file that you can read.",
            AskError::TooLarge { what: "diff", .. } => {
                "Commit or leave out part of the changes, or ask without --diff."
            }
            AskError::TooLarge { what: DIFF_TO_REVIEW, .. } => {
                "Review less at once with --staged, --uncommitted or --range A..B, or let codex review: it reads the \
                 repository itself."
            }
            AskError::TooLarge { .. } => "Leave out what the backend can read in the repository itself.",
            AskError::Diff { .. } => "Name what to compare with: --base BRANCH, --range A..B, --uncommitted.",
            AskError::TooDeep { .. } => {
                "Agents that ask each other would never finish. Let the outermost agent ask."
            }
            AskError::Schema { .. } => "Give a JSON schema, or a file that holds one.",
            AskError::Unfit { .. } => {
                "Ask again, or ask a backend with structured output (`relay backends`)."
            }
            AskError::SeveralWriters => "Ask several with --sandbox read-only.",
            AskError::OwnHost { .. } => "Ask another backend with --to.",
            AskError::Backend(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }
}
