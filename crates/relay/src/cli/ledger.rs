//! What can be typed about the ledger: looking back, taking back, tidying up.

use clap::Args;

/// List what landed, newest first, and what the next undo and redo would do
///
/// A TIME is a date (2026-11-15), a date and time (2026-11-15T10:30), or an age (90m, 2h, 3d, 2w).
#[derive(Debug, Args)]
pub struct LogArgs {
    /// Only what changed this file, also under an earlier name, or a file in this folder
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,

    /// Only what came this way: apply, undo, redo, …
    #[arg(long, value_name = "CHANNEL")]
    pub channel: Option<String>,

    /// Only what a session of the agent did; without an id, the newest one
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", conflicts_with = "group")]
    pub session: Option<String>,

    /// Only what belongs to this group, such as the commands of one mail message
    #[arg(long, value_name = "ID")]
    pub group: Option<String>,

    /// Only what is in this state: committed, partly_undone, undone
    #[arg(long, value_name = "STATUS", value_parser = entry_status)]
    pub status: Option<relay_engine::EntryStatus>,

    /// Only what landed then or later
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,

    /// Only what landed then or earlier
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,

    /// How many transactions to list; 0 for all
    #[arg(short = 'n', long = "number", value_name = "N", default_value_t = 20)]
    pub number: usize,

    /// Print a JSON array on standard output
    #[arg(long)]
    pub json: bool,
}

/// Show one transaction: why, what exactly, and what its checks said
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Its number, its uuid or the beginning of it; the newest if left out
    #[arg(value_name = "TRANSACTION")]
    pub transaction: Option<String>,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// Say which transaction wrote each line of a file, and why
///
/// Follows lines through later edits, renames and undos. Lines that came into the file some other way are marked so.
#[derive(Debug, Args)]
pub struct BlameArgs {
    /// The file; a line or some lines of it with :LINE or :FROM-TO
    #[arg(value_name = "PATH[:LINE[-LINE]]")]
    pub place: String,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// Forget old transactions, and contents that nothing needs any more
///
/// Keeps everything younger than 90 days, and the newest 1,000 however old they are. What is forgotten can no longer be
/// shown or undone, so it asks first. Contents that no transaction needs are removed without asking, and so is what was
/// kept apart of mail sessions that ended as long ago.
#[derive(Debug, Args)]
pub struct GcArgs {
    /// Forget only what is older than this: 90d, 2w, 12h
    #[arg(long, value_name = "AGE", default_value = "90d")]
    pub older_than: String,

    /// Keep so many of the newest, however old they are
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub keep: usize,

    /// Say what would go and remove nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,

    /// Agree beforehand
    #[arg(long, short)]
    pub yes: bool,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// Take a transaction back, the last one if none is named
///
/// The last one is what landed or came back last and is still in effect, as in an editor: after `relay redo 4` it is #4.
/// `relay log` shows it as "next undo".
///
/// The undo is a transaction of its own, so it can be undone too (`relay redo`). Files that still are as the
/// transaction left them become exactly what they were; files that changed since in other lines are merged. Where the
/// same lines changed since, it lists them and does nothing.
#[derive(Debug, Args)]
pub struct UndoArgs {
    /// Its number, its uuid or the beginning of it
    #[arg(value_name = "TRANSACTION")]
    pub transaction: Option<String>,

    /// Take back this transaction and everything after it, as one transaction
    #[arg(long, value_name = "TRANSACTION", conflicts_with = "transaction")]
    pub since: Option<String>,

    /// Take back everything of this group that is in effect, as one transaction; `relay log` names the groups
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

/// Bring back what the last undo took
///
/// Repeated, it goes on with the undo before that, back to the last landing: what was undone before something new
/// landed comes back only by name (`relay redo 4`). `relay log` shows what is next.
#[derive(Debug, Args)]
pub struct RedoArgs {
    /// The undo to take back, or the transaction it took: number, uuid or the beginning of it
    #[arg(value_name = "TRANSACTION")]
    pub transaction: Option<String>,

    /// Bring back what was taken of this group, as one transaction
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
    /// Only this file (may be given several times)
    #[arg(long = "file", value_name = "PATH")]
    pub files: Vec<String>,

    /// Make this file what it was before, whatever happened to it since (may be given several times)
    ///
    /// Later changes of the file are lost from it; undoing the undo brings them back.
    #[arg(long = "force-file", value_name = "PATH")]
    pub force_files: Vec<String>,

    /// Allow files with several hard links; the other names keep the old content
    #[arg(long)]
    pub break_links: bool,

    /// Allow changes to files that make other tools run code, such as .github/workflows
    #[arg(long)]
    pub allow_sensitive: bool,

    /// Approve it beforehand
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
/// Every command that uses the ledger does this by itself; this one does only this, and says what it found and what is
/// damaged. It also restores contents that no transaction leads to: what a rollback moved aside, what commands had
/// written when that was taken back, and what an interrupted transaction left whose record cannot be verified.
#[derive(Debug, Args)]
pub struct RecoverArgs {
    /// List the contents that can be restored
    #[arg(long)]
    pub list: bool,

    /// Restore the content that --list calls ID; this is a transaction, so it can be undone
    #[arg(long, value_name = "ID", conflicts_with = "list")]
    pub restore: Option<String>,

    /// Restore it to this path instead of its own
    #[arg(long, value_name = "PATH", requires = "restore")]
    pub to: Option<String>,

    /// Approve it beforehand
    ///
    /// It never answers the question about sensitive paths.
    #[arg(long, short, requires = "restore")]
    pub yes: bool,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

fn entry_status(name: &str) -> Result<relay_engine::EntryStatus, String> {
    let known = relay_engine::EntryStatus::ALL;
    known.into_iter().find(|status| status.name() == name.replace('-', "_")).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|status| status.name()).collect();
        format!("the states are {}", names.join(", "))
    })
}
