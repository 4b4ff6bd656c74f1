//! What a shell completes as values: transactions, models, backends, conversations.
//!
//! Runs on every press of Tab, so it reads only local files, makes no connections, starts nothing and recovers
//! nothing. If something cannot be read, it offers nothing, because a shell cannot show an error message here.

use clap::builder::StyledStr;
use clap_complete::engine::CompletionCandidate;
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

/// How many transactions are offered.
const TRANSACTIONS_OFFERED: usize = 50;

/// The newest transactions by the beginning of their uuid, each with its summary.
pub fn transactions() -> Vec<CompletionCandidate> {
    let Some(history) = history() else { return Vec::new() };
    let newest = history.entries.iter().take(TRANSACTIONS_OFFERED);
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
