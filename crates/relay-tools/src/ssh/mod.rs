//! `ssh`: one command on a host that the user set up.

mod connection;
mod edit;
mod hosts;
mod mount;
mod remote;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use relay_agent::tool::{Access, Call, Concurrency, Output, Reach, Services, Spec, Tool, ToolError};
use relay_exec::End;
use serde_json::{Map, Value, json};

use connection::{Connections, TAIL_BYTES};
pub use edit::{with_host, without_host};
use hosts::Host;

/// How often someone who watches is shown what came.
const SHOWN_EVERY: Duration = Duration::from_millis(100);

/// What the tool needs of the user's files.
pub struct Setup {
    /// Host files that may be used, the first of a name winning: where each is from, and its text.
    pub sources: Vec<(String, String)>,
    /// Where the tool keeps what it needs.
    pub files: Box<dyn SshFiles>,
}

/// Where the tool keeps what it needs.
pub trait SshFiles: Send + Sync {
    /// A folder for sockets, for the user alone, with a short path.
    ///
    /// # Errors
    /// It cannot be made.
    fn folder(&self) -> Result<PathBuf, String>;

    /// An empty folder in which the files of a host may be mounted. Nothing else is ever put there, and nothing removes what
    /// is in it: it may be the host's.
    fn mount_point(&self, host: &str) -> Option<PathBuf>;

    /// Where keys of new hosts go.
    fn known_hosts(&self) -> PathBuf;

    /// What is remembered about a host.
    fn load(&self, host: &str) -> Option<String>;

    /// Remembers something about a host.
    fn save(&self, host: &str, text: &str);
}

/// The tool.
pub struct Ssh {
    spec: Spec,
    hosts: Vec<Host>,
    connections: Arc<Connections>,
}

impl Ssh {
    /// The tool, if there is a host, and what is wrong with the files.
    pub fn find(setup: Setup, services: &Services) -> (Option<Self>, Vec<String>) {
        let (hosts, warnings) = hosts::read(&setup.sources, &relay_exec::variable);
        if hosts.is_empty() {
            return (None, warnings);
        }
        let connections = Arc::new(Connections::new(setup.files));
        let closing = Arc::clone(&connections);
        services.jobs.on_teardown(move || closing.close());
        (Some(Self::new(hosts, connections)), warnings)
    }

    fn new(hosts: Vec<Host>, connections: Arc<Connections>) -> Self {
        let mut description = format!("{}\n\nAvailable hosts:", include_str!("description.md").trim());
        for host in &hosts {
            let about = match connections.known(&host.name) {
                Some(info) => format!("{}, {}", info.os, info.shell),
                None => "detecting...".to_owned(),
            };
            let words = host.description.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
            let files = connections.shown_at(host);
            let files = files.map(|place| format!("; its files: {}", place.display())).unwrap_or_default();
            description.push_str(&format!("\n- {} ({}, {about}{files}){words}", host.name, host.target()));
        }
        let spec = Spec {
            name: "ssh".into(),
            description: description.into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "host": { "type": "string", "description": "Name of a host listed in the description" },
                    "command": { "type": "string", "description": "Command to run there" },
                    "cwd": { "type": "string", "description": "Folder on the host to run it in" },
                    "timeout": { "type": "number", "description": "Timeout in seconds (1-3600)", "default": 60 },
                },
                "required": ["host", "command"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Exclusive,
            hidden: false,
        };
        Self { spec, hosts, connections }
    }

    fn host(&self, name: &str) -> Result<&Host, ToolError> {
        self.hosts.iter().find(|host| host.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.hosts.iter().map(|host| host.name.as_str()).collect();
            ToolError::Failed(format!("Unknown SSH host: {name}. Available hosts: {}", names.join(", ")))
        })
    }
}

impl Tool for Ssh {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    /// A connection, and a command that policy reads like any other: what it destroys there is asked about.
    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let Ok(host) = self.host(text("host")) else { return vec![Access::Conversation] };
        let command = format!("ssh {} {}", remote::posix(&host.name), remote::posix(text("command")));
        vec![
            Access::Connects { reach: Reach::Network, to: host.target() },
            Access::Runs { command, cwd: None },
        ]
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let host = self.host(call.text("host").unwrap_or_default())?;
        let given = call.arguments.get("timeout").and_then(Value::as_f64).unwrap_or(60.0);
        let seconds = given.clamp(1.0, 3600.0);
        let failed = |why: String| match call.cancel.is_cancelled() {
            true => ToolError::aborted(),
            false => ToolError::Failed(why),
        };
        let info = self.connections.info(host, call.cancel).map_err(failed)?;
        let command = info.command(call.text("command").unwrap_or_default(), call.text("cwd"), host.compat);
        let mut kept = Kept::new(call);
        let time = Duration::from_secs_f64(seconds);
        let done = self
            .connections
            .run(host, &command, time, call.cancel, &mut |bytes| kept.push(bytes))
            .map_err(failed)?;
        let mut text = if done.tail.trim().is_empty() { "(no output)".to_owned() } else { done.tail };
        match done.end {
            End::Exited(0) => {
                let mut output = Output::text(text);
                if done.omitted_bytes > 0 {
                    let truncation = json!({
                        "truncated": true, "omittedBytes": done.omitted_bytes, "artifactId": kept.artifact(),
                    });
                    output = output.with_details(json!({ "meta": { "truncation": truncation } }));
                }
                Ok(output)
            }
            End::Exited(code) => {
                text.push_str(&format!("\n\nCommand exited with code {code}"));
                Err(ToolError::Failed(text))
            }
            End::TimedOut => {
                Err(ToolError::Failed(format!("[SSH: Command timed out after {seconds} seconds]\n{text}")))
            }
            End::Cancelled => {
                Err(ToolError::Aborted(format!("[Command aborted: the call was cancelled]\n{text}")))
            }
            End::Signalled(signal) => {
                Err(ToolError::Failed(format!("{text}\n\nssh was ended by signal {signal}")))
            }
            End::NotStarted(error) => Err(ToolError::Failed(format!("ssh could not be started: {error}"))),
        }
    }
}

/// Output as it comes: shown now and then, and written to an artifact once it no longer fits.
struct Kept<'a> {
    call: &'a Call<'a>,
    head: Vec<u8>,
    file: Option<(u64, Box<dyn Write>)>,
    shown: Instant,
}

impl<'a> Kept<'a> {
    fn new(call: &'a Call<'a>) -> Self {
        Self { call, head: Vec::new(), file: None, shown: Instant::now() }
    }

    fn push(&mut self, bytes: &[u8]) {
        if let Some((_, file)) = &mut self.file {
            if file.write_all(bytes).is_err() {
                self.file = None;
            }
        } else {
            self.head.extend_from_slice(bytes);
            if self.head.len() > TAIL_BYTES {
                self.spill();
            }
        }
        if self.shown.elapsed() >= SHOWN_EVERY {
            self.shown = Instant::now();
            (self.call.update)(Output::text(String::from_utf8_lossy(&self.head)));
        }
    }

    /// From here on everything goes to an artifact; without one only the end is kept.
    fn spill(&mut self) {
        let artifact = self.call.services.artifacts.as_ref().and_then(|all| all.create("ssh").ok());
        if let Some(mut file) = artifact
            && file.write_all(&self.head).is_ok()
        {
            self.file = Some((file.id, Box::new(file)));
        }
        let cut = self.head.len().saturating_sub(TAIL_BYTES / 2);
        self.head.drain(..cut);
    }

    fn artifact(&self) -> Option<u64> {
        self.file.as_ref().map(|(id, _)| *id)
    }
}

#[cfg(test)]
mod tests;
