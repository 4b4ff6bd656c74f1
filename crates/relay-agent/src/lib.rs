//! Relay's own agent: sessions, the tree of their entries, and what a model is shown of them.
//!
//! A conversation is a log of entries that only grows. Each entry names its parent, so the log is a tree, and the
//! branch from the root to the current leaf is what the conversation is about now. [`session`] reads and writes that
//! log in the format that pi, oh-my-pi and gajae-code use, and turns a branch into messages for a model.
//!
//! This crate opens no files, starts no programs and connects to nothing: files go through `relay-store`, models
//! through `relay-llm`.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their own folders"))]

pub mod driver;
pub mod event;
pub mod policy;
pub mod session;
pub mod tool;
pub mod turn;
