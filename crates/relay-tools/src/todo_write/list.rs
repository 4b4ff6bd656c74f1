//! The list itself: phases, tasks, and what keeps them consistent.

use serde::{Deserialize, Serialize};

/// What a task is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// It waits.
    #[default]
    Pending,
    /// It is being worked on.
    InProgress,
    /// It is done.
    Completed,
    /// It was given up.
    Abandoned,
}

impl TaskStatus {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Abandoned => "abandoned",
        }
    }

    /// Whether there is still something to do.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::InProgress)
    }
}

/// A task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// What is to be done; also its name.
    pub content: String,
    /// What it is doing.
    #[serde(default)]
    pub status: TaskStatus,
    /// Notes about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// When it was done or given up, in milliseconds since 1970. Only the session keeps it.
    #[serde(default, rename = "finishedAt", skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<i64>,
}

impl Task {
    /// A task that waits.
    #[must_use]
    pub fn new(content: impl Into<String>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }
}

/// Tasks that belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// Its tasks.
    #[serde(default)]
    pub tasks: Vec<Task>,
}

/// The whole list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TodoList(pub Vec<Phase>);

impl TodoList {
    /// All tasks, in order.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.0.iter().flat_map(|phase| &phase.tasks)
    }

    /// All tasks, to change them.
    pub fn tasks_mut(&mut self) -> impl Iterator<Item = &mut Task> {
        self.0.iter_mut().flat_map(|phase| &mut phase.tasks)
    }

    /// The first task of this text.
    #[must_use]
    pub fn find(&self, content: &str) -> Option<&Task> {
        self.tasks().find(|task| task.content == content)
    }

    /// Exactly one task is in progress as long as any is open: of several the first stays, without one the first that
    /// waits is started.
    pub fn normalize(&mut self) {
        let is_active = |task: &Task| task.status == TaskStatus::InProgress;
        if self.tasks().any(is_active) {
            let others = self.tasks_mut().filter(|task| is_active(task)).skip(1);
            others.for_each(|task| task.status = TaskStatus::Pending);
        } else if let Some(first) = self.tasks_mut().find(|task| task.status == TaskStatus::Pending) {
            first.status = TaskStatus::InProgress;
        }
    }

    /// Notes when tasks were finished, and forgets it of those that are open again.
    pub fn stamp(&mut self, now_ms: i64) {
        for task in self.tasks_mut() {
            task.finished_at = if task.status.is_open() { None } else { task.finished_at.or(Some(now_ms)) };
        }
    }

    /// Drops tasks that were finished this long ago, and phases that are empty because of it.
    pub fn fade(&mut self, now_ms: i64, delay_ms: i64) {
        let is_over = |task: &Task| task.finished_at.is_some_and(|at| now_ms.saturating_sub(at) >= delay_ms);
        for phase in &mut self.0 {
            phase.tasks.retain(|task| !is_over(task));
        }
        self.0.retain(|phase| !phase.tasks.is_empty());
    }

    /// Drops everything that is finished, as a session does when it is resumed.
    pub fn keep_open(&mut self) {
        for phase in &mut self.0 {
            phase.tasks.retain(|task| task.status.is_open());
        }
        self.0.retain(|phase| !phase.tasks.is_empty());
    }

    /// The list without what only the session keeps.
    #[must_use]
    pub fn without_times(&self) -> Self {
        let mut list = self.clone();
        list.tasks_mut().for_each(|task| task.finished_at = None);
        list
    }
}
