//! What a search has shown of files is remembered, so that its anchors stay good when the files change.

use relay_agent::tool::Call;
use relay_engine::views::{self, Seen};
use relay_workspace::RelPath;
use relay_workspace::search::FileMatches;

use crate::edit::Edit;

/// Of how many files the shown lines are remembered; a session remembers no more.
const FILES: usize = 30;
/// Larger files are not remembered, as after `read`.
const FILE_BYTES: u64 = 2 << 20;

/// The lines of a file that were shown, and all of its content.
struct Shown {
    path: RelPath,
    content: Vec<u8>,
    lines: Vec<(usize, usize)>,
}

/// Remembers the lines that were shown of these files, where anchors came with them.
pub fn remember(call: &Call<'_>, files: &[FileMatches]) {
    if !call.services.is_on("readHashLines", true) || !Edit::takes_anchors(call) {
        return;
    }
    let shown: Vec<Shown> = files.iter().take(FILES).filter_map(|file| shown(call, file)).collect();
    let seen: Vec<Seen<'_>> = shown
        .iter()
        .map(|shown| Seen { path: &shown.path, content: &shown.content, lines: Some(&shown.lines) })
        .collect();
    // A view that is lost costs a question to the model, never a change.
    drop(views::remember_in(&call.services.engine, &call.services.session, &seen));
}

/// Files outside the workspace cannot be edited; those that changed since they were searched were not shown as they are.
fn shown(call: &Call<'_>, file: &FileMatches) -> Option<Shown> {
    let workspace = call.services.engine.workspace();
    let path = workspace.path(&file.path).ok().filter(|path| path.as_str() == file.path)?;
    let content = workspace.root_dir().read(path.as_str(), FILE_BYTES).ok()??.bytes;
    let texts = relay_edit::line_texts(&content)?;
    let mut lines: Vec<(usize, usize)> = Vec::new();
    for line in file.lines.iter().filter(|line| !line.is_cut) {
        let number = usize::try_from(line.number).ok()?;
        if texts.get(number.checked_sub(1)?)? != &line.text {
            return None;
        }
        match lines.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => lines.push((number, number)),
        }
    }
    Some(Shown { path, content, lines })
}
