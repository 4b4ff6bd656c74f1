//! Whether the user trusts the agent to work in a folder. It is kept with the other things that the user agreed to.

use relay_engine::Engine;
use relay_store::{Shelf, StoreError};

/// The name under which the answer is kept.
const FOLDER: &str = "folder";

/// Whether the user has said so.
pub fn is_trusted(engine: &Engine) -> Result<bool, StoreError> {
    Ok(!engine.store().look_up(Shelf::Trusted, engine.workspace().root(), FOLDER)?.is_empty())
}

/// Remembers that the user does, or does not any more.
pub fn trust(engine: &Engine, is_trusted: bool) -> Result<(), StoreError> {
    let texts = if is_trusted { vec!["yes".to_owned()] } else { Vec::new() };
    engine.store().put(Shelf::Trusted, engine.workspace().root(), FOLDER, texts)
}
