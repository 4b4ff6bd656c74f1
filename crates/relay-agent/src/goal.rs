//! What a goal is: a record that the session's log keeps and the `goal` tool changes.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::session::iso;

/// A goal that begins now.
#[must_use]
pub fn new(objective: &str) -> Value {
    let now = Timestamp::now();
    json!({
        "id": format!("goal-{}", now.as_millisecond()), "objective": objective, "status": "active",
        "tokensUsed": 0, "timeUsedSeconds": 0, "createdAt": iso(now), "updatedAt": iso(now),
    })
}

/// The goal in another state: `active`, `paused`, `complete` or `dropped`.
#[must_use]
pub fn with_status(goal: &Value, status: &str) -> Value {
    let mut goal = goal.clone();
    if let Some(fields) = goal.as_object_mut() {
        fields.insert("status".to_owned(), status.into());
        fields.insert("updatedAt".to_owned(), iso(Timestamp::now()).into());
    }
    goal
}

/// The state of a goal; `none` without one.
#[must_use]
pub fn status(goal: Option<&Value>) -> &str {
    goal.and_then(|goal| goal.get("status")?.as_str()).unwrap_or("none")
}
