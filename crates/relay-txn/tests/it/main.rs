//! The ledger on the real disk, through its public face only.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "what tests share may be as blunt as tests"
)]

mod attributes;
mod capture;
mod concurrency;
mod foreign;
mod forget;
mod index;
mod kill;
mod land;
mod planted;
mod project;
mod recovery;
mod session;
mod world;
