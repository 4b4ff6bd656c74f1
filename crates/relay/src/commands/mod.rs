//! One file per command. A command returns its exit code, or a [`Failure`] that says what to do.

mod apply;
mod backends;
mod blame;
mod completions;
mod config;
mod demo;
mod doctor;
mod gc;
mod init;
pub mod log;
mod man;
mod prompt;
mod read;
mod recover;
mod review;
mod show;
mod translate;
mod trust;
mod undo;
mod watch;
mod wrap;

use crate::cli::{Cli, Command};
use crate::failure::Failure;

/// Runs what was asked for.
pub fn run(cli: Cli) -> Result<u8, Failure> {
    let root = cli.root.as_deref();
    match cli.command {
        Command::Demo(args) => demo::run(&args),
        Command::Init(args) => init::run(root, &args),
        Command::Prompt(args) => prompt::run(root, &args),
        Command::Apply(args) => apply::run(root, &args),
        Command::Watch(args) => watch::run(root, args),
        Command::Wrap(args) => wrap::run(root, &args),
        Command::Read(args) => read::run(root, &args),
        Command::Log(args) => log::run(root, &args),
        Command::Show(args) => show::run(root, &args),
        Command::Blame(args) => blame::run(root, &args),
        Command::Undo(args) => undo::undo(root, &args),
        Command::Redo(args) => undo::redo(root, &args),
        Command::Gc(args) => gc::run(root, &args),
        Command::Recover(args) => recover::run(root, &args),
        Command::Translate(args) => translate::run(root, &args),
        Command::Trust(args) => trust::run(root, &args),
        Command::Review(args) => review::run(root, &args),
        Command::Backends(args) => backends::run(&args),
        Command::Config(args) => config::run(&args),
        Command::Doctor(args) => doctor::run(root, &args),
        Command::Completions(args) => Ok(completions::run(&args)),
        Command::Man(args) => man::run(&args),
    }
}
