//! Names both versions of a file that another program changed between plan and rename.
//!
//! The file stays as another program left it. The content the change was planned against may no longer exist elsewhere,
//! so Relay saves it for the user and names both versions by their hashes.

use relay_txn::{FileChange, Image};

use crate::codes;
use crate::engine::Engine;
use crate::land::landing::Landing;
use crate::outcome::Outcome;
use crate::outcome::stop::Stop;

/// Adds both versions to a refusal because of a file that changed meanwhile.
pub(crate) fn name_both(landing: &Landing<'_>, stop: Stop) -> Stop {
    let Landing { engine, outcome, .. } = landing;
    let Stop::Outdated(mut reasons) = stop else { return stop };
    for reason in reasons.iter_mut().filter(|reason| reason.code == codes::CHANGED_SINCE) {
        let named = reason.path.as_deref();
        let Some(change) = outcome.changes.iter().find(|change| Some(change.path.as_str()) == named) else {
            continue;
        };
        let now = match engine.workspace().read(&change.path) {
            Ok(Some(file)) => version(&file.bytes, file.mode),
            Ok(None) => "gone".to_owned(),
            Err(error) => error.to_string(),
        };
        let before = change.before.as_ref();
        let planned =
            before.map_or_else(|| "not there".to_owned(), |image| version(&image.bytes, image.mode));
        reason.message.push_str(&format!(": it was {planned} then, and is {now} now"));
        reason.hint = Some(hint(kept(engine, outcome, change)));
    }
    Stop::Outdated(reasons)
}

/// Where the original content is saved; `None` if there was none, or no room for it.
fn kept(engine: &Engine, outcome: &Outcome, change: &FileChange) -> Option<String> {
    let (uuid, Image { bytes, .. }) = outcome.uuid.zip(change.before.as_ref())?;
    engine.ledger().keep_aside(uuid, change.path.as_str(), bytes).ok()
}

fn hint(kept: Option<String>) -> String {
    let planned = kept
        .map(|name| format!(" The content it was planned against is saved as {name}."))
        .unwrap_or_default();
    format!(
        "Nothing was changed: the file is as another program left it.{planned} Look at it, then run the command again."
    )
}

/// A version in a form people can compare: the beginning of the content's hash, its size, and the permissions.
fn version(bytes: &[u8], mode: u32) -> String {
    let hash = blake3::hash(bytes).to_hex();
    format!("{} ({} bytes, mode {:o})", hash.split_at(12).0, bytes.len(), mode & 0o7777)
}
