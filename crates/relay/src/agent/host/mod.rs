//! What front ends need of the user's files, settings and the project. Each file holds the commands for one topic.

mod around;
mod debug;
mod files;
mod history;
mod ledger;
mod sessions;
mod settings;
mod slash;
mod todos;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use relay_agent::compact::BranchSettings;
use relay_agent::driver::Asker;
use relay_agent::session::SessionLog;
use relay_agent::session::message::Execution;
use relay_agent::turn::Prompt;
use relay_diagnostics::Cancel;
use relay_engine::{Attended, Engine, TrustAnswer, Unobserved, attend};
use relay_exec::{End, Shell};
use relay_llm::Thinking;
use relay_serve::rpc::Host;
use relay_settings::Settings;
use serde_json::{Value, json};

use super::reach::Reach;
use crate::instructions::SkillTexts;
use crate::terminal::ask::Person;
use crate::user;

pub use slash::{all as templates, expand};

/// How long a command that the user typed may take.
const BASH_TIME: Duration = Duration::from_secs(600);
/// The tier of faster answers.
const PRIORITY: &str = "priority";
/// How much of its output is kept.
const BASH_BYTES: usize = 1 << 20;

/// The binary as a host.
pub struct Binary {
    pub reach: Reach,
    pub engine: Arc<Engine>,
    pub skills: Arc<SkillTexts>,
    /// The files of instructions that the model is given.
    pub instructions: Vec<Value>,
    /// Faster answers, at a higher price.
    pub fast: AtomicBool,
}

impl Binary {
    fn cwd(&self) -> &Path {
        self.engine.workspace().root()
    }

    /// The settings as they are now: another program, or this one, may have changed them.
    fn current_settings(&self) -> Settings {
        match user::settings(&self.reach.store) {
            Ok(fresh) => self.reach.settings.read_again(fresh),
            Err(_) => self.reach.settings.clone(),
        }
    }
}

/// An argument that is a text.
fn text<'a>(arguments: &'a Value, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

fn needed<'a>(arguments: &'a Value, name: &str) -> Result<&'a str, String> {
    text(arguments, name).ok_or_else(|| format!("`{name}` is missing"))
}

/// The requested maximum, or this default.
fn limit(arguments: &Value, usual: usize) -> usize {
    let asked = arguments.get("limit").and_then(Value::as_u64);
    asked.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usual)
}

fn flag(arguments: &Value, name: &str) -> bool {
    arguments.get(name).and_then(Value::as_bool).unwrap_or_default()
}

impl Host for Binary {
    fn model(&self, selector: &str, retries: bool) -> Result<(Arc<dyn Asker>, Option<Thinking>), String> {
        let selected = self.reach.known().map_err(|failure| failure.message())?.select(selector);
        let mut selected = selected.map_err(|error| error.to_string())?;
        if self.fast.load(Ordering::Relaxed) {
            if !selected.model.provider.wire.has_service_tiers() {
                self.fast.store(false, Ordering::Relaxed);
                return Err(format!("{} has no faster tier", selected.model.provider.name));
            }
            selected.model.service_tier = Some(PRIORITY.to_owned());
        }
        let asker = self.reach.live(&selected, retries).map_err(|failure| failure.message())?;
        Ok((asker, selected.thinking))
    }

    fn scope(&self) -> Vec<String> {
        self.reach.scope().to_vec()
    }

    fn models(&self) -> Vec<Value> {
        let Ok(known) = self.reach.known() else { return Vec::new() };
        let usable = known
            .catalog
            .providers()
            .iter()
            .filter(|provider| !provider.needs_key() || known.has_key(provider));
        usable
            .flat_map(|provider| provider.models.iter())
            .map(|entry| {
                let mut shown = relay_serve::rpc::model(&entry.model);
                if let Some(fields) = shown.as_object_mut() {
                    fields.insert("name".to_owned(), entry.name.clone().into());
                }
                shown
            })
            .collect()
    }

    fn new_session(&self, parent: Option<&str>) -> Result<SessionLog, String> {
        Ok(match parent {
            Some(parent) => SessionLog::create_after(&self.reach.store, self.cwd(), parent),
            None => SessionLog::create(&self.reach.store, self.cwd()),
        })
    }

    fn open_session(&self, name: &str) -> Result<SessionLog, String> {
        self.open_named(name)
    }

    fn branch(&self, session: &SessionLog, entry: Option<&str>) -> Result<SessionLog, String> {
        session.branch_into_new(&self.reach.store, entry).map_err(|error| error.to_string())
    }

    fn fork(&self, session: &SessionLog) -> Result<SessionLog, String> {
        session.fork(&self.reach.store, self.cwd()).map_err(|error| error.to_string())
    }

    fn copy_session(&self, session: &str, folder: &str) -> Result<SessionLog, String> {
        self.copied(session, Path::new(folder))
    }

    fn delete_session(&self, session: &str) -> Result<(), String> {
        self.delete(session)
    }

    fn export_html(&self, session: &str, to: Option<&str>) -> Result<String, String> {
        self.export(session, relay_agent::export::Format::Html, to)
    }

    fn expand(&self, message: &str) -> Option<Result<Prompt, String>> {
        self.expanded(message)
    }

    fn branch_settings(&self) -> BranchSettings {
        let settings = self.current_settings();
        BranchSettings {
            enabled: settings.flag("branchSummary.enabled"),
            reserve_tokens: settings.count("branchSummary.reserveTokens").map_or(16_384, u64::from),
        }
    }

    fn bash(&self, command: &str, cancel: &Cancel, show: &mut dyn FnMut(&[u8])) -> Execution {
        let attended = Attended {
            channel: "agent",
            reason: command,
            model: None,
            trust: TrustAnswer::default(),
            allow_sensitive: true,
            group: None,
            may_write: true,
            ignored: &relay_workspace::Ignored::Not,
        };
        let shell =
            Shell { command, cwd: self.cwd(), timeout: BASH_TIME, output_limit_bytes: BASH_BYTES, env: &[] };
        let mut ran = None;
        let mut work = || {
            ran = Some(shell.run(cancel, show));
            false
        };
        let mut person = Person::new(self.engine.cancel().clone(), true, true);
        let outcome = attend(&self.engine, &attended, &mut work, &mut person, &mut Unobserved);
        let Some(run) = ran else {
            let why = outcome.diagnostics.first().map(|finding| finding.message.clone()).unwrap_or_default();
            return Execution { command: command.to_owned(), output: why, ..Execution::default() };
        };
        Execution {
            command: command.to_owned(),
            output: run.output.text(),
            exit_code: match run.end {
                End::Exited(code) => Some(i64::from(code)),
                _ => None,
            },
            cancelled: matches!(run.end, End::Cancelled | End::TimedOut),
            ..Execution::default()
        }
    }

    fn other(&self, command: &str, arguments: &Value) -> Option<Result<Value, String>> {
        self.about_the_ledger(command, arguments)
            .or_else(|| self.about_sessions(command, arguments))
            .or_else(|| self.about_settings(command, arguments))
            .or_else(|| self.about_files(command, arguments))
            .or_else(|| self.about_history(command, arguments))
            .or_else(|| self.about_surroundings(command, arguments))
            .or_else(|| self.about_faults(command, arguments))
            .or_else(|| self.about_todos(command, arguments))
            .or_else(|| match command {
                "get_commands" => Some(Ok(json!({ "commands": self.slash_commands() }))),
                _ => None,
            })
    }
}
