//! A parsed reply: reasoning, edits, control block, and what was wrong with it.

use crate::passage::Passage;
use crate::{Control, Diagnostic, Edit};

/// Everything a reply says. Parsing never fails; what could not be understood is in `diagnostics`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The prose around the edits, trimmed.
    pub reasoning: String,
    /// The edits, in the order of the reply.
    pub edits: Vec<Edit>,
    /// The transaction's metadata, when the reply carries any.
    pub control: Option<Control>,
    /// The receipt of the pack it answers, from the control block or from a line of its own.
    pub receipt: Option<String>,
    /// What was wrong or doubtful.
    pub diagnostics: Vec<Diagnostic>,
    /// Every block of it, in order, whether it was read as edits or not.
    pub passages: Vec<Passage>,
}
