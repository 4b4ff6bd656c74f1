//! Writes lines, and routes answers to whoever waits for them.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use relay_agent::tool::Console;
use serde_json::Value;

/// Receives outgoing objects, one at a time.
type Sink = Box<dyn FnMut(&Value) + Send>;

/// Sends objects to the client, one at a time. Clones send to the same place.
#[derive(Clone)]
pub struct Outlet {
    sink: Arc<Mutex<Sink>>,
    waiting: Arc<Mutex<Waiting>>,
}

#[derive(Default)]
struct Waiting {
    last: u64,
    answers: BTreeMap<String, SyncSender<Value>>,
    /// Terminals of programs that the client may look at.
    consoles: BTreeMap<String, Arc<dyn Console>>,
}

impl Outlet {
    /// Writes lines to `out`.
    #[must_use]
    pub fn new(mut out: Box<dyn Write + Send>) -> Self {
        Self::to(move |value| {
            let mut line = value.to_string();
            line.push('\n');
            // If the reader is gone, the line is not needed.
            drop(out.write_all(line.as_bytes()).and_then(|()| out.flush()));
        })
    }

    /// Passes every object on as it is, for a client in this process.
    #[must_use]
    pub fn to(sink: impl FnMut(&Value) + Send + 'static) -> Self {
        Self { sink: Arc::new(Mutex::new(Box::new(sink))), waiting: Arc::default() }
    }

    /// Sends an object.
    pub fn send(&self, value: &Value) {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        (*sink)(value);
    }

    /// A new id for a request to the client, and the channel for its answers.
    #[must_use]
    pub fn expect(&self, prefix: &str) -> (String, Receiver<Value>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.last += 1;
        let id = format!("{prefix}-{}", waiting.last);
        let (sender, receiver) = sync_channel(16);
        waiting.answers.insert(id.clone(), sender);
        (id, receiver)
    }

    /// Delivers an answer to the waiting request. Unknown ids are ignored.
    pub fn deliver(&self, id: &str, answer: Value) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = waiting.answers.get(id) {
            // A receiver that has gone or fallen behind gets no more.
            drop(sender.try_send(answer));
        }
    }

    /// A new name for a program's terminal.
    pub(super) fn add_console(&self, console: Arc<dyn Console>) -> String {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.last += 1;
        let id = format!("pty-{}", waiting.last);
        waiting.consoles.insert(id.clone(), console);
        id
    }

    /// The terminal of this name, as long as its program runs.
    pub(super) fn console(&self, id: &str) -> Option<Arc<dyn Console>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).consoles.get(id).cloned()
    }

    /// A program has ended.
    pub(super) fn remove_console(&self, id: &str) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).consoles.remove(id);
    }

    /// No answer is expected any more.
    pub fn forget(&self, id: &str) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).answers.remove(id);
    }
}
