//! Where lines go out, and who waits for a line in answer.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

/// Writes lines, one at a time. Clones write to the same place.
#[derive(Clone)]
pub struct Outlet {
    out: Arc<Mutex<Box<dyn Write + Send>>>,
    waiting: Arc<Mutex<Waiting>>,
}

#[derive(Default)]
struct Waiting {
    last: u64,
    answers: BTreeMap<String, SyncSender<Value>>,
}

impl Outlet {
    /// Writes to `out`.
    #[must_use]
    pub fn new(out: Box<dyn Write + Send>) -> Self {
        Self { out: Arc::new(Mutex::new(out)), waiting: Arc::default() }
    }

    /// Writes a line. A reader that is gone needs none.
    pub fn send(&self, value: &Value) {
        let mut line = value.to_string();
        line.push('\n');
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        drop(out.write_all(line.as_bytes()).and_then(|()| out.flush()));
    }

    /// A new name for a request to the client, and where its answers will come.
    #[must_use]
    pub fn expect(&self, prefix: &str) -> (String, Receiver<Value>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.last += 1;
        let id = format!("{prefix}-{}", waiting.last);
        let (sender, receiver) = sync_channel(16);
        waiting.answers.insert(id.clone(), sender);
        (id, receiver)
    }

    /// Hands an answer to whoever waits for it. Names that no one knows are passed over.
    pub fn deliver(&self, id: &str, answer: Value) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = waiting.answers.get(id) {
            // One who no longer waits, or has not taken the last ones, gets no more.
            drop(sender.try_send(answer));
        }
    }

    /// No answer is expected any more.
    pub fn forget(&self, id: &str) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).answers.remove(id);
    }
}
