//! A store of its own for each test, times and ids that are the same every time, and short words for messages.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use relay_agent::session::content::Content;
use relay_agent::session::message::{AssistantMessage, ToolResultMessage, Usage};
use relay_agent::session::{Message, SessionLog, Stamps};
use relay_store::Store;

/// A home folder with a project in it.
pub struct Home {
    folder: tempfile::TempDir,
    pub store: Store,
}

impl Home {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(&folder.path().join("user"));
        std::fs::create_dir(folder.path().join("project")).unwrap();
        Self { folder, store }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// A session with these lines after its header, in the project's folder.
    pub fn session_file(&self, id: &str, lines: &[&str]) -> PathBuf {
        let header = format!(
            r#"{{"type":"session","version":3,"id":"{id}","timestamp":"2026-02-16T10:20:30.000Z","cwd":{}}}"#,
            serde_json::Value::from(self.project().to_str().unwrap())
        );
        let text: String = [header.as_str()].iter().chain(lines).map(|line| format!("{line}\n")).collect();
        self.raw_file(&format!("2026-02-16T10-20-30-000Z_{id}.jsonl"), text.as_bytes())
    }

    /// A file of any content where the project's sessions are.
    pub fn raw_file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let folder = self.store.sessions().folder_of(&self.project());
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// A session with one question and one answer, closed again.
    pub fn answered(&self) -> PathBuf {
        let mut log = SessionLog::create(&self.store, &self.project());
        log.append(Message::user("question")).unwrap();
        log.append(answer("answer")).unwrap();
        log.path().unwrap().to_path_buf()
    }
}

/// Times one second apart, ids that count.
#[derive(Debug, Default)]
pub struct Counting {
    seconds: i64,
    ids: u64,
}

impl Stamps for Counting {
    fn now(&mut self) -> Timestamp {
        self.seconds += 1;
        Timestamp::from_second(1_760_000_000 + self.seconds).unwrap()
    }

    fn random(&mut self) -> u64 {
        self.ids += 1;
        self.ids << 32
    }
}

pub fn answer(text: &str) -> Message {
    Message::Assistant(Box::new(AssistantMessage {
        content: Content::Text(text.to_owned()),
        provider: "anthropic".to_owned(),
        model: "claude-sonnet-4-5".to_owned(),
        stop_reason: "stop".to_owned(),
        usage: Usage { input: 10, output: 5, ..Usage::default() },
        ..AssistantMessage::default()
    }))
}

pub fn tool_result(tool: &str, text: &str) -> Message {
    Message::ToolResult(ToolResultMessage {
        tool_call_id: "call".to_owned(),
        tool_name: tool.to_owned(),
        content: Content::Text(text.to_owned()),
        ..ToolResultMessage::default()
    })
}

/// The texts of a context's messages.
pub fn texts(log: &SessionLog) -> Vec<String> {
    log.context().messages.iter().map(|seen| seen.message.text()).collect()
}

/// Whether the slow suites run.
pub fn is_long() -> bool {
    std::env::var("RELAY_LONG_TESTS").is_ok_and(|long| long == "yes")
}
