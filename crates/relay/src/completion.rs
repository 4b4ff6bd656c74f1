//! What a shell completes as values: transactions, sessions, models, backends, settings and the like.
//!
//! Runs on every press of Tab, so it reads only local files, makes no connections, starts nothing and recovers
//! nothing. If something cannot be read, it offers nothing, because a shell cannot show an error message here.

use clap::builder::StyledStr;
use clap_complete::engine::CompletionCandidate;
use relay_backends::jobs::Job;
use relay_engine::History;
use relay_engine::history::short;
use relay_store::Store;
use relay_txn::{Ledger, LedgerKey};
use relay_workspace::Workspace;

use crate::commands::log::about;
use crate::terminal::visible;
use crate::user;

/// The variable that asks for completions instead of a command.
pub const VARIABLE: &str = "RELAY_COMPLETE";

/// How many transactions, and how many sessions, are offered.
const OFFERED: usize = 50;

/// The newest transactions by the beginning of their uuid, each with its summary.
pub fn transactions() -> Vec<CompletionCandidate> {
    let Some(history) = history() else { return Vec::new() };
    let newest = history.entries.iter().take(OFFERED);
    newest
        .map(|entry| offer(short(entry.record.uuid), &format!("#{} {}", entry.record.sequence, about(entry))))
        .collect()
}

/// The models with a key, or that need none, as `provider/model`.
pub fn models() -> Vec<CompletionCandidate> {
    let Some(models) = all_models() else { return Vec::new() };
    let usable =
        models.catalog.providers().iter().filter(|known| models.has_key(known) || !known.needs_key());
    usable.flat_map(|known| &known.models).map(|entry| offer(entry.model.selector(), &entry.name)).collect()
}

/// Other agents by name, and the models.
pub fn backends() -> Vec<CompletionCandidate> {
    let Some(store) = store() else { return Vec::new() };
    let Ok(settings) = user::settings(&store) else { return models() };
    let all = user::sources(&store, &settings).programs();
    let mut offered: Vec<CompletionCandidate> =
        all.iter().map(|backend| offer(backend.name().to_owned(), "")).collect();
    offered.extend(models());
    offered
}

/// The names of the conversations of `relay ask`.
pub fn conversations() -> Vec<CompletionCandidate> {
    let known = store().and_then(|store| relay_backends::labels::all(&store).ok()).unwrap_or_default();
    let mut offered: Vec<CompletionCandidate> = Vec::new();
    for conversation in known {
        if offered.iter().all(|known| known.get_value() != conversation.label.as_str()) {
            offered.push(offer(conversation.label, &conversation.backend));
        }
    }
    offered
}

/// The providers of models.
pub fn providers() -> Vec<CompletionCandidate> {
    let Some(models) = all_models() else { return Vec::new() };
    models.catalog.names().map(|name| offer(name.to_owned(), "")).collect()
}

/// The settings of the user and of the project.
pub fn settings() -> Vec<CompletionCandidate> {
    let own = relay_settings::keys().iter().map(|key| offer(key.name.to_owned(), key.meaning));
    let project = relay_engine::config::KEYS.iter().map(|key| offer((*key).to_owned(), "of the project"));
    own.chain(project).collect()
}

/// The newest sessions of the project, by id. Names would take reading every file.
pub fn sessions() -> Vec<CompletionCandidate> {
    let newest = || {
        let project = Workspace::discover(&std::env::current_dir().ok()?).ok()?;
        let sessions = store()?.sessions();
        let mut found = sessions.files_in(&sessions.folder_of(project.root())).ok()?;
        found.sort_by_key(|session| std::cmp::Reverse(session.facts.modified_ns));
        Some(found)
    };
    let ids = newest().unwrap_or_default().into_iter().take(OFFERED).filter_map(|session| {
        let name = session.path.file_stem()?.to_str()?;
        let (when, id) = name.split_once('_')?;
        Some(offer(id.to_owned(), when))
    });
    ids.collect()
}

/// The background jobs, by id.
pub fn jobs() -> Vec<CompletionCandidate> {
    // Opening the jobs creates their folder, so look first.
    let known = store().filter(|store| store.state_dir().join("jobs").is_dir());
    let jobs = known.and_then(|store| store.jobs().ok());
    let all = jobs.and_then(|jobs| Job::all(&jobs).ok()).unwrap_or_default();
    all.into_iter().map(|job| offer(job.id.clone(), job.prompt.lines().next().unwrap_or_default())).collect()
}

/// The themes, Relay's own and the user's.
pub fn themes() -> Vec<CompletionCandidate> {
    let own = store().map(|store| crate::commands::themes::own_names(&store)).unwrap_or_default();
    let built_in = relay_tui::theme::Theme::built_in_names().map(str::to_owned);
    built_in.chain(own).map(|name| offer(name, "")).collect()
}

/// The commands, and the topics of `relay help`.
pub fn topics() -> Vec<CompletionCandidate> {
    let topics = crate::cli::topics::TOPICS.iter().map(|(name, _)| offer((*name).to_owned(), "a topic"));
    commands().into_iter().chain(topics).collect()
}

/// The commands.
pub fn commands() -> Vec<CompletionCandidate> {
    let root = crate::cli::definition();
    let shown = root.get_subcommands().filter(|command| !command.is_hide_set());
    shown.map(|command| offer(command.get_name().to_owned(), "")).collect()
}

/// What the agent may do without asking.
pub fn policies() -> Vec<CompletionCandidate> {
    relay_agent::policy::Level::ALL.iter().map(|level| offer(level.name().to_owned(), "")).collect()
}

/// What a backend may be allowed to do.
pub fn sandboxes() -> Vec<CompletionCandidate> {
    [
        ("read-only", "write nothing"),
        ("workspace-write", "write to the workspace"),
        ("danger-full-access", "do anything you can do"),
    ]
    .map(|(name, what)| offer(name.to_owned(), what))
    .into()
}

fn offer(value: String, what: &str) -> CompletionCandidate {
    let help = (!what.is_empty()).then(|| StyledStr::from(visible(what).into_owned()));
    CompletionCandidate::new(value).help(help)
}

fn store() -> Option<Store> {
    Store::from_env().ok()
}

fn all_models() -> Option<relay_settings::Models> {
    user::models(&store()?).ok()
}

/// The ledger as it is, without recovering interrupted transactions.
fn history() -> Option<History> {
    let workspace = Workspace::discover(&std::env::current_dir().ok()?).ok()?;
    let ledger = Ledger::open(&workspace, LedgerKey::new(store()?.ledger_key().ok()?)).ok()?;
    Some(History::new(ledger.entries().ok()?))
}
