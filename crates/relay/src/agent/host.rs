//! What the RPC front end needs of the user's files, settings and the project.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use relay_agent::driver::Asker;
use relay_agent::export::{Format, Transcript, render};
use relay_agent::session::SessionLog;
use relay_agent::session::message::Execution;
use relay_diagnostics::Cancel;
use relay_engine::{Attended, Engine, Filter, TrustAnswer, UndoOptions, Unobserved, Which as Undo, attend};
use relay_exec::{End, Shell};
use relay_llm::{Budget, Thinking};
use relay_serve::rpc::Host;
use relay_settings::Settings;
use relay_store::Store;
use serde_json::{Value, json};

use super::open::{Asking, live};
use crate::terminal::ask::Person;
use crate::user;

/// How long a command of the user's own may take.
const BASH_TIME: Duration = Duration::from_secs(600);
/// How much of its output is kept.
const BASH_BYTES: usize = 1 << 20;
/// How many transactions a list has unless it is asked for more.
const LISTED: usize = 50;

/// The binary as a host.
pub struct Binary {
    pub store: Store,
    pub settings: Settings,
    pub engine: Arc<Engine>,
    pub budget: Arc<Budget>,
    pub offline: bool,
}

impl Binary {
    fn cwd(&self) -> &Path {
        self.engine.workspace().root()
    }

    fn undo(&self, arguments: &Value, redo: bool) -> Result<Value, String> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
        let which = match (text("transaction"), text("group")) {
            (Some(one), _) => Undo::One(one),
            (None, Some(group)) => Undo::Group(group),
            (None, None) => Undo::Last,
        };
        let options = UndoOptions { which, ..UndoOptions::default() };
        let mut person = Person::new(self.engine.cancel().clone(), true, true);
        let act = if redo { relay_engine::redo } else { relay_engine::undo };
        let outcome = act(&self.engine, &options, &mut person, &mut Unobserved);
        Ok(relay_engine::report::outcome(&outcome))
    }

    fn ledger(&self, arguments: &Value) -> Result<Value, String> {
        let limit =
            arguments.get("limit").and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
        let group = arguments.get("group").and_then(Value::as_str).map(str::to_owned);
        let history = self.engine.history().map_err(|error| error.to_string())?;
        let filter = Filter { group, ..Filter::default() };
        let entries: Vec<Value> = filter
            .choose(&history)
            .into_iter()
            .take(limit.unwrap_or(LISTED))
            .map(|entry| {
                let record = &entry.record;
                json!({
                    "sequence": record.sequence, "uuid": record.uuid, "channel": record.channel, "group": record.group,
                    "createdAt": record.created_at.to_string(), "summary": record.prompt_summary,
                    "status": entry.status.name(), "files": record.paths().collect::<Vec<_>>(),
                })
            })
            .collect();
        Ok(json!({ "transactions": entries }))
    }
}

impl Host for Binary {
    fn model(&self, selector: &str, retries: bool) -> Result<(Arc<dyn Asker>, Option<Thinking>), String> {
        let known = user::models(&self.store).map_err(|failure| failure.message())?;
        let selected = known.select(selector).map_err(|error| error.to_string())?;
        let asker =
            live(&self.settings, known, &selected, &self.budget, Asking { offline: self.offline, retries })
                .map_err(|failure| failure.message())?;
        Ok((asker, selected.thinking))
    }

    fn models(&self) -> Vec<Value> {
        let Ok(known) = user::models(&self.store) else { return Vec::new() };
        let usable = known
            .catalog
            .providers()
            .iter()
            .filter(|provider| !provider.needs_key() || known.has_key(provider));
        usable
            .flat_map(|provider| provider.models.iter())
            .map(|entry| {
                let model = &entry.model;
                json!({
                    "id": model.id, "name": model.id, "provider": model.provider.name, "selector": model.selector(),
                    "contextWindow": model.limits.context, "maxTokens": model.limits.output, "cost": model.prices,
                })
            })
            .collect()
    }

    fn new_session(&self, _parent: Option<&str>) -> Result<SessionLog, String> {
        Ok(SessionLog::create(&self.store, self.cwd()))
    }

    fn open_session(&self, name: &str) -> Result<SessionLog, String> {
        let opened = match Path::new(name).is_absolute() {
            true => SessionLog::open(&self.store, Path::new(name)),
            false => SessionLog::resume(&self.store, name, self.cwd()),
        };
        opened.map_err(|error| error.to_string())
    }

    fn branch(&self, session: &SessionLog, entry: Option<&str>) -> Result<SessionLog, String> {
        session.branch_into_new(&self.store, entry).map_err(|error| error.to_string())
    }

    fn export_html(&self, session: &str, to: Option<&str>) -> Result<String, String> {
        let path = SessionLog::find(&self.store, session, self.cwd()).map_err(|error| error.to_string())?;
        let document = SessionLog::load(&self.store, &path).map_err(|error| error.to_string())?;
        let blobs = self.store.sessions().blobs();
        let find = |digest: &str| blobs.get(digest).ok().flatten();
        let mut transcript = Transcript::new(&document.header, &document.entries);
        transcript.blobs = &find;
        let place = to.map_or_else(|| PathBuf::from(format!("session-{session}.html")), PathBuf::from);
        let is_ours = |head: &[u8]| head.starts_with(b"<!doctype html>");
        relay_store::export(&place, render(&transcript, Format::Html).as_bytes(), is_ours)
            .map_err(|error| error.to_string())?;
        Ok(place.display().to_string())
    }

    fn bash(&self, command: &str, cancel: &Cancel) -> Execution {
        let attended = Attended {
            channel: "agent",
            reason: command,
            model: None,
            trust: TrustAnswer::default(),
            allow_sensitive: true,
            group: None,
            may_write: true,
        };
        let shell =
            Shell { command, cwd: self.cwd(), timeout: BASH_TIME, output_limit_bytes: BASH_BYTES, env: &[] };
        let mut ran = None;
        let mut work = || {
            ran = Some(shell.run(cancel, &mut |_| {}));
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
        Some(match command {
            "ledger_list" => self.ledger(arguments),
            "ledger_undo" => self.undo(arguments, false),
            "ledger_redo" => self.undo(arguments, true),
            "get_setting" => {
                let key = arguments.get("key").and_then(Value::as_str).unwrap_or_default();
                let value = self.settings.get(key).map(|setting| setting.value);
                Ok(json!({ "key": key, "value": value }))
            }
            "get_settings" => {
                let all = self.settings.all();
                let all: Vec<Value> = all
                    .iter()
                    .map(|listed| {
                        let value = listed.setting.as_ref().map(|setting| setting.value.as_str());
                        json!({ "key": listed.key, "value": value, "meaning": listed.meaning })
                    })
                    .collect();
                Ok(json!({ "settings": all }))
            }
            _ => return None,
        })
    }
}
