//! Files that a confined command must not change: their paths, and how Relay restores them.

use std::path::PathBuf;

use relay_txn::guarded::{self, GitFolders, Restored};

use crate::engine::Engine;

/// The places that a confined command may not write to although they are in the workspace.
#[must_use]
pub fn protected_places(engine: &Engine) -> Vec<PathBuf> {
    guarded::places(engine.workspace().root(), &git(engine))
}

/// Copies of the ledger, kept between commands, for systems that cannot protect it from them.
#[derive(Debug, Default)]
pub struct Copies(guarded::Copies);

/// The contents of the protected files before a command.
#[derive(Debug)]
pub struct Guarded {
    root: PathBuf,
    files: guarded::Guarded,
    ledger: Option<guarded::Copies>,
}

impl Guarded {
    /// Reads them, and the ledger's files if copies are kept.
    #[must_use]
    pub fn read(engine: &Engine, copies: Option<&mut Copies>) -> Self {
        let root = engine.workspace().root();
        let ledger = copies.map(|copies| {
            copies.0.refresh(root);
            copies.0.clone()
        });
        Self { root: root.to_owned(), files: guarded::Guarded::read(root, &git(engine)), ledger }
    }

    /// Restores what the command changed; returns a sentence for each file.
    #[must_use]
    pub fn restore(&self) -> Vec<String> {
        let sentence = |Restored { path, failure }: Restored| match failure {
            None => format!("{path} was restored: commands may not change it"),
            Some(why) => {
                format!("{path} was changed and could not be restored ({why}); check it before git runs")
            }
        };
        let ledger = self.ledger.as_ref().map(|copies| copies.restore(&self.root)).unwrap_or_default();
        self.files.restore().into_iter().chain(ledger).map(sentence).collect()
    }
}

/// Where git keeps what belongs to the workspace.
fn git(engine: &Engine) -> GitFolders {
    let root = engine.workspace().root();
    match relay_exec::git::linked_to(root) {
        Some(linked) => GitFolders { own: linked.git_dir, shared: linked.common_dir },
        None => GitFolders::below(root),
    }
}
