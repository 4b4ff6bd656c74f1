//! Lands a file with exactly known new bytes, such as an archive rewritten with another entry.
//!
//! There is nothing to parse or to place. The file must still be what the new bytes were computed from.

use relay_diagnostics::Diagnostic;
use relay_txn::{Draft, FileChange, Header, Image, OperationRecord, Target};
use relay_workspace::RelPath;
use uuid::Uuid;

use crate::approval::{Approver, Observer};
use crate::checks;
use crate::codes;
use crate::engine::Engine;
use crate::land::landing::Landing;
use crate::land::transact::Terms;
use crate::outcome::file_reports;
use crate::outcome::stop::Stop;
use crate::outcome::{Outcome, Status};
use crate::plan::contain::{agree_to_changes, unreadable};

const SENSITIVE_HINT: &str = "Nothing was changed; allow it with --allow-sensitive.";

/// A file and its new bytes.
#[derive(Debug)]
pub struct Exact<'a> {
    /// The channel, for the ledger.
    pub channel: &'static str,
    /// What it is about, in a sentence.
    pub reason: &'a str,
    /// Who wrote it.
    pub model: Option<&'a str>,
    /// The group that it belongs to.
    pub group: Option<&'a str>,
    /// The file.
    pub path: &'a RelPath,
    /// What the new bytes were computed from; `None` for a new file.
    pub before: Option<&'a [u8]>,
    /// The new bytes.
    pub after: Vec<u8>,
}

/// Gives a file these bytes, as one transaction, or leaves it as it was and says why.
pub fn land_exact(
    engine: &Engine,
    exact: Exact<'_>,
    approver: &mut dyn Approver,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut landing = Landing::new(engine, approver, observer);
    landing.outcome.diagnostics.clear();
    landing.run(|landing| run(landing, exact))
}

fn run(landing: &mut Landing<'_>, exact: Exact<'_>) -> Result<Status, Stop> {
    let engine = landing.engine;
    let found = engine.workspace().read(exact.path).map_err(|error| Stop::refused(unreadable(&error)))?;
    if found.as_ref().map(|file| file.bytes.as_slice()) != exact.before {
        let message = format!("{} changed while its new content was being computed", exact.path);
        let finding = Diagnostic::error(codes::CHANGED_MEANWHILE, message).on(exact.path.as_str());
        return Err(Stop::refused(finding.hinted("Try again.")));
    }
    if exact.before == Some(exact.after.as_slice()) {
        return Ok(Status::Unchanged);
    }
    let before = found.map(|file| Image::new(file.bytes, file.mode));
    let change = FileChange::new(exact.path.clone(), before, Some(Target::new(exact.after)));
    agree_to_changes(std::iter::once(&change), SENSITIVE_HINT, landing.approver)?;
    landing.require_approver(&[])?;
    let draft = Draft {
        uuid: Uuid::new_v4(),
        header: Header {
            model: exact.model.map(str::to_owned),
            group: exact.group.map(str::to_owned),
            ..engine.header(exact.channel, exact.reason)
        },
        operations: vec![OperationRecord::new("write", exact.path.as_str(), "exact", "whole file")],
        changes: vec![change],
        ..Draft::default()
    };
    landing.outcome.uuid = Some(draft.uuid);
    landing.outcome.files = file_reports::of_changes(&draft.changes, |_| "whole file".to_owned());
    let checks = checks::of_project(engine, None, false);
    landing.transact(draft, Terms { checks, questions: Vec::new(), allow_sensitive: false })
}
