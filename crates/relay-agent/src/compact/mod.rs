//! Compaction: a conversation that becomes too long for the model continues with a summary.
//!
//! - [`Settings`] say when: near the end of the window, after an overflow, on request, or when nothing happens.
//! - [`plan`] decides what, purely: old results of tools give way first, then everything before a cut is summarised. A
//!   cut never separates a call and its result; the user's latest request and pinned instructions survive word for
//!   word; lists of files grow over all compactions.
//! - [`carry_out`] asks a [`Summariser`], model after model, and makes the entry for the log.
//! - [`Recovery`] decides what happens after an overflow: a larger model, one compaction, or an end.
//! - [`handoff`] writes a document for a new session instead, and [`branch`] summarises a branch that was left.
//!
//! Nothing here connects, writes a file or looks at a clock. The questions are text files in `prompts/`; a snapshot test
//! shows every change to them.

pub mod branch;
mod carry_out;
mod files;
pub mod handoff;
mod overflow;
mod plan;
mod prune;
mod request;
mod settings;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod transcript;
mod verbatim;
mod view;

pub use carry_out::{Candidate, Progress, Summariser, SummaryError, carry_out, summarise};
pub use files::FileLists;
pub(crate) use files::header;
pub use overflow::{Promotion, Recovery, Remedy, promotion};
pub use plan::{Cut, Hooks, Nothing, Plan, Situation, Trigger, context_tokens, plan};
pub use prune::{PROTECTED_TOKENS, PROTECTED_TOOLS, Pruning, WORTH_TOKENS};
pub use request::{Request, Subject};
pub use settings::{BranchSettings, Settings, Strategy};
pub use verbatim::{PINNED, Verbatim};

/// What the model reads when the agent continues on its own after a compaction.
pub const CONTINUE: &str = include_str!("prompts/continue.md");
