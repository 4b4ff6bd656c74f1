//! `monitor`: a command in the background, each line of which reaches the conversation.
//!
//! The command runs as `bash` runs it with `async`: same preparation, policy, sandbox and capture. Only what listens to
//! its output is another.

mod lines;

use std::sync::{Arc, Mutex, PoisonError};

use relay_agent::jobs::{Running, label};
use relay_agent::session::Body;
use relay_agent::tool::{Access, Call, Concurrency, Output, Spec, Tool, ToolError};
use relay_agent::turn::Prompt;
use serde_json::{Map, Value, json};

use crate::bash::{Bash, Work};
use lines::Lines;

pub struct Monitor {
    spec: Spec,
    bash: Arc<Bash>,
}

impl Monitor {
    pub fn new(bash: &Arc<Bash>) -> Self {
        let spec = Spec {
            name: "monitor".into(),
            description: include_str!("description.md").trim().into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "command": { "type": "string", "description": "Shell command to run; each line it prints is a notification" },
                    "kind": { "type": "string", "enum": ["log", "poll", "watch", "other"], "description": "Category of monitor" },
                    "description": { "type": "string", "description": "What is being monitored, in a few words" },
                    "timeout": { "type": "number", "minimum": 1, "description": "Seconds it may run; as long as the session if left out" },
                    "persistent": { "type": "boolean", "description": "Keep it running after its first line" },
                },
                "required": ["command", "kind", "description"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Exclusive,
            hidden: false,
        };
        Self { spec, bash: Arc::clone(bash) }
    }
}

impl Tool for Monitor {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        self.bash.access(arguments)
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        if !crate::job::is_enabled(call.services) {
            return Err(ToolError::failed(
                "Async execution is disabled; the monitor tool is unavailable in this session.",
            ));
        }
        let text = |name: &str| call.text(name).unwrap_or_default().to_owned();
        let (kind, description, persistent) = (text("kind"), text("description"), call.flag("persistent"));
        let name = label(&format!("[monitor:{kind}] {description}"));
        let heard = Heard { kind: kind.clone(), description: description.clone(), persistent };
        let id = self.bash.start_job(call, name, move |running, work| heard.run(running, work))?;
        let shown = format!("Monitor started · task {id} · persistent: {persistent}");
        Ok(Output::text(shown).with_details(json!({
            "taskId": id, "kind": kind, "description": description, "command": text("command"),
            "persistent": persistent,
        })))
    }
}

/// What becomes of a monitor's lines.
struct Heard {
    kind: String,
    description: String,
    persistent: bool,
}

impl Heard {
    fn run(self, running: &Running, work: Work) -> Result<String, String> {
        let lines = Mutex::new(Lines::default());
        let missed = Mutex::new(0_usize);
        let take = |found: Vec<String>| {
            for line in found {
                if running.cancel().is_cancelled() {
                    return;
                }
                if !running.say(self.notification(running.id(), &line)) {
                    *missed.lock().unwrap_or_else(PoisonError::into_inner) += 1;
                }
                if !self.persistent {
                    running.end();
                }
            }
        };
        let output = |chunk: &str| {
            running.append(chunk);
            let found = lines.lock().unwrap_or_else(PoisonError::into_inner).push(chunk);
            take(found);
        };
        let result = work.run(running, &output);
        let rest = lines.lock().unwrap_or_else(PoisonError::into_inner).finish();
        take(rest.into_iter().collect());
        let missed = *missed.lock().unwrap_or_else(PoisonError::into_inner);
        if missed == 0 {
            return result;
        }
        let note = format!("\n[{missed} lines came too fast and were not sent as notifications]");
        result.map(|text| text + &note).map_err(|text| text + &note)
    }

    fn notification(&self, id: &str, line: &str) -> Prompt {
        let (kind, description) = (&self.kind, &self.description);
        let text = format!(
            "<task-notification>\nMonitor task {id} ({kind}: {description}) emitted:\n{line}\n</task-notification>"
        );
        let mut prompt = Prompt::hidden("task-notification", text);
        for body in &mut prompt.bodies {
            if let Body::CustomMessage(message) = body {
                message.details = Some(json!({ "taskId": id, "kind": kind, "description": description }));
            }
        }
        prompt
    }
}

#[cfg(test)]
mod tests;
