//! What can be typed about Relay's own agent.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use relay_llm::Thinking;
use relay_settings::limits;

use super::agents::{Bound, bound, turns};
use super::values::{models, policies, providers, sessions};

/// Let Relay's agent do something in this project
///
/// The agent reads, edits and runs commands until it is done. Every change is a transaction on the ledger: `relay undo
/// --turn` undoes everything since the prompt, `relay log --session` lists it. The answer goes to standard output,
/// progress to standard error. Without PROMPT the prompt is standard input; with it, standard input is context.
#[derive(Debug, Default, Args)]
#[command(
    after_help = "Exit codes: 0 done · 1 failed, or a call was denied · 2 bad usage · 4 a limit was reached · 130 interrupted"
)]
pub struct RunArgs {
    /// What to do; words that begin with @ name files to attach
    #[arg(value_name = "PROMPT")]
    pub prompt: Vec<String>,

    #[command(flatten)]
    pub agent: AgentArgs,

    /// Print one JSON document at the end
    #[arg(long, conflicts_with = "stream_json")]
    pub json: bool,

    /// Print every event as a line of JSON
    #[arg(long)]
    pub stream_json: bool,

    /// What goes in and out: text, json (as --stream-json) or rpc (as `relay rpc`)
    #[arg(long, value_name = "MODE", conflicts_with_all = ["json", "stream_json"])]
    pub mode: Option<Mode>,

    #[command(flatten)]
    pub from: SessionFlags,

    /// End background jobs when the agent is done, instead of waiting for them
    #[arg(long)]
    pub cancel_jobs: bool,

    /// Require an answer that matches this JSON schema
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,

    /// Attach this image; repeatable
    #[arg(long, value_name = "FILE")]
    pub image: Vec<PathBuf>,

    /// Name the session after the prompt, without asking a model
    #[arg(long)]
    pub no_title: bool,

    /// Record what the model says and what tools return
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

/// What goes in and out of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// The answer as text
    Text,
    /// Every event as a line of JSON
    Json,
    /// Commands in, events out, as JSON lines
    Rpc,
}

/// Which session a run continues.
#[derive(Clone, Debug, Default, Args)]
pub struct SessionFlags {
    /// Continue the newest session of this project
    #[arg(long = "continue", short = 'c', conflicts_with_all = ["session", "fork", "no_session"])]
    pub resume_newest: bool,

    /// Continue this session: its id, the beginning of it, or its file
    #[arg(long, visible_alias = "resume", short_alias = 'r', value_name = "ID", conflicts_with_all = ["fork", "no_session"])]
    pub session: Option<String>,

    /// Continue with a copy of this session
    #[arg(long, value_name = "ID", conflicts_with = "no_session")]
    pub fork: Option<String>,

    /// Do not save the session
    #[arg(long)]
    pub no_session: bool,
}

/// What every front end of the agent takes.
#[derive(Clone, Debug, Default, Args)]
pub struct AgentArgs {
    #[command(flatten)]
    pub ask: ModelFlags,

    /// What may happen without asking: read-only, ask, auto or full
    #[arg(long, value_name = "POLICY", add = policies())]
    pub policy: Option<String>,

    /// Allow something in advance: web, network, outside or destructive; repeatable
    #[arg(long, value_name = "CLASS")]
    pub allow: Vec<String>,

    /// Never ask; deny whatever would need an answer
    #[arg(long, short = 'y')]
    pub yes: bool,

    /// Offer only these tools, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with = "no_tools")]
    pub tools: Option<Vec<String>>,

    /// Let the agent read this folder too, and its commands write there; edits stay in the project; repeatable
    #[arg(long, value_name = "DIR")]
    pub add_dir: Vec<PathBuf>,

    /// Use this text, or this file's, in place of Relay's instructions to the model
    #[arg(long, value_name = "TEXT|FILE")]
    pub system_prompt: Option<String>,

    /// Add this text, or this file's, to the instructions
    #[arg(long, value_name = "TEXT|FILE")]
    pub append_system_prompt: Option<String>,

    /// Land edits in plain answers too; the default for models that cannot call tools
    #[arg(long)]
    pub text_edits: bool,

    /// Plan first: the agent changes nothing until you approve its plan
    #[arg(long)]
    pub plan: bool,

    #[command(flatten)]
    pub without: Without,

    /// Keep sessions in this folder, and find them there
    #[arg(long, value_name = "DIR")]
    pub session_dir: Option<PathBuf>,

    #[command(flatten)]
    pub limits: LimitFlags,
}

/// Which models are asked, and how.
#[derive(Clone, Debug, Default, Args)]
pub struct ModelFlags {
    /// The model: provider/model, with :low, :medium or :high for how hard it thinks; or replay:FILE
    #[arg(long, value_name = "MODEL", add = models())]
    pub model: Option<String>,

    /// The provider, for a model that is named without one
    #[arg(long, value_name = "NAME", add = providers())]
    pub provider: Option<String>,

    /// How hard the model thinks: off, minimal, low, medium, high or max
    #[arg(long, value_name = "LEVEL", value_parser = thinking)]
    pub thinking: Option<Thinking>,

    /// The model for small work, such as names of sessions, in place of `modelRoles.smol`
    #[arg(long, value_name = "MODEL", add = models())]
    pub smol: Option<String>,

    /// The model for hard work, in place of `modelRoles.slow`
    #[arg(long, value_name = "MODEL", add = models())]
    pub slow: Option<String>,

    /// The models that can be switched between, separated by commas; `*` matches anything
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub models: Vec<String>,

    /// List the models you can use, or those that match, and exit
    #[arg(long, value_name = "PATTERN", num_args = 0..=1, default_missing_value = "")]
    pub list_models: Option<String>,

    /// The key for the model's provider, for this run; other programs can see it, so prefer `relay auth login`
    #[arg(long, value_name = "KEY")]
    pub api_key: Option<String>,

    /// The id under which the provider caches, in place of the session's id
    #[arg(long, value_name = "ID")]
    pub provider_session_id: Option<String>,
}

/// What the agent must not use.
#[derive(Clone, Debug, Default, Args)]
pub struct Without {
    /// Offer no tools
    #[arg(long)]
    pub no_tools: bool,

    /// Ignore the project's and the user's rules
    #[arg(long)]
    pub no_rules: bool,

    /// Do not use language servers
    #[arg(long)]
    pub no_lsp: bool,

    /// Never give a command a terminal of its own
    #[arg(long)]
    pub no_pty: bool,
}

/// Limits on cost, turns and time.
#[derive(Clone, Debug, Default, Args)]
pub struct LimitFlags {
    /// Stop before this many US dollars are spent
    #[arg(long, value_name = "AMOUNT", value_parser = bound(limits::cost, limits::COST))]
    pub max_cost: Option<Bound<f64>>,

    /// Stop after this many turns
    #[arg(long, value_name = "N", value_parser = bound(turns, "a whole number above zero"))]
    pub max_turns: Option<Bound<u32>>,

    /// Stop after this time: 90s, 5m, 1h
    #[arg(long, value_name = "TIME", value_parser = bound(limits::time, limits::TIME))]
    pub max_time: Option<Bound<Duration>>,
}

fn thinking(name: &str) -> Result<Thinking, String> {
    let known = if name == "xhigh" { Some(Thinking::Max) } else { Thinking::from_name(name) };
    known.ok_or_else(|| "use off, minimal, low, medium, high or max".to_owned())
}

/// Continue a session of the agent
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The session: its id or the beginning of it; the newest one if left out
    #[arg(value_name = "ID", add = sessions())]
    pub session: Option<String>,

    #[command(flatten)]
    pub agent: AgentArgs,

    /// Print one JSON document at the end
    #[arg(long)]
    pub json: bool,
}

/// Drive the agent from another program
///
/// Commands come as JSON lines on standard input; responses and events go out as JSON lines. docs/formats/rpc.md describes
/// them. The agent ends when its input ends.
#[derive(Debug, Args)]
pub struct RpcArgs {
    #[command(flatten)]
    pub agent: AgentArgs,

    #[command(flatten)]
    pub from: SessionFlags,
}
