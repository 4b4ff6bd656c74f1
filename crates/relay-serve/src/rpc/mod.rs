//! `relay rpc`: one JSON object per line in, responses and events as lines out.
//!
//! The first line out is `{"type":"ready"}`. Every command is answered by a `response` with the command's id; a prompt
//! is acknowledged at once, and `agent_end` says when it is done. A line that is not a command is answered with an
//! error, and the conversation continues. The end of the input ends the process with 0.
//!
//! A front end in the same process, such as the terminal interface, uses the same commands and events without the
//! lines: [`serve_values`] takes commands from a channel, and [`Outlet::to`] passes objects on as they are.

mod commands;
mod console;
mod host;
mod host_tool;
mod host_uri;
mod outlet;
mod session;
mod ui;

use std::io::BufRead;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread;

use relay_agent::driver::{Agent, Remote};
use serde_json::{Value, json};

pub use host::Host;
pub use outlet::Outlet;
pub use session::model;
pub use ui::RpcUi;

use commands::Session;

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// The longest accepted line.
const LINE_BYTES: u64 = 64 << 20;

/// Serves until the input ends. The agent's observer must write to the same outlet.
pub fn serve(agent: Agent, host: Arc<dyn Host>, outlet: &Outlet, mut input: impl BufRead + Send) {
    with_session(agent, host, outlet, move |session| read(&mut input, session));
}

/// Serves a client in this process, until it drops its end of the channel.
pub fn serve_values(agent: Agent, host: Arc<dyn Host>, outlet: &Outlet, commands: Receiver<Value>) {
    with_session(agent, host, outlet, move |session| {
        for command in commands {
            session.handle(&command);
        }
    });
}

fn with_session(mut agent: Agent, host: Arc<dyn Host>, outlet: &Outlet, take: impl FnOnce(&Session) + Send) {
    outlet.send(&json!({ "type": "ready", "protocol": PROTOCOL, "version": env!("CARGO_PKG_VERSION") }));
    let session = Session::new(agent.remote(), host, outlet.clone());
    thread::scope(|scope| {
        scope.spawn(move || {
            take(&session);
            session.end();
        });
        agent.serve();
    });
}

fn read(input: &mut impl BufRead, session: &Session) {
    loop {
        let mut line = Vec::new();
        let mut limited = std::io::Read::take(&mut *input, LINE_BYTES);
        match limited.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice::<Value>(&line) {
            Ok(command) => session.handle(&command),
            Err(error) => session.not_understood(&format!("Failed to parse command: {error}")),
        }
    }
}

/// Runs a function on the agent's thread, and waits for its result.
fn with_agent<T: Send + 'static>(
    remote: &Remote,
    work: impl FnOnce(&mut Agent) -> T + Send + 'static,
) -> Result<T, String> {
    let (sender, receiver) = std::sync::mpsc::sync_channel(1);
    let errand = Box::new(move |agent: &mut Agent| {
        // The caller may be gone.
        drop(sender.send(work(agent)));
    });
    if !remote.run(errand) {
        return Err("the agent is gone".to_owned());
    }
    receiver.recv().map_err(|_| "the agent is gone".to_owned())
}
