//! The commands of a client, one after the other.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use relay_agent::driver::{Agent, Remote};
use relay_agent::session::message::Message;
use relay_agent::session::{Block, Body, TitleSource};
use relay_agent::turn::{Delivery, Prompt};
use relay_diagnostics::Cancel;
use relay_llm::Thinking;
use serde_json::{Value, json};

use super::host::Host;
use super::host_tool::HostTool;
use super::outlet::Outlet;
use super::{session, with_agent};

/// How hard a model can think, in the order in which they are cycled.
const LEVELS: [Thinking; 6] =
    [Thinking::Off, Thinking::Minimal, Thinking::Low, Thinking::Medium, Thinking::High, Thinking::Max];

/// What a command comes to: data, or why not.
type Answer = Result<Option<Value>, String>;

/// A client and the agent it drives.
pub struct Session {
    remote: Remote,
    host: Arc<dyn Host>,
    outlet: Outlet,
    settings: Mutex<Settings>,
    bash: Mutex<Option<Cancel>>,
    host_tools: Mutex<Vec<String>>,
}

/// What the client switched.
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
            host_tools: Mutex::default(),
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
        if kind == "bash" {
            return self.bash(command);
        }
        let answer = self.carry_out(kind, command);
        self.respond(command, kind, answer);
    }

    fn respond(&self, command: &Value, kind: &str, answer: Answer) {
        respond(&self.outlet, command, kind, answer);
    }

    fn carry_out(&self, kind: &str, command: &Value) -> Answer {
        match kind {
            "prompt" | "steer" | "follow_up" | "abort_and_prompt" => self.say(kind, command),
            "abort" | "abort_retry" => {
                self.remote.abort();
                Ok(None)
            }
            "compact" => {
                self.remote.compact(text(command, "customInstructions").map(str::to_owned));
                Ok(None)
            }
            "new_session" | "switch_session" | "branch" => self.change_session(kind, command),
            "set_model"
            | "cycle_model"
            | "set_thinking_level"
            | "cycle_thinking_level"
            | "set_auto_retry" => self.change_model(kind, command),
            "set_steering_mode" | "set_follow_up_mode" | "set_interrupt_mode" | "set_auto_compaction" => {
                self.switch(kind, command)
            }
            "set_host_tools" => self.set_host_tools(command),
            "set_session_name" => {
                let name = needed(command, "name")?.to_owned();
                let named = with_agent(&self.remote, move |agent| agent.set_name(&name, TitleSource::User));
                named?.map(|_| None).map_err(|error| error.to_string())
            }
            "export_html" => {
                let id = with_agent(&self.remote, |agent| agent.log().id().to_owned())?;
                let path = self.with_host(|host| host.export_html(&id, text(command, "outputPath")))?;
                Ok(Some(json!({ "path": path })))
            }
            "abort_bash" => {
                if let Some(cancel) = &*self.bash.lock().unwrap_or_else(PoisonError::into_inner) {
                    cancel.cancel();
                }
                Ok(None)
            }
            _ => self.ask(kind, command),
        }
    }

    /// Commands that only look, and those that only the host knows.
    fn ask(&self, kind: &str, command: &Value) -> Answer {
        let settings = *self.settings();
        let data = match kind {
            "hello" => json!({ "protocol": super::PROTOCOL, "version": env!("CARGO_PKG_VERSION") }),
            "get_state" => {
                let mut state = with_agent(&self.remote, |agent| session::state(agent))?;
                if let Some(fields) = state.as_object_mut() {
                    fields.insert("steeringMode".to_owned(), name(settings.steering).into());
                    fields.insert("followUpMode".to_owned(), name(settings.follow_up).into());
                    fields.insert(
                        "interruptMode".to_owned(),
                        (if settings.waits { "wait" } else { "immediate" }).into(),
                    );
                    fields.insert("autoCompactionEnabled".to_owned(), settings.compacts.into());
                    fields.insert("autoRetryEnabled".to_owned(), settings.retries.into());
                }
                state
            }
            "get_available_models" => json!({ "models": self.with_host(|host| host.models()) }),
            "get_session_stats" => with_agent(&self.remote, |agent| session::stats(agent))?,
            "get_messages" => {
                json!({ "messages": with_agent(&self.remote, |agent| session::messages(agent))? })
            }
            "get_branch_messages" => {
                json!({ "messages": with_agent(&self.remote, |agent| session::prompts(agent))? })
            }
            "get_last_assistant_text" => {
                json!({ "text": with_agent(&self.remote, |agent| agent.last_answer())? })
            }
            "get_tree" => with_agent(&self.remote, |agent| session::tree(agent))?,
            "get_jobs" => json!({ "jobs": with_agent(&self.remote, |agent| agent.jobs().list())? }),
            "cancel_job" => {
                let id = needed(command, "jobId")?.to_owned();
                let cancelled = with_agent(&self.remote, move |agent| agent.jobs().cancel(&id))?;
                json!({ "status": cancelled.name() })
            }
            "get_tools" => with_agent(&self.remote, |agent| session::tools(agent))?,
            "get_system_prompt" => {
                json!({ "text": with_agent(&self.remote, |agent| agent.system().to_owned())? })
            }
            "set_todos" => {
                let todos =
                    command.get("phases").or_else(|| command.get("todos")).cloned().unwrap_or_default();
                self.keep("todos", todos)?;
                return Ok(None);
            }
            "set_host_uri_schemes" => {
                let schemes = command.get("schemes").cloned().unwrap_or_default();
                self.keep("host-uri-schemes", schemes)?;
                return Ok(None);
            }
            "set_label" => {
                let (entry, label) =
                    (needed(command, "entryId")?.to_owned(), text(command, "label").map(str::to_owned));
                let set = with_agent(&self.remote, move |agent| {
                    agent.log_mut().set_label(&entry, label.as_deref())
                });
                set?.map_err(|error| error.to_string())?;
                return Ok(None);
            }
            _ => {
                let known = self.with_host(|host| host.other(kind, command));
                return known.unwrap_or_else(|| Err(format!("Unknown command: {kind}"))).map(Some);
            }
        };
        Ok(Some(data))
    }

    fn keep(&self, kind: &'static str, data: Value) -> Result<(), String> {
        with_agent(&self.remote, move |agent| {
            let custom =
                relay_agent::session::body::Custom { custom_type: kind.to_owned(), data: Some(data) };
            agent.note_entry(Body::Custom(custom));
        })
    }

    fn say(&self, kind: &str, command: &Value) -> Answer {
        let message = needed(command, "message")?;
        let images = command.get("images").and_then(Value::as_array).into_iter().flatten();
        let images: Vec<Block> =
            images.filter_map(|image| serde_json::from_value(image.clone()).ok()).collect();
        let prompt = Prompt::with_images(message, images);
        let behaviour = text(command, "streamingBehavior");
        match (kind, behaviour) {
            ("steer", _) | ("prompt", Some("steer")) => self.remote.steer(prompt),
            ("follow_up", _) | ("prompt", Some("followUp")) => self.remote.follow_up(prompt),
            ("abort_and_prompt", _) => {
                self.remote.abort();
                self.remote.follow_up(prompt);
            }
            _ => {
                if with_agent(&self.remote, |agent| agent.is_busy())? {
                    let why = "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";
                    return Err(why.to_owned());
                }
                self.remote.prompt(prompt);
            }
        }
        Ok(None)
    }

    fn change_session(&self, kind: &str, command: &Value) -> Answer {
        let idle = with_agent(&self.remote, |agent| !agent.is_busy())?;
        if !idle {
            return Err("the agent is working; abort it first".to_owned());
        }
        let host = Arc::clone(&self.host);
        let log = match kind {
            "new_session" => host.new_session(text(command, "parentSession"))?,
            "switch_session" => host.open_session(needed(command, "sessionPath")?)?,
            _ => {
                let entry = needed(command, "entryId")?.to_owned();
                let (text, parent) = with_agent(&self.remote, {
                    let entry = entry.clone();
                    move |agent: &mut Agent| session::branch_point(agent, &entry)
                })??;
                let log =
                    with_agent(&self.remote, move |agent| host.branch(agent.log(), parent.as_deref()))??;
                with_agent(&self.remote, move |agent| agent.switch(log))?;
                return Ok(Some(json!({ "text": text, "cancelled": false })));
            }
        };
        with_agent(&self.remote, move |agent| agent.switch(log))?;
        Ok(Some(json!({ "cancelled": false })))
    }

    fn change_model(&self, kind: &str, command: &Value) -> Answer {
        let (current, level) =
            with_agent(&self.remote, |agent| (agent.asker().model().selector(), agent.thinking()))?;
        let level = level.unwrap_or(Thinking::Off);
        match kind {
            "set_thinking_level" | "cycle_thinking_level" => {
                let next = match text(command, "level") {
                    Some("xhigh") => Thinking::Max,
                    Some(name) => {
                        Thinking::from_name(name).ok_or_else(|| format!("unknown thinking level `{name}`"))?
                    }
                    None => {
                        let at = LEVELS.iter().position(|known| *known == level).unwrap_or_default();
                        LEVELS.get((at + 1) % LEVELS.len()).copied().unwrap_or(level)
                    }
                };
                with_agent(&self.remote, move |agent| agent.set_thinking(next))?;
                Ok(Some(json!({ "level": next.name() })))
            }
            "set_auto_retry" => {
                let retries = command.get("enabled").and_then(Value::as_bool).unwrap_or(true);
                self.settings().retries = retries;
                self.use_model(&current).map(|_| None)
            }
            "cycle_model" => {
                let models = self.with_host(|host| host.models());
                let names: Vec<String> = models
                    .iter()
                    .filter_map(|model| Some(model.get("selector")?.as_str()?.to_owned()))
                    .collect();
                let at = names.iter().position(|name| *name == current).map_or(0, |at| at + 1);
                match names.get(at % names.len().max(1)) {
                    Some(name) if *name != current => self.use_model(name).map(Some),
                    _ => Ok(Some(Value::Null)),
                }
            }
            _ => {
                let selector = match (text(command, "provider"), text(command, "modelId")) {
                    (Some(provider), Some(model)) => format!("{provider}/{model}"),
                    _ => needed(command, "model")?.to_owned(),
                };
                self.use_model(&selector).map(Some)
            }
        }
    }

    fn use_model(&self, selector: &str) -> Result<Value, String> {
        let retries = self.settings().retries;
        let (asker, thinking) = self.with_host(|host| host.model(selector, retries))?;
        let shown = session::model(&asker.model());
        with_agent(&self.remote, move |agent| {
            agent.set_model(asker);
            if let Some(level) = thinking {
                agent.set_thinking(level);
            }
        })?;
        Ok(shown)
    }

    fn switch(&self, kind: &str, command: &Value) -> Answer {
        let mut settings = self.settings();
        let delivery = match text(command, "mode") {
            Some("all") => Delivery::All,
            _ => Delivery::OneAtATime,
        };
        match kind {
            "set_steering_mode" => settings.steering = delivery,
            "set_follow_up_mode" => settings.follow_up = delivery,
            "set_interrupt_mode" => settings.waits = text(command, "mode") == Some("wait"),
            _ => settings.compacts = command.get("enabled").and_then(Value::as_bool).unwrap_or(true),
        }
        let Settings { steering, follow_up, compacts, waits, .. } = *settings;
        drop(settings);
        with_agent(&self.remote, move |agent| {
            agent.deliver(steering, follow_up);
            agent.set_auto_compaction(compacts);
            agent.set_steering_waits(waits);
        })?;
        Ok(None)
    }

    fn set_host_tools(&self, command: &Value) -> Answer {
        let definitions = command.get("tools").and_then(Value::as_array).cloned().unwrap_or_default();
        let tools: Vec<HostTool> = definitions
            .iter()
            .map(|definition| HostTool::parse(definition, &self.outlet))
            .collect::<Result<_, String>>()?;
        let names: Vec<String> =
            tools.iter().map(|tool| relay_agent::tool::Tool::spec(tool).name.to_string()).collect();
        let mut known = self.host_tools.lock().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *known, names.clone());
        drop(known);
        with_agent(&self.remote, move |agent| {
            let tools =
                tools.into_iter().map(|tool| Arc::new(tool) as Arc<dyn relay_agent::tool::Tool>).collect();
            agent.replace_tools(|name| old.iter().any(|old| old == name), tools);
        })?;
        Ok(Some(json!({ "toolNames": names })))
    }

    /// A command of the user's own: its output goes into the conversation, unless the client says otherwise.
    fn bash(&self, command: &Value) {
        let line = match needed(command, "command") {
            Ok(line) => line.to_owned(),
            Err(error) => return self.respond(command, "bash", Err(error)),
        };
        let cancel = Cancel::new();
        *self.bash.lock().unwrap_or_else(PoisonError::into_inner) = Some(cancel.clone());
        let (host, remote, outlet) = (Arc::clone(&self.host), self.remote.clone(), self.outlet.clone());
        let command = command.clone();
        // On a thread of its own: the client must be able to say `abort_bash`.
        let started = thread::Builder::new().name("bash".to_owned()).spawn(move || {
            let run = host.bash(&line, &cancel);
            let data = json!({
                "output": run.output, "exitCode": run.exit_code, "cancelled": run.cancelled,
                "truncated": run.truncated,
            });
            let noted = with_agent(&remote, move |agent| {
                agent.note_entry(Body::Message(Box::new(Message::BashExecution(run))));
            });
            respond(&outlet, &command, "bash", noted.map(|()| Some(data)));
        });
        if started.is_err() {
            self.not_understood("too many threads");
        }
    }

    fn with_host<T>(&self, ask: impl FnOnce(&dyn Host) -> T) -> T {
        ask(&*self.host)
    }

    fn settings(&self) -> std::sync::MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn text<'a>(command: &'a Value, name: &str) -> Option<&'a str> {
    command.get(name).and_then(Value::as_str)
}

fn needed<'a>(command: &'a Value, name: &str) -> Result<&'a str, String> {
    text(command, name).ok_or_else(|| format!("`{name}` is missing"))
}

fn name(delivery: Delivery) -> &'static str {
    match delivery {
        Delivery::OneAtATime => "one-at-a-time",
        Delivery::All => "all",
    }
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
