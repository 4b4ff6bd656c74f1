//! Front ends of Relay's agent for programs: commands in, events out.
//!
//! [`rpc`] speaks JSON lines on standard input and output, with the commands, events and field names that clients of pi
//! know; `docs/formats/rpc.md` describes it. What a front end may need of the user's settings and files comes through
//! [`rpc::Host`], which the binary implements; this crate opens no files, starts no programs and connects to nothing.

pub mod rpc;
