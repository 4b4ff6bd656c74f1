//! The user's own rules: what is always allowed, asked about or denied.
//!
//! `[[policy.rules]]` in the user's `config.toml`, never in a repository. Commands are matched by their parsed words, so
//! `rm -rf /` inside quotes or after `&&` is what it is. A rule carries examples, which are checked when it is loaded: a
//! rule that does not match what its author thought it would is reported instead of used.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Say {
    /// Do it.
    Allow,
    /// Ask.
    Ask,
    /// Do not.
    Deny,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Rule {
    /// What it says.
    pub decide: Say,
    /// The first words of a command; `*` is any word, and a last `**` any number of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// A path or a pattern of paths that are read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<String>,
    /// A path or a pattern of paths that are changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// A host; `*.example.org` is every host below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Commands, paths or hosts it must match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// Those it must not match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counter_examples: Vec<String>,
}

/// A rule that cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RuleError {
    /// It says nothing to match, or several things.
    #[error("policy rule {number} must have exactly one of command, read, change and host")]
    Subject {
        /// Which rule, from one.
        number: usize,
    },
    /// One of its examples does not match.
    #[error("policy rule {number} does not match its example `{example}`")]
    Example {
        /// Which rule, from one.
        number: usize,
        /// The example.
        example: String,
    },
    /// It matches what it must not.
    #[error("policy rule {number} matches its counter-example `{example}`")]
    CounterExample {
        /// Which rule, from one.
        number: usize,
        /// The example.
        example: String,
    },
}

impl Rule {
    fn allow() -> Self {
        Self {
            decide: Say::Allow,
            command: Vec::new(),
            read: None,
            change: None,
            host: None,
            examples: Vec::new(),
            counter_examples: Vec::new(),
        }
    }

    /// Always allows reading this path.
    #[must_use]
    pub fn reading(path: &str) -> Self {
        Self { read: Some(path.to_owned()), ..Self::allow() }
    }

    /// Always allows changing this path.
    #[must_use]
    pub fn changing(path: &str) -> Self {
        Self { change: Some(path.to_owned()), ..Self::allow() }
    }

    /// Always allows connecting to this host.
    #[must_use]
    pub fn connecting(to: &str) -> Self {
        Self { host: Some(host(to).to_owned()), ..Self::allow() }
    }

    /// Always allows commands that begin with these words.
    #[must_use]
    pub fn running(words: &[&str]) -> Self {
        Self { command: words.iter().map(|word| (*word).to_owned()).collect(), ..Self::allow() }
    }

    /// Whether it is about commands with these words.
    #[must_use]
    pub fn matches_command(&self, words: &[String]) -> bool {
        if self.command.is_empty() {
            return false;
        }
        let mut rest = words.iter();
        for (at, wanted) in self.command.iter().enumerate() {
            if wanted == "**" && at + 1 == self.command.len() {
                return true;
            }
            match rest.next() {
                Some(word) if wanted == "*" || wanted == word => {}
                _ => return false,
            }
        }
        true
    }

    fn matches_example(&self, example: &str) -> bool {
        match (&self.read, &self.change, &self.host) {
            (Some(pattern), _, _) | (_, Some(pattern), _) => fits(pattern, example),
            (_, _, Some(pattern)) => fits_host(pattern, host(example)),
            _ => {
                let words: Vec<String> = example.split_whitespace().map(str::to_owned).collect();
                self.matches_command(&words)
            }
        }
    }
}

/// All rules, in the order in which they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules(Vec<Rule>);

impl Rules {
    /// All of them, the first that matches decides.
    #[must_use]
    pub fn all(&self) -> &[Rule] {
        &self.0
    }

    /// Takes rules whose examples hold.
    ///
    /// # Errors
    /// The first rule that cannot be used.
    pub fn new(rules: Vec<Rule>) -> Result<Self, RuleError> {
        for (at, rule) in rules.iter().enumerate() {
            let number = at + 1;
            let subjects = usize::from(!rule.command.is_empty())
                + [&rule.read, &rule.change, &rule.host].into_iter().flatten().count();
            if subjects != 1 {
                return Err(RuleError::Subject { number });
            }
            if let Some(example) = rule.examples.iter().find(|example| !rule.matches_example(example)) {
                return Err(RuleError::Example { number, example: example.clone() });
            }
            if let Some(example) = rule.counter_examples.iter().find(|example| rule.matches_example(example))
            {
                return Err(RuleError::CounterExample { number, example: example.clone() });
            }
        }
        Ok(Self(rules))
    }

    /// Adds a rule of this session.
    pub fn add(&mut self, rule: Rule) {
        self.0.push(rule);
    }

    /// What the rules say about a command: the strictest of those that match.
    #[must_use]
    pub fn of_command(&self, words: &[String]) -> Option<Say> {
        strictest(self.0.iter().filter(|rule| rule.matches_command(words)))
    }

    /// What the rules say about changing a path.
    #[must_use]
    pub fn of_change(&self, path: &str) -> Option<&Rule> {
        let fitting =
            self.0.iter().filter(|rule| rule.change.as_ref().is_some_and(|pattern| fits(pattern, path)));
        fitting.max_by_key(|rule| strictness(rule.decide))
    }

    /// What the rules say about the same thing as this rule.
    #[must_use]
    pub fn like(&self, wanted: &Rule) -> Option<Say> {
        strictest(self.0.iter().filter(|rule| match (&wanted.read, &wanted.change, &wanted.host) {
            (Some(path), _, _) => rule.read.as_ref().is_some_and(|pattern| fits(pattern, path)),
            (_, Some(path), _) => rule.change.as_ref().is_some_and(|pattern| fits(pattern, path)),
            (_, _, Some(host)) => rule.host.as_ref().is_some_and(|pattern| fits_host(pattern, host)),
            _ => rule.matches_command(&wanted.command),
        }))
    }
}

fn strictest<'a>(rules: impl Iterator<Item = &'a Rule>) -> Option<Say> {
    rules.map(|rule| rule.decide).max_by_key(|say| strictness(*say))
}

fn strictness(say: Say) -> u8 {
    match say {
        Say::Allow => 0,
        Say::Ask => 1,
        Say::Deny => 2,
    }
}

/// Whether a path fits a pattern; a pattern that names a folder holds what is below it.
fn fits(pattern: &str, path: &str) -> bool {
    if path == pattern
        || path.strip_prefix(pattern.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
    {
        return true;
    }
    globset::GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .is_ok_and(|glob| glob.compile_matcher().is_match(path))
}

fn fits_host(pattern: &str, host: &str) -> bool {
    match pattern.strip_prefix("*.") {
        Some(domain) => host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')),
        None => host.eq_ignore_ascii_case(pattern),
    }
}

/// The host in an address.
fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    rest.split_once(':').map_or(rest, |(host, _)| host)
}
