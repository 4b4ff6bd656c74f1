//! What tests are built on: a hermetic environment, real terminals and displays, scenario folders, expected files; and
//! what benchmarks measure with.
//!
//! For development only, and dependent on no product crate: it knows the `relay` binary by its path alone. Errors in
//! here panic, because that is how a test fails.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests prepare their own folders and start the program they test"
)]

pub mod corpus;
mod env;
mod expect;
pub mod measure;
pub mod model;
mod network;
mod patience;
mod run;
pub mod scenario;
mod screen;
mod xdisplay;

pub use env::{TestEnv, Tree};
pub use expect::expect_file;
pub use network::Traced;
pub use patience::{PATIENCE, wait_for};
pub use run::{Command, Run, Running, Talk};
pub use screen::Screen;
pub use xdisplay::XDisplay;
