//! Whether new lines are a copy of lines that the file has right there: context marked as new, brackets, other spellings.
//!
//! What is a copy would be there twice, so such a hunk is read otherwise or refused.

pub(in crate::matcher) mod brackets;
pub(in crate::matcher) mod copied;
pub(in crate::matcher) mod marked;
