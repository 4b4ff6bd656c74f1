//! A thread (`session` on disk): its public face in the mailbox, and what only this machine knows of it.
//!
//! `sessions/{id}.json` is in a folder that others may write to, so it is written for people and other programs and
//! trusted only when a person adopts it. The authoritative state is in the user's own data, which also has what the
//! model was shown (and the secrets its placeholders replace), the outbox as it was sent, and how far the last reply
//! got.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::regions::Regions;
use super::result::CommandResult;
use super::views::Views;

/// The version of the private format.
const VERSION: u64 = 1;

/// The state of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SessionStatus {
    /// The model's answer is awaited.
    #[default]
    Open,
    /// The model said that the task is complete.
    Done,
    /// A person ended it.
    Closed,
}

impl SessionStatus {
    /// The name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SessionStatus::Open => "open",
            SessionStatus::Done => "done",
            SessionStatus::Closed => "closed",
        }
    }
}

/// A session as `sessions/{id}.json` has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Eight hexadecimal digits.
    pub session_id: String,
    /// What is to be done.
    pub task: String,
    /// The number of the newest outbox.
    pub sequence_number: u64,
    /// Whether it has ended.
    pub is_complete: bool,
    /// When it was started.
    pub created_at: Timestamp,
    /// When something last happened in it.
    pub updated_at: Timestamp,
    /// The results of the last reply's commands.
    pub last_results: Vec<CommandResult>,
    /// The files the last reply asked for.
    pub read_file_requests: Vec<String>,
    /// Its state.
    #[serde(default)]
    pub status: SessionStatus,
    /// The model's own summary, once it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The replies that were carried out.
    #[serde(default)]
    pub replies: Vec<Answered>,
}

/// A reply that was carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answered {
    /// The number of the outbox it answers.
    pub sequence: u64,
    /// The digest of its text.
    pub digest: String,
}

impl Session {
    pub(super) fn new(task: &str) -> Self {
        let now = now();
        Self {
            session_id: Uuid::new_v4().simple().to_string().chars().take(8).collect(),
            task: task.to_owned(),
            created_at: now,
            updated_at: now,
            ..Self::default()
        }
    }

    /// The name of the newest outbox.
    #[must_use]
    pub fn outbox_name(&self) -> String {
        format!("{}_seq{:04}.txt", self.session_id, self.sequence_number)
    }

    /// The name under which the transactions of the reply to one outbox belong together.
    #[must_use]
    pub fn group(&self, sequence: u64) -> String {
        format!("mail:{}:{sequence}", self.session_id)
    }

    /// The number of the outbox that a reply with this digest answered.
    #[must_use]
    pub fn answered(&self, digest: &str) -> Option<u64> {
        self.replies.iter().find(|reply| reply.digest == digest).map(|reply| reply.sequence)
    }

    pub(super) fn end(&mut self, status: SessionStatus) {
        self.status = status;
        self.is_complete = status != SessionStatus::Open;
    }
}

/// This moment, in whole seconds.
pub(super) fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

/// Whether a text is the id of a session.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Everything about a session, as only this machine keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PrivateState {
    pub version: u64,
    pub session: Session,
    /// How many tokens the context of an outbox may take.
    pub budget_tokens: usize,
    /// The newest outbox, as it was sent.
    pub outbox: String,
    /// What the model knows of the files.
    pub views: Views,
    /// The secrets that the placeholders it was shown replace.
    pub vault: String,
    /// What the edits of the last reply changed.
    #[serde(default)]
    pub regions: Regions,
    /// A reply that is being carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under_way: Option<UnderWay>,
}

/// A reply that is being carried out, and how far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UnderWay {
    pub digest: String,
    /// The reply itself, so that it can be finished although its file is gone.
    pub text: String,
    /// The results of the commands so far.
    pub results: Vec<CommandResult>,
    /// Files that the next outbox will show.
    pub reads: Vec<String>,
    /// What its edits have changed so far.
    #[serde(default)]
    pub regions: Regions,
    /// The next command is one for the shell, and has been started.
    pub is_running: bool,
}

impl PrivateState {
    pub(super) fn new(session: Session, budget_tokens: usize) -> Self {
        Self { version: VERSION, session, budget_tokens, ..Self::default() }
    }

    /// Drops everything but the session itself.
    pub(super) fn forget(&mut self) {
        *self = Self::new(self.session.clone(), self.budget_tokens);
    }

    pub(super) fn is_readable(&self) -> bool {
        self.version <= VERSION
    }
}
