//! What the model reads about a rule that it broke.

use crate::frame::{attribute, escape};
use crate::rules::Rule;

const INTERRUPT: &str = include_str!("../text/interrupt.md");
const REMINDER: &str = include_str!("../text/reminder.md");

/// The type of the hidden message that carries rules to the model.
pub const INJECTION: &str = "ttsr-injection";

/// What the model reads after it was stopped, or after an answer that broke a rule.
#[must_use]
pub fn interruption<'a>(rules: impl IntoIterator<Item = &'a Rule>) -> String {
    shown("system-interrupt", INTERRUPT, rules)
}

/// What goes before the result of the tool whose arguments broke a rule.
#[must_use]
pub fn reminder<'a>(rules: impl IntoIterator<Item = &'a Rule>) -> String {
    shown("system-reminder", REMINDER, rules)
}

fn shown<'a>(tag: &str, introduction: &str, rules: impl IntoIterator<Item = &'a Rule>) -> String {
    let rules = rules.into_iter().map(|rule| {
        format!(
            "<{tag} reason=\"rule_violation\" rule=\"{}\" path=\"{}\">\n{}\n\n{}\n</{tag}>",
            attribute(&rule.name),
            attribute(&rule.path),
            introduction.trim_end(),
            escape(&rule.content)
        )
    });
    rules.collect::<Vec<_>>().join("\n\n")
}
