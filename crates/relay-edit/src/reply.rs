//! A parsed reply: reasoning, edits, control block, and what was wrong with it.

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
    /// What was wrong or doubtful.
    pub diagnostics: Vec<Diagnostic>,
}
