//! Whether a hunk is applied already: its new lines are where it would put them, and something proves that it put them there.
//!
//! A deletion is never taken for applied. Nothing here places a hunk.

pub(in crate::matcher) mod present;
pub(in crate::matcher) mod proof;
pub(in crate::matcher) mod standing;
pub(in crate::matcher) mod witness;
