//! What can be typed about other agents: asking, reviewing, and the settings for both.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use relay_settings::limits;

use super::values::{backends, conversations, jobs, models, settings, transactions};

/// Ask another agent or a model about this project
///
/// The answer streams to standard output. A backend is read-only unless you say otherwise, and Relay enforces that where
/// the system can. With --sandbox workspace-write it can write to the workspace and nowhere else, and everything it does
/// there is one transaction that is shown, checked, approved and undone like any other; where the system cannot enforce
/// that, the backend is not started.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 answered · 1 not answered, or its changes were rolled back · 2 bad usage · 130 interrupted"
)]
pub struct AskArgs {
    /// The question; `-` or nothing reads standard input
    pub prompt: Option<String>,

    /// Who to ask: codex, claude, gemini, opencode, ollama, provider/model, or one of your own; separate several with
    /// commas
    #[arg(long, value_name = "BACKEND", value_delimiter = ',', add = backends())]
    pub to: Vec<String>,

    /// Further context, from a file
    #[arg(long, value_name = "FILE")]
    pub context_file: Option<PathBuf>,

    /// Further context, as text
    #[arg(long, value_name = "TEXT")]
    pub context_text: Option<String>,

    /// Include the latest changes: what is not committed, else the last commit
    #[arg(long, overrides_with = "no_diff")]
    pub diff: bool,

    /// Do not include changes
    #[arg(long)]
    pub no_diff: bool,

    #[command(flatten)]
    pub call: CallArgs,

    /// Show the answer as it arrives
    #[arg(long, overrides_with = "no_stream")]
    pub stream: bool,

    /// Show the answer once it is complete
    #[arg(long)]
    pub no_stream: bool,

    /// Require an answer that matches this JSON schema: a file, or the schema itself
    #[arg(long, value_name = "FILE|JSON")]
    pub schema: Option<String>,

    /// Continue the conversation with this name, or start one
    #[arg(long, alias = "session", value_name = "NAME", add = conversations())]
    pub conversation: Option<String>,

    /// Answer in the background, and print the job's id
    #[arg(long)]
    pub background: bool,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// List, read and cancel background work: questions, and the agent's jobs
#[derive(Debug, Args)]
pub struct JobsArgs {
    #[command(subcommand)]
    pub command: JobsCommand,
}

/// What can be done with jobs.
#[derive(Debug, Subcommand)]
pub enum JobsCommand {
    /// List them, the newest first
    List {
        /// Print a JSON array on standard output
        #[arg(long)]
        json: bool,
    },
    /// Print a job's answer or output
    Show {
        /// Its id
        #[arg(add = jobs())]
        id: String,
        /// Print one JSON document on standard output
        #[arg(long)]
        json: bool,
    },
    /// Wait until a job ends, and print its answer or output
    Wait {
        /// Its id
        #[arg(add = jobs())]
        id: String,
        /// The longest time to wait, in seconds
        #[arg(long, value_name = "SECONDS")]
        timeout: Option<u64>,
        /// Print one JSON document on standard output
        #[arg(long)]
        json: bool,
    },
    /// Stop a job and everything it started
    Cancel {
        /// Its id
        #[arg(add = jobs())]
        id: String,
    },
    /// Remove the jobs that have ended
    Prune,
}

/// List and forget the named conversations of `relay ask`
#[derive(Debug, Args)]
pub struct ConversationsArgs {
    #[command(subcommand)]
    pub command: ConversationsCommand,
}

/// What can be done with named conversations.
#[derive(Debug, Subcommand)]
pub enum ConversationsCommand {
    /// List them, the most recently used first
    List {
        /// Print a JSON array on standard output
        #[arg(long)]
        json: bool,
    },
    /// Forget a name; the backend keeps its conversation
    Delete {
        /// The conversation's name
        #[arg(value_name = "NAME", add = conversations())]
        label: String,
    },
    /// Forget the names that have not been used for a while
    Prune {
        /// How many days
        #[arg(long, value_name = "DAYS", default_value_t = 30)]
        older_than: u32,
        /// Forget all of them
        #[arg(long)]
        all: bool,
    },
}

/// Have changes reviewed by another agent or model
///
/// Findings outside the changes are dropped; the verdict is ship, iterate or abstain, and an answer that cannot be
/// understood is never "ship". By default the current branch is compared with main (or master).
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 ship, or feedback in prose · 1 iterate · 2 no verdict although --verdict-json asks for one, or it could not be done · 130 interrupted"
)]
pub struct ReviewArgs {
    /// Who reviews; separate several with commas
    #[arg(long, value_name = "BACKEND", value_delimiter = ',', add = backends())]
    pub to: Vec<String>,

    /// Compare the current branch with this one
    #[arg(long, value_name = "BRANCH", group = "scope")]
    pub base: Option<String>,

    /// Review what is in git's index
    #[arg(long, group = "scope")]
    pub staged: bool,

    /// Review what is not committed
    #[arg(long, group = "scope")]
    pub uncommitted: bool,

    /// Review the commits in a range, written A..B
    #[arg(long, value_name = "A..B", group = "scope")]
    pub range: Option<String>,

    /// Review a transaction of the ledger
    #[arg(long, value_name = "TRANSACTION", group = "scope", add = transactions())]
    pub transaction: Option<String>,

    /// What the reviewer should look at
    #[arg(long, value_name = "TEXT")]
    pub prompt: Option<String>,

    #[command(flatten)]
    pub call: CallArgs,

    /// Land the fix suggested by finding N of the last review
    #[arg(long, value_name = "N", conflicts_with_all = ["to", "scope", "prompt", "verdict_json"])]
    pub apply: Option<usize>,

    /// Print only the verdict, as one line of JSON
    #[arg(long)]
    pub verdict_json: bool,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// How a backend is called.
#[derive(Debug, Args)]
pub struct CallArgs {
    /// The repository; the current project if left out
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,

    /// Which of its models the backend uses
    #[arg(long, value_name = "MODEL", add = models())]
    pub model: Option<String>,

    /// How many seconds an answer may take
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,

    /// How many US dollars it may cost, such as 0.50; stops before the next request
    #[arg(long, value_name = "AMOUNT", value_parser = bound(limits::cost, limits::COST))]
    pub max_cost: Option<Bound<f64>>,

    /// How many turns each backend may have; every request for an answer counts, including retries
    #[arg(long, value_name = "N", value_parser = bound(turns, "a whole number above zero"))]
    pub max_turns: Option<Bound<u32>>,

    /// When the last request may start, such as 90s or 5m; a program is stopped then
    #[arg(long, value_name = "TIME", value_parser = bound(limits::time, limits::TIME))]
    pub max_time: Option<Bound<Duration>>,

    /// The provider's service tier for the request, such as flex or priority
    #[arg(long, value_name = "TIER")]
    pub service_tier: Option<String>,

    /// What the backend may do: read-only, workspace-write or danger-full-access
    // Checked after the backend, which decides what is possible.
    #[arg(long, value_name = "SANDBOX", add = clap_complete::engine::ArgValueCandidates::new(crate::completion::sandboxes))]
    pub sandbox: Option<String>,

    /// Approve what the backend writes in advance, even with linter errors
    #[arg(long, short)]
    pub yes: bool,

    /// Allow changes to files that make other tools run code, such as .github/workflows
    #[arg(long)]
    pub allow_sensitive: bool,

    #[command(flatten)]
    pub trust: super::TrustFlag,
}

/// A limit from the command line; `none` removes one from the settings.
#[derive(Clone, Copy, Debug)]
pub struct Bound<T>(pub Option<T>);

/// Reads a limit.
pub fn bound<T>(
    read: fn(&str) -> Option<T>,
    expected: &'static str,
) -> impl Fn(&str) -> Result<Bound<T>, String> + Clone {
    move |text| match read(text) {
        _ if text == "none" => Ok(Bound(None)),
        Some(limit) => Ok(Bound(Some(limit))),
        None => Err(format!("expected {expected}, or none")),
    }
}

/// A number of turns.
pub fn turns(text: &str) -> Option<u32> {
    text.parse().ok().filter(|turns| *turns > 0)
}

/// List the agents you can ask, and how to get the others
#[derive(Debug, Args)]
pub struct BackendsArgs {
    /// Print a JSON array on standard output
    #[arg(long)]
    pub json: bool,
}

/// Show and change settings: yours and the project's
///
/// Yours are in config.toml in your config folder: nothing in a repository can set a backend, its command, an address or
/// a key. The command line overrides the environment, and the environment overrides the file. The project's, such as
/// linter or approval, are in relaycode.config.json; their names are enough to find them. Without a command, lists the
/// settings like `relay config show`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    pub command: Option<ConfigCommand>,
}

/// Which settings are meant, and how the answer is printed.
#[derive(Clone, Copy, Debug, Args)]
pub struct ConfigScope {
    /// Only the project's settings, in relaycode.config.json
    #[arg(long)]
    pub project: bool,
    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// What can be done with settings.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// List the settings of backends, the project's, and all others that you have changed
    #[command(visible_alias = "list")]
    Show {
        /// List every setting with its meaning, also those without a value
        #[arg(long)]
        all: bool,
        /// Say where each value comes from
        #[arg(long)]
        sources: bool,
        #[command(flatten)]
        scope: ConfigScope,
    },
    /// Print the value of one setting
    Get {
        /// Its name, such as backends.default or linter
        #[arg(add = settings())]
        key: String,
        #[command(flatten)]
        scope: ConfigScope,
    },
    /// Change one setting in its file
    Set {
        /// Its name, such as backends.default or linter
        #[arg(add = settings())]
        key: String,
        /// Its new value
        #[arg(allow_negative_numbers = true)]
        value: String,
        #[command(flatten)]
        scope: ConfigScope,
    },
    /// Remove one setting from its file, so that the default applies again
    Unset {
        /// Its name, such as backends.default or linter
        #[arg(add = settings())]
        key: String,
        #[command(flatten)]
        scope: ConfigScope,
    },
    /// Open your file in your editor
    Edit,
    /// Print where your file is
    Path,
}

impl ConfigCommand {
    /// Whether the answer is a JSON document.
    pub fn wants_json(&self) -> bool {
        match self {
            Self::Show { scope, .. }
            | Self::Get { scope, .. }
            | Self::Set { scope, .. }
            | Self::Unset { scope, .. } => scope.json,
            Self::Edit | Self::Path => false,
        }
    }
}
