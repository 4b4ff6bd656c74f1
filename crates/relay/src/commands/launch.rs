//! `relay agent`, and `relay` without a command: the terminal interface, or what the options ask for instead.

use std::path::Path;

use super::{models, rpc, run as answer, sessions};
use crate::cli::{InteractiveArgs, Mode, RpcArgs, RunArgs};
use crate::failure::Failure;

pub fn run(root: Option<&Path>, args: InteractiveArgs, offline: bool) -> Result<u8, Failure> {
    if let Some(pattern) = &args.agent.ask.list_models {
        return models::list(offline, pattern);
    }
    if let Some([session, rest @ ..]) = args.export.as_deref() {
        return sessions::export_page(root, &args.agent, session, rest.first().map(|out| &**out));
    }
    match (args.mode, &args.print) {
        (Some(Mode::Rpc), _) => rpc::run(root, &RpcArgs { from: args.from(), agent: args.agent }, offline),
        (Some(mode), _) => answer::run(root, &without_interface(args, mode), offline),
        (None, Some(_)) => answer::run(root, &without_interface(args, Mode::Text), offline),
        (None, None) => interface(root, args, offline),
    }
}

fn without_interface(args: InteractiveArgs, mode: Mode) -> RunArgs {
    let from = args.from();
    let said = args.print.into_iter().filter(|prompt| !prompt.is_empty());
    let prompt = said.chain(args.prompt).collect();
    RunArgs { prompt, from, agent: args.agent, mode: Some(mode), ..RunArgs::default() }
}

#[cfg(unix)]
fn interface(root: Option<&Path>, args: InteractiveArgs, offline: bool) -> Result<u8, Failure> {
    crate::interactive::run(root, args, offline)
}

/// The interface needs a Unix terminal.
#[cfg(not(unix))]
fn interface(_: Option<&Path>, _: InteractiveArgs, _: bool) -> Result<u8, Failure> {
    use crate::failure::BAD_USAGE;
    use relay_diagnostics::Diagnostic;
    let message = "the terminal interface is not available on this system yet";
    Err(Failure::usage(Diagnostic::error(BAD_USAGE, message).hinted("`relay run PROMPT` works here.")))
}
