//! Writes changes in any dialect, so that applying the text gives the same bytes.
//!
//! Every text is read back and planned before it is returned. What a dialect cannot say, or what would be read
//! otherwise than it was meant, is refused by name instead of being written almost right.

mod forms;
mod hunks;

use std::collections::{BTreeMap, BTreeSet};

use crate::{Change, Dialect, Snapshot, parse, plan};
pub use forms::fence;

/// Why changes cannot be written in a dialect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// The dialect has no words for it.
    #[error("the dialect `{}` cannot {what} (`{path}`)", .dialect.name())]
    Unsayable {
        /// The dialect.
        dialect: Dialect,
        /// What it cannot do, such as `rename a file`.
        what: &'static str,
        /// The file.
        path: String,
    },
    /// The text would be read otherwise than it was meant.
    #[error("the dialect `{}` cannot express exactly how `{path}` changes", .dialect.name())]
    Inexact {
        /// The dialect.
        dialect: Dialect,
        /// The first file that would come out differently.
        path: String,
    },
}

/// Writes changes in a dialect.
///
/// # Errors
/// What the dialect cannot say.
///
/// ```
/// use relay_edit::{Change, Dialect, render};
///
/// let change = Change {
///     path: "a.txt".into(),
///     before: Some(b"one\ntwo\n".to_vec()),
///     after: Some(b"one\n2\n".to_vec()),
///     renamed_from: None,
///     executable: None,
/// };
/// let text = render(&[change], Dialect::SearchReplace).expect("sayable");
/// assert!(text.contains("<<<<<<< SEARCH"));
/// ```
pub fn render(changes: &[Change], dialect: Dialect) -> Result<String, RenderError> {
    let mut again = BTreeSet::new();
    loop {
        let text = write(changes, dialect, &again)?;
        let Err(path) = check(changes, dialect, &text) else { return Ok(text) };
        let is_known = |path: &String| changes.iter().any(|change| change.path == *path);
        let path = path.filter(is_known).or_else(|| culprit(changes, dialect, &again)).unwrap_or_default();
        // What a patch would adapt to the file, such as a tab among spaces, a whole file says exactly; and what other tools
        // take, such as a `\r` at the end of a line, is not always what Relay reads.
        let has_other_way = matches!(dialect, Dialect::Fenced | Dialect::Unified);
        if !has_other_way || !again.insert(path.clone()) {
            return Err(RenderError::Inexact { dialect, path });
        }
    }
}

/// The first file that cannot be said all by itself, or else the first one.
fn culprit(changes: &[Change], dialect: Dialect, again: &BTreeSet<String>) -> Option<String> {
    let is_wrong = |change: &&Change| {
        let is_part =
            |other: &&Change| other.path == change.path || change.renamed_from.as_ref() == Some(&other.path);
        let alone: Vec<Change> = changes.iter().filter(is_part).cloned().collect();
        write(&alone, dialect, again).is_ok_and(|text| check(&alone, dialect, &text).is_err())
    };
    changes.iter().find(is_wrong).or(changes.first()).map(|change| change.path.clone())
}

/// Writes changes in a dialect, those of some paths in its other way.
fn write(changes: &[Change], dialect: Dialect, again: &BTreeSet<String>) -> Result<String, RenderError> {
    let mut text = String::new();
    let renamed: BTreeSet<&str> =
        changes.iter().filter_map(|change| change.renamed_from.as_deref()).collect();
    let before: BTreeMap<&str, &[u8]> =
        changes.iter().filter_map(|change| Some((change.path.as_str(), change.before.as_deref()?))).collect();
    for change in changes {
        // The old name of a renamed file goes away with the rename.
        if change.after.is_none() && renamed.contains(change.path.as_str()) {
            continue;
        }
        let origin = change.renamed_from.as_deref().and_then(|from| Some((from, *before.get(from)?)));
        let mut part = String::new();
        forms::write(&mut part, change, origin, dialect, again.contains(&change.path))?;
        // In hashline nothing else shows where the new lines of a file end: a blank one before the next section is a gap.
        text.push_str(&if dialect == Dialect::Hashline { enveloped(&part) } else { part });
    }
    // One envelope for all files.
    Ok(if dialect == Dialect::ApplyPatch { enveloped(&text) } else { text })
}

/// A text between the lines that begin and end a patch, unless there is none.
fn enveloped(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("*** Begin Patch\n{text}*** End Patch\n") }
}

/// Reads the text back: it must give the same changes. Otherwise returns the file that would differ, if known.
fn check(changes: &[Change], dialect: Dialect, text: &str) -> Result<(), Option<String>> {
    let files =
        changes.iter().filter_map(|change| Some((change.path.clone(), change.before.clone()?))).collect();
    let reply = parse(text, Some(dialect));
    // A mode that changes was the other one before.
    let was_executable = changes.iter().filter(|change| change.executable == Some(false));
    let executable =
        was_executable.map(|change| change.renamed_from.as_ref().unwrap_or(&change.path).clone());
    let planned = plan(&reply.edits, &Snapshot { files, executable: executable.collect() });
    if let Some(finding) =
        reply.diagnostics.iter().chain(&planned.diagnostics).find(|finding| finding.is_error())
    {
        return Err(finding.path.clone());
    }
    let differs = |change: &&Change| change.before != change.after || change.executable.is_some();
    let wanted: Vec<&Change> = changes.iter().filter(differs).collect();
    // A plan has one change for each path, in their order.
    let is_found = |change: &&&Change| {
        let at = planned.changes.binary_search_by(|found| found.path.cmp(&change.path)).ok();
        at.and_then(|at| planned.changes.get(at)).is_some_and(|found| is_same(change, found))
    };
    match wanted.iter().find(|change| !is_found(change)) {
        Some(change) => Err(Some(change.path.clone())),
        None if planned.changes.len() != wanted.len() => Err(None),
        None => Ok(()),
    }
}

/// Whether two changes of a path leave it with the same bytes and the same mode.
fn is_same(one: &Change, other: &Change) -> bool {
    one.executable == other.executable && one.before == other.before && one.after == other.after
}

#[cfg(test)]
mod tests;
