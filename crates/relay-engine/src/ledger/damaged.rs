//! Findings about state files that cannot be verified.
//!
//! A file without this user's MAC was damaged, written with another key, or came with the repository. Relay cannot know
//! which, so it leaves the file alone, removes nothing the file needs, and says so in every report.

use relay_diagnostics::Diagnostic;
use uuid::Uuid;

use crate::codes;
use crate::ledger::history::{Entry, short};

/// The possible reasons, for the end of a sentence.
const CAUSES: &str =
    "it is damaged, ledger.key in the user's data was lost or replaced, or it came with the repository";

/// An interrupted transaction whose record cannot be verified.
pub(crate) fn pending(uuid: Uuid, name: &str) -> Diagnostic {
    let message = format!(
        "{} was interrupted and cannot be rolled back: {name} cannot be verified ({CAUSES})",
        short(uuid)
    );
    let hint = format!(
        "Its files may be half changed. `relay recover --list` lists what can be restored, `relay recover --restore ID \
         --to PATH` restores it; then remove {name} and .relaycode/stage/{uuid}."
    );
    Diagnostic::error(codes::DAMAGED_STATE, message).on(name).hinted(hint)
}

/// The journal of a command that was interrupted, and cannot be verified.
pub(crate) fn journal(name: &str) -> Diagnostic {
    let message =
        format!("what an interrupted command did cannot be recorded: {name} cannot be verified ({CAUSES})");
    let hint = "Compare the files with git or a backup; then remove that file.";
    Diagnostic::error(codes::DAMAGED_STATE, message).on(name).hinted(hint)
}

/// A transaction of the ledger whose record is damaged.
#[must_use]
pub fn record(entry: &Entry) -> Diagnostic {
    let (number, uuid) = (entry.record.sequence, entry.record.uuid);
    let message =
        format!("#{number} ({}) is damaged: .relaycode/{uuid}.yml is not what Relay wrote", short(uuid));
    let hint = "Restore that file from a backup. Until then, nothing that depends on it can run; the contents it names are kept.";
    Diagnostic::error(codes::DAMAGED_STATE, message).on(format!(".relaycode/{uuid}.yml")).hinted(hint)
}

/// Records that cannot be verified, and whose place in the ledger is not known.
#[must_use]
pub fn unknown(names: &[String]) -> Diagnostic {
    let named: Vec<&str> = names.iter().take(3).map(String::as_str).collect();
    let more = if names.len() > 3 { ", …" } else { "" };
    let message =
        format!("{} in .relaycode/ cannot be verified ({}{more}): {CAUSES}", names.len(), named.join(", "));
    let hint = "Restore what is damaged from a backup; remove what is not yours.";
    Diagnostic::error(codes::DAMAGED_STATE, message).hinted(hint)
}
