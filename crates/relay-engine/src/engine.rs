//! What every command of the engine works with: a workspace, its config and its ledger, and the user's store.

use relay_diagnostics::{Cancel, Diagnostic, Severity};
use relay_store::{Store, StoreError};
use relay_txn::capture::{Command, Journals, Running, Scan};
use relay_txn::{Header, Ledger, LedgerKey, Record, Recovered, Recovery, TxnError};
use relay_workspace::{Ignored, OwnPath, PathRefusal, ReadError, Workspace};
use thiserror::Error;

use crate::checks::check::Check;
use crate::codes;
use crate::effects::interrupted;
use crate::ledger::damaged;
use crate::ledger::history::{EntryStatus, History, short};
use crate::plan::contain::{path_refused, unreadable};
use crate::project::config::{ApprovalMode, CONFIG_FILE, Config};

/// Why a workspace could not be opened.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The config file cannot be used.
    #[error("{CONFIG_FILE} cannot be used")]
    Config(Vec<Diagnostic>),
    /// A file cannot be read.
    #[error(transparent)]
    Unreadable(ReadError),
    /// A path may not be touched.
    #[error(transparent)]
    Path(PathRefusal),
    /// The user's data folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The ledger cannot be used.
    #[error(transparent)]
    Ledger(#[from] TxnError),
}

impl EngineError {
    /// The error as findings, for the JSON document of every command.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        match self {
            EngineError::Config(diagnostics) => diagnostics.clone(),
            EngineError::Unreadable(error) => vec![unreadable(error)],
            EngineError::Path(refusal) => vec![path_refused("", refusal)],
            EngineError::Store(error) => vec![user_data(error)],
            EngineError::Ledger(error) => vec![crate::outcome::stop::transaction_failed(error)],
        }
    }
}

/// A problem with the user's data as a finding.
fn user_data(error: &StoreError) -> Diagnostic {
    let hint = error
        .hint()
        .unwrap_or_else(|| "`relay doctor` says which folder that is and what is wrong with it.".to_owned());
    Diagnostic::error(codes::USER_DATA, crate::outcome::stop::with_sources(error)).hinted(hint)
}

/// An open workspace.
pub struct Engine {
    workspace: Workspace,
    store: Store,
    config: Config,
    configured: bool,
    warnings: Vec<Diagnostic>,
    ledger: Ledger,
    cancel: Cancel,
    user_checks: Vec<Box<dyn Check + Send + Sync>>,
}

impl Engine {
    /// Opens a workspace: reads its config, and finishes what an earlier run left undone.
    ///
    /// # Errors
    /// The config, the ledger or the user's data folder cannot be used.
    pub fn open(workspace: Workspace, store: Store, cancel: Cancel) -> Result<Self, EngineError> {
        let (config, configured, mut warnings) = match read_config(&workspace)? {
            Some((config, warnings)) => (config, true, warnings),
            None => (Config::default(), false, Vec::new()),
        };
        let (ledger, recovered) = open_ledger(&workspace, &store)?;
        warnings.extend(recovered);
        Ok(Self { workspace, store, config, configured, warnings, ledger, cancel, user_checks: Vec::new() })
    }

    /// The workspace.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The user's data.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The project's settings; the defaults if it has no config file.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Whether there is a config file.
    #[must_use]
    pub fn is_configured(&self) -> bool {
        self.configured
    }

    /// Notes about the workspace itself: unknown config keys, recovered transactions.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The ledger.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// A record with its contents, which lists leave out. It is read once, because looking up each content separately
    /// reads the whole record again, which takes minutes for a few hundred files.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn with_contents(&self, listed: &Record) -> Result<Record, TxnError> {
        Ok(self.ledger.find(listed.uuid)?.unwrap_or_else(|| listed.clone()))
    }

    /// A draft for the ledger of a transaction in this project, with a sentence that is also its summary.
    pub(crate) fn header(&self, channel: &str, reason: &str) -> Header {
        Header {
            project_id: self.config.project_id.clone(),
            channel: channel.to_owned(),
            reasoning: reason.to_owned(),
            prompt_summary: Some(reason.to_owned()),
            ..Header::default()
        }
    }

    /// Scans the workspace before something other than a transaction changes it, and records the scan.
    pub(crate) fn watch(&self, by: &str, line: &str, ignored: &Ignored) -> Result<(Scan, Running), TxnError> {
        let before = self.ledger.scan_before(&self.workspace, ignored)?;
        let running = self.journal(&before, Command::new(by, line))?;
        Ok((before, running))
    }

    /// Records the scan before the next command.
    pub(crate) fn journal(&self, before: &Scan, command: Command) -> Result<Running, TxnError> {
        let command = Command { runs: relay_exec::own_runs().to_owned(), ..command };
        self.ledger.journal(&self.workspace, before, command)
    }

    /// The flag that ends commands and transactions early.
    #[must_use]
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// The same workspace without the project's commands and approval. An agent changes files in many small steps, of
    /// which only the last builds; it runs the checks itself, as commands, and all its changes can be undone.
    #[must_use]
    pub fn without_checks(mut self) -> Self {
        self.config.pre_command.clear();
        self.config.post_command.clear();
        self.config.linter.clear();
        self.config.approval = ApprovalMode::Yes;
        self
    }

    /// Adds a check of the user's own, after those of the project.
    pub fn add_check(&mut self, check: Box<dyn Check + Send + Sync>) {
        self.user_checks.push(check);
    }

    pub(crate) fn user_checks(&self) -> impl Iterator<Item = &(dyn Check + Send + Sync)> {
        self.user_checks.iter().map(AsRef::as_ref)
    }

    /// The ledger's history.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn history(&self) -> Result<History, EngineError> {
        Ok(History::new(self.ledger.entries()?))
    }
}

/// Finishes what an earlier run left undone; reports it, and any damage. Works without a config and with a broken
/// one.
///
/// # Errors
/// The ledger or the user's data folder cannot be used.
pub fn recover(workspace: &Workspace, store: &Store) -> Result<Vec<Diagnostic>, EngineError> {
    let (ledger, mut found) = open_ledger(workspace, store)?;
    let history = History::new(ledger.entries()?);
    let damaged = history.entries.iter().filter(|entry| entry.status == EntryStatus::Damaged);
    found.extend(damaged.map(damaged::record));
    let unknown: Vec<String> = history.unverified_records().map(str::to_owned).collect();
    if !unknown.is_empty() {
        found.push(Diagnostic { severity: Severity::Warning, ..damaged::unknown(&unknown) });
    }
    Ok(found)
}

pub(crate) fn open_ledger(
    workspace: &Workspace,
    store: &Store,
) -> Result<(Ledger, Vec<Diagnostic>), EngineError> {
    let ledger = Ledger::open(workspace, LedgerKey::new(store.ledger_key()?))?;
    let Journals { interrupted: captures, unusable } = ledger.interrupted(workspace)?;
    // A check that outlived its Relay would overwrite the files being restored.
    let mut found: Vec<Diagnostic> = captures.iter().filter_map(interrupted::end_check).collect();
    found.extend(ledger.recover()?.iter().flat_map(recovered));
    found.extend(unusable.iter().map(|name| damaged::journal(name)));
    for interrupted in captures {
        found.extend(interrupted::settle(&ledger, workspace, interrupted));
    }
    Ok((ledger, found))
}

/// Reads the config file; `None` where there is none.
///
/// # Errors
/// It cannot be read, or a value in it cannot be used.
pub fn read_config(workspace: &Workspace) -> Result<Option<(Config, Vec<Diagnostic>)>, EngineError> {
    let Some(file) = workspace.read(&OwnPath::config()).map_err(EngineError::Unreadable)? else {
        return Ok(None);
    };
    let text = String::from_utf8_lossy(&file.bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Config::parse(text).map(Some).map_err(EngineError::Config)
}

/// Describes what recovery did with one interrupted transaction, and which content of other programs it saved.
fn recovered(recovered: &Recovered) -> Vec<Diagnostic> {
    let name = short(recovered.uuid);
    let files = recovered.paths.len();
    let (what, besides) = match &recovered.outcome {
        Recovery::RolledBack(done) => (
            format!("recovered: {name} was interrupted, and its {files} file(s) are as they were before"),
            crate::outcome::stop::rolled_back(done),
        ),
        Recovery::Finished => {
            (format!("recovered: {name} had landed, its leftovers were removed"), Vec::new())
        }
        Recovery::Unverified { name } => return vec![damaged::pending(recovered.uuid, name)],
        Recovery::Kept => {
            let what = format!(
                "{name} was interrupted before it was approved or rejected; its {files} file(s) stay as they are, and are recorded"
            );
            let hint = format!(
                "`relay show {name}` shows what changed, `relay undo {name}` restores what was there."
            );
            return vec![Diagnostic::warning(codes::KEPT, what).hinted(hint)];
        }
        Recovery::Stuck { reason } => {
            let failed = crate::outcome::stop::transaction_failed(reason);
            return vec![Diagnostic {
                code: codes::RECOVERY_STUCK,
                message: format!("{name} was interrupted and cannot be rolled back yet: {}", failed.message),
                ..failed
            }];
        }
    };
    std::iter::once(Diagnostic::warning(codes::RECOVERED, what)).chain(besides).collect()
}
