//! Archives: folders in them are listed, entries read like files.

use std::collections::BTreeMap;
use std::io::BufReader;

use relay_agent::tool::{Call, Output, ToolError};
use relay_diagnostics::display::visible_line;
use relay_workspace::{File, Place};
use serde_json::json;

use super::display::{Display, Paging, default_limit};
use super::folder::size;
use super::selector::Selection;
use crate::archive::{self, ArchiveError, EntryKind, Format, Index};

/// How many entries of a folder are listed.
const LISTED: usize = 500;

fn failed(error: ArchiveError) -> ToolError {
    match error {
        ArchiveError::Cancelled => ToolError::aborted(),
        error => ToolError::failed(error.to_string()),
    }
}

/// Reads what is at `inner` in the archive, which may end with a selector.
///
/// # Errors
/// There is no such entry, or the archive cannot be read.
pub fn read(call: &Call<'_>, place: &Place, inner: &str, format: Format) -> Result<Output, ToolError> {
    let index = archive::index(format, open(place)?, call.cancel).map_err(failed)?;
    // An entry may have a name that looks like a selector.
    let whole = archive::asked(inner).map_err(failed)?;
    let is_there = |path: &str| {
        path.is_empty()
            || index.entries.iter().any(|entry| entry.path == path || below(&entry.path, path).is_some())
    };
    let (path, selection) = match is_there(&whole) {
        true => (whole, Selection::default()),
        false => {
            // The lines of the archive's own listing: `a.zip:1-9`.
            let written = format!(":{inner}");
            let (rest, selection) = Selection::split(&written)?;
            (archive::asked(rest.strip_prefix(':').unwrap_or(rest)).map_err(failed)?, selection)
        }
    };
    if !is_there(&path) {
        let archive = place.shown();
        return Err(ToolError::failed(format!(
            "There is no `{}` in {archive}. Read {archive} alone to see what is there.",
            visible_line(&path)
        )));
    }
    let is_file = index.entries.iter().any(|entry| entry.path == path && entry.kind != EntryKind::Folder);
    if !is_file {
        return Ok(listing(place, &index, &path));
    }
    let bytes = archive::entry(format, open(place)?, &path, call.cancel).map_err(failed)?.unwrap_or_default();
    let name = format!("{}:{path}", place.shown());
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    let Some(text) = text else {
        let size = index.entries.iter().find(|entry| entry.path == path).map_or(0, |entry| entry.size);
        let shown = visible_line(&path);
        return Ok(Output::text(format!(
            "[Cannot read binary archive entry '{shown}' ({})]\n",
            self::size(size)
        )));
    };
    let display = Display::of(call, &selection, false);
    let page = Paging { name: &name, display, selection }.of_text(&text, default_limit(call));
    let details = json!({ "meta": { "source": name }, "page": page.details() });
    Ok(Output::text(page.text).with_details(details))
}

fn open(place: &Place) -> Result<BufReader<File>, ToolError> {
    let opened = place.open_file().map_err(|error| ToolError::failed(error.to_string()))?;
    opened
        .map(|(file, _)| BufReader::with_capacity(64 << 10, file))
        .ok_or_else(|| ToolError::failed(format!("{} does not exist.", place.shown())))
}

/// What is left of a path below a folder; the root is empty.
fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

/// The immediate children of a folder, sorted by name.
fn listing(place: &Place, index: &Index, folder: &str) -> Output {
    let mut children: BTreeMap<&str, Option<u64>> = BTreeMap::new();
    for entry in &index.entries {
        let Some(rest) = below(&entry.path, folder).filter(|rest| !rest.is_empty()) else { continue };
        match rest.split_once('/') {
            Some((child, _)) => {
                children.insert(child, None);
            }
            None if entry.kind == EntryKind::Folder => {
                children.insert(rest, None);
            }
            None => {
                children.entry(rest).or_insert(Some(entry.size));
            }
        }
    }
    let mut text = String::new();
    for (name, bytes) in children.iter().take(LISTED) {
        let name = visible_line(name);
        match bytes {
            None => text.push_str(&format!("{name}/\n")),
            Some(0) => text.push_str(&format!("{name}\n")),
            Some(bytes) => text.push_str(&format!("{name} ({})\n", size(*bytes))),
        }
    }
    if children.is_empty() {
        text.push_str("(empty archive directory)\n");
    }
    if children.len() > LISTED {
        text.push_str(&format!("[Showing {LISTED} of {} entries]\n", children.len()));
    }
    if index.unsafe_names > 0 {
        text.push_str(&format!(
            "[{} entries with names that lead outside the archive are left out]\n",
            index.unsafe_names
        ));
    }
    let limits = (children.len() > LISTED).then(|| json!({ "resultLimit": LISTED }));
    let details = json!({ "isDirectory": true, "meta": { "source": place.shown(), "limits": limits } });
    Output::text(text).with_details(details)
}
