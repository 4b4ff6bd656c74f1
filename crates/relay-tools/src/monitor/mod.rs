//! `monitor`: a command in the background, each line of which reaches the conversation.
//!
//! The command runs as `bash` runs it with `async`: same preparation, policy, sandbox and capture. Only what listens to
//! its output is another.

mod lines;

use std::sync::{Arc, Mutex, PoisonError};

use relay_agent::jobs::{Jobs, NewJob, Running, label};
use relay_agent::session::Body;
use relay_agent::tool::{
    Access, Background, BackgroundRun, BackgroundTask, Call, Concurrency, Output, Services, Spec, Tool,
    ToolError,
};
use relay_agent::turn::Prompt;
use serde_json::{Map, Value, json};

use lines::Lines;

pub struct Monitor {
    spec: Spec,
    bash: Arc<dyn Tool>,
}

impl Monitor {
    pub fn new(bash: &Arc<dyn Tool>) -> Self {
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

/// What `bash` is called with.
fn command(arguments: &Map<String, Value>) -> Map<String, Value> {
    let mut command = Map::new();
    for name in ["command", "timeout"] {
        command.extend(arguments.get(name).map(|value| (name.to_owned(), value.clone())));
    }
    command.insert("async".to_owned(), true.into());
    command
}

impl Tool for Monitor {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        self.bash.access(&command(arguments))
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        if !crate::job::is_enabled(call.services) {
            return Err(ToolError::failed(
                "Async execution is disabled; the monitor tool is unavailable in this session.",
            ));
        }
        let text = |name: &str| call.text(name).unwrap_or_default().to_owned();
        let persistent = call.flag("persistent");
        let listener = Arc::new(Listener {
            jobs: call.services.jobs.clone(),
            kind: text("kind"),
            description: text("description"),
            persistent,
            started: Mutex::default(),
        });
        let services = listening(call.services, &listener);
        let arguments = command(call.arguments);
        self.bash.run(&Call { arguments: &arguments, services: &services, ..*call })?;
        let started = listener.started.lock().unwrap_or_else(PoisonError::into_inner).take();
        let id =
            started.ok_or_else(|| ToolError::failed("Async job manager unavailable for this session."))?;
        let shown = format!("Monitor started · task {id} · persistent: {persistent}");
        Ok(Output::text(shown).with_details(json!({
            "taskId": id, "kind": text("kind"), "description": text("description"), "command": text("command"),
            "persistent": persistent,
        })))
    }
}

/// The services with a background that listens to every line.
fn listening(services: &Services, listener: &Arc<Listener>) -> Services {
    let settings = Arc::clone(&services.settings);
    Services {
        background: Some(Arc::clone(listener) as Arc<dyn Background>),
        // Automatic background alone is enough for monitors.
        settings: Arc::new(
            move |key| if key == "async.enabled" { Some(Value::Bool(true)) } else { settings(key) },
        ),
        ..services.clone()
    }
}

/// Makes a command's job a monitor.
struct Listener {
    jobs: Jobs,
    kind: String,
    description: String,
    persistent: bool,
    started: Mutex<Option<String>>,
}

impl Background for Listener {
    fn start(&self, task: BackgroundTask) -> Result<String, String> {
        let name = label(&format!("[monitor:{}] {}", self.kind, self.description));
        let heard = Heard {
            kind: self.kind.clone(),
            description: self.description.clone(),
            persistent: self.persistent,
        };
        let started = self.jobs.start(NewJob::bash(name), move |running| heard.run(running, task));
        let id = started.map_err(|refused| refused.to_string())?;
        *self.started.lock().unwrap_or_else(PoisonError::into_inner) = Some(id.clone());
        Ok(id)
    }
}

/// What becomes of a monitor's lines.
struct Heard {
    kind: String,
    description: String,
    persistent: bool,
}

impl Heard {
    fn run(self, running: &Running, task: BackgroundTask) -> Result<String, String> {
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
        let result =
            (task.run)(&BackgroundRun { id: running.id(), cancel: running.cancel(), output: &output });
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
