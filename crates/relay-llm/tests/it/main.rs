//! One conformance suite, run for every adapter against a scripted model server over real HTTP.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests may be as blunt as tests"
)]

mod answers;
mod bedrock;
mod cancel;
mod catalog;
mod faults;
mod hostile;
mod limits;
mod quirks;
mod replay;
mod secrets;
mod support;
mod turns;
