//! Restoring a content that no transaction leads to: it lands like any other change, so it can be undone.

use relay_diagnostics::Diagnostic;
use relay_edit::stat;
use relay_txn::{Draft, FileChange, Image, Kept, OperationRecord, Target};
use relay_workspace::RelPath;
use uuid::Uuid;

use crate::approval::{Approver, Observer};
use crate::codes;
use crate::engine::{Engine, EngineError};
use crate::land::landing::Landing;
use crate::land::transact::Terms;
use crate::outcome::file_reports;
use crate::outcome::stop::Stop;
use crate::outcome::{Outcome, Status};
use crate::plan::contain::{agree_to, path_refused, sensitive_changes, unreadable};

/// How such a transaction arrived, for the ledger.
const CHANNEL: &str = "recover";
const SENSITIVE_HINT: &str = "Look at it first: restore it under another name with --to PATH.";

/// Restores the content a person names, to where it was or to another path.
pub fn restore(
    engine: &Engine,
    id: &str,
    to: Option<&RelPath>,
    approver: &mut dyn Approver,
    observer: &mut dyn Observer,
) -> Outcome {
    Landing::new(engine, approver, observer).run(|landing| run(landing, id, to))
}

fn run(landing: &mut Landing<'_>, id: &str, to: Option<&RelPath>) -> Result<Status, Stop> {
    let engine = landing.engine;
    let kept = find(engine, id)?;
    let path = match (to, &kept.path) {
        (Some(to), _) => to.clone(),
        (None, Some(path)) => {
            engine.workspace().path(path).map_err(|refusal| Stop::refused(path_refused(path, &refusal)))?
        }
        (None, None) => return Err(Stop::refused(where_to(&kept))),
    };
    let after = engine.ledger().kept_content(&kept)?;
    let read = engine.workspace().read(&path).map_err(|error| Stop::refused(unreadable(&error)))?;
    let before = read.map(|file| Image::new(file.bytes, file.mode));
    if before.as_ref().is_some_and(|before| *before.bytes == *after) {
        return Ok(Status::Unchanged);
    }
    let lines = stat(before.as_ref().map(|image| &*image.bytes).unwrap_or_default(), &after);
    let mut change = FileChange::new(path, before, Some(Target::new(after)));
    (change.added, change.removed) = (lines.added, lines.removed);
    let found = sensitive_changes(std::slice::from_ref(&change));
    agree_to(&found, SENSITIVE_HINT, landing.approver)
        .map_err(|refused| refused.map_or_else(Stop::interrupted, Stop::Refused))?;
    landing.require_approver(&[])?;
    landing.outcome.files =
        file_reports::of_changes(std::slice::from_ref(&change), |_| format!("from {}", kept.kept_in));
    let draft = draft(engine, &kept, change);
    landing.outcome.uuid = Some(draft.uuid);
    landing.transact(draft, Terms::default())
}

fn find(engine: &Engine, id: &str) -> Result<Kept, Stop> {
    let kept = engine.ledger().kept()?;
    kept.into_iter().find(|kept| kept.id == id).ok_or_else(|| {
        Stop::refused(
            Diagnostic::error(codes::NO_SUCH_CONTENT, format!("there is no saved content `{id}`"))
                .hinted("`relay recover --list` lists what can be restored."),
        )
    })
}

fn where_to(kept: &Kept) -> Diagnostic {
    let message = format!("the original path of {} is not certain", kept.id);
    Diagnostic::error(codes::NO_SUCH_CONTENT, message)
        .hinted(format!("Look at {}, and choose where to restore it with --to PATH.", kept.kept_in))
}

fn draft(engine: &Engine, kept: &Kept, change: FileChange) -> Draft {
    Draft {
        uuid: Uuid::new_v4(),
        header: engine.header(CHANNEL, &format!("restored {} from {}", kept.id, kept.kept_in)),
        operations: vec![OperationRecord::new("restore", change.path.as_str(), "ledger", "exact")],
        changes: vec![change],
        ..Draft::default()
    }
}

/// The contents that can be restored. Works without a config and with a broken one.
///
/// # Errors
/// The state folder or the user's data folder cannot be used.
pub fn kept(
    workspace: &relay_workspace::Workspace,
    store: &relay_store::Store,
) -> Result<(Vec<Kept>, Vec<Diagnostic>), EngineError> {
    let (ledger, found) = crate::engine::open_ledger(workspace, store)?;
    Ok((ledger.kept()?, found))
}
