//! What every other crate may use: findings, a cancel flag, and the escaping of untrusted text.
//!
//! - [`Diagnostic`] is a finding about a reply: a stable [`Code`], a message, a hint, and where.
//! - [`Cancel`] asks running work to stop.
//! - [`display`] makes control, bidirectional and invisible characters visible before text from outside is shown.
//!
//! This crate depends on nothing and has no power: it reads no file, no clock and no environment. It is not a place for
//! miscellaneous helpers: the tidy test pins its public items, so adding one is a decision.

mod cancel;
mod diagnostic;
pub mod display;
mod hidden;

pub use cancel::Cancel;
pub use diagnostic::{Code, Diagnostic, Severity};
