//! An entry of an archive: the archive is written again with it, and lands as one change.

use relay_agent::tool::{Call, Output, ToolError};
use relay_edit::anchors::without_anchors;
use relay_engine::Engine;
use relay_workspace::{Kind, RelPath};
use serde_json::json;

use crate::archive::{ArchiveError, Format, NewEntry, candidates, normal, with_entry};
use crate::landing::land_bytes;

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
    let transactions = land_bytes(call, archive, before, after, &format!("write {entry} in {archive}"))?;
    let mut text = format!("Successfully wrote {} bytes to {archive}:{entry}", content.len());
    if plain.is_some() {
        text.push_str(
            "\nNote: anchors copied from `read` were taken off the lines before they were written.",
        );
    }
    Ok(Output { transactions, ..Output::text(text).with_details(json!({})) })
}
