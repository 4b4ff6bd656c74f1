//! The crate from outside: reply text and files in, changes and findings out.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it expects by failing"
)]

mod applied;
mod around;
mod chat;
mod content;
mod control;
mod cuts;
mod dialects;
mod doubts;
mod encodings;
mod faults;
mod fenced;
mod fuzz;
mod gaps;
mod generated;
mod hashlines;
mod honesty;
mod inside;
mod leaks;
mod limits;
mod lost;
mod marks;
mod matching;
mod modes;
mod nearly;
mod noise;
mod options;
mod payloads;
mod planning;
mod presumed;
mod properties;
mod seams;
mod sequences;
mod shown;
mod support;
mod unsaid;
