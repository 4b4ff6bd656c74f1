//! How deep new lines belong: what the reply's indentation means in the file, and where it cannot be known.
//!
//! Nothing here looks for a place; it gets one, and says how the new lines are indented there or refuses.

pub(in crate::matcher) mod enclosed;
pub(in crate::matcher) mod indent;
pub(in crate::matcher) mod manner;
pub(in crate::matcher) mod movable;
pub(in crate::matcher) mod nested;
pub(in crate::matcher) mod shape;
pub(in crate::matcher) mod spelled;
pub(in crate::matcher) mod units;
pub(in crate::matcher) mod verbatim;
