//! `edit_todos`: a person changes the list of tasks, and the model is told.

use relay_agent::turn::EditedTodos;
use serde_json::Value;

use super::{Answer, Session};
use crate::rpc::{session, with_agent};

impl Session {
    /// The host knows what a list is, and applies `ops` or reads `markdown`; the session keeps what comes of it. Without
    /// either, the list is only looked at.
    pub(super) fn edit_todos(&self, command: &Value) -> Answer {
        let phases = with_agent(&self.remote, |agent| session::todos(agent))?;
        let phases = phases.get("phases").cloned().unwrap_or(phases);
        let mut plan = command.clone();
        if let Some(fields) = plan.as_object_mut() {
            fields.insert("phases".to_owned(), phases);
        }
        let planned = self.host.other("plan_todos", &plan).ok_or("this program keeps no todo list")??;
        if planned.get("changed").and_then(Value::as_bool).unwrap_or_default() {
            self.set_todos(planned.get("phases").unwrap_or(&Value::Null))?;
        }
        Ok(Some(planned))
    }

    /// Replaces the list, and tells the model.
    pub(super) fn set_todos(&self, list: &Value) -> Result<(), String> {
        let todos = EditedTodos::read(list)?;
        with_agent(&self.remote, move |agent| agent.set_todos(todos))
    }
}
