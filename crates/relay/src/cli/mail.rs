//! What can be typed about mail: threads with a model that has no network and no API.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use relay_engine::mail::{BUDGET_TOKENS, LARGEST_BUDGET_TOKENS, LEAST_BUDGET_TOKENS};

use super::TrustFlag;

/// Work with a model through files: outbox out, inbox in
///
/// For a web chat, or a machine without a network. Each message holds everything the model needs; its answer holds
/// commands (create, edit, delete and read files, run a command), which are carried out in order, one transaction each.
/// `relay undo` undoes one of them, `relay undo --group mail:THREAD:NUMBER` all of one answer.
#[derive(Debug, Args)]
#[command(after_help = "Example: relay mail start 'add a --verbose flag' && relay mail run\n\n\
    The folders are outbox/, inbox/ and sessions/ in .relaycode/mail, or in the folder that --dir names.")]
pub struct MailArgs {
    /// Use this folder for outbox/, inbox/ and sessions/, such as a USB stick or a synced folder
    #[arg(long, global = true, value_name = "DIR", display_order = 900, value_hint = clap::ValueHint::DirPath)]
    pub dir: Option<PathBuf>,

    /// Print one JSON document on standard output
    #[arg(long, global = true, display_order = 901)]
    pub json: bool,

    #[command(subcommand)]
    pub command: MailCommand,
}

#[derive(Debug, Subcommand)]
pub enum MailCommand {
    Start(MailStartArgs),
    Run(MailRunArgs),
    Step(MailStepArgs),
    List(MailListArgs),
    Show(MailShowArgs),
    Resume(MailResumeArgs),
    Close(MailCloseArgs),
}

/// Start a thread and write its first message
#[derive(Debug, Args)]
pub struct MailStartArgs {
    /// The task; `-` reads it from standard input
    #[arg(required = true, value_name = "TASK")]
    pub task: Vec<String>,

    /// The most tokens that the listing, results and files of a message may take
    #[arg(long, value_name = "TOKENS", default_value_t = BUDGET_TOKENS, value_parser = budget)]
    pub budget: usize,

    /// Put the message on the clipboard too
    #[arg(long)]
    pub copy: bool,
}

/// Wait for answers in the inbox and carry them out until the model is done
///
/// Takes every .txt file in the inbox, oldest first, and moves it to inbox/processed. Ctrl-C leaves the thread as it is;
/// the next `relay mail run` continues it.
#[derive(Debug, Args)]
pub struct MailRunArgs {
    #[command(flatten)]
    pub which: ThreadFlag,

    /// Put each message on the clipboard, and take answers that you copy
    ///
    /// An answer on the clipboard must name the thread and the message, as the protocol asks the model to; Relay asks you
    /// about one that does not.
    #[arg(long)]
    pub copy: bool,

    #[command(flatten)]
    pub how: HowFlags,
}

/// Carry out one answer and write the next message
///
/// Exit code 0 if every command succeeded, 3 if some failed (the next message says so to the model), 1 if the answer does
/// not belong here or could not be started.
#[derive(Debug, Args)]
pub struct MailStepArgs {
    /// The answer; `-` reads standard input; the oldest in the inbox if left out
    #[arg(value_name = "FILE", conflicts_with = "paste")]
    pub file: Option<PathBuf>,

    #[command(flatten)]
    pub which: ThreadFlag,

    /// Take the answer from the clipboard
    #[arg(long)]
    pub paste: bool,

    /// Put the next message on the clipboard too
    #[arg(long)]
    pub copy: bool,

    /// Carry it out even if it was carried out before or answers an older message
    #[arg(long)]
    pub again: bool,

    #[command(flatten)]
    pub how: HowFlags,
}

/// List the threads, oldest first
#[derive(Debug, Args)]
pub struct MailListArgs {}

/// Show a thread: its task, its state, and the results of the last answer
#[derive(Debug, Args)]
pub struct MailShowArgs {
    /// Its id or the beginning of its id; the open one if left out
    #[arg(value_name = "THREAD")]
    pub session: Option<String>,

    /// Print its newest message instead, to pipe it anywhere
    #[arg(long)]
    pub outbox: bool,

    /// Put its newest message on the clipboard
    #[arg(long)]
    pub copy: bool,
}

/// Reopen a thread and write its next message
///
/// Also works for a thread that is done, with a further task, and for one that was started on another machine and is in
/// this folder. An open thread keeps its newest message unless you add something.
#[derive(Debug, Args)]
pub struct MailResumeArgs {
    /// Its id or the beginning of its id; the open one if left out
    #[arg(value_name = "THREAD")]
    pub session: Option<String>,

    /// What else the model should know
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,

    /// The most tokens that the listing, results and files of a message may take from now on
    #[arg(long, value_name = "TOKENS", value_parser = budget)]
    pub budget: Option<usize>,

    /// Put the message on the clipboard too
    #[arg(long)]
    pub copy: bool,
}

/// End a thread; what has landed stays
#[derive(Debug, Args)]
pub struct MailCloseArgs {
    /// Its id or the beginning of its id; the open one if left out
    #[arg(value_name = "THREAD")]
    pub session: Option<String>,
}

/// Which thread is meant.
#[derive(Clone, Debug, Args)]
pub struct ThreadFlag {
    /// The thread's id or the beginning of its id, if several are open
    #[arg(long = "thread", alias = "session", value_name = "THREAD")]
    pub session: Option<String>,
}

/// How answers are carried out.
#[derive(Clone, Debug, Args)]
pub struct HowFlags {
    /// Run the commands the model asks for without asking you
    ///
    /// Otherwise Relay asks about each one in a terminal, and refuses it without one. They run in the project's root for at
    /// most 30 seconds, and what they do to the files can be undone; they are not sandboxed.
    #[arg(long)]
    pub allow_commands: bool,

    /// Refuse edits of files the model has not seen (`requireRead` in the config)
    #[arg(long)]
    pub require_read: bool,

    /// Approve each change in advance, even with linter errors
    ///
    /// It never answers the questions about commands, trust and sensitive paths, and a failed postCommand still rolls
    /// back.
    #[arg(long, short)]
    pub yes: bool,

    #[command(flatten)]
    pub trust: TrustFlag,

    /// Allow changes to files that make other tools run code, such as .github/workflows
    #[arg(long)]
    pub allow_sensitive: bool,

    /// The model that answers, for the ledger
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
}

fn budget(text: &str) -> Result<usize, String> {
    match text.replace(['_', ','], "").parse::<usize>() {
        Ok(tokens) if (LEAST_BUDGET_TOKENS..=LARGEST_BUDGET_TOKENS).contains(&tokens) => Ok(tokens),
        Ok(_) => Err(format!("from {LEAST_BUDGET_TOKENS} to {LARGEST_BUDGET_TOKENS} tokens")),
        Err(error) => Err(error.to_string()),
    }
}
