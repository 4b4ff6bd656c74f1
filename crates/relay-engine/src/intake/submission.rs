//! A submission: what a channel delivers, and how to handle it.

use relay_edit::{Dialect, Strictness};

use crate::approval::trust::TrustAnswer;

/// The largest reply Relay takes. A reply is text a model wrote; more than this is a mistake or an attack.
pub const REPLY_LIMIT_BYTES: usize = 64 << 20;

/// The most files one submission may name.
pub const FILES_LIMIT: usize = 20_000;

/// What a channel delivers.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The channel it came through, for the ledger: `apply`, `watch`, ….
    pub channel: &'static str,
    /// The reply as it arrived.
    pub text: String,
    /// Reads only this dialect instead of detecting each block's.
    pub dialect: Option<Dialect>,
}

/// Which receipt to resolve a submission against.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ReceiptUse {
    /// The one it names, if it names one.
    #[default]
    FromReply,
    /// This one, whatever it names.
    Named(String),
    /// None: its edits are matched against the files as they are.
    Ignored,
}

/// How to handle a submission.
#[derive(Clone, Debug, Default)]
pub struct LandOptions {
    /// Report what would happen, run no commands and write nothing.
    pub dry_run: bool,
    /// How much may differ between a hunk's old lines and the file; the config decides if left out.
    pub strictness: Option<Strictness>,
    /// Lets a reply replace most of a file even if it seems incomplete.
    pub allow_shrink: bool,
    /// Lines of blocks in the reply that are only shown, whatever they look like.
    pub ignore: Vec<usize>,
    /// Lands what can be applied and reports the rest, instead of all or nothing.
    pub partial: bool,
    /// The files the author had seen: edits of other existing files are deferred. If left out, those of the receipt,
    /// or all without one.
    pub context: Option<Vec<String>>,
    /// What the model saw, if it had a pack.
    pub receipt: ReceiptUse,
    /// If edits cannot be placed, keep the reply for its repair and write the message that asks for it.
    pub repair: bool,
    /// Ask a person in any case: nothing in the text says that it was meant for this project.
    pub confirm: bool,
    /// Adds what landed to git's index; the config decides if left out.
    pub stage: Option<bool>,
    /// The answer to the trust question, if given in advance.
    pub trust: TrustAnswer,
    /// Files that make other tools execute something may be written.
    pub allow_sensitive: bool,
    /// Files with several hard links may be replaced, which separates them from their other names.
    pub break_links: bool,
    /// The model that wrote it, for the ledger; the control block's `model` if left out.
    pub model: Option<String>,
    /// The group it belongs to, such as `mail:{session}:{number}`: each submission lands by itself, and `relay undo
    /// --group` undoes all of them at once.
    pub group: Option<String>,
}
