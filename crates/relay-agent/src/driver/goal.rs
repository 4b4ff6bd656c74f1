//! Goals: what they have used, and what the model reads about them.

use std::time::Instant;

use serde_json::Value;

use super::Agent;
use crate::event::{Event, SessionEvent};
use crate::session::body::ModeChange;
use crate::session::{Body, iso};
use crate::turn::Prompt;

/// The tool that works on goals.
const TOOL: &str = "goal";

/// Counts the seconds in which a goal is open, and remembers whether its tool came with it.
#[derive(Debug, Default)]
pub struct GoalClock {
    since: Option<Instant>,
    brought_tool: bool,
}

impl Agent {
    /// Changes the goal's state in the log, and updates the tools.
    pub(super) fn set_goal(&mut self, goal: Option<Value>) {
        self.count_seconds();
        let goal = self.with_usage(goal);
        self.facts.goal.clone_from(&goal);
        let status = goal.as_ref().and_then(|goal| goal.get("status")?.as_str()).unwrap_or("none").to_owned();
        let mode = match status.as_str() {
            "active" => "goal",
            "paused" => "goal_paused",
            _ => "none",
        };
        self.state.goal = status == "active";
        self.goal.since = self.state.goal.then(Instant::now);
        self.set_mode(mode, goal.clone());
        match status.as_str() {
            "active" => {
                let had = self.tools.has(TOOL);
                self.offer_more(&[TOOL.to_owned()]);
                self.goal.brought_tool |= !had;
            }
            // A dropped goal keeps the tool, so that another one can follow.
            "complete" | "paused" if self.goal.brought_tool => {
                self.tools.offered.retain(|tool| tool.spec().name != TOOL);
                self.goal.brought_tool = false;
            }
            _ => {}
        }
        self.report(&Event::Session(SessionEvent::Goal(goal)));
    }

    /// The session was opened with an open goal: its seconds are counted again.
    pub(super) fn reopen_goal(&mut self) {
        self.goal.since = Some(Instant::now());
        let had = self.tools.has(TOOL);
        self.offer_more(&[TOOL.to_owned()]);
        self.goal.brought_tool = !had && self.tools.has(TOOL);
    }

    /// A turn used this many tokens.
    pub(super) fn goal_used(&mut self, tokens: u64) {
        if !self.state.goal {
            return;
        }
        self.count_seconds();
        add(&mut self.facts.goal, "tokensUsed", tokens);
        let goal = self.facts.goal.clone();
        self.report(&Event::Session(SessionEvent::Goal(goal)));
    }

    /// At the end of a run, logs what the goal has used so far.
    pub(super) fn keep_goal_usage(&mut self) {
        if self.state.goal {
            self.count_seconds();
            let data = self.facts.goal.clone();
            self.append(Body::ModeChange(ModeChange { mode: "goal".to_owned(), data }));
        }
    }

    /// Shows the goal to the model.
    pub(super) fn remind_of_goal(&mut self, continues: bool) {
        self.count_seconds();
        let Some(goal) = &self.facts.goal else { return };
        let text = match continues {
            true => include_str!("texts/goal_continuation.md"),
            false => include_str!("texts/goal.md"),
        };
        let number = |name: &str| goal.get(name).and_then(Value::as_u64).unwrap_or_default().to_string();
        let objective = goal.get("objective").and_then(Value::as_str).unwrap_or_default();
        let text = text
            .trim_end()
            .replace("{tokens}", &number("tokensUsed"))
            .replace("{seconds}", &number("timeUsedSeconds"))
            .replace("{objective}", &escaped(objective));
        let kind = if continues { "goal-continuation" } else { "goal-context" };
        for body in Prompt::hidden(kind, text).bodies {
            self.append(body);
        }
    }

    /// Adds the whole seconds since the last update to an open goal.
    fn count_seconds(&mut self) {
        let Some(since) = self.goal.since else { return };
        let seconds = since.elapsed().as_secs();
        if seconds > 0 {
            add(&mut self.facts.goal, "timeUsedSeconds", seconds);
            self.goal.since = since.checked_add(std::time::Duration::from_secs(seconds));
        }
    }

    /// A goal in its new state, with what it has used as the driver counted it.
    fn with_usage(&self, goal: Option<Value>) -> Option<Value> {
        let mut goal = goal?;
        let known = self.facts.goal.as_ref().filter(|known| known.get("id") == goal.get("id"));
        if let (Some(known), Some(fields)) = (known, goal.as_object_mut()) {
            for name in ["tokensUsed", "timeUsedSeconds"] {
                fields.extend(known.get(name).cloned().map(|value| (name.to_owned(), value)));
            }
        }
        Some(goal)
    }
}

fn add(goal: &mut Option<Value>, name: &str, more: u64) {
    if let Some(fields) = goal.as_mut().and_then(Value::as_object_mut) {
        let so_far = fields.get(name).and_then(Value::as_u64).unwrap_or_default();
        fields.insert(name.to_owned(), so_far.saturating_add(more).into());
        fields.insert("updatedAt".to_owned(), iso(jiff::Timestamp::now()).into());
    }
}

/// An objective that cannot leave its frame.
fn escaped(objective: &str) -> String {
    objective.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
