//! What can be typed about mail: sessions with a model that has no network and no API.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use relay_engine::mail::{BUDGET_TOKENS, LARGEST_BUDGET_TOKENS, LEAST_BUDGET_TOKENS};

use super::TrustFlag;

/// Work with a model through files: send it an outbox, save its answer in the inbox
///
/// For a web chat, or a machine without a network. Each message holds everything the model needs; its answer holds
/// commands (create, edit, delete and read files, run a command), which are carried out in order, one transaction each.
/// `relay undo` takes back one of them, `relay undo --group mail:SESSION:NUMBER` all of one answer.
#[derive(Debug, Args)]
#[command(after_help = "Example: relay mail start 'add a --verbose flag' && relay mail run\n\n\
    The folders are outbox/, inbox/ and sessions/ in .relaycode/mail, or in the folder that --dir names.")]
pub struct MailArgs {
    /// Use this folder for outbox/, inbox/ and sessions/: a stick, a folder that is synced
    #[arg(long, global = true, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// Print one JSON document on standard output
    #[arg(long, global = true)]
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

/// Begin a session and write its first message
#[derive(Debug, Args)]
pub struct MailStartArgs {
    /// What is to be done; `-` reads it from standard input
    #[arg(required = true, value_name = "TASK")]
    pub task: Vec<String>,

    /// How many tokens the listing, the results and the files of a message may take
    #[arg(long, value_name = "TOKENS", default_value_t = BUDGET_TOKENS, value_parser = budget)]
    pub budget: usize,

    /// Put the message on the clipboard too
    #[arg(long)]
    pub copy: bool,
}

/// Wait for answers in the inbox and carry them out, until the model says that it is done
///
/// Any .txt file in the inbox is taken, oldest first, and moved to inbox/processed. Ctrl-C leaves the session as it is;
/// the next `relay mail run` goes on.
#[derive(Debug, Args)]
pub struct MailRunArgs {
    #[command(flatten)]
    pub which: SessionFlag,

    /// Put each message on the clipboard, and take an answer that is copied there
    ///
    /// An answer on the clipboard must name the session and the message, as the protocol tells the model to; one that
    /// does not is asked about.
    #[arg(long)]
    pub copy: bool,

    #[command(flatten)]
    pub how: HowFlags,
}

/// Carry out one answer and write the next message
///
/// Exit code 0 if every command succeeded, 3 if some failed (the next message tells the model), 1 if the answer does not
/// belong here or could not be begun.
#[derive(Debug, Args)]
pub struct MailStepArgs {
    /// The answer; `-` for standard input; the oldest in the inbox if left out
    #[arg(value_name = "FILE", conflicts_with = "paste")]
    pub file: Option<PathBuf>,

    #[command(flatten)]
    pub which: SessionFlag,

    /// Take the answer from the clipboard
    #[arg(long)]
    pub paste: bool,

    /// Put the next message on the clipboard too
    #[arg(long)]
    pub copy: bool,

    /// Carry it out although it was carried out before, or answers an older message
    #[arg(long)]
    pub again: bool,

    #[command(flatten)]
    pub how: HowFlags,
}

/// List the sessions, oldest first
#[derive(Debug, Args)]
pub struct MailListArgs {}

/// Show a session: its task, where it stands, and what became of the last answer
#[derive(Debug, Args)]
pub struct MailShowArgs {
    /// Its id or the beginning of it; the open one if left out
    #[arg(value_name = "SESSION")]
    pub session: Option<String>,

    /// Print its newest message instead, to be piped anywhere
    #[arg(long)]
    pub outbox: bool,

    /// Put its newest message on the clipboard
    #[arg(long)]
    pub copy: bool,
}

/// Open a session again and write its next message
///
/// Also one that is done, with something more to do; and one that was begun on another machine and lies in this folder. A
/// session that is open keeps its newest message, unless there is something to add.
#[derive(Debug, Args)]
pub struct MailResumeArgs {
    /// Its id or the beginning of it; the open one if left out
    #[arg(value_name = "SESSION")]
    pub session: Option<String>,

    /// What to tell the model besides
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,

    /// How many tokens the listing, the results and the files of a message may take from now on
    #[arg(long, value_name = "TOKENS", value_parser = budget)]
    pub budget: Option<usize>,

    /// Put the message on the clipboard too
    #[arg(long)]
    pub copy: bool,
}

/// End a session; what has landed stays
#[derive(Debug, Args)]
pub struct MailCloseArgs {
    /// Its id or the beginning of it; the open one if left out
    #[arg(value_name = "SESSION")]
    pub session: Option<String>,
}

/// Which session is meant.
#[derive(Clone, Debug, Args)]
pub struct SessionFlag {
    /// The session's id or the beginning of it, where several are open
    #[arg(long, value_name = "SESSION")]
    pub session: Option<String>,
}

/// How answers are carried out.
#[derive(Clone, Debug, Args)]
pub struct HowFlags {
    /// Run the commands the model asks for without a question
    ///
    /// Otherwise each one is asked about in a terminal, and refused without one. They run in the project's root for 30
    /// seconds at most, and what they do to the files can be undone; there is no sandbox around them.
    #[arg(long)]
    pub allow_commands: bool,

    /// Refuse edits of files that the model was never shown (`requireRead` in the config)
    #[arg(long)]
    pub require_read: bool,

    /// Approve each change beforehand, also with linter errors
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
