//! The interface as a person sees it: frames of the agent and keys go in, a terminal emulator shows what comes out.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test that cannot go on should say so loudly"
)]

mod fuzz;
mod input;
mod scenes;
mod screens;
mod soak;
mod stage;
mod status;
