//! Edits that a channel has already parsed: they need no parser, only a place.

use relay_edit::{Edit, Repeats, Reply};
use uuid::Uuid;

use crate::context::views::Views;
use crate::intake::submission::Submission;

/// Edits that a channel has already parsed, under the name it gives the transaction.
#[derive(Debug)]
pub struct Prepared {
    /// Where they come from, and the text they were read from.
    pub submission: Submission,
    /// A digest, so that the same submission lands once however often it arrives.
    pub uuid: Uuid,
    /// The edits.
    pub edits: Vec<Edit>,
    /// The reason, for the ledger.
    pub reasoning: String,
    /// The views of their author.
    pub views: Views,
    /// How to treat edits by anchor.
    pub by_anchor: ByAnchor,
}

/// How to treat edits by anchor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByAnchor {
    /// What to do with new lines that repeat the lines beside their anchor.
    pub repeats: Repeats,
    /// Whether files marked as generated may be edited.
    pub allow_generated: bool,
}

impl Prepared {
    /// The edits as a reply.
    pub(crate) fn reply(&self) -> Reply {
        Reply { reasoning: self.reasoning.clone(), edits: self.edits.clone(), ..Reply::default() }
    }
}
