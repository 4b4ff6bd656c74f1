//! Sections without a path: nothing but the prose above, or the section before, says which file is meant.
//!
//! Mostly that is the file, and sometimes it is another that nobody named. So such a section counts only where its old
//! lines are in the file to the letter, once, and in no other file of the reply; and the report says so. Nothing is
//! placed here.

use super::virtual_files::VirtualFiles;
use crate::matcher::{FileIndex, Key, has_identity};
use crate::{Diagnostic, Edit, Hunk, codes};

/// What to tell about a section that names no file: why it is refused, or that its file was presumed.
pub(crate) fn judge(
    edit: &Edit,
    hunk: &Hunk,
    files: &VirtualFiles<'_>,
) -> Result<Diagnostic, Box<Diagnostic>> {
    let path = &edit.path;
    let old: Vec<&str> = hunk.old_lines().collect();
    let places = |path: &str, lines: &[&str]| {
        let content = files.get(path).unwrap_or_default();
        let found =
            files.may_search(content.len()).then(|| FileIndex::new(content).find_some(Key::Exact, lines, 1));
        // What cannot be searched may be anywhere.
        found.flatten().map_or(usize::MAX, |places| places.len())
    };
    let done = || hunk.adds() && places(path, &hunk.new_lines().collect::<Vec<_>>()) == 1;
    let why = if !has_identity(&old) {
        "and has no old lines that could tell which file is meant".to_owned()
    } else if let Some(other) = files.paths().find(|other| other != path && places(other, &old) > 0) {
        format!("and its old lines are in `{other}` too")
    } else {
        match places(path, &old) {
            0 if !done() => {
                format!("and its old lines are not exactly in `{path}`, which seems to be meant")
            }
            0 | 1 => return Ok(presumed(path, hunk)),
            _ => format!("and its old lines are in `{path}` several times, which seems to be meant"),
        }
    };
    let message = format!("this SEARCH/REPLACE section has no path before it, {why}");
    let hint = "write the path of the file on a line of its own, directly before the section or its fence";
    Err(Box::new(Diagnostic::error(codes::MISSING_PATH, message).hinted(hint).on(path).at(hunk.line)))
}

fn presumed(path: &str, hunk: &Hunk) -> Diagnostic {
    let message = format!(
        "this section has no path before it; it is applied to `{path}`, which has its lines exactly once"
    );
    let finding = Diagnostic::warning(codes::MISSING_PATH, message);
    finding.hinted("write the path directly before every section").on(path).at(hunk.line)
}
