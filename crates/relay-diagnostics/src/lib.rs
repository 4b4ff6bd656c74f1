//! What every other crate may use: findings, a cancel flag, and untrusted text made visible.
//!
//! - [`Diagnostic`] is a finding about a reply: a stable [`Code`], a message, a hint, and where.
//! - [`Cancel`] asks whatever is running to end.
//! - [`display`] makes control, bidirectional and invisible characters visible before text from outside is shown.
//!
//! This crate depends on nothing and has no power: it reads no file, no clock and no environment. It is not for helpers
//! without another home; the tidy test pins its public items, so that adding one is a decision.

mod cancel;
mod diagnostic;
pub mod display;
mod hidden;

pub use cancel::Cancel;
pub use diagnostic::{Code, Diagnostic, Severity};
