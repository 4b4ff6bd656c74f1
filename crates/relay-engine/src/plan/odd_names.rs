//! New files with names that are easily mistaken for others. They land with a warning: names are up to the author, but
//! malicious files hide by looking like another one, and two names that differ only in case cannot both be checked out
//! on every system.

use std::collections::{BTreeSet, HashMap};

use relay_diagnostics::Diagnostic;
use relay_txn::FileChange;
use relay_workspace::{Workspace, false_letter, likeness, path_escape};

use crate::codes;

/// Warnings about the names of the files that the changes create.
pub(crate) fn warnings<C>(workspace: &Workspace, changes: &[FileChange<C>]) -> Vec<Diagnostic> {
    let gone: BTreeSet<&str> =
        changes.iter().filter(|change| change.after.is_none()).map(|change| change.path.as_str()).collect();
    let mut folders = Folders { workspace, gone, known: HashMap::new() };
    let is_new = |change: &&FileChange<C>| change.before.is_none() && change.after.is_some();
    let new = changes.iter().filter(is_new).map(|change| change.path.as_str());
    new.flat_map(|path| [escaped(path), disguised(path), folders.similar(path)]).flatten().collect()
}

fn escaped(path: &str) -> Option<Diagnostic> {
    let escape = path_escape(path)?;
    let message = format!("`{path}` has the escape `{escape}` in its name, which Relay takes literally");
    Some(
        Diagnostic::warning(codes::ESCAPED_PATH, message)
            .on(path)
            .hinted("A web server or an unpacker may read it as a dot or a slash."),
    )
}

fn disguised(path: &str) -> Option<Diagnostic> {
    let letter = false_letter(path)?;
    let message =
        format!("`{path}` has U+{:04X} in its name, which only looks like a Latin letter", u32::from(letter));
    Some(
        Diagnostic::warning(codes::LOOK_ALIKE_PATH, message)
            .on(path)
            .hinted("Rename the file if the plain letter was meant."),
    )
}

/// The folders that new files are made in, with the names in them by what they look like.
struct Folders<'a> {
    workspace: &'a Workspace,
    /// Files that the same changes remove.
    gone: BTreeSet<&'a str>,
    known: HashMap<String, HashMap<String, Vec<String>>>,
}

impl Folders<'_> {
    /// Another file or folder that a new path is easily taken for, at the first place where the path is new.
    fn similar(&mut self, path: &str) -> Option<Diagnostic> {
        let mut found = None;
        let mut folder = "";
        for (end, _) in path.match_indices('/').chain([(path.len(), "")]) {
            let whole = path.get(..end)?;
            let name = whole.rsplit('/').next().unwrap_or(whole);
            let names = self.names_in(folder).entry(likeness(name)).or_default();
            if !names.iter().any(|other| other == name) {
                found = found.or_else(|| names.first().map(|other| (whole.to_owned(), join(folder, other))));
                names.push(name.to_owned());
            }
            folder = whole;
        }
        let (new, other) = found?;
        let how = if new.to_lowercase() == other.to_lowercase() {
            "differs only in case from"
        } else {
            "looks like"
        };
        Some(
            Diagnostic::warning(codes::SIMILAR_PATH, format!("`{new}` is new and {how} `{other}`"))
                .on(path)
                .hinted("Rename one of them: some systems and most readers cannot tell them apart."),
        )
    }

    fn names_in(&mut self, folder: &str) -> &mut HashMap<String, Vec<String>> {
        let (workspace, gone) = (self.workspace, &self.gone);
        self.known.entry(folder.to_owned()).or_insert_with(|| {
            let mut names: HashMap<String, Vec<String>> = HashMap::new();
            let stays = |name: &String| !gone.contains(join(folder, name).as_str());
            for name in listed(workspace, folder).into_iter().filter(stays) {
                names.entry(likeness(&name)).or_default().push(name);
            }
            names
        })
    }
}

/// What is in a folder; nothing if it cannot be read, which the transaction finds out by itself.
fn listed(workspace: &Workspace, folder: &str) -> Vec<String> {
    let entries = if folder.is_empty() {
        workspace.root_dir().entries().ok()
    } else {
        let opened =
            workspace.path(folder).ok().and_then(|folder| workspace.open_dir(&folder).ok().flatten());
        opened.and_then(|folder| folder.entries().ok())
    };
    entries.unwrap_or_default().into_iter().map(|(name, _)| name).collect()
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
