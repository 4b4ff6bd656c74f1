//! Detects new files that seem to be the next version of an existing file under almost the same path.
//!
//! Whole content says nothing about what was there before it. If its path is written in another case, or has one folder too
//! few or too many, a second file would land beside the intended one. This module only searches.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use relay_diagnostics::Diagnostic;
use relay_edit::{Dialect, Edit, Operation, Snapshot, codes};
use relay_workspace::{RelPath, Workspace};

use crate::intake::address::read;
use crate::plan::contain::paths;

/// For how many new files to search for namesakes.
const NEW_FILES: usize = 100;
/// Fewer lines than this may occur in several files.
const FEW: usize = 5;

/// Why whole content would make a file that is hardly meant to be a new one, by its path.
pub(crate) fn doubtful(
    workspace: &Workspace,
    edits: &[Edit],
    files: &Snapshot,
) -> BTreeMap<String, Diagnostic> {
    let is_new = |edit: &&Edit| {
        matches!(edit.operation, Operation::Write { .. }) && !files.files.contains_key(&edit.path)
    };
    let mut new: HashMap<String, Vec<&Edit>> = HashMap::new();
    for edit in edits.iter().filter(is_new).take(NEW_FILES) {
        new.entry(file_name(&edit.path).to_lowercase()).or_default().push(edit);
    }
    if new.is_empty() {
        return BTreeMap::new();
    }
    let named: BTreeSet<&str> = paths(edits).into_iter().collect();
    let mut found = BTreeMap::new();
    for path in workspace.walk() {
        let Some(edits) = new.get(&path.file_name().to_lowercase()) else { continue };
        // A file that the reply moves or deletes may reappear under another path.
        if named.contains(path.as_str()) {
            continue;
        }
        for edit in edits {
            if let Some(finding) = doubt(workspace, edit, &path) {
                found.insert(edit.path.clone(), finding);
            }
        }
    }
    found
}

fn doubt(workspace: &Workspace, edit: &Edit, path: &RelPath) -> Option<Diagnostic> {
    let Operation::Write { content } = &edit.operation else { return None };
    let message = if edit.path.to_lowercase() == path.as_str().to_lowercase() {
        format!("`{}` is new, and `{path}` differs from it only in upper and lower case", edit.path)
    } else if leaves_it_open(edit)
        && (is_below(&edit.path, path.as_str()) || is_below(path.as_str(), &edit.path))
        && is_version(workspace, path, content)
    {
        format!("`{}` is new, and almost the same as `{path}`", edit.path)
    } else {
        return None;
    };
    let hint = format!(
        "if you mean `{path}`, write its whole path; to add a second file beside it, send it as `*** Add File`"
    );
    Some(Diagnostic::error(codes::PATH_MISMATCH, message).hinted(hint).on(&edit.path).at(edit.line))
}

/// Whether an edit means a file whether it is there or not. The others say that they make one.
fn leaves_it_open(edit: &Edit) -> bool {
    matches!(edit.dialect, Dialect::WholeFile | Dialect::Fenced)
}

/// Whether a path is another one with folders before it.
fn is_below(path: &str, folders: &str) -> bool {
    folders.strip_suffix(path).is_some_and(|folders| folders.ends_with('/'))
}

/// Whether most lines of new content are in a file, and most of the file's in the content. A file that says the very same is a
/// copy.
fn is_version(workspace: &Workspace, path: &RelPath, content: &str) -> bool {
    let Some(bytes) = read(workspace, path).filter(|bytes| bytes != content.as_bytes()) else { return false };
    let old = String::from_utf8_lossy(&bytes);
    let lines = |text: &'_ str| -> Vec<String> {
        let telling = text.lines().filter(|line| line.chars().any(char::is_alphanumeric));
        telling.map(|line| line.trim().to_owned()).collect()
    };
    let (old, new) = (lines(&old), lines(content));
    let most = |lines: &[String], others: &[String]| {
        let others: HashSet<&String> = others.iter().collect();
        let shared = lines.iter().filter(|line| others.contains(line)).count();
        shared >= FEW && shared * 4 >= lines.len() * 3
    };
    most(&new, &old) && most(&old, &new)
}

fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_whole_ones() {
        assert!(is_below("core/a.py", "lib/core/a.py"));
        assert!(is_below("a.py", "lib/a.py"));
        assert!(!is_below("a.py", "lib/aa.py"));
        assert!(!is_below("a.py", "a.py"));
        assert!(!is_below("ore/a.py", "lib/core/a.py"));
    }
}
