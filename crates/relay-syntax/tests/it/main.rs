//! Tests of `relay-syntax` against real programs and public facts.
#![allow(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod bash;
mod restricted;
mod summaries;
mod tree;
mod verdicts;
