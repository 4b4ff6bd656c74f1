//! The agent in the same process: opened on a thread of its own, driven by the same commands as `relay rpc`.

use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use relay_diagnostics::Diagnostic;
use relay_serve::rpc::{Outlet, RpcUi, serve};
use relay_tui::Input;
use serde_json::{Value, json};

use crate::agent::{self as parts, Binary, Front, Which};
use crate::cli::InteractiveArgs;
use crate::failure::{BAD_USAGE, Failure};

/// How long the agent may take to end: a landing completes or is rolled back.
const END: Duration = Duration::from_secs(5);

/// The agent's thread.
pub struct Agent {
    commands: Option<Sender<Value>>,
    thread: Option<JoinHandle<()>>,
}

impl Agent {
    /// Opens an agent; its frames arrive as inputs.
    pub fn start(root: Option<&Path>, args: InteractiveArgs, offline: bool, inputs: Sender<Input>) -> Self {
        let (commands, taken) = channel();
        let root = root.map(Path::to_owned);
        let work = move || {
            if let Err(failure) = open(root, &args, offline, &inputs, taken) {
                let found = failure.into_diagnostics().into_iter().next();
                let message = found.as_ref().map(|found| found.message.clone());
                let hint = found.and_then(|found| found.hint);
                let frame = json!({ "type": "open_failed", "message": message, "hint": hint });
                // Whoever closed the interface meanwhile needs no word.
                drop(inputs.send(Input::Frame(frame)));
            }
        };
        let thread = thread::Builder::new().name("agent".to_owned()).spawn(work).ok();
        Self { commands: Some(commands), thread }
    }

    /// Sends a command.
    pub fn send(&self, command: Value) {
        if let Some(commands) = &self.commands {
            // An agent that could not be opened takes none; that was said already.
            drop(commands.send(command));
        }
    }

    /// Ends the agent: what runs is aborted.
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

fn open(
    root: Option<PathBuf>,
    args: &InteractiveArgs,
    offline: bool,
    inputs: &Sender<Input>,
    commands: Receiver<Value>,
) -> Result<(), Failure> {
    let which = match (args.resume.as_deref(), args.resume_newest, args.no_session) {
        (Some(id), _, _) if !id.is_empty() => Which::Named(id.to_owned()),
        (None, true, _) => Which::Newest,
        (None, _, true) => Which::Unkept,
        _ => Which::New,
    };
    let outlet = Outlet::new(Box::new(Frames(inputs.clone())));
    let ui = Arc::new(RpcUi::new(outlet.clone(), !args.agent.yes));
    let mut opened = parts::open(root.as_deref(), &args.agent, &which, Front { ui, offline })?;
    let events = outlet.clone();
    opened.builder.observer = Box::new(move |event| events.send(&event.to_json()));
    for note in &opened.notes {
        outlet.send(&json!({ "type": "notice", "level": "warning", "text": note }));
    }
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
    serve(agent, Arc::new(host), &outlet, Lines { commands, line: Vec::new(), at: 0 });
    Ok(())
}

/// Lines that the agent writes become inputs.
struct Frames(Sender<Input>);

impl Write for Frames {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Ok(frame) = serde_json::from_slice(bytes) {
            self.0.send(Input::Frame(frame)).map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Commands become lines that the agent reads.
struct Lines {
    commands: Receiver<Value>,
    line: Vec<u8>,
    at: usize,
}

impl Read for Lines {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let ready = self.fill_buf()?;
        let count = ready.len().min(into.len());
        for (to, from) in into.iter_mut().zip(ready) {
            *to = *from;
        }
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Lines {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at >= self.line.len() {
            self.at = 0;
            self.line = match self.commands.recv() {
                Ok(command) => format!("{command}\n").into_bytes(),
                Err(_) => Vec::new(),
            };
        }
        Ok(self.line.get(self.at..).unwrap_or_default())
    }

    fn consume(&mut self, count: usize) {
        self.at += count;
    }
}
