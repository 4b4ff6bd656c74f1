//! `relay rpc`: the agent for programs, as JSON lines on standard input and output.

use std::io;
use std::path::Path;

use relay_serve::rpc::{Outlet, serve};

use crate::agent::{Served, Which, served};
use crate::cli::RpcArgs;
use crate::failure::Failure;
use crate::terminal;

pub fn run(root: Option<&Path>, args: &RpcArgs, offline: bool) -> Result<u8, Failure> {
    if let Some(pattern) = &args.agent.ask.list_models {
        return super::models::list(offline, pattern);
    }
    let which = Which::from(&args.from);
    let outlet = Outlet::new(Box::new(io::stdout()));
    let Served { agent, host, notes } = served(root, &args.agent, &which, offline, &outlet)?;
    for note in &notes {
        terminal::note(note);
    }
    serve(agent, host, &outlet, io::BufReader::new(io::stdin()));
    Ok(0)
}
