//! Relay's own agent: sessions, the tree of their entries, and what a model is shown of them.
//!
//! A conversation is a log of entries that only grows. Each entry names its parent, so the log is a tree, and the
//! branch from the root to the current leaf is what the conversation is about now. [`session`] reads and writes that
//! log in the format that pi, oh-my-pi and gajae-code use, and turns a branch into messages for a model.
//!
//! [`compact`] keeps a conversation within the model's window, [`prompt`] writes the system prompt from what the user and
//! the repository have to say ([`rules`], [`skills`], [`templates`]), and [`secrets`] masks credentials on their way out.
//!
//! This crate opens no files, starts no programs and connects to nothing by itself: files of a repository are read
//! through `relay-workspace`, the user's through `relay-store`, and models are reached through `relay-llm`.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their own folders"))]

pub mod compact;
pub mod driver;
pub mod event;
pub mod export;
pub mod frame;
pub mod frontmatter;
pub mod goal;
pub mod import;
pub mod jobs;
pub mod policy;
pub mod prompt;
pub mod resources;
pub mod rules;
pub mod secrets;
pub mod session;
pub mod skills;
pub mod sources;
pub mod templates;
pub mod tokens;
pub mod tool;
pub mod turn;
