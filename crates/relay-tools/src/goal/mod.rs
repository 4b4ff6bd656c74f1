//! `goal`: what the session is to achieve, and whether it has.

use relay_agent::goal::{self, with_status};
use relay_agent::tool::{Access, Call, Output, Signal, Spec, Tool, ToolError};
use serde_json::{Map, Value, json};

use crate::spec::{conversational, only_conversation};

pub struct Goal(Spec);

impl Goal {
    pub fn new() -> Self {
        let properties = json!({
            "op": { "type": "string", "enum": ["create", "get", "complete", "resume", "drop"] },
            "objective": { "type": "string", "description": "What is to be achieved; for create" },
            "token_budget": { "description": "Not supported" },
        });
        Self(conversational("goal", include_str!("description.md"), properties, &["op"]))
    }
}

impl Tool for Goal {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, _: &Map<String, Value>) -> Vec<Access> {
        only_conversation()
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        if call.arguments.contains_key("token_budget") {
            return Err(ToolError::failed("token_budget is not supported for goals"));
        }
        let goal = call.facts.goal.as_ref();
        let status = goal.and_then(|goal| goal.get("status")?.as_str());
        match call.text("op") {
            Some("create") => create(call.text("objective").unwrap_or_default(), status),
            Some("complete") => ended("complete", goal, status),
            Some("resume") => resume(goal, status),
            Some("drop") => dropped(goal),
            _ => Ok(shown(goal)),
        }
    }
}

fn create(objective: &str, status: Option<&str>) -> Result<Output, ToolError> {
    let objective = objective.trim();
    if objective.is_empty() {
        return Err(ToolError::failed("objective is required when op=create"));
    }
    if objective == "/goal" {
        return Err(ToolError::failed(
            "objective must describe the goal; `/goal` is the command name, not a goal objective",
        ));
    }
    if matches!(status, Some("active" | "paused")) {
        return Err(ToolError::failed("cannot create a new goal because this session already has a goal"));
    }
    let goal = goal::new(objective);
    Ok(shown(Some(&goal)).signalling(Signal::Goal(Some(goal))))
}

fn ended(to: &str, goal: Option<&Value>, status: Option<&str>) -> Result<Output, ToolError> {
    match (goal, status) {
        (Some(goal), Some("active")) => {
            let goal = with_status(goal, to);
            Ok(shown(Some(&goal)).signalling(Signal::Goal(Some(goal))))
        }
        (_, Some("complete")) => Err(ToolError::failed("goal is already complete")),
        (_, Some("dropped")) => Err(ToolError::failed("cannot complete a dropped goal")),
        _ => Err(ToolError::failed("cannot complete goal because no goal is active")),
    }
}

fn resume(goal: Option<&Value>, status: Option<&str>) -> Result<Output, ToolError> {
    match (goal, status) {
        (Some(goal), Some("paused")) => {
            let goal = with_status(goal, "active");
            Ok(shown(Some(&goal)).signalling(Signal::Goal(Some(goal))))
        }
        (_, Some("complete")) => Err(ToolError::failed("Goal is already complete.")),
        _ => Err(ToolError::failed("No paused goal.")),
    }
}

fn dropped(goal: Option<&Value>) -> Result<Output, ToolError> {
    let goal = goal.map(|goal| with_status(goal, "dropped"));
    Ok(shown(goal.as_ref()).signalling(Signal::Goal(goal)))
}

fn shown(goal: Option<&Value>) -> Output {
    let Some(goal) = goal else { return Output::text("No active goal.") };
    let field = |name: &str| match goal.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let text = format!(
        "Goal: {}\nStatus: {}\nTokens used: {}",
        field("objective"),
        field("status"),
        field("tokensUsed")
    );
    Output::text(text).with_details(goal.clone())
}
