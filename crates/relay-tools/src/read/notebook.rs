//! Notebooks as cells of text.

use relay_agent::tool::{Call, Output, ToolError};
use relay_engine::views::{self, Seen};
use relay_workspace::{FILE_LIMIT_BYTES, read_opened};
use serde_json::json;

use super::display::{Display, Paging, default_limit};
use super::file::Opened;
use crate::notebook;

/// Shows a notebook; nothing if it is something else.
///
/// # Errors
/// It is not one although its name says so.
pub fn read(call: &Call<'_>, opened: &Opened<'_>) -> Result<Option<Output>, ToolError> {
    let name = opened.place.shown();
    if !name.to_ascii_lowercase().ends_with(".ipynb") {
        return Ok(None);
    }
    let failed =
        |message: String| ToolError::failed(format!("{message} Read {name}:raw to see the file as it is."));
    let bytes = read_opened(&opened.file, &opened.facts, FILE_LIMIT_BYTES)
        .map_err(|error| failed(format!("{name} cannot be read: {error}.")))?;
    let text = notebook::as_text(&bytes).map_err(failed)?;
    let selection = opened.selection;
    let path = opened.place.in_workspace(call.services.engine.workspace());
    let display = Display::of(call, &selection, path.is_some());
    let page = Paging { name, display, selection }.of_text(&text, default_limit(call));
    if let Some(path) = path.filter(|_| page.shown.0 <= page.shown.1) {
        let is_all = page.shown.0 == 1 && page.total == Some(page.shown.1);
        let lines = [page.shown];
        // Edits of a notebook are placed on this text.
        let seen = Seen { path: &path, content: text.as_bytes(), lines: (!is_all).then_some(&lines[..]) };
        let kept = views::remember_in(&call.services.engine, &call.services.session, &[seen]);
        kept.map_err(|error| ToolError::failed(error.to_string()))?;
    }
    let details = json!({ "path": name, "meta": { "source": name }, "page": page.details() });
    Ok(Some(Output::text(page.text).with_details(details)))
}
