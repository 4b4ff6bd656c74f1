//! Why a command could not be parsed. Callers must ask a person, or refuse.

use thiserror::Error;

/// A command that was not understood as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct Unparsed {
    /// The line, from 1.
    pub line: usize,
    /// The character in that line, from 1.
    pub column: usize,
    /// What was wrong there.
    pub reason: Reason,
}

/// What this reader does not accept.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Reason {
    /// See [`super::MAX_BYTES`].
    #[error("the command is longer than {} KiB", super::MAX_BYTES / 1024)]
    TooLong,
    /// See [`super::MAX_DEPTH`].
    #[error("the command nests more than {} levels", super::MAX_DEPTH)]
    TooDeep,
    /// A character that a terminal shows differently from what the shell runs.
    #[error("the command contains the hidden character U+{0:04X}")]
    Hidden(u32),
    /// A quote, bracket or here-document that never ends.
    #[error("`{0}` is never closed")]
    Open(&'static str),
    /// Something else was due here.
    #[error("expected {0}")]
    Expected(&'static str),
    /// Something that may not appear here.
    #[error("unexpected `{0}`")]
    Unexpected(String),
    /// Valid bash that has more than one reading, or that runs text as code.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
}

impl Unparsed {
    /// The failure at a byte of `text`.
    pub(super) fn at(text: &str, byte: usize, reason: Reason) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
            reason,
        }
    }
}
