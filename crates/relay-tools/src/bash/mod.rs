//! `bash`: a shell command, captured, so that what it does to files can be undone.
//!
//! A session has one shell that stays, so folder, variables and functions are kept between calls. A call that may do more
//! than that shell gets a shell of its own, with the folder and the variables but none of the functions: what a confined
//! command defined must not run with more rights.

mod destroyed;
mod execute;
mod finish;
mod intercept;
mod minimise;
mod more_access;
mod prepare;
mod shells;
mod urls;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use relay_agent::jobs::Running;
use relay_agent::tool::{Access, Call, Concurrency, Output, Spec, Tool, ToolError};
use serde_json::{Map, Value, json};

pub use self::execute::Work;
use self::execute::{Execution, Handle};
use self::prepare::{Around, Prepared};
use self::shells::Shells;

/// How often someone who watches is shown what came.
const SHOWN_EVERY: Duration = Duration::from_millis(50);

/// The tool.
pub struct Bash {
    spec: Spec,
    shells: Arc<Mutex<Shells>>,
}

impl Bash {
    pub fn new() -> Self {
        let spec = Spec {
            name: "bash".into(),
            description: include_str!("description.md").trim().into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "command": { "type": "string", "description": "Command to execute" },
                    "env": {
                        "type": "object",
                        "description": "Environment variables for this command only",
                        "additionalProperties": { "type": "string" },
                    },
                    "timeout": { "type": "number", "description": "Timeout in seconds (1-3600)", "default": 300 },
                    "cwd": { "type": "string", "description": "Working directory for this command only" },
                    "pty": { "type": "boolean", "description": "Run in a terminal of its own, for programs that need one" },
                    "async": { "type": "boolean", "description": "Run in the background; the result comes later" },
                },
                "required": ["command"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Exclusive,
            hidden: false,
        };
        Self { spec, shells: Arc::default() }
    }

    fn shells(&self) -> std::sync::MutexGuard<'_, Shells> {
        self.shells.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn prepare(&self, call: &Call<'_>, is_unlimited: bool) -> Result<Prepared, ToolError> {
        let services = call.services;
        let root = services.engine.workspace().root();
        let folder = self.shells().folder(&services.session).unwrap_or_else(|| root.to_owned());
        let is_intercepting = services.is_on("bashInterceptor.enabled", false);
        let own = (services.settings)("bashInterceptor.patterns");
        let own = own.and_then(|rules| serde_json::from_value::<Vec<intercept::Pattern>>(rules).ok());
        let own = own.filter(|rules| !rules.is_empty());
        let around = Around {
            root,
            folder: &folder,
            strip: services.is_on("bash.stripTrailingHeadTail", true),
            is_unlimited,
            tools: is_intercepting.then_some((call.facts.tools.as_slice(), own.as_deref())),
            prefixes: &call.facts.bash_prefixes,
            urls: services,
        };
        let mut prepared = prepare::prepare(call.arguments, &around)?;
        let prefix = services.text("bash.prefix", "");
        if !prefix.is_empty() {
            prepared.command = format!("{prefix} {}", prepared.command);
        }
        Ok(prepared)
    }

    /// Starts the command and hands it to the job manager at once.
    fn start_in_background(&self, call: &Call<'_>, prepared: Prepared) -> Result<Output, ToolError> {
        let label = prepare::label(&prepared.command);
        let handle = Execution::new(call, prepared, Arc::clone(&self.shells)).aside().start();
        execute::hand_over(handle, &call.services.jobs, &label)
    }

    /// Starts a call's command as a job of this name that `follow` attends to, and says its id. It runs in a shell of its
    /// own, as long as the session unless the call has a time limit.
    pub fn start_job(
        &self,
        call: &Call<'_>,
        name: String,
        follow: impl FnOnce(&Running, Work) -> Result<String, String> + Send + 'static,
    ) -> Result<String, ToolError> {
        let prepared = self.prepare(call, true)?;
        let handle = Execution::new(call, prepared, Arc::clone(&self.shells)).aside().start();
        execute::become_job(handle, &call.services.jobs, name, follow)
    }

    /// How long a job of this call may run.
    #[cfg(test)]
    pub fn limit_of(&self, call: &Call<'_>) -> Option<Duration> {
        self.prepare(call, true).unwrap().limit()
    }

    /// Waits for the end of the command, and shows meanwhile what comes.
    fn wait(
        &self,
        call: &Call<'_>,
        mut handle: Handle,
        patience: Option<Duration>,
        label: &str,
    ) -> Result<Output, ToolError> {
        let mut shown = 0;
        loop {
            if let Some(finished) = handle.finished(SHOWN_EVERY) {
                return finished;
            }
            if call.cancel.is_cancelled() {
                handle.stop();
            }
            if patience.is_some_and(|patience| handle.elapsed() >= patience) {
                return execute::hand_over(handle, &call.services.jobs, label);
            }
            let (bytes, text) = handle.so_far(shown);
            if let Some(text) = text {
                shown = bytes;
                (call.update)(Output::text(text));
            }
        }
    }
}

impl Tool for Bash {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        let command = arguments.get("command").and_then(Value::as_str).unwrap_or_default().to_owned();
        let given = arguments.get("cwd").and_then(Value::as_str).map(str::to_owned);
        // What a command means depends on where the shell is by now.
        let cwd = given.or_else(|| self.shells().place());
        vec![Access::Runs { command, cwd }]
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let services = call.services;
        let is_async = call.flag("async");
        if is_async && !services.is_on("async.enabled", false) {
            let message = "Async bash execution is disabled. Enable async.enabled to use async mode.";
            return Err(ToolError::failed(message));
        }
        let prepared = self.prepare(call, false)?;
        if is_async {
            return self.start_in_background(call, prepared);
        }
        let is_pty = call.flag("pty") && services.ui.is_attended() && !services.is_on("bash.noPty", false);
        let label = prepare::label(&prepared.command);
        let may_go_on = !is_pty && services.is_on("bash.autoBackground.enabled", false);
        let threshold = services.number("bash.autoBackground.thresholdMs", 60_000.0).max(0.0);
        let patience = may_go_on.then(|| {
            let limit = prepared.seconds.map_or(f64::MAX, |seconds| (seconds - 1.0).max(0.0));
            Duration::from_secs_f64((threshold / 1000.0).min(limit))
        });
        let execution = Execution::new(call, prepared, Arc::clone(&self.shells));
        let execution = if is_pty { execution.in_terminal() } else { execution };
        let output = self.wait(call, execution.start(), patience, &label)?;
        more_access::offer(call, output, |permit| {
            let prepared = self.prepare(call, false)?;
            let execution = Execution::new(call, prepared, Arc::clone(&self.shells)).permitted(permit);
            self.wait(call, execution.start(), None, &label)
        })
    }
}

/// Where a shell may write, besides the workspace.
fn scratch(call: &Call<'_>) -> PathBuf {
    call.services.temp.clone()
}
