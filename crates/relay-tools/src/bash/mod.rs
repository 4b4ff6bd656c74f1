//! `bash`: a shell command, captured, so that what it does to files can be undone.

use std::time::Duration;

use relay_agent::policy::Level;
use relay_agent::tool::{Access, Call, Concurrency, Landing, Output, Spec, Tool, ToolError};
use relay_engine::{Attended, TrustAnswer, Unobserved, attend, group};
use relay_exec::{End, Shell};
use serde_json::{Map, Value, json};

/// How much of the output is kept, its end.
const OUTPUT_BYTES: usize = 1 << 20;

pub struct Bash(Spec);

impl Bash {
    pub fn new() -> Self {
        Self(Spec {
            name: "bash".into(),
            description: include_str!("description.md").trim().into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "command": { "type": "string", "description": "The command line" },
                    "timeout": { "type": "number", "description": "Seconds it may take", "minimum": 1, "maximum": 3600 },
                },
                "required": ["command"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Exclusive,
            hidden: false,
        })
    }
}

impl Tool for Bash {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        let command = arguments.get("command").and_then(Value::as_str).unwrap_or_default().to_owned();
        vec![Access::Runs { command, cwd: None }]
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let command = call.text("command").unwrap_or_default();
        let seconds =
            call.arguments.get("timeout").and_then(Value::as_f64).unwrap_or(300.0).clamp(1.0, 3600.0);
        let engine = &call.services.engine;
        let group = group::of_call(&call.services.session, &call.facts.turn, call.id);
        let attended = Attended {
            channel: "agent",
            reason: command,
            model: Some(&call.facts.model),
            trust: TrustAnswer::default(),
            allow_sensitive: false,
            group: Some(&group),
            may_write: true,
        };
        let shell = Shell {
            command,
            cwd: engine.workspace().root(),
            timeout: Duration::from_secs_f64(seconds),
            output_limit_bytes: OUTPUT_BYTES,
            env: &[("CI", "1"), ("GIT_TERMINAL_PROMPT", "0"), ("PAGER", "cat"), ("GIT_PAGER", "cat")],
        };
        let mut ran = None;
        let mut work = || {
            ran = Some(shell.run(call.cancel, &mut |_| {}));
            false
        };
        let mut approver = Landing::new(Level::Auto, call.services);
        let outcome = attend(engine, &attended, &mut work, &mut approver, &mut Unobserved);
        let Some(run) = ran else { return Err(ToolError::Failed(Landing::report(&outcome))) };
        let mut text = run.output.text();
        if text.trim().is_empty() {
            text = "(no output)".to_owned();
        }
        let failed = match &run.end {
            End::Exited(0) => None,
            End::Exited(code) => Some(format!("Command exited with code {code}")),
            End::Signalled(signal) => Some(format!("Command was ended by signal {signal}")),
            End::TimedOut => Some(format!("Command timed out after {seconds} seconds")),
            End::Cancelled => Some("Command cancelled".to_owned()),
            End::NotStarted(error) => Some(format!("Command could not be started: {error}")),
        };
        if let Some(failed) = &failed {
            text.push_str(&format!("\n{failed}"));
        }
        let changed: Vec<&str> = outcome.changes.iter().map(|change| change.path.as_str()).collect();
        let details = json!({ "status": outcome.status.name(), "changed": changed });
        let transactions = outcome.uuid.filter(|_| !changed.is_empty()).into_iter().collect();
        Ok(Output { is_error: failed.is_some(), transactions, ..Output::text(text).with_details(details) })
    }
}
