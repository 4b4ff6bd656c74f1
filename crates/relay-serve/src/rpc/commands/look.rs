//! Commands that only look at the session, and labels and todos in it.

use serde_json::{Value, json};

use super::queue::name;
use super::{Answer, Session, needed, text};
use crate::rpc::{PROTOCOL, session, with_agent};

impl Session {
    pub(super) fn look(&self, kind: &str, command: &Value) -> Option<Answer> {
        let data = match kind {
            "hello" => Ok(json!({ "protocol": PROTOCOL, "version": env!("CARGO_PKG_VERSION") })),
            "get_state" => self.state(),
            "get_session_stats" => with_agent(&self.remote, |agent| session::stats(agent)),
            "get_context_usage" => with_agent(&self.remote, |agent| session::context_usage(agent)),
            "get_messages" => {
                with_agent(&self.remote, |agent| json!({ "messages": session::messages(agent) }))
            }
            "get_transcript" => with_agent(&self.remote, |agent| session::transcript(agent)),
            "get_entry" => self.entry(command),
            "get_branch_messages" | "get_fork_messages" => {
                with_agent(&self.remote, |agent| json!({ "messages": session::prompts(agent) }))
            }
            "get_last_assistant_text" => {
                with_agent(&self.remote, |agent| json!({ "text": agent.last_answer() }))
            }
            "get_tree" => self.tree(command),
            "get_jobs" => with_agent(&self.remote, |agent| json!({ "jobs": agent.jobs().list() })),
            "cancel_job" => self.cancel_job(command),
            "read_job" => self.read_job(command),
            "get_system_prompt" => {
                with_agent(&self.remote, |agent| json!({ "text": agent.system().to_owned() }))
            }
            "get_todos" => with_agent(&self.remote, |agent| json!({ "phases": session::todos(agent) })),
            "set_todos" => {
                let todos = command.get("phases").or_else(|| command.get("todos")).unwrap_or(&Value::Null);
                return Some(self.set_todos(todos).map(|()| None));
            }
            "edit_todos" => return Some(self.edit_todos(command)),
            "set_label" => return Some(self.set_label(command)),
            "dump" => with_agent(&self.remote, |agent| json!({ "text": session::dump(agent) })),
            _ => return None,
        };
        Some(data.map(Some))
    }

    fn state(&self) -> Result<Value, String> {
        let settings = *self.settings();
        let mut state = with_agent(&self.remote, |agent| session::state(agent))?;
        if let Some(fields) = state.as_object_mut() {
            let interrupt = if settings.waits { "wait" } else { "immediate" };
            fields.insert("steeringMode".to_owned(), name(settings.steering).into());
            fields.insert("followUpMode".to_owned(), name(settings.follow_up).into());
            fields.insert("interruptMode".to_owned(), interrupt.into());
            fields.insert("autoCompactionEnabled".to_owned(), settings.compacts.into());
            fields.insert("autoRetryEnabled".to_owned(), settings.retries.into());
        }
        Ok(state)
    }

    fn cancel_job(&self, command: &Value) -> Result<Value, String> {
        let id = needed(command, "jobId")?.to_owned();
        let cancelled = with_agent(&self.remote, move |agent| agent.jobs().cancel(&id))?;
        Ok(json!({ "status": cancelled.name() }))
    }

    /// What a job has written, as far as it is kept.
    fn read_job(&self, command: &Value) -> Result<Value, String> {
        let id = needed(command, "jobId")?.to_owned();
        let offset = command.get("offset").and_then(Value::as_u64).unwrap_or_default();
        let missing = format!("there is no job `{id}`");
        let slice = with_agent(&self.remote, move |agent| agent.jobs().read_output(&id, offset))?;
        slice.map(|slice| json!(slice)).ok_or(missing)
    }

    fn entry(&self, command: &Value) -> Result<Value, String> {
        let id = needed(command, "entryId")?.to_owned();
        with_agent(&self.remote, move |agent| {
            let entry = agent.log().entry(&id).ok_or_else(|| format!("there is no entry `{id}`"))?;
            entry.object().map(|fields| json!({ "entry": fields })).map_err(|error| error.to_string())
        })?
    }

    fn tree(&self, command: &Value) -> Result<Value, String> {
        let filter = session::filter(text(command, "filter"))?;
        let query = text(command, "query").unwrap_or_default().to_owned();
        with_agent(&self.remote, move |agent| session::tree(agent, filter, &query))
    }

    fn set_label(&self, command: &Value) -> Answer {
        let entry = needed(command, "entryId")?.to_owned();
        let label = text(command, "label").map(str::to_owned);
        let set = with_agent(&self.remote, move |agent| agent.log_mut().set_label(&entry, label.as_deref()));
        set?.map(|_| None).map_err(|error| error.to_string())
    }
}
