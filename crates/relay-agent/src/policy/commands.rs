//! What policy makes of a shell command.

use super::{Class, Decision, Level, Policy, Reason};

/// Decides about a command line.
pub fn decide(policy: &Policy, command: &str, _cwd: Option<&str>) -> Decision {
    if policy.level == Level::Full {
        return Decision::Allow;
    }
    let what = format!("run `{command}`");
    Decision::Ask(vec![Reason { class: Class::Command, what, why: "it is a command".to_owned(), rule: None }])
}
