//! The agent in the same process: opened on a thread of its own, driven by the same commands as `relay rpc`.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use relay_serve::rpc::{Outlet, serve_values};
use relay_tui::Input;
use serde_json::{Value, json};

use super::pictures::Pictures;
use super::{fork, setup, trust};
use crate::agent::{Served, Which, served};
use crate::cli::InteractiveArgs;
use crate::failure::{Failure, NO_MODEL};
use crate::{open, user};

/// How long the agent may take to stop, so that a landing can complete or roll back.
const END: Duration = Duration::from_secs(5);

/// The interface, as the agent reaches it.
pub struct Front {
    /// Where everything goes.
    pub inputs: Sender<Input>,
    /// What pictures become on the way.
    pub pictures: Pictures,
}

/// The agent's thread.
pub struct Agent {
    commands: Option<Sender<Value>>,
    thread: Option<JoinHandle<()>>,
}

impl Agent {
    /// Opens an agent; its frames arrive as inputs.
    pub fn start(root: Option<&Path>, args: InteractiveArgs, offline: bool, front: Front) -> Self {
        let (commands, taken) = channel();
        let root = root.map(Path::to_owned);
        let inputs = front.inputs.clone();
        let work = move || match work(root.as_deref(), args, offline, &front, taken) {
            Ok(true) => {}
            Ok(false) => drop(inputs.send(Input::Frame(json!({ "type": "stop", "code": 0 })))),
            Err(failure) => {
                let found = failure.into_diagnostics().into_iter().next();
                let message = found.as_ref().map(|found| found.message.clone());
                let hint = found.and_then(|found| found.hint);
                let frame = json!({ "type": "open_failed", "message": message, "hint": hint });
                // If the interface was closed meanwhile, no one needs the message.
                drop(inputs.send(Input::Frame(frame)));
            }
        };
        let thread = thread::Builder::new().name("agent".to_owned()).spawn(work).ok();
        Self { commands: Some(commands), thread }
    }

    /// Sends a command.
    pub fn send(&self, command: Value) {
        if let Some(commands) = &self.commands {
            // An agent that failed to open takes no commands; the failure was already reported.
            drop(commands.send(command));
        }
    }

    /// Stops the agent and aborts its running work.
    pub fn end(mut self) {
        drop(self.commands.take());
        let since = Instant::now();
        if let Some(thread) = self.thread.take() {
            while !thread.is_finished() && since.elapsed() < END {
                thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// Asks the opening questions, then opens the agent and serves it. `false` if the person wants to leave.
fn work(
    root: Option<&Path>,
    mut args: InteractiveArgs,
    offline: bool,
    front: &Front,
    taken: Receiver<Value>,
) -> Result<bool, Failure> {
    let inputs = &front.inputs;
    if trust::ask(root, &mut args.agent, inputs, &taken)? == trust::Answer::Leave {
        return Ok(false);
    }
    if !fork::ask(root, &mut args, inputs, &taken)? {
        return Ok(false);
    }
    loop {
        match opened(root, &args, offline, front) {
            Ok((Served { agent, host, .. }, outlet)) => {
                serve_values(agent, host, &outlet, taken);
                return Ok(true);
            }
            Err(failure) if failure.is(NO_MODEL) => {
                if !setup::choose(&mut args.agent, offline, inputs, &taken) {
                    return Ok(true);
                }
            }
            Err(failure) => return Err(failure),
        }
    }
}

/// Whether the user wants to go on with the newest session unless they say otherwise. What is wrong with the settings is
/// reported when the agent reads them.
fn resumes_by_itself() -> bool {
    let settings = open::store().ok().and_then(|store| user::settings_unnoted(&store));
    settings.is_some_and(|settings| settings.flag("autoResume"))
}

/// An agent, with a way for its frames.
fn opened(
    root: Option<&Path>,
    args: &InteractiveArgs,
    offline: bool,
    front: &Front,
) -> Result<(Served, Outlet), Failure> {
    // A person who chooses from a list starts with a new session.
    let chooses = args.resume.as_deref() == Some("");
    let which = match Which::from(&args.from()) {
        _ if chooses => Which::New,
        Which::New if resumes_by_itself() => Which::Newest,
        which => which,
    };
    let (frames, pictures) = (front.inputs.clone(), front.pictures.clone());
    // Once the interface is closed, no one looks at frames.
    let outlet = Outlet::to(move |frame| drop(frames.send(Input::Frame(pictures.adapted(frame.clone())))));
    let served = served(root, &args.agent, &which, offline, &outlet)?;
    for note in &served.notes {
        outlet.send(&json!({ "type": "notice", "level": "warning", "text": note }));
    }
    Ok((served, outlet))
}
