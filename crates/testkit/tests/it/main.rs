//! The test kit's own tests, and the tidy test: what must not drift in this repository.

#![allow(missing_docs, reason = "tests")]
#![allow(clippy::disallowed_methods, reason = "tests prepare their own folders")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod env;
mod model;
mod network;
mod scenario;
mod screen;
mod sdk;
mod tidy;
