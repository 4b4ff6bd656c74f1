//! One file per command. A command returns its exit code, or a [`Failure`] that says what to do.

pub mod apply;
mod ask;
mod auth;
mod backends;
mod blame;
mod completions;
mod config;
mod context;
mod conversations;
pub mod convert;
mod demo;
mod doctor;
mod find;
mod gc;
mod help;
mod init;
mod jobs;
mod launch;
pub mod log;
mod mail;
mod man;
mod models;
mod pack;
mod prompt;
mod read;
mod recover;
mod review;
mod rpc;
mod run;
mod search;
pub mod sessions;
pub mod show;
mod skills;
mod status;
pub mod themes;
mod translate;
mod trust;
mod undo;
mod watch;
mod wrap;

use relay_diagnostics::Diagnostic;
use relay_engine::Engine;

pub use apply::trust_answer;
pub use ask::background;
pub use auth::sound as sound_key;
pub use help::front_door;
pub use status::backends as installed_agents;

use crate::cli::{Cli, Command};
use crate::failure::{BAD_USAGE, Failure};
use crate::terminal;

/// Runs the command.
pub fn run(cli: Cli) -> Result<u8, Failure> {
    terminal::use_colors(cli.color);
    let root = cli.root.as_deref();
    if matches!(cli.command, Command::Agent(_) | Command::Run(_) | Command::Resume(_) | Command::Rpc(_)) {
        relay_exec::pages::use_small();
    }
    match cli.command {
        Command::Demo(args) => demo::run(&args),
        Command::Init(args) => init::run(root, &args),
        Command::Status(args) => status::run(root, &args),
        Command::Prompt(args) => prompt::run(root, &args),
        Command::Pack(args) => pack::run(root, &args),
        Command::Context(args) => context::run(root, &args),
        Command::Apply(args) => apply::run(root, &args, cli.offline),
        Command::Watch(args) => watch::run(root, args, cli.offline),
        Command::Wrap(args) => wrap::run(root, &args),
        Command::Mail(args) => mail::run(root, &args),
        Command::Read(args) => read::run(root, &args),
        Command::Search(args) => search::run(root, &args),
        Command::Find(args) => find::run(root, &args),
        Command::Log(args) => log::run(root, &args),
        Command::Show(args) => show::run(root, &args),
        Command::Blame(args) => blame::run(root, &args),
        Command::Undo(args) => undo::undo(root, &args),
        Command::Redo(args) => undo::redo(root, &args),
        Command::Gc(args) => gc::run(root, &args),
        Command::Recover(args) => recover::run(root, &args),
        Command::Translate(args) => translate::run(root, &args),
        Command::Trust(args) => trust::run(root, &args),
        Command::Review(_) if cli.offline => Err(agents_connect()),
        Command::Agent(args) => launch::run(root, *args, cli.offline),
        Command::Run(args) => run::run(root, &args, cli.offline),
        Command::Resume(args) => run::resume(root, &args, cli.offline),
        Command::Rpc(args) => rpc::run(root, &args, cli.offline),
        Command::Ask(args) => ask::run(root, &args, cli.offline),
        Command::Jobs(args) => jobs::run(&args),
        Command::Sessions(args) => sessions::run(root, &args),
        Command::Conversations(args) => conversations::run(&args),
        Command::Review(args) => review::run(root, &args, cli.offline),
        Command::Backends(args) => backends::run(&args),
        Command::Config(args) => config::run(root, &args),
        Command::Models(args) => models::run(cli.offline, &args),
        Command::Auth(args) => auth::run(&args.command),
        Command::Skills(args) => skills::run(root, &args),
        Command::Themes(args) => themes::run(&args),
        Command::Doctor(args) => doctor::run(root, cli.offline, &args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
        Command::Help(args) => help::run(&args),
    }
}

/// The group that `--turn` or `--session` names; a session without an id is the newest one.
fn agent_group(engine: &Engine, turn: bool, session: Option<&str>) -> Result<Option<String>, Failure> {
    let newest = match session {
        Some("") => relay_engine::group::newest_session,
        Some(id) => return Ok(Some(relay_engine::group::of_session(id))),
        None if turn => relay_engine::group::newest_prompt,
        None => return Ok(None),
    };
    newest(&engine.history()?).map(Some).ok_or_else(|| {
        let message = "the agent has not changed anything here";
        Failure::usage(Diagnostic::error(BAD_USAGE, message).hinted("`relay log` lists what landed."))
    })
}

/// Other agents reach their own providers; with `--offline` they are not started.
fn agents_connect() -> Failure {
    let message = "--offline: a reviewer is another agent, which connects to its provider";
    Failure::usage(
        Diagnostic::error(BAD_USAGE, message).hinted("Leave out --offline to have the changes reviewed."),
    )
}
