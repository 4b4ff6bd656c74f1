//! Tests of the agent through its public interface, on a real disk.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests may be blunt, and prepare their own folders"
)]

mod browser;
mod compaction_prompts;
mod export;
mod hostile;
mod hostile_repository;
mod import;
mod repositories;
mod session;
mod system_prompt;
