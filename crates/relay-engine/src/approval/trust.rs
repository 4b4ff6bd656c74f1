//! Trust: a repository's commands run only after the user agreed to exactly these.
//!
//! The agreement lives in the user's data folder and is bound to the project's root and to the commands' text, so
//! neither a clone nor a later commit can smuggle a command in.

use relay_diagnostics::Diagnostic;
use relay_store::{Store, StoreError};
use relay_workspace::Workspace;

use crate::approval::{Approver, Decision};
use crate::codes;
use crate::engine::Engine;
use crate::outcome::stop::Stop;
use crate::project::config::{CONFIG_FILE, Config};

/// How the caller answers the trust question in advance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrustAnswer {
    /// Not at all: ask if possible.
    #[default]
    Ask,
    /// Yes, for this run (`--trust`, `RELAY_TRUST=1`).
    ThisRun,
}

/// Identifies the commands of a config: any other text has another digest.
#[must_use]
pub fn digest(config: &Config) -> String {
    let mut hasher = blake3::Hasher::new();
    for command in config.commands() {
        for part in [command.key, command.command] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// Whether the config's commands may run, without asking the user. A config without commands always may.
///
/// # Errors
/// The trust file cannot be read.
pub fn is_trusted(store: &Store, workspace: &Workspace, config: &Config) -> Result<bool, StoreError> {
    Ok(config.commands().is_empty() || store.trusts(workspace.root(), &digest(config))?)
}

/// Remembers that the user agreed to the config's commands.
///
/// # Errors
/// The trust file cannot be written.
pub fn remember(store: &Store, workspace: &Workspace, config: &Config) -> Result<(), StoreError> {
    let commands: Vec<String> =
        config.commands().iter().map(|command| format!("{}: {}", command.key, command.command)).collect();
    store.trust(workspace.root(), &digest(config), &commands)
}

/// Settles the question before the first command runs, asking if need be.
///
/// # Errors
/// The person left, or the commands may not run.
pub(crate) fn require(engine: &Engine, answer: TrustAnswer, approver: &mut dyn Approver) -> Result<(), Stop> {
    let (store, workspace, config) = (engine.store(), engine.workspace(), engine.config());
    let broken =
        |error: StoreError| Stop::refused(Diagnostic::error(codes::UNTRUSTED_COMMANDS, error.to_string()));
    if answer == TrustAnswer::ThisRun || is_trusted(store, workspace, config).map_err(broken)? {
        return Ok(());
    }
    let changed = store.trusted_commands(workspace.root()).map_err(broken)?.is_some();
    match approver.trust(&config.commands(), changed) {
        Decision::Yes => remember(store, workspace, config).map_err(broken),
        Decision::Interrupted => Err(Stop::interrupted()),
        Decision::No => Err(Stop::refused(
            Diagnostic::error(
                codes::UNTRUSTED_COMMANDS,
                format!("the commands in {CONFIG_FILE} were not trusted"),
            )
            .hinted(format!("Review them in {CONFIG_FILE}; `relay trust` trusts them from then on.")),
        )),
        Decision::NobodyThere => Err(Stop::refused(untrusted(config, changed))),
    }
}

fn untrusted(config: &Config, changed: bool) -> Diagnostic {
    let commands: Vec<String> =
        config.commands().iter().map(|command| format!("{} `{}`", command.key, command.command)).collect();
    let what = if changed { "have changed since you trusted them" } else { "have never been trusted here" };
    Diagnostic::error(
        codes::UNTRUSTED_COMMANDS,
        format!("the commands in {CONFIG_FILE} {what}: {}", commands.join(", ")),
    )
    .hinted("If they are yours, run `relay trust` once (`relay trust --yes` in a script), or pass --trust (or set RELAY_TRUST=1) for this run.")
}
