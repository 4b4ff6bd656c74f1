//! Files that a confined command must leave as they are: where they are, and that they are put back.

use std::path::PathBuf;

use relay_txn::guarded::{self, Restored};

use crate::engine::Engine;

/// The places that a confined command may not write to although they are in the workspace.
#[must_use]
pub fn protected_places(engine: &Engine) -> Vec<PathBuf> {
    guarded::places(engine.workspace().root())
}

/// Those of them that others execute or obey, as they were before a command.
#[derive(Debug)]
pub struct Guarded(guarded::Guarded);

impl Guarded {
    /// Reads them.
    #[must_use]
    pub fn read(engine: &Engine) -> Self {
        Self(guarded::Guarded::read(engine.workspace().root()))
    }

    /// Puts back what the command changed; a sentence for each file.
    #[must_use]
    pub fn restore(&self) -> Vec<String> {
        let sentence = |Restored { path, failure }: Restored| match failure {
            None => format!("{path} was restored: commands may not change it"),
            Some(why) => {
                format!("{path} was changed and could not be restored ({why}); check it before git runs")
            }
        };
        self.0.restore().into_iter().map(sentence).collect()
    }
}
