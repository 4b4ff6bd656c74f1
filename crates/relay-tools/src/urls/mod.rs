//! Internal addresses: texts that belong to the session and are read like files, `artifact://3` or `skill://review`.
//!
//! `relay_agent::resources` is the router, with one file per scheme; here its texts are paged. They have no anchors,
//! because `edit` changes files alone.

use relay_agent::resources::Resource;
use relay_agent::tool::{Call, Output, ToolError};
use serde_json::json;

use crate::read::display::{Display, Paging, default_limit};
use crate::read::selector::Selection;

/// Whether a path is written as an address, of whatever kind.
#[must_use]
pub fn is_address(path: &str) -> bool {
    path.split_once("://").is_some_and(|(scheme, _)| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        scheme.len() > 1 && scheme.chars().all(is_plain) && !scheme.eq_ignore_ascii_case("file")
    })
}

/// The text at an address.
///
/// # Errors
/// There is none.
pub fn text(call: &Call<'_>, address: &str) -> Result<Resource, ToolError> {
    call.services.resources.read(address, call.cancel)
}

/// Reads an address with its selector.
///
/// # Errors
/// There is nothing at it, or a part of it cannot be paged.
pub fn read(call: &Call<'_>, written: &str) -> Result<Output, ToolError> {
    let (address, selection) = Selection::split(written)?;
    let resource = text(call, address)?;
    let details = json!({ "meta": { "source": address } });
    if resource.is_part {
        if selection.range.is_some() {
            return Err(ToolError::failed("Cannot combine query extraction with offset/limit"));
        }
        return Ok(Output::text(resource.text).with_details(details));
    }
    let display = Display::of(call, &selection, false);
    let page = Paging { name: address, display, selection }.of_text(&resource.text, default_limit(call));
    let notes: String = resource.notes.iter().map(|note| format!("[{note}]\n")).collect();
    Ok(Output::text(format!("{notes}{}", page.text)).with_details(details))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_paths() {
        for path in ["artifact://3", "skill://a/b", "issue://1"] {
            assert!(is_address(path), "{path}");
        }
        for path in ["src/a.rs", "c://x", "file:///etc/hosts", "a b://c", "://x"] {
            assert!(!is_address(path), "{path}");
        }
    }
}
