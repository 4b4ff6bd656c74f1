//! Git hooks of the project: they run in the agent's commands once the user trusts exactly their text.

use std::path::Path;

use relay_diagnostics::Cancel;
use relay_exec::git::{Hooks, hooks};
use relay_store::{Shelf, Store, StoreError};

/// The key under which trust in the hooks is stored.
const NAME: &str = "git-hooks";

/// The project's hooks, and whether the user trusts them. `None` if git would run none.
pub fn project_hooks(store: &Store, root: &Path) -> Option<(Hooks, bool)> {
    let found = hooks(root, &Cancel::new())?;
    let text = found.text();
    let is_trusted = agreed(store, root).contains(&text);
    Some((found, is_trusted))
}

/// Whether the user trusts the hooks as they are now. If the user never agreed, Relay does not even call git.
pub fn are_trusted(store: &Store, root: &Path) -> bool {
    !agreed(store, root).is_empty() && project_hooks(store, root).is_some_and(|(_, is_trusted)| is_trusted)
}

fn agreed(store: &Store, root: &Path) -> Vec<String> {
    store.look_up(Shelf::Trusted, root, NAME).unwrap_or_default()
}

/// Stores that the user trusts these hooks, or, without a text, removes that trust.
pub fn agree(store: &Store, root: &Path, text: Option<String>) -> Result<(), StoreError> {
    store.put(Shelf::Trusted, root, NAME, text.into_iter().collect())
}
