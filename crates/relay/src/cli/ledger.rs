//! What can be typed about the ledger: looking back, undoing, cleaning up.

use clap::Args;

use super::values::{statuses, transactions, whole_number};

/// List what landed, and what undo and redo would do next
///
/// A TIME is a date (2026-11-15), a date and time (2026-11-15T10:30), or an age (90m, 2h, 3d, 2w). In a terminal a long
/// list opens in your pager (RELAY_PAGER, PAGER, else less).
#[derive(Debug, Args)]
pub struct LogArgs {
    /// Only what changed this file (under earlier names too) or a file in this folder
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,

    /// Only what came through this channel: apply, watch, undo, redo, …
    #[arg(long, value_name = "CHANNEL", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub channel: Option<String>,

    /// Only what a session of the agent did; without an id, the newest one
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", conflicts_with = "group")]
    pub session: Option<String>,

    /// Only what belongs to this group, such as the commands of one mail message
    #[arg(long, value_name = "ID")]
    pub group: Option<String>,

    /// Only what is in this state
    #[arg(long, value_name = "STATUS", value_parser = statuses())]
    pub status: Option<relay_engine::EntryStatus>,

    /// Only what landed at this time or later
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,

    /// Only what landed at this time or earlier
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,

    /// How many transactions to list; 0 for all
    #[arg(short = 'n', long = "number", value_name = "N", default_value_t = 20, value_parser = whole_number)]
    pub number: usize,

    /// List every file with the lines added and removed
    #[arg(long)]
    pub stat: bool,

    /// Print directly instead of opening a pager
    #[arg(long)]
    pub no_pager: bool,

    /// Print a JSON array on standard output
    #[arg(long)]
    pub json: bool,
}

/// Show one transaction: reason, diff and check results
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Its number, its uuid or the beginning of its uuid; the newest if left out
    #[arg(value_name = "TRANSACTION", add = transactions())]
    pub transaction: Option<String>,

    /// List the files with the lines added and removed instead of the diff
    #[arg(long)]
    pub stat: bool,

    /// Print directly instead of opening a pager
    #[arg(long)]
    pub no_pager: bool,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// Show which transaction wrote each line of a file, and why
///
/// Follows lines through later edits, renames and undos. Lines that did not come through Relay are marked as such.
#[derive(Debug, Args)]
pub struct BlameArgs {
    /// The file, or some of its lines: PATH, PATH:LINE or PATH:FROM-TO
    #[arg(value_name = "PATH[:LINE[-LINE]]", value_hint = clap::ValueHint::FilePath)]
    pub place: String,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// Delete old transactions and contents no longer needed
///
/// Keeps everything from the last 90 days, and the newest 1,000 transactions however old they are. Deleted transactions can
/// no longer be shown or undone, so Relay asks first. Contents that no transaction needs are removed without asking, and
/// so is the data of mail threads that ended before that time.
#[derive(Debug, Args)]
pub struct GcArgs {
    /// Delete only what is older than this: 90d, 2w, 12h
    #[arg(long, value_name = "AGE", default_value = "90d")]
    pub older_than: String,

    /// Keep this many of the newest, however old they are
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole_number)]
    pub keep: usize,

    /// Show what would be deleted, and delete nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,

    /// Delete without asking
    #[arg(long, short)]
    pub yes: bool,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// Undo a transaction: the last one, or any other by name
///
/// The last one is whatever landed or was reapplied last and is still in effect, as in an editor: after `relay redo 4` it
/// is #4. `relay log` shows it as "next undo".
///
/// The undo is a transaction too, so it can be undone (`relay redo`). Files that have not changed since are restored
/// exactly; where other lines changed since, the undo is merged. Where the same lines changed since, it lists them and
/// changes nothing.
#[derive(Debug, Args)]
pub struct UndoArgs {
    /// Its number, its uuid or the beginning of its uuid
    #[arg(value_name = "TRANSACTION", add = transactions())]
    pub transaction: Option<String>,

    /// Undo this transaction and everything after it, as one transaction
    #[arg(long, value_name = "TRANSACTION", conflicts_with = "transaction", add = transactions())]
    pub since: Option<String>,

    /// Undo everything of this group that is in effect, as one transaction; `relay log` names the groups
    #[arg(long, value_name = "ID", conflicts_with_all = ["transaction", "since"])]
    pub group: Option<String>,

    /// Undo everything the agent did since the last prompt
    #[arg(long, conflicts_with_all = ["transaction", "since", "group", "session"])]
    pub turn: bool,

    /// Undo everything a session of the agent did; without an id, the newest one's
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["transaction", "since", "group"])]
    pub session: Option<String>,

    #[command(flatten)]
    pub answer: AnswerFlags,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// Reapply what the last undo removed
///
/// Run it again to reapply the undo before that, back to the last landing. Whatever was undone before something new
/// landed is reapplied only by name (`relay redo 4`). `relay log` shows what is next.
#[derive(Debug, Args)]
pub struct RedoArgs {
    /// The undo, or the transaction it undid: its number, its uuid or the beginning of its uuid
    #[arg(value_name = "TRANSACTION", add = transactions())]
    pub transaction: Option<String>,

    /// Reapply what was undone of this group, as one transaction
    #[arg(long, value_name = "ID", conflicts_with = "transaction")]
    pub group: Option<String>,

    /// Reapply everything the agent did since the last prompt
    #[arg(long, conflicts_with_all = ["transaction", "group", "session"])]
    pub turn: bool,

    /// Reapply everything a session of the agent did; without an id, the newest one's
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["transaction", "group"])]
    pub session: Option<String>,

    #[command(flatten)]
    pub answer: AnswerFlags,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// Shared by undo and redo.
#[derive(Clone, Debug, Args)]
pub struct AnswerFlags {
    /// Only this file; repeatable
    #[arg(long = "file", value_name = "PATH")]
    pub files: Vec<String>,

    /// Restore this file whatever happened to it since; repeatable
    ///
    /// Later changes to the file are lost; undoing the undo restores them.
    #[arg(long = "force-file", value_name = "PATH")]
    pub force_files: Vec<String>,

    /// Allow files with several hard links; the other names keep the old content
    #[arg(long)]
    pub break_links: bool,

    /// Allow changes to files that make other tools run code, such as .github/workflows
    #[arg(long)]
    pub allow_sensitive: bool,

    /// Approve it in advance
    ///
    /// It never answers the question about sensitive paths.
    #[arg(long, short)]
    pub yes: bool,

    /// Show what would change and write nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,
}

/// Finish what a crash or a power cut interrupted
///
/// Every command that uses the ledger does this first; this one does nothing else, and reports what it found and what is
/// damaged. It also restores file contents that no transaction holds: what a rollback moved aside, what commands had
/// written before they were rolled back, and what was left by an interrupted transaction whose record cannot be verified.
#[derive(Debug, Args)]
pub struct RecoverArgs {
    /// List the file contents that can be restored
    #[arg(long)]
    pub list: bool,

    /// Restore the content with this id from --list; this is a transaction, so it can be undone
    #[arg(long, value_name = "ID", conflicts_with = "list")]
    pub restore: Option<String>,

    /// Restore it to this path instead of its own
    #[arg(long, value_name = "PATH", requires = "restore")]
    pub to: Option<String>,

    /// Approve it in advance
    ///
    /// It never answers the question about sensitive paths.
    #[arg(long, short, requires = "restore")]
    pub yes: bool,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}
