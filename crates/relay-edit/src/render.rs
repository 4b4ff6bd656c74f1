//! Writes changes in any dialect, so that applying the text gives the same bytes.
//!
//! Every text is read back and planned before it is returned. What a dialect cannot say, or what would be read
//! otherwise than it was meant, is refused by name instead of being written almost right.

mod forms;
mod hunks;

use std::collections::{BTreeMap, BTreeSet};

use crate::{Change, Dialect, Snapshot, parse, plan};

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
    #[error("the dialect `{}` cannot say exactly what becomes of `{path}`", .dialect.name())]
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
    let mut whole = BTreeSet::new();
    loop {
        let text = write(changes, dialect, &whole)?;
        match check(changes, dialect, &text) {
            // What a patch would adapt to the file, such as a tab among spaces, a whole file says exactly.
            Err(RenderError::Inexact { path, .. })
                if dialect == Dialect::Fenced && !path.is_empty() && whole.insert(path.clone()) => {}
            checked => return checked.map(|()| text),
        }
    }
}

/// Writes changes in a dialect, those of some paths as whole files.
fn write(changes: &[Change], dialect: Dialect, whole: &BTreeSet<String>) -> Result<String, RenderError> {
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
        forms::write(&mut text, change, origin, dialect, whole.contains(&change.path))?;
    }
    Ok(text)
}

/// Reads the text back: it must come to the same changes.
fn check(changes: &[Change], dialect: Dialect, text: &str) -> Result<(), RenderError> {
    let files =
        changes.iter().filter_map(|change| Some((change.path.clone(), change.before.clone()?))).collect();
    let reply = parse(text, Some(dialect));
    // A mode that changes was the other one before.
    let was_executable = changes.iter().filter(|change| change.executable == Some(false));
    let executable =
        was_executable.map(|change| change.renamed_from.as_ref().unwrap_or(&change.path).clone());
    let planned = plan(&reply.edits, &Snapshot { files, executable: executable.collect() });
    let inexact = |path: &str| RenderError::Inexact { dialect, path: path.to_owned() };
    if let Some(finding) =
        reply.diagnostics.iter().chain(&planned.diagnostics).find(|finding| finding.is_error())
    {
        return Err(inexact(finding.path.as_deref().unwrap_or_default()));
    }
    let differs = |change: &&Change| change.before != change.after || change.executable.is_some();
    let wanted: Vec<&Change> = changes.iter().filter(differs).collect();
    // A plan has one change for each path, in their order.
    let is_found = |change: &&&Change| {
        let at = planned.changes.binary_search_by(|found| found.path.cmp(&change.path)).ok();
        at.and_then(|at| planned.changes.get(at)).is_some_and(|found| is_same(change, found))
    };
    match wanted.iter().find(|change| !is_found(change)) {
        Some(change) => Err(inexact(&change.path)),
        None if planned.changes.len() != wanted.len() => Err(inexact("")),
        None => Ok(()),
    }
}

/// Whether two changes of a path leave it with the same bytes and the same mode.
fn is_same(one: &Change, other: &Change) -> bool {
    one.executable == other.executable && one.before == other.before && one.after == other.after
}

#[cfg(test)]
mod tests;
