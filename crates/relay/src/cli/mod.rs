//! What can be typed. The doc comments here are the help texts, the man pages and `docs/cli.md`.

mod agents;
mod interactive;
mod land;
mod ledger;
mod mail;
mod models;
pub mod overview;
mod pack;
mod run;
mod search;
mod sessions;
mod setup;
mod start;
pub mod topics;
mod values;
mod watch;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

pub use agents::{
    AskArgs, BackendsArgs, CallArgs, ConfigArgs, ConfigCommand, ConfigScope, ConversationsArgs,
    ConversationsCommand, JobsArgs, JobsCommand, ReviewArgs,
};
pub use interactive::InteractiveArgs;
pub use land::{ApplyArgs, ReadArgs, TranslateArgs, TrustFlag, WrapArgs};
pub use ledger::{AnswerFlags, BlameArgs, GcArgs, LogArgs, RecoverArgs, RedoArgs, ShowArgs, UndoArgs};
pub use mail::{
    HowFlags, MailArgs, MailCloseArgs, MailCommand, MailResumeArgs, MailRunArgs, MailShowArgs, MailStartArgs,
    MailStepArgs,
};
pub use models::{AuthArgs, AuthCommand, LoginArgs, LogoutArgs, ModelsArgs, StatusArgs};
pub use pack::{ContextAction, ContextArgs, PackArgs};
pub use run::{AgentArgs, Mode, ModelFlags, ResumeArgs, RpcArgs, RunArgs, SessionFlags};
pub use search::{FindArgs, ScopeFlags, SearchArgs};
pub use sessions::{ExportFormat, ImportFrom, SessionsArgs, SessionsCommand};
pub use setup::{
    CompletionsArgs, DoctorArgs, HelpArgs, ManArgs, ManFormat, SkillsArgs, ThemesArgs, TrustArgs,
};
pub use start::{DemoArgs, InitArgs, ProjectStatusArgs, PromptArgs};
pub use watch::WatchArgs;

use crate::terminal;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Relay lands AI-written code changes safely: all or nothing, checked, approved, undoable
///
/// Relay takes a model's reply, works out exactly what it changes, and lands it as one transaction: every file or
/// none. Your linter and your tests decide whether it stays, and every change can be undone.
#[derive(Debug, Parser)]
#[command(name = "relay", version, styles = STYLES, disable_help_subcommand = true)]
pub struct Cli {
    /// Work in this folder instead of finding the project from here
    #[arg(long, global = true, value_name = "DIR", help_heading = GLOBAL, value_hint = clap::ValueHint::DirPath)]
    pub root: Option<PathBuf>,

    /// Make no network connections
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub offline: bool,

    /// Use colours: auto (in a terminal), always or never
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        help_heading = GLOBAL,
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub color: Color,

    #[command(subcommand)]
    pub command: Command,
}

/// `--help` lists the options of every command after a command's own.
const GLOBAL: &str = "Global options";

/// When colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// In a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// One command each; the code is in the file of the same name under `commands/`. The arguments of a command are only put
/// together when it is called.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    Demo(DemoArgs),
    Init(InitArgs),
    Status(ProjectStatusArgs),
    Prompt(PromptArgs),
    Pack(PackArgs),
    Context(ContextArgs),
    Apply(ApplyArgs),
    Watch(WatchArgs),
    Wrap(WrapArgs),
    Mail(MailArgs),
    Read(ReadArgs),
    Search(SearchArgs),
    Find(FindArgs),
    Translate(TranslateArgs),
    Log(LogArgs),
    Show(ShowArgs),
    Blame(BlameArgs),
    Undo(UndoArgs),
    Redo(RedoArgs),
    Gc(GcArgs),
    Recover(RecoverArgs),
    Trust(TrustArgs),
    Agent(Box<InteractiveArgs>),
    Run(Box<RunArgs>),
    Resume(Box<ResumeArgs>),
    Rpc(Box<RpcArgs>),
    Ask(AskArgs),
    Review(ReviewArgs),
    Jobs(JobsArgs),
    Sessions(SessionsArgs),
    #[command(alias = "session")]
    Conversations(ConversationsArgs),
    Backends(BackendsArgs),
    Config(ConfigArgs),
    Models(ModelsArgs),
    Auth(AuthArgs),
    Skills(SkillsArgs),
    Themes(ThemesArgs),
    Doctor(DoctorArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    Help(HelpArgs),
}

impl Command {
    /// Whether the caller expects a JSON document, even on failure.
    pub fn wants_json(&self) -> bool {
        match self {
            Command::Status(args) => args.json,
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
            Command::Run(args) => args.json,
            Command::Resume(args) => args.json,
            Command::Ask(args) => args.json,
            Command::Sessions(args) => args.command.wants_json(),
            Command::Config(args) => args.command.as_ref().is_some_and(ConfigCommand::wants_json),
            Command::Review(args) => args.json || args.verdict_json,
            Command::Backends(args) => args.json,
            Command::Doctor(args) => args.json,
            Command::Models(args) => args.json,
            Command::Skills(args) => args.json,
            Command::Themes(args) => args.json,
            Command::Auth(AuthArgs { command: AuthCommand::Status(args) }) => args.json,
            _ => false,
        }
    }
}

/// The nearest name, and all of them.
pub fn did_you_mean(name: &str, names: &[&str]) -> String {
    let all = names.join(", ");
    match relay_engine::suggest::closest(name, names) {
        Some(near) => format!("Did you mean `{near}`? There are {all}."),
        None => format!("There are {all}."),
    }
}

/// The nearest command or topic, else where they are listed: there are too many to name.
pub fn nearest_command(name: &str, names: &[&str]) -> String {
    match relay_engine::suggest::closest(name, names) {
        Some(near) => format!("Did you mean `{near}`? `relay help` lists all commands and topics."),
        None => "`relay help` lists all commands and topics.".to_owned(),
    }
}

/// What may come first when `agent` is meant.
const OF_THE_AGENT: &[&str] = &[
    "--",
    "-c",
    "--continue",
    "-r",
    "--resume",
    "--session",
    "--fork",
    "--no-session",
    "--session-dir",
    "-p",
    "--print",
    "--mode",
    "--export",
    "--full-screen",
    "--model",
    "--provider",
    "--thinking",
    "--smol",
    "--slow",
    "--models",
    "--list-models",
    "--api-key",
    "--provider-session-id",
    "--policy",
    "--allow",
    "-y",
    "--yes",
    "--tools",
    "--add-dir",
    "--system-prompt",
    "--append-system-prompt",
    "--text-edits",
    "--plan",
    "--no-tools",
    "--no-rules",
    "--no-lsp",
    "--no-pty",
    "--max-cost",
    "--max-turns",
    "--max-time",
];

/// The arguments with the command `agent` inserted, if there is no command: `relay --continue` is `relay agent
/// --continue`. `None` if there is a command or a request for help.
pub fn with_agent(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let mut rest = arguments.iter().skip(1);
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        let name = text.split_once('=').map_or(&*text, |(name, _)| name);
        match name {
            "--offline" => {}
            "--root" | "--color" => {
                if !text.contains('=') {
                    rest.next()?;
                }
            }
            _ if OF_THE_AGENT.contains(&name) => break,
            _ => return None,
        }
    }
    let mut whole = arguments.to_vec();
    whole.insert(1.min(whole.len()), "agent".into());
    Some(whole)
}

/// Parses what was typed. Help for Relay as a whole is the overview, wherever `--help` appeared.
pub fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(arguments).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp => {
            let root = definition().override_help(overview::overview(terminal::print_width()));
            root.try_get_matches_from(arguments).err().unwrap_or(error)
        }
        _ => error,
    })
}

/// The definition itself, for completions, man pages and the reference.
pub fn definition() -> clap::Command {
    Cli::command()
}

#[cfg(test)]
mod tests {
    #[test]
    fn without_a_command_the_agent_is_meant() {
        let put_in = |line: &str| {
            let words: Vec<std::ffi::OsString> = line.split(' ').map(Into::into).collect();
            super::with_agent(&words)
                .map(|words| words.join(std::ffi::OsStr::new(" ")).into_string().unwrap())
        };
        for (line, expected) in [
            ("relay", Some("relay agent")),
            ("relay --continue", Some("relay agent --continue")),
            ("relay --offline --root x -- do it", Some("relay agent --offline --root x -- do it")),
            ("relay --resume=abc --model m", Some("relay agent --resume=abc --model m")),
            ("relay log", None),
            ("relay --offline log --json", None),
            ("relay --help", None),
            ("relay --root", None),
        ] {
            assert_eq!(put_in(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn every_option_of_the_agent_may_come_first() {
        let mut root = super::definition();
        root.build();
        let agent = root.find_subcommand("agent").unwrap();
        let global = ["--root", "--offline", "--color", "--help"];
        let missing: Vec<String> = agent
            .get_arguments()
            .flat_map(|argument| {
                let long = argument.get_long_and_visible_aliases().unwrap_or_default().into_iter();
                let short = argument.get_short().map(|short| format!("-{short}"));
                long.map(|name| format!("--{name}")).chain(short).collect::<Vec<_>>()
            })
            .filter(|name| !global.contains(&name.as_str()) && name != "-h")
            .filter(|name| !super::OF_THE_AGENT.contains(&name.as_str()))
            .collect();
        assert_eq!(missing, Vec::<String>::new());
    }

    #[test]
    fn the_definition_is_consistent() {
        super::definition().debug_assert();
    }
}
