//! `vim`: a file edited with vim's keys.
//!
//! The engine is pure: text and keys in, text out. `state` holds buffer, cursor, registers and undo; `normal`, `visual`, `insert`
//! and `ex` carry out keys; `motion`, `object`, `operate`, `search`, `pattern` and `substitute` are what they are made of. Its
//! results are compared with those of vim itself. `buffers` keeps one engine for each file over the calls of a session, and
//! lands what was typed.

mod buffers;
mod ex;
mod global;
mod insert;
mod keys;
mod motion;
mod normal;
mod object;
mod operate;
mod pattern;
mod search;
mod state;
mod substitute;
mod text;
mod visual;

pub use buffers::Buffers;

#[cfg(test)]
mod tests;
