//! What can be typed about landing changes: replies, commands to wrap, files shown to a model.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::values::{dialects, strictness, transactions};

/// Land a model's reply: every file it names, or none
///
/// Reads the reply from FILE, the clipboard or standard input, works out exactly what it changes, applies it, runs the
/// project's postCommand and linter, asks you where that is needed, and commits or rolls back. Nothing is left half done.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: relay apply reply.md · relay apply --clipboard · relay apply --dry-run < reply.md\n\n\
    Exit codes: 0 landed (or nothing to do) · 1 refused or rolled back, nothing changed · \
    2 bad usage or unreadable input · 3 landed in part (--partial, --context, a receipt) · 130 interrupted, rolled back"
)]
pub struct ApplyArgs {
    /// The reply; `-` or nothing reads standard input
    pub file: Option<PathBuf>,

    /// Take the reply from the clipboard
    #[arg(long, conflicts_with = "file")]
    pub clipboard: bool,

    /// Show what would change; run no commands and write nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,

    /// Approve the change in advance, even with linter errors
    ///
    /// It never answers the questions about trust and sensitive paths, and a failed postCommand still rolls back.
    #[arg(long, short)]
    pub yes: bool,

    /// List every block of the reply and what would happen to it; land nothing
    ///
    /// Each block is an edit, only shown (an example, a command, output, a quotation) or unclear. A reply with an unclear
    /// block does not land.
    #[arg(long, conflicts_with_all = ["yes", "dry_run", "partial", "repair_prompt"])]
    pub explain: bool,

    /// Treat the block at this line of the reply as only shown; repeatable
    #[arg(long, value_name = "LINE")]
    pub ignore: Vec<usize>,

    /// Land the parts that fit and report the rest (exit 3), instead of all or nothing
    #[arg(long)]
    pub partial: bool,

    #[command(flatten)]
    pub repair: RepairArgs,

    /// Have this backend review the change before you are asked; `none` for no review
    ///
    /// A review that does not say "ship", or cannot be understood, needs your approval. The setting `review` does the
    /// same for every reply.
    #[arg(long, value_name = "BACKEND", add = super::values::backends())]
    pub review: Option<String>,

    #[command(flatten)]
    pub reading: ReadingArgs,

    #[command(flatten)]
    pub allowed: AllowArgs,

    /// Add what landed to git's index
    #[arg(long)]
    pub stage: bool,

    #[command(flatten)]
    pub trust: TrustFlag,

    #[command(flatten)]
    pub origin: OriginArgs,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// What to do with a reply that does not fit.
#[derive(Debug, Args)]
pub struct RepairArgs {
    /// If edits fail, print the message to paste back to the model instead of the report
    ///
    /// It asks only for the parts that failed, including the rest of a reply that was cut off. Apply the model's answer,
    /// which names the same uuid: it lands together with everything else of the refused reply, as one transaction.
    #[arg(long)]
    pub repair_prompt: bool,

    /// Put that message on the clipboard instead of printing it
    #[arg(long, requires = "repair_prompt")]
    pub copy: bool,
}

/// How a reply is read.
#[derive(Debug, Args)]
pub struct ReadingArgs {
    /// Read only this dialect instead of detecting it
    #[arg(long, value_name = "DIALECT", value_parser = dialects())]
    pub dialect: Option<relay_edit::Dialect>,

    /// How much an edit's old lines may differ from the file
    ///
    /// exact: only in line endings; whitespace: also in spaces, indentation and blank lines; fuzzy: also in look-alike
    /// characters, elisions and small slips in context lines. Defaults to `match` in the config.
    #[arg(long = "match", value_name = "HOW", value_parser = strictness())]
    pub strictness: Option<relay_edit::Strictness>,

    /// The files and folders the model had seen; edits of other existing files are deferred (exit 3)
    ///
    /// Deferred files are selected for the next `relay pack`. Defaults to the files of the receipt, or to all files where
    /// there is no receipt.
    #[arg(long, value_name = "PATH", value_delimiter = ',')]
    pub context: Option<Vec<String>>,

    /// Resolve the reply against what this pack showed, whichever receipt it names
    #[arg(long, value_name = "ID", conflicts_with = "ignore_receipt")]
    pub receipt: Option<String>,

    /// Match the edits against the current files even if the reply names a receipt
    #[arg(long)]
    pub ignore_receipt: bool,
}

/// What a reply may do that Relay refuses by default.
#[derive(Debug, Args)]
pub struct AllowArgs {
    /// Let a reply replace most of a file even if it looks incomplete
    #[arg(long)]
    pub allow_shrink: bool,

    /// Allow files that make other tools run code, such as .github/workflows
    #[arg(long)]
    pub allow_sensitive: bool,

    /// Allow files with several hard links; the other names keep the old content
    #[arg(long)]
    pub break_links: bool,
}

/// Where a reply comes from, for the ledger.
#[derive(Debug, Args)]
pub struct OriginArgs {
    /// The model that wrote the reply, for the ledger; defaults to the reply's own `model:`
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,

    /// The group this reply belongs to; `relay undo --group` undoes a whole group
    #[arg(long, value_name = "ID")]
    pub group: Option<String>,
}

/// Run any command; its changes land as one transaction
///
/// The command has your terminal, so other agents and interactive programs work as usual. Everything it creates, changes
/// or deletes, including through git or rm, is shown, checked by the project's postCommand and linter, and can be undone.
/// Ignored files, git's branches and index, and everything outside the project are not restored.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: relay wrap -- codex 'fix the tests' · relay wrap -- sed -i s/a/b/ *.txt\n\n\
    The exit code is the command's; 1 if it succeeded and its effect was rolled back."
)]
pub struct WrapArgs {
    /// The command and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,

    /// Approve what the command does in advance, even with linter errors
    ///
    /// It never answers the questions about trust and sensitive paths, and a failed postCommand still rolls back.
    #[arg(long, short)]
    pub yes: bool,

    /// Refused: a command cannot be tried without running it
    #[arg(long, short = 'n', hide = true)]
    pub dry_run: bool,

    #[command(flatten)]
    pub trust: TrustFlag,

    /// Allow changes to files that make other tools run code, such as .github/workflows
    #[arg(long)]
    pub allow_sensitive: bool,

    /// The model that the command runs, for the ledger
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,

    /// Print one JSON document on standard output; the command's own output goes to standard error
    #[arg(long)]
    pub json: bool,
}

/// Shared by everything that may run the project's commands.
#[derive(Clone, Copy, Debug, Args)]
pub struct TrustFlag {
    /// Run the project's commands this time even if you never trusted them
    ///
    /// RELAY_TRUST=1 does the same. `relay trust` trusts them for good.
    #[arg(long)]
    pub trust: bool,
}

/// Show a file to a model and remember what it saw
///
/// Edits that name lines (hashline anchors, line ranges) are then resolved against exactly what the model saw and merged
/// onto the file as it is by then.
#[derive(Debug, Args)]
pub struct ReadArgs {
    /// The file, or some of its lines: PATH, PATH:N or PATH:A-B
    #[arg(value_name = "PATH[:A-B]", value_hint = clap::ValueHint::FilePath)]
    pub target: String,

    /// Put an anchor before every line, for the hashline dialect
    #[arg(long)]
    pub anchors: bool,
}

/// Rewrite a reply or a transaction in another dialect
///
/// The edits keep their meaning: applied to the same files they give the same bytes. Whatever the dialect cannot express
/// is refused by name. No file is changed.
#[derive(Debug, Args)]
pub struct TranslateArgs {
    /// The reply; `-` or nothing reads standard input
    #[arg(conflicts_with = "transaction")]
    pub file: Option<PathBuf>,

    /// The dialect to write
    #[arg(long, value_name = "DIALECT", value_parser = dialects())]
    pub to: relay_edit::Dialect,

    /// Translate this transaction of the ledger: its number, its uuid or the beginning of its uuid
    #[arg(long, value_name = "TRANSACTION", add = transactions())]
    pub transaction: Option<String>,

    /// Read the reply only in this dialect instead of detecting it
    #[arg(long, value_name = "DIALECT", value_parser = dialects())]
    pub dialect: Option<relay_edit::Dialect>,
}
