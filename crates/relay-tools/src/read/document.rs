//! Documents as text, converted in a child process.

use relay_agent::tool::{Call, Output, ToolError};
use serde_json::json;

use super::display::{Display, Paging, default_limit};
use super::file::Opened;
use crate::documents::{self, Kind};

/// Shows a document; nothing if it is something else. What cannot be converted is said, not an error.
///
/// # Errors
/// The call was asked to end.
pub fn read(call: &Call<'_>, opened: &Opened<'_>) -> Result<Option<Output>, ToolError> {
    let name = opened.place.shown();
    let Some(kind) = Kind::of_name(name) else { return Ok(None) };
    let text = match documents::convert(call, kind, (&opened.file, &opened.facts)) {
        Ok(text) => text,
        Err(reason) => {
            ToolError::check(call.cancel)?;
            return Ok(Some(Output::text(format!("[Cannot read .{} file: {reason}]\n", kind.ending()))));
        }
    };
    if text.trim().is_empty() {
        return Ok(Some(Output::text(format!("[No text in this .{} file]\n", kind.ending()))));
    }
    let selection = opened.selection;
    let display = Display::of(call, &selection, false);
    let page = Paging { name, display, selection }.of_text(&text, default_limit(call));
    let details = json!({ "path": name, "meta": { "source": name }, "page": page.details() });
    Ok(Some(Output::text(page.text).with_details(details)))
}
