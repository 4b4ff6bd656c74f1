//! The pipeline: one submission in, one outcome out.
//!
//! Every channel and every dialect ends here: [`land`] reads a reply, plans it against the workspace, carries it out as
//! one transaction, runs the checks, asks for approval where that is needed, and commits or rolls back. [`undo`] and
//! [`redo`] are transactions of the same kind. The engine prints nothing and knows no terminal: it asks through
//! [`Approver`] and tells through [`Observer`].

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their own folders"))]

mod admit;
pub mod approval;
mod attend;
mod blame;
mod capture;
pub mod channel;
pub mod check;
pub mod codes;
pub mod config;
mod contain;
mod drafting;
mod effects;
mod elsewhere;
mod engine;
mod file_reports;
mod foresee;
mod gate;
pub mod git;
pub mod history;
pub mod init;
mod interrupted;
pub mod lint;
pub mod mail;
mod mode_change;
mod namesake;
pub mod outcome;
pub mod pack;
mod pipeline;
mod planning;
mod project;
mod reading;
pub mod receipt;
mod recognise;
mod refs;
mod repair;
mod replan;
pub mod report;
pub mod retention;
pub mod secrets;
pub mod selection;
mod stop;
mod submission;
pub mod suggest;
mod summary;
mod transact;
pub mod translate;
pub mod trust;
mod undo;
mod versions;
pub mod views;
mod wrap;

pub use admit::reply_digest;
pub use approval::{Approver, Decision, Observer, Proposal, Unobserved};
pub use attend::{Attended, attend};
pub use blame::{Blame, BlamedLine, blame};
pub use channel::{Arrival, CHANNEL_LIMIT_BYTES, Channel, ChannelError};
pub use config::{CONFIG_FILE, Config};
pub use engine::{Engine, EngineError, read_config, recover};
pub use file_reports::operation;
pub use history::{Entry, EntryKind, EntryStatus, Filter, History};
pub use mode_change::ModeChange;
pub use outcome::{FileOperation, FileReport, FileStatus, Outcome, Status};
pub use pipeline::land;
pub use receipt::Receipt;
pub use recognise::{Recognised, may_have_control, recognise};
pub use stop::with_sources;
pub use submission::{FILES_LIMIT, LandOptions, REPLY_LIMIT_BYTES, ReceiptUse, Submission};
pub use trust::TrustAnswer;
pub use undo::{UndoOptions, Which, redo, undo};
pub use wrap::{WrapOutcome, Wrapped, wrap};
