//! Context: what models are shown of the project, and what Relay remembers of that.
//!
//! `selection` holds the files of the next pack, `pack` writes it, `receipt` remembers what it showed and resolves the reply
//! against that, and `views` does the same for single files. `tokens` estimates what any text costs.

pub mod pack;
pub mod receipt;
pub mod selection;
pub mod tokens;
pub mod views;
