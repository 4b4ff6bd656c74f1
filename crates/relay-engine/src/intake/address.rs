//! Finds the file of an edit that names none: the one file that contains its old lines exactly once.
//!
//! Models send hunks and replacements without a path if the conversation makes the file obvious. The file above is used if
//! it contains the lines; otherwise exactly one file of the project must contain them.

use relay_edit::{Body, Dialect, Edit, OldLines, Operation, Passage, Reply};
use relay_workspace::{RelPath, Workspace};

/// How many bytes are read to find the files of one reply.
const READ_LIMIT_BYTES: u64 = 64 << 20;
/// Larger files are unlikely to be meant.
const FILE_LIMIT_BYTES: u64 = 4 << 20;
/// For how many edits without a file to search.
const EDITS: usize = 50;

/// Assigns every edit without a path the file that its old lines identify. An edit that fits no file, or several, is removed
/// from the reply, and its block says so. Code that matches a whole file of the project becomes an edit, unless only one dialect
/// is read.
pub(crate) fn resolve(workspace: &Workspace, dialect: Option<Dialect>, reply: &mut Reply) {
    if dialect.is_none() {
        reply.read_whole_files(|path| read(workspace, &workspace.path(path).ok()?));
    }
    if !reply.edits.iter().any(|edit| edit.path.is_empty()) {
        return;
    }
    let mut left = READ_LIMIT_BYTES;
    let mut known: Vec<String> = Vec::new();
    let mut unplaced = Vec::new();
    let named: Vec<String> =
        reply.edits.iter().map(|edit| edit.path.clone()).filter(|path| !path.is_empty()).collect();
    for (at, edit) in reply.edits.iter_mut().enumerate() {
        if !edit.path.is_empty() {
            known.push(edit.path.clone());
            continue;
        }
        let lead = reply
            .passages
            .iter()
            .find(|passage| passage.holds(edit.line))
            .map(|passage| passage.lead.as_str());
        let previous =
            known.last().filter(|path| !lead.is_some_and(|lead| relay_edit::speaks_of_another(lead, path)));
        let found = if at < EDITS {
            find(workspace, edit, previous.map(String::as_str), &named, &mut left)
        } else {
            Err(0)
        };
        match found {
            Ok(path) => {
                edit.path.clone_from(&path);
                known.push(path);
            }
            Err(places) => unplaced.push((edit.line, places)),
        }
    }
    reply.edits.retain(|edit| !edit.path.is_empty());
    for (line, places) in unplaced {
        mark(&mut reply.passages, line, places);
    }
}

/// A file's content, unless it is too large to be meant.
pub(crate) fn read(workspace: &Workspace, path: &RelPath) -> Option<Vec<u8>> {
    let is_small = matches!(workspace.facts(path), Ok(Some(facts)) if facts.size <= FILE_LIMIT_BYTES);
    Some(workspace.read(path).ok().filter(|_| is_small)??.bytes)
}

/// Records in a block's account why its edit has no file.
fn mark(passages: &mut [Passage], line: usize, places: usize) {
    let reason = match places {
        0 => "it names no file, and its old lines are in no file of this project".to_owned(),
        1 => "it names no file and has no old lines that show which one is meant".to_owned(),
        _ => format!("it names no file, and its old lines are in {places} files of this project"),
    };
    if let Some(passage) = passages.iter_mut().find(|passage| passage.holds(line)) {
        passage.body = Body::Unplaced(reason);
    }
}

/// The file of an edit, or the number of files with its lines; 1 if they could be anywhere.
fn find(
    workspace: &Workspace,
    edit: &Edit,
    previous: Option<&str>,
    named: &[String],
    left: &mut u64,
) -> Result<String, usize> {
    let Operation::Patch { hunks, .. } = &edit.operation else { return Err(1) };
    let sought: Vec<OldLines<'_>> = hunks.iter().map(OldLines::of).collect::<Option<_>>().ok_or(1_usize)?;
    let holds = |path: &RelPath| {
        read(workspace, path).is_some_and(|bytes| sought.iter().all(|lines| lines.stand_in(&bytes)))
    };
    let is_in = |path: &str| workspace.path(path).is_ok_and(|path| holds(&path));
    if let Some(previous) = previous.filter(|path| is_in(path)) {
        return Ok(previous.to_owned());
    }
    let mut files: Vec<&String> = named.iter().filter(|path| is_in(path)).collect();
    files.sort();
    files.dedup();
    if let [only] = files.as_slice() {
        return Ok((*only).clone());
    }
    let mut found = Vec::new();
    for path in workspace.walk() {
        let Ok(Some(facts)) = workspace.facts(&path) else { continue };
        // If the project is too large to search, nothing is proven.
        *left = left.checked_sub(facts.size.min(FILE_LIMIT_BYTES)).ok_or(1_usize)?;
        if holds(&path) {
            found.push(path.as_str().to_owned());
        }
    }
    match found.as_slice() {
        [only] => Ok(only.clone()),
        several => Err(if several.is_empty() { 0 } else { several.len() }),
    }
}
