//! Edits that a channel has read itself: they need no parser, only a place.

use relay_edit::{Edit, Repeats, Reply};
use uuid::Uuid;

use crate::context::views::Views;
use crate::intake::submission::Submission;

/// Edits that a channel has read itself, under the name it gives the transaction.
#[derive(Debug)]
pub struct Prepared {
    /// Where they come from, and the text they were read from.
    pub submission: Submission,
    /// The same for the same submission, so that it lands once however often it is handed over.
    pub uuid: Uuid,
    /// The edits.
    pub edits: Vec<Edit>,
    /// Why, for the ledger.
    pub reasoning: String,
    /// What their author saw of the files.
    pub views: Views,
    /// How those among them that name lines by anchor are taken.
    pub by_anchor: ByAnchor,
}

/// How edits that name lines by anchor are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByAnchor {
    /// What becomes of new lines that repeat the lines beside their anchor.
    pub repeats: Repeats,
    /// Files that say a program wrote them may be edited.
    pub allow_generated: bool,
}

impl Prepared {
    /// The edits as a reply.
    pub(crate) fn reply(&self) -> Reply {
        Reply { reasoning: self.reasoning.clone(), edits: self.edits.clone(), ..Reply::default() }
    }
}
