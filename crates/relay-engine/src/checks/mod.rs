//! Checks: what gates a transaction, how checks run, and what a linter's output comes to.
//!
//! `check` is the trait with the commands of the config as checks, `gate` runs them, `baseline` knows the linter's errors
//! from before the change, and `lint` reads each linter's output.

pub(crate) mod baseline;
pub mod check;
pub(crate) mod gate;
pub mod lint;
