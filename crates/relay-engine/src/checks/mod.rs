//! Checks gate a transaction: how they run, and how a linter's output is counted.
//!
//! `check` is the trait with the commands of the config as checks, `gate` runs them, `baseline` finds the linter's errors
//! from before the change, and `lint` reads each linter's output.

pub(crate) mod baseline;
pub mod check;
pub(crate) mod gate;
pub mod lint;

use crate::engine::Engine;
use check::{Check, Linter, MustSucceed};
use lint::Errors;

/// What must pass once the files hold the new content: first what may veto, then what is counted, last the user's own
/// checks. The linter's result is compared with the one from `before` the change, which it requests if it
/// `can_compare`.
pub(crate) fn of_project<'e>(
    engine: &'e Engine,
    before: Option<&'e Errors>,
    can_compare: bool,
) -> Vec<Box<dyn Check + 'e>> {
    let config = engine.config();
    let mut checks: Vec<Box<dyn Check>> = Vec::new();
    if !config.post_command.is_empty() {
        checks.push(Box::new(MustSucceed { key: "postCommand", command: &config.post_command }));
    }
    if !config.linter.is_empty() {
        checks.push(Box::new(Linter {
            command: &config.linter,
            allowed_errors: config.approval_on_error_count,
            before,
            can_compare: can_compare && baseline::is_wanted(engine),
        }));
    }
    checks.extend(engine.user_checks().map(|check| Box::new(check) as Box<dyn Check>));
    checks
}
