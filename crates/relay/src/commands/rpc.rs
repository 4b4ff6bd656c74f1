//! `relay rpc`: the agent for programs, as JSON lines on standard input and output.

use std::io;
use std::path::Path;
use std::sync::Arc;

use relay_diagnostics::Diagnostic;
use relay_serve::rpc::{Outlet, RpcUi, serve};

use crate::agent::{self, Binary, Front, Which};
use crate::cli::RpcArgs;
use crate::failure::{BAD_USAGE, Failure};

pub fn run(root: Option<&Path>, args: &RpcArgs, offline: bool) -> Result<u8, Failure> {
    let which = match (&args.session, args.resume_newest, args.no_session) {
        (Some(id), _, _) => Which::Named(id.clone()),
        (None, true, _) => Which::Newest,
        (None, _, true) => Which::Unkept,
        _ => Which::New,
    };
    let outlet = Outlet::new(Box::new(io::stdout()));
    let ui = Arc::new(RpcUi::new(outlet.clone(), !args.agent.yes));
    let mut opened = agent::open(root, &args.agent, &which, Front { ui, offline })?;
    let events = outlet.clone();
    opened.builder.observer = Box::new(move |event| events.send(&event.to_json()));
    let host = Binary {
        store: opened.store,
        settings: opened.settings,
        engine: Arc::clone(&opened.builder.services.engine),
        budget: opened.budget,
        offline,
    };
    let mut agent = opened
        .builder
        .build()
        .map_err(|error| Failure::usage(Diagnostic::error(BAD_USAGE, error.to_string())))?;
    agent.deliver(opened.delivery.0, opened.delivery.1);
    serve(agent, Arc::new(host), &outlet, io::BufReader::new(io::stdin()));
    Ok(0)
}
