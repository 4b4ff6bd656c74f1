//! The ledger: what landed, its diffs, and undoing it by transaction, call, turn or session.

use relay_engine::history::short;
use relay_engine::{Entry, Filter, History, UndoOptions, Unobserved, Which, group, report};
use serde_json::{Value, json};

use super::{Binary, flag, limit, text};
use crate::terminal::ask::Person;
use crate::terminal::diff;

/// How many transactions a list has by default.
const LISTED: usize = 50;

impl Binary {
    pub(super) fn about_the_ledger(&self, command: &str, arguments: &Value) -> Option<Result<Value, String>> {
        Some(match command {
            "ledger_list" => self.list(arguments),
            "ledger_show" => self.show(arguments),
            "ledger_undo" => self.undo(arguments, false),
            "ledger_redo" => self.undo(arguments, true),
            _ => return None,
        })
    }

    fn history(&self) -> Result<History, String> {
        self.engine.history().map_err(|error| error.to_string())
    }

    /// The group that `group`, `session`, `turn` or `toolCallId` mean.
    fn group(&self, arguments: &Value, history: &History) -> Result<Option<String>, String> {
        if let Some(group) = text(arguments, "group") {
            return Ok(Some(group.to_owned()));
        }
        if let Some(call) = text(arguments, "toolCallId") {
            let end = group::of_call("", "", call);
            let end = end.rsplit(':').next().unwrap_or_default();
            let groups = history.entries.iter().filter_map(|entry| entry.record.header.group.as_deref());
            let found = groups.into_iter().find(|group| group.rsplit(':').next() == Some(end));
            let missing = || format!("the call `{call}` has not changed anything");
            return found.map(|group| Some(group.to_owned())).ok_or_else(missing);
        }
        let session = text(arguments, "session").map(group::of_session);
        Ok(match text(arguments, "turn") {
            Some("last") => group::newest_prompt(history),
            Some(prompt) => {
                let groups = history.entries.iter().filter_map(|entry| entry.record.header.group.as_deref());
                let found = groups.into_iter().find(|group| group.split(':').nth(2) == Some(prompt));
                found.map(|group| group.split(':').take(3).collect::<Vec<_>>().join(":"))
            }
            None => session,
        })
    }

    fn list(&self, arguments: &Value) -> Result<Value, String> {
        let history = self.history()?;
        let filter = Filter {
            group: self.group(arguments, &history)?,
            path: text(arguments, "path").map(str::to_owned),
            ..Filter::default()
        };
        let entries = filter.choose(&history);
        let total = entries.len();
        let entries: Vec<Value> = entries.into_iter().take(limit(arguments, LISTED)).map(shown).collect();
        Ok(json!({ "transactions": entries, "total": total }))
    }

    /// One transaction with its diff.
    fn show(&self, arguments: &Value) -> Result<Value, String> {
        let history = self.history()?;
        let entry = match text(arguments, "transaction") {
            Some(name) => history.find(name).map_err(|diagnostic| diagnostic.message)?,
            None => history.entries.first().ok_or("nothing has landed here yet")?,
        };
        let changes = crate::commands::show::changes(&self.engine, &entry.record);
        let changes = changes.map_err(|failure| failure.message())?;
        Ok(report::entry_in_full(entry, &diff::unified(&changes)))
    }

    fn undo(&self, arguments: &Value, redo: bool) -> Result<Value, String> {
        let which = match text(arguments, "transaction") {
            Some(one) => Which::One(one.to_owned()),
            None => {
                let named = ["group", "session", "turn", "toolCallId"];
                let is_named = named.iter().any(|name| arguments.get(name).is_some());
                match self.group(arguments, &self.history()?)? {
                    Some(group) => Which::Group(group),
                    None if is_named => return Err("nothing on the ledger matches that".to_owned()),
                    None => Which::Last,
                }
            }
        };
        let files = arguments.get("files").and_then(Value::as_array).into_iter().flatten();
        let options = UndoOptions {
            which,
            files: files.filter_map(Value::as_str).map(str::to_owned).collect(),
            dry_run: flag(arguments, "dryRun"),
            ..UndoOptions::default()
        };
        let mut person = Person::new(self.engine.cancel().clone(), true, true);
        let act = if redo { relay_engine::redo } else { relay_engine::undo };
        let outcome = act(&self.engine, &options, &mut person, &mut Unobserved);
        Ok(report::outcome(&outcome))
    }
}

fn shown(entry: &Entry) -> Value {
    let record = &entry.record;
    let parts: Vec<&str> =
        record.header.group.as_deref().map(|group| group.split(':').collect()).unwrap_or_default();
    let part = |at: usize| parts.get(at).filter(|_| parts.first() == Some(&group::AGENT));
    let (added, removed) = record.files().fold((0, 0), |(a, r), file| (a + file.added, r + file.removed));
    json!({
        "sequence": record.sequence, "uuid": record.uuid, "short": short(record.uuid),
        "channel": record.header.channel, "model": record.header.model, "group": record.header.group,
        "session": part(1), "turn": part(2), "toolCallId": part(3),
        "createdAt": record.created_at.to_string(), "summary": record.header.prompt_summary,
        "status": entry.status.name(), "files": record.paths().collect::<Vec<_>>(),
        "added": added, "removed": removed,
    })
}
