//! `bash`: a shell command, captured, so that what it does to files can be undone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use relay_agent::policy::Level;
use relay_agent::tool::{Access, Call, Concurrency, Landing, Output, Spec, Tool, ToolError};
use relay_engine::{Attended, TrustAnswer, Unobserved, attend, group};
use relay_exec::sandbox::Confined;
use relay_exec::{End, Program, Shell};
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
        let command = Command { line: command, root: engine.workspace().root(), seconds };
        let mut ran = None;
        let mut work = || {
            ran = Some(command.run(call));
            false
        };
        let mut approver = Landing::new(Level::Auto, call.services);
        let outcome = attend(engine, &attended, &mut work, &mut approver, &mut Unobserved);
        let Some((end, mut text)) = ran else { return Err(ToolError::Failed(Landing::report(&outcome))) };
        if text.trim().is_empty() {
            text = "(no output)".to_owned();
        }
        let failed = match &end {
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

/// Variables that keep programs from waiting for a person.
const QUIET: [(&str, &str); 4] =
    [("CI", "1"), ("GIT_TERMINAL_PROMPT", "0"), ("PAGER", "cat"), ("GIT_PAGER", "cat")];

/// A command and where it runs.
struct Command<'a> {
    line: &'a str,
    root: &'a Path,
    seconds: f64,
}

impl Command<'_> {
    /// Runs it, in the sandbox where the permit says so.
    fn run(&self, call: &Call<'_>) -> (End, String) {
        let timeout = Duration::from_secs_f64(self.seconds);
        let relay = call.services.relay.as_deref().filter(|_| call.permit.confined);
        let Some(relay) = relay else {
            let shell = Shell {
                command: self.line,
                cwd: self.root,
                timeout,
                output_limit_bytes: OUTPUT_BYTES,
                env: &QUIET,
            };
            let run = shell.run(call.cancel, &mut |_| {});
            return (run.end, run.output.text());
        };
        let writable: Vec<PathBuf> = vec![self.root.to_owned(), call.services.temp.clone()];
        // One pipe for output and errors, so that they keep their order.
        let line = format!("exec 2>&1; {}", self.line);
        let args = ["-c", line.as_str()];
        let program = Program {
            program: "sh",
            args: &args,
            cwd: self.root,
            timeout,
            output_limit_bytes: OUTPUT_BYTES,
            env: &QUIET,
            stdin: None,
        };
        let confined = Confined { relay, writable: &writable, network: call.permit.network, program };
        let run = confined.stream(call.cancel, &mut |_| {});
        let mut text = run.stdout.text();
        text.push_str(&run.stderr.text());
        (run.end, text)
    }
}
