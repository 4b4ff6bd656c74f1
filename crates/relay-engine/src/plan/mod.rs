//! The plan: from the edits of a reply to exact changes on the files as they are now, or the reasons why not.
//!
//! `contain` checks every path, `planning` reads the files and has relay-edit place the edits, `accounting` accounts for
//! every block of the reply; `settled` is what comes of the three. The other modules look for what else a person should know. Nothing here writes a file.

pub(crate) mod accounting;
pub(crate) mod contain;
mod elsewhere;
pub(crate) mod explain;
mod forecast;
mod namesake;
mod odd_names;
pub(crate) mod planning;
pub(crate) mod settled;
mod summary;
pub mod translate;
