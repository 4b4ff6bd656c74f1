//! The texts that the loop itself sends to a model.

use serde_json::json;

use crate::session::message::CustomMessage;

use super::happened::Hit;

/// What a call gets as its result when a person interrupts between tools.
pub const SKIPPED: &str = "Skipped due to queued user message.";

/// What a call gets as its result when the run was aborted before it started.
pub const NOT_STARTED: &str = "The call was not started: the run was aborted.";

/// What a model reads that wants to end while a checkpoint is open.
pub const REWIND_FIRST: &str = "<system-warning>\nYou are in an active checkpoint. You MUST call rewind with your \
investigation findings before yielding. Do NOT yield without completing the checkpoint.\n</system-warning>";

/// What a model reads that wants to end while an action waits to be resolved.
pub const RESOLVE_FIRST: &str = "<system-reminder>\nAn action is shown and waits. Call `resolve` with action `apply` or \
`discard` and a reason before you do anything else.\n</system-reminder>";

/// What a model reads when its last answer does not follow the schema.
pub fn wrong_schema(faults: &[String]) -> String {
    let list: String = faults.iter().map(|fault| format!("- {fault}\n")).collect();
    format!(
        "<system-reminder>\nYour answer does not follow the JSON schema that was asked for:\n{list}Answer again with the \
         corrected JSON value and nothing else.\n</system-reminder>"
    )
}

/// What a model reads after its list of tasks could not be updated.
pub const TODO_FAILED: &str = "<system-reminder>\nYour last todo_write call failed, so the user does not see your \
progress. Fix the arguments and call todo_write again.\n</system-reminder>";

/// The hidden message for rules that an answer broke.
pub fn injection(hits: &[Hit]) -> CustomMessage {
    let text: Vec<String> = hits.iter().map(|hit| block("system-interrupt", hit)).collect();
    let rules: Vec<&str> = hits.iter().map(|hit| hit.rule.as_str()).collect();
    CustomMessage {
        custom_type: "ttsr-injection".to_owned(),
        content: text.join("\n\n").as_str().into(),
        display: false,
        details: Some(json!({ "rules": rules })),
        attribution: Some("agent".to_owned()),
        ..CustomMessage::default()
    }
}

/// What is put in front of a result whose call broke rules.
pub fn reminder(hits: &[Hit]) -> String {
    hits.iter().map(|hit| block("system-reminder", hit)).collect::<Vec<_>>().join("\n\n")
}

fn block(tag: &str, hit: &Hit) -> String {
    let Hit { rule, path, content, .. } = hit;
    format!(
        "<{tag} reason=\"rule_violation\" rule=\"{}\" path=\"{}\">\nYour output broke a rule of this project. Follow \
         it from here on:\n\n{content}\n</{tag}>",
        escaped(rule),
        escaped(path)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}
