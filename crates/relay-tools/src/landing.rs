//! How a call's edits land: through the engine, as one transaction of the channel `agent`.

use relay_agent::policy::Level;
use relay_agent::tool::{Call, Landing, Output, ToolError, is_failure};
use relay_engine::{LandOptions, Submission, Unobserved, group, land};
use relay_workspace::RelPath;
use serde_json::{Value, json};

/// Lands edits in any dialect.
pub fn land_text(call: &Call<'_>, text: &str) -> Result<Output, ToolError> {
    let engine = &call.services.engine;
    let submission = Submission { channel: "agent", text: text.to_owned(), dialect: None };
    let options = LandOptions {
        group: Some(group::of_call(&call.services.session, &call.facts.turn, call.id)),
        model: Some(call.facts.model.clone()),
        ..LandOptions::default()
    };
    let mut approver = Landing::new(Level::Auto, call.services);
    let outcome = land(engine, &submission, &options, &mut approver, &mut Unobserved);
    let report = Landing::report(&outcome);
    if is_failure(outcome.status) {
        return Err(ToolError::Failed(report));
    }
    let files: Vec<Value> = outcome
        .files
        .iter()
        .map(|file| json!({ "path": file.path, "added": file.added, "removed": file.removed }))
        .collect();
    let details = json!({ "status": outcome.status.name(), "files": files });
    let transactions = outcome.uuid.filter(|_| !outcome.changes.is_empty()).into_iter().collect();
    Ok(Output { transactions, ..Output::text(report).with_details(details) })
}

/// Lands the whole new content of a file.
pub fn land_bytes(call: &Call<'_>, path: &RelPath, bytes: &[u8]) -> Result<Output, ToolError> {
    let content = String::from_utf8_lossy(bytes);
    let text =
        json!({ "name": "write", "arguments": { "path": path.as_str(), "content": content } }).to_string();
    land_text(call, &format!("```json\n{text}\n```\n"))
}
