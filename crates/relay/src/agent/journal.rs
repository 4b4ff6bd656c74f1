//! A log for debugging, in the state folder: one line for each event with its time and process.
//!
//! It contains nothing that was said, read or written, only what kind of event happened and how it ended. In memory, it also
//! keeps what the provider sent last.

use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use relay_llm::RawFrames;
use relay_store::{Folder, Store, StoreError};
use serde_json::Value;

/// The file, in the folder `logs` of the state folder.
const FILE: &str = "relay.log";
/// When a process begins to write to a longer file, only the file's end is kept.
const LONGEST: usize = 4 << 20;
/// How much of the file is kept.
const KEPT: usize = 1 << 20;
/// Lines that arrive within this time are written together.
const JOIN: Duration = Duration::from_millis(100);
/// The longest line.
const LINE_CHARS: usize = 400;

/// The frames of this process, once a front end that can show them is open.
static RAW: OnceLock<RawFrames> = OnceLock::new();

/// Keeps what providers send from now on.
pub fn keep_raw() -> RawFrames {
    RAW.get_or_init(RawFrames::default).clone()
}

/// Where frames are kept, if they are.
pub fn raw() -> Option<RawFrames> {
    RAW.get().cloned()
}

/// Writes down what happens, on a thread of its own. A log that cannot be written stops nothing.
#[derive(Clone)]
pub struct Journal(Sender<String>);

impl Journal {
    /// Starts the writer.
    pub fn start(store: &Store) -> Self {
        let (sender, lines) = channel();
        let store = store.clone();
        let journal = Self(sender);
        journal.write("info", &format!("relay {} began", env!("CARGO_PKG_VERSION")));
        // Without a thread there is no log.
        drop(thread::Builder::new().name("journal".to_owned()).spawn(move || keep(&store, &lines)));
        journal
    }

    /// Logs an event, unless it is of a kind that occurs thousands of times.
    pub fn note(&self, event: &Value) {
        if let Some((level, text)) = line(event) {
            self.write(level, &text);
        }
    }

    fn write(&self, level: &str, text: &str) {
        let text: String =
            text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LINE_CHARS).collect();
        let line = format!("{} {} {level} {text}", Timestamp::now(), std::process::id());
        // A log that has ended takes no more lines.
        drop(self.0.send(line));
    }
}

/// What a line says about an event: its severity, and what happened.
fn line(event: &Value) -> Option<(&'static str, String)> {
    let text = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default();
    let kind = text("type");
    Some(match kind {
        "message_update" | "tool_execution_update" | "bash_output" | "message_start" | "queue_update" => {
            return None;
        }
        "tool_execution_end" => {
            let failed = event.get("isError").and_then(Value::as_bool).unwrap_or_default();
            let how = if failed { "failed" } else { "succeeded" };
            (if failed { "warn" } else { "info" }, format!("tool {} {how}", text("toolName")))
        }
        "tool_execution_start" => ("info", format!("tool {} began", text("toolName"))),
        "agent_end" => {
            let level = if text("status") == "failed" { "error" } else { "info" };
            (level, format!("run ended: {} {}", text("status"), text("error")))
        }
        "auto_retry_start" => ("warn", format!("retry: {}", text("errorMessage"))),
        "retry_fallback_applied" => ("warn", format!("another model answers: {}", text("to"))),
        "notice" => ("warn", format!("notice: {}", text("text"))),
        "response" => match event.get("success").and_then(Value::as_bool) {
            Some(false) => ("warn", format!("{} failed: {}", text("command"), text("error"))),
            _ => return None,
        },
        kind => ("info", kind.to_owned()),
    })
}

fn folder(store: &Store) -> std::path::PathBuf {
    store.state_dir().join("logs")
}

fn keep(store: &Store, lines: &Receiver<String>) {
    if shorten(store).is_err() {
        return;
    }
    while let Ok(first) = lines.recv() {
        let mut text = first;
        let until = Instant::now() + JOIN;
        loop {
            match lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) if text.len() < KEPT => text = format!("{text}\n{line}"),
                Ok(line) => {
                    text = format!("{text}\n{line}");
                    break;
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        let written = Folder::create(&folder(store))
            .and_then(|folder| folder.lock()?.append_line(FILE, text.trim_end().as_bytes()));
        if written.is_err() {
            return;
        }
    }
}

/// Cuts a file that has grown too long to its end.
fn shorten(store: &Store) -> Result<(), StoreError> {
    let Some(folder) = Folder::open(&folder(store))? else { return Ok(()) };
    let writer = folder.lock()?;
    let Some(bytes) = folder.read(FILE)?.filter(|bytes| bytes.len() > LONGEST) else { return Ok(()) };
    let tail = bytes.get(bytes.len() - KEPT..).unwrap_or_default();
    let start = tail.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    writer.replace(FILE, tail.get(start..).unwrap_or_default())
}

/// The last lines, at most this many from at most this many bytes; of one process, if it is named.
pub fn last_lines(
    store: &Store,
    lines: usize,
    bytes: usize,
    process: Option<u32>,
) -> Result<Vec<String>, StoreError> {
    let Some(folder) = Folder::open(&folder(store))? else { return Ok(Vec::new()) };
    let all = folder.read(FILE)?.unwrap_or_default();
    let tail =
        String::from_utf8_lossy(all.get(all.len().saturating_sub(bytes)..).unwrap_or_default()).into_owned();
    let process = process.map(|id| id.to_string());
    let is_wanted = |line: &&str| process.is_none() || line.split(' ').nth(1) == process.as_deref();
    let wanted: Vec<String> = tail.lines().filter(is_wanted).map(str::to_owned).collect();
    Ok(wanted.into_iter().rev().take(lines).rev().collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_name_events_and_contain_no_conversation() {
        for (event, expected) in [
            (json!({ "type": "message_update", "delta": "secret" }), None),
            (
                json!({ "type": "message_end", "message": { "content": "secret" } }),
                Some(("info", "message_end")),
            ),
            (
                json!({ "type": "tool_execution_end", "toolName": "bash", "isError": true, "result": "secret" }),
                Some(("warn", "tool bash failed")),
            ),
            (
                json!({ "type": "agent_end", "status": "failed", "error": "401" }),
                Some(("error", "run ended: failed 401")),
            ),
            (json!({ "type": "response", "command": "x", "success": true }), None),
        ] {
            let found = line(&event);
            assert_eq!(found.as_ref().map(|(level, text)| (*level, text.as_str())), expected);
        }
    }

    #[test]
    fn the_end_of_the_log_is_read_by_process() {
        let place = tempfile::tempdir().unwrap();
        let store = Store::at(place.path());
        let written = Folder::create(&folder(&store)).unwrap();
        let text = "t 1 info a\nt 2 info b\nt 1 info c\nt 1 info d";
        written.lock().unwrap().append_line(FILE, text.as_bytes()).unwrap();
        assert_eq!(last_lines(&store, 2, 1 << 20, Some(1)).unwrap(), ["t 1 info c", "t 1 info d"]);
        assert_eq!(last_lines(&store, 9, 1 << 20, None).unwrap().len(), 4);
    }
}
