//! An entry of an archive: the archive is written again with it, and lands as one change.

use relay_agent::policy::Level;
use relay_agent::tool::{Call, Landing, Output, ToolError};
use relay_edit::anchors::without_anchors;
use relay_engine::{Engine, Exact, Status, Unobserved, group, land_exact};
use relay_workspace::{Kind, RelPath};
use serde_json::json;

use crate::archive::{ArchiveError, Format, NewEntry, candidates, normal, with_entry};
use crate::edit::{refused, worded};

/// An archive and the entry to write.
#[derive(Debug)]
pub struct Place {
    archive: RelPath,
    entry: String,
    format: Format,
}

/// The entry that a path names; nothing if it names no archive.
pub fn place(engine: &Engine, path: &str) -> Result<Option<Place>, ToolError> {
    let candidates = candidates(path);
    let is_there = |archive: &str| {
        let path = engine.workspace().path(archive).ok();
        let facts = path.and_then(|path| engine.workspace().facts(&path).ok().flatten());
        facts.is_some_and(|facts| facts.kind == Kind::File)
    };
    let there = candidates.iter().find(|(archive, ..)| is_there(archive));
    // An archive that is not there yet is the one with the longest name that leaves an entry.
    let new = || candidates.iter().find(|(_, entry, _)| !entry.is_empty()).or_else(|| candidates.first());
    let Some((archive, entry, format)) = there.or_else(new) else { return Ok(None) };
    let archive =
        engine.workspace().path(archive).map_err(|refusal| ToolError::failed(refusal.to_string()))?;
    Ok(Some(Place { archive, entry: inner(entry)?, format: *format }))
}

/// The path of an entry, or why it cannot be one.
fn inner(entry: &str) -> Result<String, ToolError> {
    let entry = entry.replace('\\', "/");
    let entry = entry.trim_start_matches('/');
    if entry.split('/').any(|part| part == "..") {
        return Err(ToolError::failed("Archive path cannot contain '..'"));
    }
    if entry.ends_with('/') && entry.split('/').any(|part| !part.is_empty() && part != ".") {
        return Err(ToolError::failed("Archive write path must target a file, not a directory"));
    }
    let inside = normal(entry).filter(|path| !path.is_empty());
    inside.ok_or_else(|| ToolError::failed("Archive write path must target a file inside the archive"))
}

/// Writes the entry.
pub fn write(call: &Call<'_>, place: &Place, content: &str) -> Result<Output, ToolError> {
    let engine = &call.services.engine;
    let Place { archive, entry, format } = place;
    let plain = without_anchors(content);
    let content = plain.as_deref().unwrap_or(content);
    let found = engine.workspace().read(archive).map_err(|error| ToolError::failed(error.to_string()))?;
    let before = found.as_ref().map(|file| file.bytes.as_slice());
    let modified = u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or_default();
    let new = NewEntry { path: entry, content: content.as_bytes(), modified };
    let after = with_entry(*format, before, new, call.cancel).map_err(|error| match error {
        ArchiveError::Cancelled => ToolError::aborted(),
        ArchiveError::IsFolder(_) => {
            ToolError::failed("Archive write path must target a file, not a directory")
        }
        other => ToolError::failed(format!("{archive}: {other}")),
    })?;
    ToolError::check(call.cancel)?;
    let group = group::of_call(&call.services.session, &call.facts.turn, call.id);
    let reason = format!("write {entry} in {archive}");
    let exact = Exact {
        channel: "agent",
        reason: &reason,
        model: Some(&call.facts.model),
        group: Some(&group),
        path: archive,
        before,
        after,
    };
    let mut approver = Landing::new(Level::Auto, call.services);
    let outcome = land_exact(engine, exact, &mut approver, &mut Unobserved);
    match outcome.status {
        Status::Committed | Status::Unchanged => {}
        Status::Interrupted => return Err(ToolError::aborted()),
        _ => return Err(refused(outcome.diagnostics.iter().filter(|found| found.is_error()).map(worded))),
    }
    let mut text = format!("Successfully wrote {} bytes to {archive}:{entry}", content.len());
    if plain.is_some() {
        text.push_str(
            "\nNote: anchors copied from `read` were taken off the lines before they were written.",
        );
    }
    let transactions = outcome.uuid.filter(|_| !outcome.changes.is_empty()).into_iter().collect();
    Ok(Output { transactions, ..Output::text(text).with_details(json!({})) })
}
