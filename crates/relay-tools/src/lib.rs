//! The tools of Relay's agent: one folder each, with the description that models read beside the code.
//!
//! Tools read through `relay-workspace`, run programs through `relay-exec` and change files through `relay-engine`
//! alone, so every change is on the ledger. They know nothing of providers, sessions' files or terminals.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their own folders"))]

#[allow(dead_code, unused_imports, reason = "the tools that read and write them come next")]
mod archive;
mod bash;
mod checkpoint;
mod edit;
mod goal;
mod landing;
mod read;
mod resolve;
mod spec;
#[allow(dead_code, unused_imports, reason = "the tools that read and write them come next")]
mod sqlite;
mod write;

use std::sync::Arc;

use relay_agent::tool::Tool;

/// All built-in tools, in the order in which models see them.
#[must_use]
pub fn built_in() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(read::Read::new()),
        Arc::new(bash::Bash::new()),
        Arc::new(edit::Edit::new()),
        Arc::new(checkpoint::Checkpoint::new()),
        Arc::new(checkpoint::Rewind::new()),
        Arc::new(write::Write::new()),
        Arc::new(goal::Goal::new()),
        Arc::new(resolve::Resolve::new(Vec::new())),
    ]
}
