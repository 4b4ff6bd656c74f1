//! Whether the user trusts the agent to work in a folder. The answer is stored with the user's other decisions about
//! trust.

use relay_engine::Engine;
use relay_store::{Shelf, StoreError};

/// The name under which the answer is kept.
const FOLDER: &str = "folder";

/// Whether the user trusts the folder.
pub fn is_trusted(engine: &Engine) -> Result<bool, StoreError> {
    Ok(!engine.store().look_up(Shelf::Trusted, engine.workspace().root(), FOLDER)?.is_empty())
}

/// Stores the user's trust, or removes it.
pub fn trust(engine: &Engine, is_trusted: bool) -> Result<(), StoreError> {
    let texts = if is_trusted { vec!["yes".to_owned()] } else { Vec::new() };
    engine.store().put(Shelf::Trusted, engine.workspace().root(), FOLDER, texts)
}
