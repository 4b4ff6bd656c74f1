//! An agent for front ends that speak in commands and events: `relay rpc`, and the terminal interface in this process.

use std::path::Path;
use std::sync::Arc;

use relay_agent::driver::Agent;
use relay_diagnostics::Diagnostic;
use relay_serve::rpc::{Outlet, RpcUi};

use super::host::Binary;
use super::journal::{self, Journal};
use super::open::{Front, Which, open};
use crate::cli::AgentArgs;
use crate::failure::{BAD_USAGE, Failure};

/// An agent and its host, ready for [`relay_serve::rpc::serve`] or [`relay_serve::rpc::serve_values`].
pub struct Served {
    pub agent: Agent,
    pub host: Arc<Binary>,
    /// Notes for the person.
    pub notes: Vec<String>,
}

/// Assembles an agent that sends its events and questions to `outlet`.
pub fn served(
    root: Option<&Path>,
    args: &AgentArgs,
    which: &Which,
    offline: bool,
    outlet: &Outlet,
) -> Result<Served, Failure> {
    let ui = Arc::new(RpcUi::new(outlet.clone(), !args.yes));
    journal::keep_raw();
    let mut opened = open(root, args, which, Front { ui, offline, interactive: true })?;
    let events = outlet.clone();
    let journal = Journal::start(&opened.reach.store);
    opened.builder.observer = opened.awake.during_runs(Box::new(move |event| {
        let event = event.to_json();
        journal.note(&event);
        events.send(&event);
    }));
    let host = Binary {
        reach: opened.reach,
        engine: Arc::clone(&opened.builder.services.engine),
        skills: opened.skills,
        instructions: opened.instructions,
        fast: false.into(),
    };
    let mut agent = opened
        .builder
        .build()
        .map_err(|error| Failure::usage(Diagnostic::error(BAD_USAGE, error.to_string())))?;
    agent.deliver(opened.delivery.0, opened.delivery.1);
    agent.asker().warm_up();
    if args.plan {
        // As an errand, so that it runs, and is reported, once the front end is connected.
        let remote = agent.remote();
        let is_heard = remote.run(Box::new(|agent: &mut Agent| agent.set_plan_mode(true)));
        debug_assert!(is_heard, "the agent is right here");
    }
    Ok(Served { agent, host: Arc::new(host), notes: opened.notes })
}
