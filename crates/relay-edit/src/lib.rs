//! Reply text and file snapshots in, exact before and after bytes out.
//!
//! This crate is pure: it has no file system, no clock, no environment and no async. Parsing never fails, it
//! returns edits and [`Diagnostic`]s; planning either accounts for every line it touches or says why not.
//!
//! ```text
//! text ─▶ dialect ─▶ edits ─▶ plan (matcher ─▶ splice ─▶ verify) ─▶ changes
//! ```

pub mod account;
mod align;
pub mod anchors;
pub mod codes;
pub mod commands;
mod content;
pub mod control;
pub mod dialect;
pub mod diff;
mod differ;
pub mod edit;
mod elision;
mod encoding;
mod lead;
pub mod leak;
mod lines;
pub mod matcher;
pub mod merge;
pub mod passage;
pub mod plan;
pub mod prompt;
pub mod render;
pub mod reply;
mod script;
mod splice;
mod suggest;
mod trace;
pub mod verify;

pub use account::{Block, Class, Files, account};
pub use content::{After, Content, Spliced};
pub use control::{Control, SummaryItem};
pub use dialect::{Dialect, Parser, parse, sections, speaks_of_another};
pub use diff::{DiffHunk, DiffKind, DiffLine, FileDiff, Stat, diff, diff_start, stat};
pub use edit::{Anchor, Base, Edit, EndOfFile, Hunk, HunkLine, Operation, Target};
pub use encoding::text_of;
pub use matcher::diagnose::real_text;
pub use matcher::{Applied, Certificate, How, Placement, Proof, Reading, Reindent, Strictness, Tie, Tier};
pub use merge::{Conflict, merge, merge_surely};
pub use passage::{Body, Passage, Snippet};
pub use plan::{
    Change, EditOutcome, EditStatus, OldLines, Options, Plan, Repeats, Snapshot, plan, plan_taking, plan_with,
};
pub use prompt::system_prompt;
pub use relay_diagnostics::{Code, Diagnostic, Severity};
pub use render::{RenderError, fence, render};
pub use reply::Reply;
pub use trace::{carried, line_bytes, line_texts, text};
pub use verify::{VerifyError, verify};
