//! The `relay` command: arguments in, one command run, an exit code out.

mod agent;
mod asking;
mod channel;
mod cli;
mod clipboard;
mod commands;
mod completion;
mod failure;
mod instructions;
#[cfg(unix)]
mod interactive;
mod open;
mod reviewed;
mod signals;
mod terminal;
mod user;
mod watch;

use std::process::ExitCode;

use failure::Failure;
use relay_exec::sandbox;

/// A reply of a thousand files allocates tens of thousands of small strings; this allocator takes half the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if std::env::var_os(completion::VARIABLE).is_some() {
        clap_complete::CompleteEnv::with_factory(cli::definition).var(completion::VARIABLE).complete();
    }
    ExitCode::from(run(&arguments))
}

/// Whether `relay` without arguments opens the terminal interface, because a person is at a terminal.
fn opens_the_agent() -> bool {
    #[cfg(unix)]
    return interactive::is_possible();
    #[cfg(not(unix))]
    return false;
}

/// Parses the arguments and runs the command. Usage errors and `--help` are answered by the parser itself.
fn run(arguments: &[std::ffi::OsString]) -> u8 {
    if let [_, only] = arguments
        && (only == "--version" || only == "-V")
    {
        return terminal::print(&format!("relay {}\n", env!("CARGO_PKG_VERSION")));
    }
    if arguments.len() <= 1 && !opens_the_agent() {
        return commands::front_door();
    }
    let with_command = cli::with_agent(arguments);
    let arguments = with_command.as_deref().unwrap_or(arguments);
    if let [_, only] = arguments
        && only == clipboard::HOLD
    {
        return clipboard::hold().unwrap_or_else(|failure| failure.report(false));
    }
    if let [_, first, rest @ ..] = arguments
        && first == sandbox::COMMAND
    {
        return Failure::environment(&sandbox::enter(rest)).report(false);
    }
    if let [_, first, rest @ ..] = arguments
        && first == relay_exec::git::plain::COMMAND
    {
        return plain_git(rest);
    }
    if let [_, first, kind] = arguments
        && first == relay_tools::CONVERT
    {
        return commands::convert::run(&kind.to_string_lossy());
    }
    if let [_, first, socket] = arguments
        && first == sandbox::BRIDGE
    {
        return bridge(socket);
    }
    if let [_, first, id] = arguments
        && first == commands::background::COMMAND
    {
        return commands::background::work(&id.to_string_lossy())
            .unwrap_or_else(|failure| failure.report(false));
    }
    match cli::parse(arguments) {
        Ok(cli) => {
            commands::themes::wear();
            let json = cli.command.wants_json();
            commands::run(cli).unwrap_or_else(|failure| failure.report(json))
        }
        Err(error) => {
            if error.use_stderr() && arguments.iter().any(|argument| argument == "--json") {
                return Failure::bad_usage(&error).report(true);
            }
            // A reader that went away (`relay --help | head -1`) is not an error.
            drop(error.print());
            u8::try_from(error.exit_code()).unwrap_or(2)
        }
    }
}

/// The `git` of the agent's shell.
#[cfg(unix)]
fn plain_git(arguments: &[std::ffi::OsString]) -> u8 {
    Failure::environment(&relay_exec::git::plain::become_git(arguments)).report(false)
}

/// The agent's shell is a Unix one.
#[cfg(not(unix))]
fn plain_git(_: &[std::ffi::OsString]) -> u8 {
    1
}

/// The part of the proxy that runs inside a sandbox. It ends with the sandbox.
#[cfg(unix)]
fn bridge(socket: &std::ffi::OsStr) -> u8 {
    let ended = relay_net::gate::bridge(std::path::Path::new(socket), &mut std::io::stdout());
    u8::from(ended.is_err())
}

/// Without local sockets there is no proxy.
#[cfg(not(unix))]
fn bridge(_: &std::ffi::OsStr) -> u8 {
    1
}
