//! `resolve`: applies or discards the action that a preview proposed, or ends plan mode.

mod plan;

use std::sync::Arc;

use relay_agent::driver::PLAN_MODE;
use relay_agent::tool::{Access, Call, Output, Signal, Spec, Tool, ToolError};
use serde_json::{Map, Value, json};

use crate::spec::{conversational, only_conversation};

/// Carries out what a tool proposed, from the data it left.
pub type Applied = dyn Fn(&Call<'_>, &Value) -> Result<Output, ToolError> + Send + Sync;

pub struct Resolve {
    spec: Spec,
    /// How each tool's proposals are applied.
    appliers: Vec<(&'static str, Arc<Applied>)>,
}

impl Resolve {
    pub fn new(appliers: Vec<(&'static str, Arc<Applied>)>) -> Self {
        let properties = json!({
            "action": { "type": "string", "enum": ["apply", "discard"] },
            "reason": { "type": "string", "description": "Why" },
            "extra": { "type": "object", "description": "What the action needs besides, such as a plan's `title`" },
        });
        let spec =
            conversational("resolve", include_str!("description.md"), properties, &["action", "reason"]);
        Self { spec: Spec { hidden: true, ..spec }, appliers }
    }
}

impl Tool for Resolve {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn access(&self, _: &Map<String, Value>) -> Vec<Access> {
        only_conversation()
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let Some((tool, label, data)) = &call.facts.pending else {
            if call.facts.mode == PLAN_MODE && call.text("action") == Some("apply") {
                return plan::approve(call);
            }
            return Err(ToolError::failed("No pending action to resolve. Nothing to apply or discard."));
        };
        let applied = call.text("action") == Some("apply");
        let reason = call.text("reason").unwrap_or_default().to_owned();
        let title =
            call.arguments.get("extra").and_then(|extra| extra.get("title")?.as_str()).map(str::to_owned);
        let details = json!({
            "action": call.text("action"), "reason": reason, "sourceToolName": tool, "label": label,
            "sourceResultDetails": data,
        });
        let output = if applied {
            let applier = self.appliers.iter().find(|(name, _)| name == tool);
            match applier {
                Some((_, apply)) => apply(call, data)?,
                None => Output::text(format!("Applied: {label}. Reason: {reason}")),
            }
        } else {
            Output::text(format!("Discarded: {label}. Reason: {reason}"))
        };
        Ok(output.with_details(details).signalling(Signal::Resolved { applied, reason, title }))
    }
}
