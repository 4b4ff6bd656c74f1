//! What stays in sight above the editor: the todo list, the goal, and jobs in the background.

use serde_json::Value;

use crate::conversation::duration;
use crate::hud::Hud;
use crate::text::{Line, clean_line};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// Tasks that are shown at most.
const ROWS: usize = 8;

/// A task of the todo list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Task {
    text: String,
    status: String,
    notes: usize,
    /// When it was first seen done.
    done_at: Option<u64>,
}

/// A phase of the todo list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Phase {
    name: String,
    tasks: Vec<Task>,
}

/// A job in the background.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its id.
    pub id: String,
    /// What it does.
    pub label: String,
    /// `running`, or how it ended.
    pub status: String,
    /// When it began.
    pub since: u64,
}

/// The panels.
#[derive(Clone, Debug)]
pub struct Panels {
    phases: Vec<Phase>,
    /// The goal that the agent works towards.
    pub goal: Option<Value>,
    /// Jobs in the background.
    pub jobs: Vec<Job>,
    /// Whether the goal is shown.
    pub shows_goal: bool,
    /// Which skill or workflow is under way.
    pub hud: Hud,
    /// Whether that is shown.
    pub shows_hud: bool,
    is_hidden: bool,
    /// How long tasks that are done stay in sight; `None` for ever.
    fade_ms: Option<u64>,
}

impl Default for Panels {
    fn default() -> Self {
        Self {
            phases: Vec::new(),
            goal: None,
            jobs: Vec::new(),
            shows_goal: true,
            hud: Hud::default(),
            shows_hud: true,
            is_hidden: false,
            fade_ms: Some(60_000),
        }
    }
}

impl Panels {
    /// Tasks that are done are left out after this many seconds; never, if it is negative.
    pub fn fade_after(&mut self, seconds: i64) {
        self.fade_ms = u64::try_from(seconds).ok().map(|seconds| seconds.saturating_mul(1000));
    }

    /// Shows or hides the todo list.
    pub fn toggle(&mut self) {
        self.is_hidden = !self.is_hidden;
    }

    /// Shows the todo list.
    pub fn show(&mut self) {
        self.is_hidden = false;
    }

    /// Another session: nothing is known.
    pub fn clear(&mut self) {
        *self = Self {
            is_hidden: self.is_hidden,
            shows_goal: self.shows_goal,
            shows_hud: self.shows_hud,
            fade_ms: self.fade_ms,
            ..Self::default()
        };
    }

    /// Whether something on it moves by itself.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        self.running() > 0
    }

    /// When something will fade, in milliseconds from now.
    #[must_use]
    pub fn next_change(&self, now: u64) -> Option<u64> {
        let fade_ms = self.fade_ms?;
        let tasks = self.phases.iter().flat_map(|phase| &phase.tasks);
        tasks
            .filter_map(|task| task.done_at)
            .filter_map(|at| (at + fade_ms).checked_sub(now))
            .min()
            .map(|left| left + 1)
    }

    /// Time has passed: tasks that have been done for a while are left out.
    pub fn tick(&mut self, now: u64) {
        let Some(fade_ms) = self.fade_ms else { return };
        for phase in &mut self.phases {
            phase.tasks.retain(|task| task.done_at.is_none_or(|at| now.saturating_sub(at) < fade_ms));
        }
        self.phases.retain(|phase| !phase.tasks.is_empty());
    }

    /// A tool returned something that belongs here.
    pub fn take_tool(&mut self, tool: &str, details: &Value, now: u64) {
        match tool {
            "todo_write" | "todo" => self.take_todos(details.get("phases").unwrap_or(&Value::Null), now),
            "job" | "bash" => self.take_jobs(details.get("jobs").unwrap_or(&Value::Null), now),
            _ => {}
        }
    }

    /// The session keeps something that belongs here.
    pub fn take_data(&mut self, kind: &str, data: &Value, now: u64) {
        match kind {
            "todos" => self.take_todos(data.get("phases").unwrap_or(data), now),
            "jobs" => self.take_jobs(data.get("jobs").unwrap_or(data), now),
            "hud" => self.hud.take(data),
            _ => {}
        }
    }

    /// The task that is worked on.
    #[must_use]
    pub fn current_task(&self) -> Option<&str> {
        let mut tasks = self.phases.iter().flat_map(|phase| &phase.tasks);
        tasks.find(|task| task.status == "in_progress").map(|task| task.text.as_str())
    }

    /// How many jobs run.
    #[must_use]
    pub fn running(&self) -> usize {
        self.jobs.iter().filter(|job| job.status == "running").count()
    }

    fn take_todos(&mut self, phases: &Value, now: u64) {
        let Some(phases) = phases.as_array() else { return };
        let known: Vec<Task> = self.phases.iter().flat_map(|phase| phase.tasks.clone()).collect();
        let text = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let task = |value: &Value| {
            let (content, status) = (text(value, "content"), text(value, "status"));
            let is_done = matches!(status.as_str(), "completed" | "abandoned");
            let before = known.iter().find(|task| task.text == content).and_then(|task| task.done_at);
            let notes = value.get("notes").and_then(Value::as_array).map_or(0, Vec::len);
            Task { text: content, status, notes, done_at: is_done.then(|| before.unwrap_or(now)) }
        };
        let read = |phase: &Value| Phase {
            name: text(phase, "name"),
            tasks: phase
                .get("tasks")
                .and_then(Value::as_array)
                .map(Vec::as_slice)
                .unwrap_or_default()
                .iter()
                .map(task)
                .collect(),
        };
        self.phases = phases.iter().map(read).filter(|phase| !phase.tasks.is_empty()).collect();
    }

    /// Takes a list of jobs.
    pub fn take_jobs(&mut self, jobs: &Value, now: u64) {
        let Some(jobs) = jobs.as_array() else { return };
        let text = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let before = std::mem::take(&mut self.jobs);
        for job in jobs {
            let id = text(job, "id");
            let since = before.iter().find(|known| known.id == id).map_or(now, |known| known.since);
            self.jobs.push(Job { id, label: text(job, "label"), status: text(job, "status"), since });
        }
    }

    /// The panels as lines.
    #[must_use]
    pub fn lines(&self, view: &View<'_>) -> Vec<Line> {
        let mut lines: Vec<Line> = self.hud.line(view).filter(|_| self.shows_hud).into_iter().collect();
        if let Some(goal) = self.goal.as_ref().filter(|_| self.shows_goal) {
            let text = goal.get("objective").and_then(Value::as_str).unwrap_or_default();
            let line = Line::of("  goal ", view.fg(Token::Accent).bold())
                .and(clean_line(text), view.fg(Token::Muted));
            lines.push(line.truncated(view.width, view.sign(Symbol::Ellipsis)));
        }
        if !self.is_hidden {
            lines.extend(self.todo_lines(view));
        }
        for job in self.jobs.iter().filter(|job| job.status == "running") {
            let mut line = Line::of(format!("  {} ", view.spinner()), view.fg(Token::StatusLineSubagents));
            line.push(clean_line(&job.label), view.fg(Token::Muted));
            line.push(format!("  {}", duration(view.now_ms.saturating_sub(job.since))), view.fg(Token::Dim));
            lines.push(line.truncated(view.width, view.sign(Symbol::Ellipsis)));
        }
        lines
    }

    fn todo_lines(&self, view: &View<'_>) -> Vec<Line> {
        let all: Vec<&Task> = self.phases.iter().flat_map(|phase| &phase.tasks).collect();
        if all.is_empty() {
            return Vec::new();
        }
        let done = all.iter().filter(|task| task.done_at.is_some()).count();
        let at = self.phases.iter().find(|phase| phase.tasks.iter().any(|task| task.status == "in_progress"));
        let name = at.or(self.phases.first()).map(|phase| phase.name.as_str()).unwrap_or_default();
        let head = Line::of(format!("  {} ", clean_line(name)), view.fg(Token::Accent).bold());
        let mut lines = vec![
            head.and(format!("{done}/{}", all.len()), view.fg(Token::Dim))
                .truncated(view.width, view.sign(Symbol::Ellipsis)),
        ];
        let active = all.iter().position(|task| task.status == "in_progress").unwrap_or(0);
        let first = active.saturating_sub(ROWS / 2).min(all.len().saturating_sub(ROWS));
        for task in all.iter().skip(first).take(ROWS) {
            lines.push(task_line(view, task));
        }
        let hidden = all.len().saturating_sub(ROWS);
        if hidden > 0 {
            lines.push(Line::of(
                format!("    {} {hidden} more", view.sign(Symbol::Ellipsis)),
                view.fg(Token::Dim),
            ));
        }
        lines
    }
}

fn task_line(view: &View<'_>, task: &Task) -> Line {
    let (symbol, token) = match task.status.as_str() {
        "completed" => (Symbol::CheckboxOn, Token::Success),
        "in_progress" => (Symbol::StatusRunning, Token::Accent),
        "abandoned" => (Symbol::StatusAborted, Token::Dim),
        _ => (Symbol::CheckboxOff, Token::Muted),
    };
    let style = match task.status.as_str() {
        "completed" => view.fg(Token::Dim).with(crate::text::Attrs::STRIKE),
        "abandoned" => view.fg(Token::Dim),
        "in_progress" => view.fg(Token::Text).bold(),
        _ => view.fg(Token::Muted),
    };
    let mut line =
        Line::of(format!("    {} ", view.sign(symbol)), view.fg(token)).and(clean_line(&task.text), style);
    if task.notes > 0 {
        line.push(format!(" ({} notes)", task.notes), view.fg(Token::Dim));
    }
    line.truncated(view.width, view.sign(Symbol::Ellipsis))
}
