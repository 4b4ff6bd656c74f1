//! Context: what models see of the project, and what Relay remembers of it.
//!
//! `selection` holds the files of the next pack, `pack` writes it, `receipt` remembers what it showed and resolves the reply
//! against that, and `views` does the same for single files. `tokens` estimates the length of a text.

pub mod pack;
pub mod receipt;
pub mod selection;
pub mod tokens;
pub mod views;
