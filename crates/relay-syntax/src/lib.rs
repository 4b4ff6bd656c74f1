//! What text in a programming language is made of, for everything in Relay that must not go by characters alone.
//!
//! - [`shell`]: a command as bash reads it: words, pipelines, redirections; what it would do, in plain English.
//!
//! The crate is pure: text in, values out. It opens no file, starts nothing, reads no clock and no environment, so the
//! same input gives the same answer in a test, in a policy and in a replay.

pub mod shell;
