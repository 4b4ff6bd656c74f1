//! What is reviewed: a diff from git or from the ledger.

use relay_backends::ask::AskError;
use relay_backends::ask::diff::{self, Diff as GitDiff};
use relay_backends::backend::Scope;
use relay_backends::review::Diff;
use relay_diagnostics::Diagnostic;
use relay_edit::Dialect;
use relay_engine::{Engine, translate};
use relay_exec::git::Ignored;
use relay_settings::Settings;

use crate::cli::ReviewArgs;

/// What is reviewed.
pub struct Changes {
    diff: GitDiff,
    /// Their size, if they are too large to send.
    too_large_bytes: Option<usize>,
    base: Option<String>,
    is_uncommitted: bool,
}

impl Changes {
    pub fn collect(engine: &Engine, args: &ReviewArgs, settings: &Settings) -> Result<Self, AskError> {
        let (repo, cancel) = (engine.workspace().root(), engine.cancel());
        let plain = |diff: GitDiff| Self { diff, too_large_bytes: None, base: None, is_uncommitted: false };
        if args.staged {
            return diff::staged(repo, cancel).map(plain);
        }
        if args.uncommitted {
            let (diff, too_large_bytes) = sendable(diff::uncommitted(repo, cancel))?;
            return Ok(Self { too_large_bytes, is_uncommitted: true, ..plain(diff) });
        }
        if let Some(range) = &args.range {
            return diff::between(repo, range, cancel).map(plain);
        }
        if let Some(transaction) = &args.transaction {
            let text = in_ledger(engine, transaction)?;
            return Ok(plain(GitDiff { text, ..GitDiff::default() }));
        }
        let base = args
            .base
            .clone()
            .or_else(|| settings.text("backends.reviewBase"))
            .unwrap_or_else(|| diff::default_base(repo, cancel).to_owned());
        let (diff, too_large_bytes) = sendable(diff::since(repo, &base, cancel))?;
        Ok(Self { too_large_bytes, base: Some(base), ..plain(diff) })
    }

    /// The changes in the form in which they are sent.
    pub fn diff(&self) -> Diff<'_> {
        self.too_large_bytes.map_or(Diff::Text(&self.diff.text), |bytes| Diff::TooLarge { bytes })
    }

    /// The repository's settings that Relay kept git from using.
    pub fn ignored(&self) -> &[Ignored] {
        &self.diff.ignored
    }

    /// Whether there is nothing to review.
    pub fn is_empty(&self) -> bool {
        self.too_large_bytes.is_none() && self.diff.text.trim().is_empty()
    }

    /// The same changes as arguments for a backend with a review of its own.
    pub fn scope(&self) -> Option<Scope<'_>> {
        match &self.base {
            Some(base) => Some(Scope::Base(base)),
            None => self.is_uncommitted.then_some(Scope::Uncommitted),
        }
    }
}

/// Changes that are too large are an error only when they must be sent: a backend's own review reads them itself.
fn sendable(diff: Result<GitDiff, AskError>) -> Result<(GitDiff, Option<usize>), AskError> {
    match diff {
        Err(AskError::TooLarge { bytes, .. }) => Ok((GitDiff::default(), Some(bytes))),
        other => other.map(|diff| (diff, None)),
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
