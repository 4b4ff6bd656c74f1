//! The project: its config, its name, `relay init`, and its git repository.

pub mod config;
pub mod git;
pub mod init;
pub(crate) mod members;
pub(crate) mod name;
pub mod settings;
pub mod suggest;
