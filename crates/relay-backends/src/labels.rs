//! Labels for conversations: the user's name for a backend's own session, so that a question can continue it.

use relay_store::{Folder, Store, StoreError};
use serde::{Deserialize, Serialize};

/// The file in the state folder.
const FILE: &str = "ask-sessions.json";

/// A labelled conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The user's name for it.
    pub label: String,
    /// The backend of the conversation.
    pub backend: String,
    /// The backend's own name for it.
    pub session: String,
    /// The repository it is about.
    pub repo: String,
    /// When it was last used, in seconds since 1970.
    pub used: i64,
}

/// All labels, most recently used first.
///
/// # Errors
/// The file is not sound.
pub fn all(store: &Store) -> Result<Vec<Label>, StoreError> {
    let Some(folder) = Folder::open(store.state_dir())? else { return Ok(Vec::new()) };
    let mut labels = read(&folder)?;
    labels.sort_by_key(|label| std::cmp::Reverse(label.used));
    Ok(labels)
}

/// The conversation that a label names for a backend in a repository. The same label may be used with every backend.
///
/// # Errors
/// The file is not sound.
pub fn find(store: &Store, label: &str, backend: &str, repo: &str) -> Result<Option<Label>, StoreError> {
    let is_it = |known: &Label| known.label == label && known.backend == backend && known.repo == repo;
    Ok(all(store)?.into_iter().find(is_it))
}

/// Stores a label, replacing an existing one.
///
/// # Errors
/// The file is not sound, or the system refuses.
pub fn remember(store: &Store, new: Label) -> Result<(), StoreError> {
    change(store, |labels| {
        labels.retain(|known| {
            (&known.label, &known.backend, &known.repo) != (&new.label, &new.backend, &new.repo)
        });
        labels.push(new);
    })
    .map(|_| ())
}

/// Removes the matching labels; returns how many there were. The backends keep their sessions.
///
/// # Errors
/// The file is not sound, or the system refuses.
pub fn forget(store: &Store, is_meant: impl Fn(&Label) -> bool) -> Result<usize, StoreError> {
    change(store, |labels| labels.retain(|label| !is_meant(label)))
}

fn change(store: &Store, with: impl FnOnce(&mut Vec<Label>)) -> Result<usize, StoreError> {
    let folder = Folder::create(store.state_dir())?;
    let writer = folder.lock()?;
    let mut labels = read(&folder)?;
    let before = labels.len();
    with(&mut labels);
    let corrupt = |error: serde_json::Error| corrupt(&folder, &error);
    writer.replace(FILE, &serde_json::to_vec_pretty(&labels).map_err(corrupt)?)?;
    Ok(before.saturating_sub(labels.len()))
}

fn read(folder: &Folder) -> Result<Vec<Label>, StoreError> {
    let Some(bytes) = folder.read(FILE)? else { return Ok(Vec::new()) };
    serde_json::from_slice(&bytes).map_err(|error| corrupt(folder, &error))
}

fn corrupt(folder: &Folder, error: &serde_json::Error) -> StoreError {
    StoreError::Corrupt { path: folder.path().join(FILE), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(label: &str, backend: &str, used: i64) -> Label {
        let (session, repo) = (format!("{label}-{backend}-{used}"), "/r".to_owned());
        Label { label: label.to_owned(), backend: backend.to_owned(), session, repo, used }
    }

    #[test]
    fn a_label_is_remembered_per_backend_and_repository() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::at(home.path());
        for new in [label("a", "codex", 1), label("a", "claude", 2), label("a", "codex", 3)] {
            remember(&store, new).unwrap();
        }
        let session =
            |backend: &str, repo: &str| find(&store, "a", backend, repo).unwrap().map(|found| found.session);
        assert_eq!(session("codex", "/r").as_deref(), Some("a-codex-3"));
        assert_eq!(session("claude", "/r").as_deref(), Some("a-claude-2"));
        assert_eq!(session("codex", "/other"), None);
        assert_eq!(forget(&store, |label| label.used < 3).unwrap(), 1);
        assert_eq!(all(&store).unwrap().len(), 1);
    }
}
