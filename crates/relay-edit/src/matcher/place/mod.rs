//! Which place a hunk belongs to: the tiers tried one after the other, and what chooses where several fit.
//!
//! Two equally good places are ambiguous. How new lines are indented there is decided in [`super::depth`].

pub(in crate::matcher) mod candidate;
mod choice;
pub(in crate::matcher) mod ladder;
mod neighbours;
pub(in crate::matcher) mod rival;
pub(in crate::matcher) mod scope;
pub(in crate::matcher) mod settle;
