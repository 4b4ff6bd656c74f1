//! How much a reply may say. What is more is refused as soon as it is seen, so that no reply costs more than its size lets
//! one expect.

use crate::{Diagnostic, Reply, codes};

/// The most lines a reply may have.
pub(crate) const LINES: usize = 2_000_000;
/// The most edits a reply may have.
pub(crate) const EDITS: usize = 100_000;
/// The most bytes that are read again because a block turns out to have ended before.
pub(crate) const READ_AGAIN_BYTES: usize = 64 << 20;
/// How many blocks inside each other may turn out to have ended before.
pub(crate) const READ_AGAIN_DEPTH: usize = 100;

/// What there is too much of in a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excess {
    /// Lines.
    Lines,
    /// Edits.
    Edits,
}

impl Excess {
    /// What a reply is that has too much of it: nothing but the reason.
    pub fn refused(self) -> Reply {
        let (what, limit) = match self {
            Self::Lines => ("lines", LINES),
            Self::Edits => ("edits", EDITS),
        };
        let message =
            format!("the reply has more than {limit} {what}, which is the limit; nothing of it was read");
        let finding = Diagnostic::error(codes::REPLY_TOO_LONG, message)
            .hinted("ask for the change in several smaller replies");
        Reply { diagnostics: vec![finding], ..Reply::default() }
    }
}
