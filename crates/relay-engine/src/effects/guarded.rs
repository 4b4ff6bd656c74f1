//! Files that a confined command must leave as they are: where they are, and that they are put back.

use std::path::PathBuf;

use crate::engine::Engine;

/// The places that a confined command may not write to although they are in the workspace.
#[must_use]
pub fn protected_places(engine: &Engine) -> Vec<PathBuf> {
    system::places(engine)
}

/// Those of them that others execute or obey, as they were before a command.
#[derive(Debug)]
pub struct Guarded(system::Files);

impl Guarded {
    /// Reads them.
    #[must_use]
    pub fn read(engine: &Engine) -> Self {
        Self(system::read(engine))
    }

    /// Puts back what the command changed; a sentence for each file.
    #[must_use]
    pub fn restore(&self) -> Vec<String> {
        system::restore(&self.0)
    }
}

#[cfg(unix)]
mod system {
    use std::path::PathBuf;

    use relay_txn::guarded;

    use crate::engine::Engine;

    pub(super) type Files = guarded::Guarded;

    pub(super) fn places(engine: &Engine) -> Vec<PathBuf> {
        guarded::places(engine.workspace().root())
    }

    pub(super) fn read(engine: &Engine) -> Files {
        guarded::Guarded::read(engine.workspace().root())
    }

    pub(super) fn restore(files: &Files) -> Vec<String> {
        let sentence = |file: guarded::Restored| match file.failure {
            None => format!("{} was restored: commands may not change it", file.path),
            Some(why) => format!(
                "{} was changed and could not be restored ({why}); check it before git runs",
                file.path
            ),
        };
        files.restore().into_iter().map(sentence).collect()
    }
}

#[cfg(not(unix))]
mod system {
    use std::path::PathBuf;

    use crate::engine::Engine;

    pub(super) type Files = ();

    pub(super) fn places(_: &Engine) -> Vec<PathBuf> {
        Vec::new()
    }

    pub(super) fn read(_: &Engine) -> Files {}

    pub(super) fn restore(_: &Files) -> Vec<String> {
        Vec::new()
    }
}
