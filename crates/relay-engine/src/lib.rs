//! The pipeline: one submission in, one outcome out.
//!
//! Every channel and every dialect ends here: [`land`] reads a reply, plans it against the workspace, carries it out as
//! one transaction, runs the checks, asks for approval where it is needed, and commits or rolls back. [`undo`] and
//! [`redo`] are transactions of the same kind. The engine never touches a terminal: it asks through [`Approver`] and
//! reports through [`Observer`].

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their own folders"))]

pub mod approval;
mod checks;
pub mod codes;
mod context;
mod effects;
mod engine;
mod intake;
mod land;
mod ledger;
pub mod mail;
pub mod outcome;
mod pipeline;
mod plan;
mod project;
mod repair;
pub mod report;
pub mod secrets;
mod undo;

pub use approval::trust::{self, TrustAnswer};
pub use approval::{Approver, Decision, Observer, Proposal, Unobserved};
pub use checks::{check, lint};
pub use context::receipt::{self, Receipt};
pub use context::{pack, selection, tokens, views};
pub use effects::attend::{Attended, attend};
pub use effects::guarded::{Copies, Guarded, protected_places};
pub use effects::wrap::{WrapOutcome, Wrapped, wrap};
pub use engine::{Engine, EngineError, read_config, recover};
pub use intake::admit::reply_digest;
pub use intake::channel::{self, Arrival, CHANNEL_LIMIT_BYTES, Channel, ChannelError};
pub use intake::prepared::{ByAnchor, Prepared};
pub use intake::recognise::{Recognised, describe, recognise};
pub use intake::submission::{FILES_LIMIT, LandOptions, REPLY_LIMIT_BYTES, ReceiptUse, Submission};
pub use land::exact::{Exact, land_exact};
pub use ledger::blame::{Blame, BlamedLine, blame};
pub use ledger::history::{self, Entry, EntryKind, EntryStatus, Filter, History};
pub use ledger::restore::{kept, restore};
pub use ledger::{damaged, group, retention};
pub use outcome::file_reports::operation;
pub use outcome::mode_change::ModeChange;
pub use outcome::stop::with_sources;
pub use outcome::{FileOperation, FileReport, FileStatus, Missing, Outcome, Status};
pub use pipeline::{land, land_prepared};
pub use plan::explain::explain;
pub use plan::translate;
pub use project::config::{self, CONFIG_FILE, Config};
pub use project::{git, init, settings, suggest};
pub use relay_txn::FileChange;
pub use undo::{UndoOptions, Which, redo, undo};
