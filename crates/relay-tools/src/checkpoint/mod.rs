//! `checkpoint` and `rewind`: an investigation that leaves a report in the conversation and nothing else.

use jiff::Timestamp;
use relay_agent::session::iso;
use relay_agent::tool::{Access, Call, Output, Signal, Spec, Tool, ToolError};
use serde_json::{Map, Value, json};

use crate::spec::{conversational, only_conversation};

pub struct Checkpoint(Spec);

impl Checkpoint {
    pub fn new() -> Self {
        let properties = json!({ "goal": { "type": "string", "description": "What you want to find out" } });
        Self(conversational("checkpoint", include_str!("description.md"), properties, &["goal"]))
    }
}

impl Tool for Checkpoint {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, _: &Map<String, Value>) -> Vec<Access> {
        only_conversation()
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        if call.facts.depth > 0 {
            return Err(ToolError::failed("Checkpoint not available in subagents."));
        }
        if call.facts.checkpoint.is_some() {
            return Err(ToolError::failed("Checkpoint already active."));
        }
        let goal = call.text("goal").unwrap_or_default().to_owned();
        let started_at = iso(Timestamp::now());
        let text = format!(
            "Checkpoint created.\nGoal: {goal}\nRun your investigation, then call rewind with a concise report."
        );
        let details = json!({ "goal": goal, "startedAt": started_at });
        Ok(Output::text(text).with_details(details).signalling(Signal::Checkpoint { goal, started_at }))
    }
}

pub struct Rewind(Spec);

impl Rewind {
    pub fn new() -> Self {
        let properties = json!({
            "report": { "type": "string", "description": "What you found out" },
            "restore_files": { "type": "boolean", "description": "Also undo the changes to files since the checkpoint" },
        });
        Self(conversational("rewind", include_str!("rewind.md"), properties, &["report"]))
    }
}

impl Tool for Rewind {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, _: &Map<String, Value>) -> Vec<Access> {
        only_conversation()
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        if call.facts.depth > 0 {
            return Err(ToolError::failed("Checkpoint not available in subagents."));
        }
        if call.facts.checkpoint.is_none() {
            return Err(ToolError::failed("No active checkpoint."));
        }
        let report = call.text("report").unwrap_or_default().trim().to_owned();
        if report.is_empty() {
            return Err(ToolError::failed("Report cannot be empty."));
        }
        let restore_files = call.flag("restore_files");
        Ok(Output::text("Rewind requested.").signalling(Signal::Rewind { report, restore_files }))
    }
}
