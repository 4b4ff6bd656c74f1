//! `relay status`: where things are. It only reads local files: it changes, recovers and starts nothing, and makes no
//! connections.

use std::path::Path;

use relay_engine::history::short;
use relay_engine::{CONFIG_FILE, Config, Entry, History, read_config, trust};
use relay_store::{Shelf, Store};
use relay_txn::{Ledger, LedgerKey};
use relay_workspace::Workspace;
use serde_json::{Value, json};

use super::log::{about, ago};
use crate::cli::ProjectStatusArgs;
use crate::failure::Failure;
use crate::open;
use crate::terminal::style::{BAD, FAINT, NOTE, STRONG, count, paint};
use crate::terminal::{self, visible, wrap};
use crate::user;

/// How wide the column of the names is.
const WIDEST_NAME: usize = 10;

pub fn run(root: Option<&Path>, args: &ProjectStatusArgs) -> Result<u8, Failure> {
    let workspace = open::workspace(root)?;
    let store = open::store()?;
    let status = Status::read(&workspace, &store)?;
    if args.json {
        return Ok(terminal::print_document(&status.document()));
    }
    let rows = status.rows();
    Ok(terminal::print_as_is(&wrap::columns_of(&rows, WIDEST_NAME, terminal::print_width())))
}

/// Unfinished work: what it is, and what happens next.
struct Pending {
    what: String,
    state: &'static str,
    next: &'static str,
}

struct Status {
    root: String,
    config: Option<Config>,
    /// Why the config cannot be used.
    fault: Option<String>,
    history: History,
    pending: Vec<Pending>,
    is_trusted: bool,
    is_watched: bool,
    keys: Vec<(String, String)>,
    backends: Vec<String>,
}

impl Status {
    fn read(workspace: &Workspace, store: &Store) -> Result<Self, Failure> {
        let (config, fault) = match read_config(workspace) {
            Ok(found) => (found.map(|(config, _)| config), None),
            Err(error) => {
                let first = error.diagnostics().into_iter().next();
                (None, Some(first.map_or_else(|| error.to_string(), |found| found.message)))
            }
        };
        let failed = |error: relay_store::StoreError| Failure::environment(&error);
        let broken = |error: relay_txn::TxnError| Failure::environment(&error);
        let ledger =
            Ledger::open(workspace, LedgerKey::new(store.ledger_key().map_err(failed)?)).map_err(broken)?;
        let is_trusted = match &config {
            Some(config) => trust::is_trusted(store, workspace, config).map_err(failed)?,
            None => false,
        };
        Ok(Self {
            root: workspace.root().display().to_string(),
            is_trusted,
            config,
            fault,
            history: History::new(ledger.entries().map_err(broken)?),
            pending: pending(&ledger, workspace, store)?,
            is_watched: store.is_watched(workspace.root()).map_err(failed)?,
            keys: keys(store),
            backends: backends(store),
        })
    }

    fn last(&self) -> Option<&Entry> {
        self.history.entries.first()
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = vec![("project", self.project())];
        rows.push(("checks", self.checks()));
        rows.push(("ledger", self.ledger()));
        if let Some(last) = self.last() {
            let when = paint(FAINT, format!("({})", ago(last.record.created_at))).to_string();
            rows.push((
                "last",
                format!("{} {}  {} {when}", last.record.sequence, short(last.record.uuid), about(last)),
            ));
        }
        for pending in &self.pending {
            let what = paint(NOTE, format!("{} ({})", pending.what, pending.state));
            rows.push(("pending", format!("{what}: {}", pending.next)));
        }
        let watcher = if self.is_watched { "running; it lands the replies you copy" } else { "not running" };
        rows.push(("watcher", watcher.to_owned()));
        rows.push((
            "keys",
            match self.keys.as_slice() {
                [] => "none; `relay auth login PROVIDER` stores one".to_owned(),
                keys => {
                    keys.iter().map(|(name, from)| format!("{name} ({from})")).collect::<Vec<_>>().join(", ")
                }
            },
        ));
        rows.push((
            "agents",
            match self.backends.as_slice() {
                [] => "none installed; `relay backends` shows how to get one".to_owned(),
                all => all.join(", "),
            },
        ));
        rows
    }

    fn project(&self) -> String {
        let root = paint(FAINT, visible(&self.root).into_owned()).to_string();
        match (&self.fault, &self.config) {
            (Some(fault), _) => {
                format!("{} {root}", paint(BAD, format!("{CONFIG_FILE} cannot be used: {}", visible(fault))))
            }
            (None, None) => {
                format!("no {CONFIG_FILE} in {root}; `relay init` creates one, `relay apply` works without")
            }
            (None, Some(config)) => {
                let name = config.project_id.as_deref().unwrap_or("without a name");
                format!("{} in {root}", paint(STRONG, visible(name)))
            }
        }
    }

    fn checks(&self) -> String {
        let Some(config) = &self.config else { return "none".to_owned() };
        let commands: Vec<String> = config
            .commands()
            .iter()
            .map(|command| format!("{} `{}`", command.key, visible(command.command)))
            .collect();
        match (commands.is_empty(), self.is_trusted) {
            (true, _) => "none".to_owned(),
            (false, true) => commands.join(", "),
            (false, false) => {
                format!("{} {}", commands.join(", "), paint(NOTE, "(not trusted; `relay trust` shows them)"))
            }
        }
    }

    fn ledger(&self) -> String {
        let mut text = match self.history.entries.len() {
            0 => "empty; `relay apply reply.md` lands a reply".to_owned(),
            entries => count(entries, "transaction"),
        };
        if let Some(next) = self.history.next_undo()
            && let Some((entry, _)) = next.changes.first()
        {
            text.push_str(&format!(", `relay undo` would undo #{}", entry.record.sequence));
        }
        if !self.history.foreign.is_empty() {
            let foreign = count(self.history.foreign.len(), "state file");
            text.push_str(
                &paint(NOTE, format!(", {foreign} damaged or not yours (`relay doctor`)")).to_string(),
            );
        }
        text
    }

    fn document(&self) -> Value {
        let last = self.last().map(|entry| {
            json!({
                "sequence": entry.record.sequence,
                "uuid": entry.record.uuid.to_string(),
                "status": entry.status.name(),
                "channel": entry.record.header.channel,
                "createdAt": entry.record.created_at.to_string(),
                "about": about(entry),
            })
        });
        let checks: Vec<Value> = self
            .config
            .iter()
            .flat_map(|config| {
                config
                    .commands()
                    .iter()
                    .map(|command| json!({ "name": command.key, "command": command.command }))
                    .collect::<Vec<_>>()
            })
            .collect();
        let pending: Vec<Value> =
            self.pending.iter().map(|one| json!({ "what": one.what, "state": one.state })).collect();
        json!({
            "root": self.root,
            "config": self.config.as_ref().map(|_| CONFIG_FILE),
            "configError": self.fault,
            "project": self.config.as_ref().and_then(|config| config.project_id.clone()),
            "transactions": self.history.entries.len(),
            "unverified": self.history.foreign.len(),
            "last": last,
            "pending": pending,
            "checks": checks,
            "trusted": self.is_trusted,
            "watching": self.is_watched,
            "keys": self.keys.iter().map(|(name, from)| json!({ "provider": name, "source": from })).collect::<Vec<_>>(),
            "agents": self.backends,
        })
    }
}

/// Everything under way, interrupted, or waiting for the user.
fn pending(ledger: &Ledger, workspace: &Workspace, store: &Store) -> Result<Vec<Pending>, Failure> {
    let broken = |error: relay_txn::TxnError| Failure::environment(&error);
    let mut found = Vec::new();
    for one in ledger.unfinished().map_err(broken)? {
        let what = format!("transaction {} of {}", short(one.uuid), count(one.paths.len(), "file"));
        found.push(match one.is_running {
            true => Pending { what, state: "running", next: "its checks run, or it waits for approval" },
            false => Pending { what, state: "interrupted", next: "`relay recover` restores its files" },
        });
    }
    for (command, is_running) in ledger.unfinished_commands(workspace).map_err(broken)? {
        let what = format!("`{}`", visible(&command.line));
        found.push(match is_running {
            true => Pending { what, state: "running", next: "what it changes lands when it ends" },
            false => Pending { what, state: "interrupted", next: "`relay recover` records what it changed" },
        });
    }
    let waiting = store.look_through(Shelf::Repairs, workspace.root()).unwrap_or_default();
    for (uuid, _) in waiting {
        let what = format!("refused reply {}", uuid.chars().take(8).collect::<String>());
        found.push(Pending { what, state: "waiting", next: "apply the model's answer to its repair prompt" });
    }
    Ok(found)
}

/// The providers that have a key, and where it comes from; never the key.
fn keys(store: &Store) -> Vec<(String, String)> {
    let Ok(models) = user::models(store) else { return Vec::new() };
    let names: Vec<String> = models.catalog.names().map(str::to_owned).collect();
    let source = |name: &String| {
        let sources: Vec<String> = models.keyring.sources(name).iter().map(ToString::to_string).collect();
        (!sources.is_empty()).then(|| (name.clone(), sources.join(", ")))
    };
    names.iter().filter_map(source).collect()
}

/// The agents that are installed. None of them is started for this.
pub fn backends(store: &Store) -> Vec<String> {
    let Ok(settings) = user::settings(store) else { return Vec::new() };
    let all = user::sources(store, &settings).programs();
    all.iter()
        .filter(|backend| backend.presence().is_there)
        .map(|backend| backend.name().to_owned())
        .collect()
}
