//! What is reviewed: a diff from git or from the ledger.

use relay_agent::ask::{AskError, diff};
use relay_agent::backend::Scope;
use relay_agent::settings::Settings;
use relay_edit::{Diagnostic, Dialect};
use relay_engine::{Engine, translate};

use crate::cli::ReviewArgs;

/// What is reviewed.
pub struct Changes {
    pub diff: String,
    base: Option<String>,
    is_uncommitted: bool,
}

impl Changes {
    pub fn collect(engine: &Engine, args: &ReviewArgs, settings: &Settings) -> Result<Self, AskError> {
        let (repo, cancel) = (engine.workspace().root(), engine.cancel());
        let plain = |diff: String| Self { diff, base: None, is_uncommitted: false };
        if args.staged {
            return diff::staged(repo, cancel).map(plain);
        }
        if args.uncommitted {
            return diff::uncommitted(repo, cancel).map(|diff| Self { is_uncommitted: true, ..plain(diff) });
        }
        if let Some(range) = &args.range {
            return diff::between(repo, range, cancel).map(plain);
        }
        if let Some(transaction) = &args.transaction {
            return in_ledger(engine, transaction).map(plain);
        }
        let base = args
            .base
            .clone()
            .or_else(|| settings.text("ask.review_base"))
            .unwrap_or_else(|| diff::default_base(repo, cancel).to_owned());
        let diff = diff::since(repo, &base, cancel)?;
        Ok(Self { diff, base: Some(base), is_uncommitted: false })
    }

    /// The same changes in the words of a backend with a review of its own.
    pub fn scope(&self) -> Option<Scope<'_>> {
        match &self.base {
            Some(base) => Some(Scope::Base(base)),
            None => self.is_uncommitted.then_some(Scope::Uncommitted),
        }
    }
}

fn in_ledger(engine: &Engine, transaction: &str) -> Result<String, AskError> {
    let said = |diagnostics: Vec<Diagnostic>| AskError::Diff {
        said: diagnostics.into_iter().map(|found| found.message).collect::<Vec<_>>().join("; "),
    };
    let history = engine.history().map_err(|error| said(error.diagnostics()))?;
    let entry = history.find(transaction).map_err(|found| said(vec![found]))?;
    translate::entry(engine, &entry.record, Dialect::Unified).map_err(said)
}
