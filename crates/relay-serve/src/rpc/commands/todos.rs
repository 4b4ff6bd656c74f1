//! `edit_todos`: a person changes the list of tasks, and the model is told.

use relay_agent::turn::Prompt;
use serde_json::{Value, json};

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
            let list = planned.get("phases").cloned().unwrap_or_default();
            let text = planned.get("markdown").and_then(Value::as_str).unwrap_or_default();
            self.keep("todos", json!({ "phases": list }))?;
            self.tell(reminder(text))?;
        }
        Ok(Some(planned))
    }

    /// Has the model know of it: now if it works, else with the next prompt.
    fn tell(&self, text: String) -> Result<(), String> {
        let prompt = Prompt::hidden("user_todo_edit", text);
        let waiting = with_agent(&self.remote, move |agent| {
            if agent.is_busy() {
                return Some(prompt);
            }
            prompt.bodies.into_iter().for_each(|body| agent.note_entry(body));
            None
        })?;
        waiting.into_iter().for_each(|prompt| self.remote.steer(prompt));
        Ok(())
    }
}

fn reminder(list: &str) -> String {
    let list = if list.trim().is_empty() { "(empty)" } else { list.trim_end() };
    format!(
        "<system-reminder>\nThe user edited the todo list. It is now:\n\n{list}\n\nGo by this list, and do not undo the \
         edit unless the user asks for it.\n</system-reminder>"
    )
}
