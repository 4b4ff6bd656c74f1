//! Old names of settings, and their current spelling.
//!
//! The settings of `relay ask` were called `ask.…` before the agent got settings with that prefix.

/// Old names with their current ones. An entry of a map is named with a dot.
const RENAMED: [(&str, &str); 9] = [
    ("ask.backend", "backends.default"),
    ("ask.sandbox", "backends.sandbox"),
    ("ask.diff", "backends.diff"),
    ("ask.maxCost", "backends.maxCost"),
    ("ask.maxTurns", "backends.maxTurns"),
    ("ask.maxTime", "backends.maxTime"),
    ("ask.stream", "backends.stream"),
    ("ask.reviewBase", "backends.reviewBase"),
    ("retry.fallback", "retry.fallbackChains.default"),
];

/// The old meaning of `ask.timeout`. It is the agent's now, so the old meaning applies only in a file with other old
/// names.
pub(crate) const TIMEOUT: (&str, &str) = ("ask.timeout", "backends.timeout");

/// The current name, also for an old one.
pub(crate) fn today(name: &str) -> String {
    let camel = camel(name);
    let renamed = RENAMED.iter().find(|(old, _)| *old == camel);
    renamed.map_or_else(|| name.to_owned(), |(_, new)| (*new).to_owned())
}

/// Whether a file that uses this name was written for the old settings of `relay ask`.
pub(crate) fn is_old_ask(name: &str) -> bool {
    let camel = camel(name);
    RENAMED.iter().any(|(old, _)| *old == camel && old.starts_with("ask."))
}

/// `max_cost` and `max-cost` as `maxCost`.
pub(crate) fn camel(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    let mut is_joint = false;
    for character in name.chars() {
        if matches!(character, '_' | '-') {
            is_joint = true;
        } else if std::mem::take(&mut is_joint) {
            camel.extend(character.to_uppercase());
        } else {
            camel.push(character);
        }
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        assert_eq!(camel("ask.max_cost"), "ask.maxCost");
        assert_eq!(camel("retry.max-delay_ms"), "retry.maxDelayMs");
        assert_eq!(today("ask.review_base"), "backends.reviewBase");
        assert_eq!(today("ask.timeout"), "ask.timeout");
        assert!(is_old_ask("ask.max-turns") && !is_old_ask("ask.timeout") && !is_old_ask("retry.fallback"));
    }
}
