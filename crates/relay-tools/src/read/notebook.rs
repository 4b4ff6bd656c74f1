//! Notebooks as cells of text.

use relay_agent::tool::{Call, Output, ToolError};
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
    let display = Display::of(call, &selection, false);
    let page = Paging { name, display, selection }.of_text(&text, default_limit(call));
    let details = json!({ "path": name, "meta": { "source": name }, "page": page.details() });
    Ok(Some(Output::text(page.text).with_details(details)))
}
