//! What can be typed. The doc comments here are the help texts, the man pages and `docs/cli.md`.

mod agents;
mod ledger;
mod mail;
mod models;
mod pack;
mod watch;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

pub use agents::{
    AskArgs, BackendsArgs, CallArgs, ConfigArgs, ConfigCommand, JobsArgs, JobsCommand, ReviewArgs,
    SessionArgs, SessionCommand,
};
pub use ledger::{AnswerFlags, BlameArgs, GcArgs, LogArgs, RecoverArgs, RedoArgs, ShowArgs, UndoArgs};
pub use mail::{
    HowFlags, MailArgs, MailCloseArgs, MailCommand, MailResumeArgs, MailRunArgs, MailShowArgs, MailStartArgs,
    MailStepArgs,
};
pub use models::{AuthArgs, AuthCommand, LoginArgs, LogoutArgs, ModelsArgs, StatusArgs};
pub use pack::{ContextAction, ContextArgs, PackArgs};
pub use watch::WatchArgs;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Lands AI-written code changes safely: all or nothing, checked, approved, undoable.
///
/// Relay takes a model's reply, works out exactly what it changes, and lands it as one transaction: every file or
/// none. Your linter and your tests decide whether it stays, and every change can be undone.
#[derive(Debug, Parser)]
#[command(name = "relay", version, styles = STYLES, subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "New here? `relay demo` shows the whole thing in two seconds and touches nothing of yours."
)]
pub struct Cli {
    /// Work in this folder instead of finding the project from where you are
    #[arg(long, global = true, value_name = "DIR")]
    pub root: Option<PathBuf>,

    /// Make no network connection at all
    #[arg(long, global = true)]
    pub offline: bool,

    #[command(subcommand)]
    pub command: Command,
}

/// One command each; the code is in the file of the same name under `commands/`. What the others take is not put together
/// when one is called.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    Demo(DemoArgs),
    Init(InitArgs),
    Prompt(PromptArgs),
    Pack(PackArgs),
    Context(ContextArgs),
    Apply(ApplyArgs),
    Watch(WatchArgs),
    Wrap(WrapArgs),
    Mail(MailArgs),
    Read(ReadArgs),
    Translate(TranslateArgs),
    Log(LogArgs),
    Show(ShowArgs),
    Blame(BlameArgs),
    Undo(UndoArgs),
    Redo(RedoArgs),
    Gc(GcArgs),
    Recover(RecoverArgs),
    Trust(TrustArgs),
    Ask(AskArgs),
    Review(ReviewArgs),
    Jobs(JobsArgs),
    Session(SessionArgs),
    Backends(BackendsArgs),
    Config(ConfigArgs),
    Models(ModelsArgs),
    Auth(AuthArgs),
    Doctor(DoctorArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

impl Command {
    /// Whether the command owes its caller a JSON document, also when it fails.
    pub fn wants_json(&self) -> bool {
        match self {
            Command::Pack(args) => args.json,
            Command::Context(args) => args.json,
            Command::Apply(args) => args.json,
            Command::Watch(args) => args.json,
            Command::Wrap(args) => args.json,
            Command::Mail(args) => args.json,
            Command::Log(args) => args.json,
            Command::Show(args) => args.json,
            Command::Blame(args) => args.json,
            Command::Gc(args) => args.json,
            Command::Undo(args) => args.json,
            Command::Redo(args) => args.json,
            Command::Recover(args) => args.json,
            Command::Ask(args) => args.json,
            Command::Review(args) => args.json || args.verdict_json,
            Command::Backends(args) => args.json,
            Command::Doctor(args) => args.json,
            Command::Models(args) => args.json,
            Command::Auth(AuthArgs { command: AuthCommand::Status(args) }) => args.json,
            _ => false,
        }
    }
}

/// Watch real replies go through the real pipeline, in a project that is made for it and removed again
///
/// Needs no configuration and no network, and touches nothing of yours. One reply lands, one breaks a test and is
/// rolled back, one is refused with a diagnosis; then the ledger and an undo.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Keep the demo's project, to play with it
    #[arg(long)]
    pub keep: bool,
}

/// Make this folder a project that Relay knows
///
/// Writes relaycode.config.json, makes .relaycode/ and keeps it out of git, and prints the instructions to give your
/// model. A project that has a config stays as it is; only the instructions are printed.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Do not ask before writing
    #[arg(long, short)]
    pub yes: bool,
}

/// Print the instructions that teach a model the reply format
///
/// Put them into the custom instructions of your chat, or in front of your first message.
#[derive(Debug, Args)]
pub struct PromptArgs {
    /// The written form of edits to teach
    #[arg(long, value_name = "DIALECT", default_value = "fenced", value_parser = dialect)]
    pub dialect: relay_edit::Dialect,

    /// Put them on the clipboard instead of printing them
    #[arg(long)]
    pub copy: bool,
}

/// Land a model's reply: every file it names, or none
///
/// Reads the reply from FILE, the clipboard or standard input, works out what it changes, applies it, runs the project's
/// postCommand and linter, asks where that is needed, and commits or rolls back. Nothing stays half done.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 landed (or nothing to do) · 1 refused or rolled back, nothing changed · \
    2 bad usage or unreadable input · 3 landed in part (--partial, --context, a receipt) · 130 interrupted, rolled back"
)]
pub struct ApplyArgs {
    /// The reply; `-` or nothing for standard input
    pub file: Option<PathBuf>,

    /// Take the reply from the clipboard
    #[arg(long, conflicts_with = "file")]
    pub clipboard: bool,

    /// Approve the change beforehand, also with linter errors
    ///
    /// It never answers the questions about trust and sensitive paths, and a failed postCommand still rolls back.
    #[arg(long, short)]
    pub yes: bool,

    /// Show what would change; run no command and write nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,

    /// Have the change reviewed by this backend before you are asked; `none` for no review
    ///
    /// A review that does not say "ship", or cannot be understood, needs your approval. The setting `review` does the
    /// same for every reply.
    #[arg(long, value_name = "BACKEND")]
    pub review: Option<String>,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,

    /// Read only this written form of edits, instead of detecting it
    #[arg(long, value_name = "DIALECT", value_parser = dialect)]
    pub dialect: Option<relay_edit::Dialect>,

    /// How much may differ between an edit's old lines and the file
    ///
    /// exact: nothing but line endings; whitespace: blanks, indentation and blank lines; fuzzy: also look-alike
    /// characters, elisions and small slips in lines that stay. The config's `match` decides if left out.
    #[arg(long = "match", value_name = "HOW", value_parser = strictness)]
    pub strictness: Option<relay_edit::Strictness>,

    /// Land the parts that can be applied and report the rest (exit 3), instead of all or nothing
    #[arg(long)]
    pub partial: bool,

    /// List every block of the reply with what would become of it, and land nothing
    ///
    /// Each block is an edit, only shown (an example, a command, output, a quotation) or unclear. A reply with an unclear
    /// block does not land.
    #[arg(long, conflicts_with_all = ["yes", "dry_run", "partial", "repair_prompt"])]
    pub explain: bool,

    /// Treat the block with this line of the reply as only shown; may be given several times
    #[arg(long, value_name = "LINE")]
    pub ignore: Vec<usize>,

    /// The files and folders the model had in view; edits of others that exist are put off (exit 3), and those files are
    /// selected for the next pack. Those of the receipt if left out, or all without one
    #[arg(long, value_name = "PATH", value_delimiter = ',')]
    pub context: Option<Vec<String>>,

    /// Resolve the reply against what this pack showed, whatever receipt it names
    #[arg(long, value_name = "ID", conflicts_with = "ignore_receipt")]
    pub receipt: Option<String>,

    /// Match the edits against the files as they are now, although the reply names a receipt
    #[arg(long)]
    pub ignore_receipt: bool,

    /// Let a reply replace most of a file although it seems incomplete
    #[arg(long)]
    pub allow_shrink: bool,

    /// Where edits cannot be read or do not fit, print the message to paste back to the model instead of the report
    ///
    /// It asks only for the parts that failed, also for the rest of a reply that was cut off. Applying the answer, which names the same uuid, lands it together with
    /// everything else of the refused reply, as one transaction.
    #[arg(long)]
    pub repair_prompt: bool,

    /// Put that message on the clipboard instead of printing it
    #[arg(long, requires = "repair_prompt")]
    pub copy: bool,

    /// Add what landed to git's index
    #[arg(long)]
    pub stage: bool,

    #[command(flatten)]
    pub trust: TrustFlag,

    /// Allow files that make other tools run code, such as .github/workflows
    #[arg(long)]
    pub allow_sensitive: bool,

    /// Allow files with several hard links; the other names keep the old content
    #[arg(long)]
    pub break_links: bool,

    /// The model that wrote the reply, for the ledger; the reply's own `model:` if left out
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,

    /// What this reply belongs to together with others; `relay undo --group` takes them all back
    #[arg(long, value_name = "ID")]
    pub group: Option<String>,
}

/// Run any command, and land what it does to your files as one transaction
///
/// The command has your terminal: other agents and interactive programs work as they always do. What it creates,
/// changes or deletes, also with git or rm, can be shown, is checked by the project's postCommand and linter, and can be
/// undone. Ignored files, git's own branches and index, and everything outside the project are not restored.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: relay wrap -- codex 'fix the tests' · relay wrap -- sed -i s/a/b/ *.txt\n\n\
    The exit code is the command's; 1 if it succeeded and its effect was rolled back."
)]
pub struct WrapArgs {
    /// The command and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,

    /// Approve what the command does beforehand, also with linter errors
    ///
    /// It never answers the questions about trust and sensitive paths, and a failed postCommand still rolls back.
    #[arg(long, short)]
    pub yes: bool,

    /// Print one JSON document on standard output; the command's own output goes to standard error
    #[arg(long)]
    pub json: bool,

    /// Refused: a command cannot be tried out without running it
    #[arg(long, short = 'n', hide = true)]
    pub dry_run: bool,

    #[command(flatten)]
    pub trust: TrustFlag,

    /// Allow changes to files that make other tools run code, such as .github/workflows
    #[arg(long)]
    pub allow_sensitive: bool,

    /// The model behind the command, for the ledger
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
}

/// Shared by everything that may run the project's commands.
#[derive(Clone, Copy, Debug, Args)]
pub struct TrustFlag {
    /// Run the project's commands this time although they were never trusted here
    ///
    /// RELAY_TRUST=1 does the same. `relay trust` trusts them for good.
    #[arg(long)]
    pub trust: bool,
}

/// Show a file to a model, and remember what it was shown
///
/// Edits that name lines (hashline anchors, line ranges) are then resolved against exactly what the model saw, and
/// merged onto the file as it is by then.
#[derive(Debug, Args)]
pub struct ReadArgs {
    /// The file, with lines if not all of it: PATH, PATH:N or PATH:A-B
    #[arg(value_name = "PATH[:A-B]")]
    pub target: String,

    /// Put an anchor before every line, as the hashline dialect needs them
    #[arg(long)]
    pub anchors: bool,
}

/// Write a reply, or a transaction that landed, in another dialect
///
/// The edits mean the same: applied to the same files they give the same bytes. What the dialect cannot say is refused
/// by name. Nothing is changed.
#[derive(Debug, Args)]
pub struct TranslateArgs {
    /// The reply; `-` or nothing for standard input
    #[arg(conflicts_with = "transaction")]
    pub file: Option<PathBuf>,

    /// The dialect to write
    #[arg(long, value_name = "DIALECT", value_parser = dialect)]
    pub to: relay_edit::Dialect,

    /// Translate this transaction of the ledger: its number, its uuid or the beginning of it
    #[arg(long, value_name = "TRANSACTION")]
    pub transaction: Option<String>,

    /// Read the reply in this dialect only, instead of detecting it
    #[arg(long, value_name = "DIALECT", value_parser = dialect)]
    pub dialect: Option<relay_edit::Dialect>,
}

/// Look at the commands in the project's config and trust them
///
/// A config comes with a repository, and its commands run on your machine. Trust is bound to their exact text.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// Trust them without a question
    #[arg(long, short, conflicts_with = "revoke")]
    pub yes: bool,

    /// Take the trust back
    #[arg(long)]
    pub revoke: bool,
}

/// Say what is configured, what is missing, and what to do about it
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// Print a completion script for your shell
///
/// For bash: relay completions bash > ~/.local/share/bash-completion/completions/relay
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Print a manual page
///
/// To read it: relay man apply | man -l -
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command it is about; the overview if left out
    pub command: Option<String>,

    /// How to print it
    #[arg(long, value_enum, default_value_t = ManFormat::Roff)]
    pub format: ManFormat,
}

/// How a manual page is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ManFormat {
    /// For the `man` command
    Roff,
    /// The whole reference as Markdown, as in docs/cli.md
    Markdown,
}

fn dialect(name: &str) -> Result<relay_edit::Dialect, String> {
    let known = relay_edit::Dialect::ALL;
    let names: Vec<&str> = known.iter().map(|dialect| dialect.name()).collect();
    known.iter().copied().find(|dialect| dialect.name() == name).ok_or_else(|| did_you_mean(name, &names))
}

fn strictness(name: &str) -> Result<relay_edit::Strictness, String> {
    let known = relay_edit::Strictness::ALL;
    let names: Vec<&str> = known.iter().map(|strictness| strictness.name()).collect();
    known
        .iter()
        .copied()
        .find(|strictness| strictness.name() == name)
        .ok_or_else(|| did_you_mean(name, &names))
}

/// The nearest name, and all of them.
pub fn did_you_mean(name: &str, names: &[&str]) -> String {
    let all = names.join(", ");
    match relay_engine::suggest::closest(name, names) {
        Some(near) => format!("did you mean `{near}`? There are {all}"),
        None => format!("there are {all}"),
    }
}

/// Parses what was typed.
pub fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(arguments)
}

/// The definition itself, for completions, man pages and the reference.
pub fn definition() -> clap::Command {
    Cli::command()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_definition_is_consistent() {
        super::definition().debug_assert();
    }
}
