//! What is known about one job.

use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::output::Kept;

/// How long a job that has ended is remembered.
pub const RETENTION: Duration = Duration::from_secs(5 * 60);

/// What a job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A command.
    Bash,
    /// A subagent.
    Task,
}

impl Kind {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Task => "task",
        }
    }
}

/// What a job is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It runs.
    Running,
    /// It succeeded.
    Completed,
    /// It failed.
    Failed,
    /// It was cancelled.
    Cancelled,
}

impl Status {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A job at one moment, as front ends and the `job` tool show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Its id.
    pub id: String,
    /// What it runs.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// What it is doing.
    pub status: Status,
    /// What it is, in one line.
    pub label: String,
    /// How long it has run.
    pub duration_ms: u64,
    /// Its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_text: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_text: Option<String>,
    /// What belongs to it, such as the subagent it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
}

/// A job to be started.
#[derive(Clone, Debug)]
pub struct NewJob {
    /// What it runs.
    pub kind: Kind,
    /// What it is; cut to one line of at most 120 characters.
    pub label: String,
    /// The id for it; `None` for the next number.
    pub id: Option<String>,
    /// What belongs to it.
    pub metadata: Option<Value>,
}

impl NewJob {
    /// A command.
    #[must_use]
    pub fn bash(label: impl Into<String>) -> Self {
        Self { kind: Kind::Bash, label: label.into(), id: None, metadata: None }
    }
}

/// A label as lists show it: one line, at most 120 characters.
#[must_use]
pub fn label(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 120 {
        return line;
    }
    let head: String = line.chars().take(117).collect();
    format!("{head}...")
}

/// Everything the registry keeps of a job.
#[derive(Debug)]
pub(super) struct Record {
    pub id: String,
    pub owner: String,
    pub kind: Kind,
    pub label: String,
    pub status: Status,
    pub started: Instant,
    pub ended: Option<Instant>,
    /// Whether its thread is over, which a cancelled job's need not be.
    pub settled: bool,
    pub result: Option<String>,
    pub error: Option<String>,
    pub metadata: Option<Value>,
    pub cancel: Cancel,
    pub output: Kept,
    /// How many calls wait for it.
    pub watchers: usize,
    /// Whether the conversation knows how it ended.
    pub acknowledged: bool,
}

impl Record {
    pub fn snapshot(&self, now: Instant) -> Snapshot {
        let spent = self.ended.unwrap_or(now).saturating_duration_since(self.started);
        Snapshot {
            id: self.id.clone(),
            kind: self.kind,
            status: self.status,
            label: self.label.clone(),
            duration_ms: u64::try_from(spent.as_millis()).unwrap_or(u64::MAX),
            result_text: self.result.clone(),
            error_text: self.error.clone(),
            metadata: self.metadata.clone(),
        }
    }

    /// Whether it may be forgotten.
    pub fn is_stale(&self, now: Instant) -> bool {
        self.settled
            && self.watchers == 0
            && self.ended.is_some_and(|ended| now.saturating_duration_since(ended) >= RETENTION)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_labels_end_with_dots() {
        assert_eq!(label("make  \n all"), "make all");
        assert_eq!(label(&"x".repeat(120)).len(), 120);
        let cut = label(&"é".repeat(121));
        assert_eq!((cut.chars().count(), cut.ends_with("é...")), (120, true));
    }
}
