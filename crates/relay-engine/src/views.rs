//! Views: what a model was shown of a file, so that edits by line are resolved against that and not against today.

use std::collections::BTreeMap;

use relay_edit::{Dialect, Edit};
use relay_store::{Shelf, StoreError};
use relay_workspace::RelPath;

use crate::engine::Engine;

/// Remembers that a model is shown this content. Content that is no text is not remembered.
///
/// # Errors
/// The user's data cannot be written.
pub fn remember(engine: &Engine, path: &RelPath, content: &[u8]) -> Result<(), StoreError> {
    let Ok(text) = std::str::from_utf8(content) else { return Ok(()) };
    engine.store().put(Shelf::Views, engine.workspace().root(), path.as_str(), vec![text.to_owned()])
}

/// The views of the files that are edited by line. Other edits carry their own text, which says more than a view that
/// may be of another conversation. A shelf that cannot be read is like one that is empty: the edits are then refused or
/// asked about, never placed wrongly.
pub(crate) fn of(engine: &Engine, edits: &[Edit]) -> BTreeMap<String, Vec<u8>> {
    let by_line = edits.iter().filter(|edit| matches!(edit.dialect, Dialect::Hashline | Dialect::Commands));
    let root = engine.workspace().root();
    by_line
        .filter_map(|edit| {
            let text = engine.store().look_up(Shelf::Views, root, &edit.path).ok()?.pop()?;
            Some((edit.path.clone(), text.into_bytes()))
        })
        .collect()
}
