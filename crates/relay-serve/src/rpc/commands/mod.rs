//! The commands of a client, one after the other. Each file holds the commands for one topic.

mod aside;
mod bash;
mod compact;
mod look;
mod mode;
mod model;
mod pty;
mod queue;
mod say;
mod sessions;
mod todos;
mod tools;
mod tree;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use relay_agent::driver::Remote;
use relay_agent::turn::Delivery;
use relay_diagnostics::Cancel;
use serde_json::{Value, json};

use super::host::Host;
use super::outlet::Outlet;
use super::with_agent;

/// The result of a command: data, or an error.
pub(super) type Answer = Result<Option<Value>, String>;

/// A client and the agent it drives.
pub struct Session {
    remote: Remote,
    host: Arc<dyn Host>,
    outlet: Outlet,
    settings: Mutex<Settings>,
    /// Ends the user's running command.
    bash: Mutex<Option<Cancel>>,
    /// Ends the summary of a branch that is being written.
    summary: Arc<Mutex<Option<Cancel>>>,
    /// Ends the side question.
    aside: Arc<Mutex<Option<Cancel>>>,
    host_tools: Mutex<Vec<String>>,
    host_schemes: Mutex<Vec<String>>,
}

/// Options the client set.
#[derive(Clone, Copy)]
struct Settings {
    steering: Delivery,
    follow_up: Delivery,
    retries: bool,
    compacts: bool,
    waits: bool,
}

impl Session {
    pub fn new(remote: Remote, host: Arc<dyn Host>, outlet: Outlet) -> Self {
        let settings = Settings {
            steering: Delivery::OneAtATime,
            follow_up: Delivery::OneAtATime,
            retries: true,
            compacts: true,
            waits: false,
        };
        Self {
            remote,
            host,
            outlet,
            settings: Mutex::new(settings),
            bash: Mutex::default(),
            summary: Arc::default(),
            aside: Arc::default(),
            host_tools: Mutex::default(),
            host_schemes: Mutex::default(),
        }
    }

    /// The input ended: whatever runs is aborted, and the agent quits.
    pub fn end(&self) {
        self.remote.abort();
        self.remote.quit();
    }

    /// A line that is not a command.
    pub fn not_understood(&self, why: &str) {
        self.outlet.send(&json!({ "type": "response", "command": "parse", "success": false, "error": why }));
    }

    /// Carries out one command, and answers it.
    pub fn handle(&self, command: &Value) {
        let Some(kind) = command.get("type").and_then(Value::as_str) else {
            return self.not_understood("Failed to parse command: it has no type");
        };
        if matches!(
            kind,
            "extension_ui_response" | "host_tool_result" | "host_tool_update" | "host_uri_result"
        ) {
            let id = command.get("id").and_then(Value::as_str).unwrap_or_default();
            return self.outlet.deliver(id, command.clone());
        }
        // These are slow and answered when they are done; the client can continue meanwhile.
        match kind {
            "ask_aside" => return self.ask_aside(command),
            "bash" => return self.bash(command),
            "compact" => return self.compact(command),
            "navigate_tree" => return self.navigate(command),
            _ => {}
        }
        let answer = self.carry_out(kind, command);
        respond(&self.outlet, command, kind, answer);
    }

    fn carry_out(&self, kind: &str, command: &Value) -> Answer {
        match kind {
            "prompt" | "steer" | "follow_up" | "abort_and_prompt" => self.say(kind, command),
            "abort" | "abort_retry" => {
                self.remote.abort();
                Ok(None)
            }
            "handoff" => {
                self.remote.hand_off(text(command, "customInstructions").map(str::to_owned));
                Ok(None)
            }
            "abort_bash" => Ok(stop(&self.bash)),
            "abort_branch_summary" => Ok(stop(&self.summary)),
            "abort_aside" => Ok(stop(&self.aside)),
            "retry" => self.retry(),
            _ => self.about_an_area(kind, command),
        }
    }

    /// Commands by topic; the first file that knows one answers it.
    fn about_an_area(&self, kind: &str, command: &Value) -> Answer {
        let known = self
            .about_sessions(kind, command)
            .or_else(|| self.about_models(kind, command))
            .or_else(|| self.about_queues(kind, command))
            .or_else(|| self.about_tools(kind, command))
            .or_else(|| self.about_modes(kind, command))
            .or_else(|| self.about_terminals(kind, command))
            .or_else(|| self.look(kind, command))
            .or_else(|| self.host.other(kind, command).map(|answer| answer.map(Some)));
        known.unwrap_or_else(|| Err(format!("Unknown command: {kind}")))
    }

    fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_idle(&self) -> Result<(), String> {
        match with_agent(&self.remote, |agent| agent.is_busy())? {
            true => Err("the agent is working; abort it first".to_owned()),
            false => Ok(()),
        }
    }
}

fn stop(cancel: &Mutex<Option<Cancel>>) -> Option<Value> {
    if let Some(cancel) = &*cancel.lock().unwrap_or_else(PoisonError::into_inner) {
        cancel.cancel();
    }
    None
}

pub(super) fn text<'a>(command: &'a Value, name: &str) -> Option<&'a str> {
    command.get(name).and_then(Value::as_str)
}

pub(super) fn flag(command: &Value, name: &str) -> Option<bool> {
    command.get(name).and_then(Value::as_bool)
}

pub(super) fn needed<'a>(command: &'a Value, name: &str) -> Result<&'a str, String> {
    text(command, name).ok_or_else(|| format!("`{name}` is missing"))
}

/// Answers a command.
fn respond(outlet: &Outlet, command: &Value, kind: &str, answer: Answer) {
    let mut response = json!({ "type": "response", "command": kind, "success": answer.is_ok() });
    if let Some(fields) = response.as_object_mut() {
        if let Some(id) = command.get("id") {
            fields.insert("id".to_owned(), id.clone());
        }
        match answer {
            Ok(Some(data)) => drop(fields.insert("data".to_owned(), data)),
            Ok(None) => {}
            Err(error) => drop(fields.insert("error".to_owned(), error.into())),
        }
    }
    outlet.send(&response);
}
