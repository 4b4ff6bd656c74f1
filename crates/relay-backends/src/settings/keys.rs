//! Every setting there is, with its variable, its default and its meaning.

use relay_llm::Revert;

use super::{SettingsError, limits};
use crate::backend::Sandbox;

/// What a setting may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// A whole number above zero.
    Number,
    /// A whole number, also zero.
    Count,
    /// Yes or no.
    Flag,
    /// A sandbox.
    Sandbox,
    /// A list of texts.
    List,
    /// An amount of US dollars.
    Money,
    /// A length of time.
    Time,
    /// When a model that failed is asked again.
    Revert,
}

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name. `*` stands for the name of a backend.
    pub name: &'static str,
    /// The variable of the environment that overrides it.
    pub variable: Option<&'static str>,
    /// What it is if nobody says anything.
    pub default: Option<&'static str>,
    /// What it may hold.
    pub kind: Kind,
    /// What it means.
    pub meaning: &'static str,
}

const fn key(
    name: &'static str,
    variable: Option<&'static str>,
    default: Option<&'static str>,
    kind: Kind,
    meaning: &'static str,
) -> Key {
    Key { name, variable, default, kind, meaning }
}

/// All of them.
pub const KEYS: [Key; 23] = [
    key("ask.backend", Some("PHONE_A_FRIEND_BACKEND"), Some("codex"), Kind::Text, "who is asked"),
    key(
        "ask.sandbox",
        Some("PHONE_A_FRIEND_SANDBOX"),
        Some("read-only"),
        Kind::Sandbox,
        "what a backend may do",
    ),
    key("ask.timeout", Some("PHONE_A_FRIEND_TIMEOUT"), Some("600"), Kind::Number, "seconds for an answer"),
    key(
        "ask.diff",
        Some("PHONE_A_FRIEND_INCLUDE_DIFF"),
        Some("false"),
        Kind::Flag,
        "send the latest changes along",
    ),
    key("ask.max_cost", None, None, Kind::Money, "US dollars that a question or a review may cost"),
    key("ask.max_turns", None, None, Kind::Number, "how many turns each backend may have"),
    key("ask.max_time", None, None, Kind::Time, "when the last request may begin, such as 90s or 5m"),
    key("ask.stream", None, Some("true"), Kind::Flag, "show an answer as it comes"),
    key(
        "ask.review_base",
        Some("PHONE_A_FRIEND_REVIEW_BASE"),
        None,
        Kind::Text,
        "the branch reviews compare with",
    ),
    key("review", None, None, Kind::Text, "who reviews every reply between checks and approval"),
    key("retry.enabled", None, Some("true"), Kind::Flag, "ask a model again when it fails in passing"),
    key("retry.maxRetries", None, Some("3"), Kind::Count, "how often a whole answer is asked for again"),
    key(
        "retry.baseDelayMs",
        None,
        Some("2000"),
        Kind::Count,
        "the first pause; each further one is twice as long",
    ),
    key(
        "retry.maxDelayMs",
        None,
        Some("300000"),
        Kind::Count,
        "the longest pause; who asks for more is not waited for",
    ),
    key("retry.requestMaxRetries", None, Some("5"), Kind::Count, "how often a request is sent again"),
    key(
        "retry.streamMaxRetries",
        None,
        Some("5"),
        Kind::Count,
        "how often a stream that broke off unseen is begun again",
    ),
    key("retry.fallback", None, None, Kind::List, "the models that are asked when one cannot answer"),
    key(
        "retry.fallbackRevertPolicy",
        None,
        Some("cooldown-expiry"),
        Kind::Revert,
        "whether a model is asked again once it has recovered: cooldown-expiry or never",
    ),
    key("backends.*.model", None, None, Kind::Text, "which of its models a backend uses"),
    key("backends.*.command", None, None, Kind::List, "the program and arguments of a backend of your own"),
    key("backends.*.folders", None, None, Kind::List, "where that program keeps its own things"),
    key("backends.*.url", None, None, Kind::Text, "the address of a compatible model server of your own"),
    key("backends.*.key_variable", None, None, Kind::Text, "the variable that holds that server's key"),
];

/// The setting of that name.
///
/// # Errors
/// There is none; the nearest name is told.
pub fn find(name: &str) -> Result<&'static Key, SettingsError> {
    let matches = |key: &&Key| match key.name.split_once('*') {
        Some((before, after)) => name
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after))
            .is_some_and(|backend| !backend.is_empty() && !backend.contains('.')),
        None => key.name == name,
    };
    KEYS.iter().find(matches).ok_or_else(|| SettingsError::UnknownKey { key: name.to_owned() })
}

impl Key {
    /// Checks a value.
    ///
    /// # Errors
    /// It is not one that the setting may hold.
    pub fn check(&self, name: &str, value: &str) -> Result<(), SettingsError> {
        let expected = match self.kind {
            Kind::Number if value.parse::<u64>().is_ok_and(|number| number > 0) => None,
            Kind::Number => Some("a whole number above zero"),
            Kind::Count if value.parse::<u32>().is_ok() => None,
            Kind::Count => Some("a whole number up to 4294967295"),
            Kind::Flag if flag(value).is_some() => None,
            Kind::Flag => Some("true or false"),
            Kind::Sandbox if value.parse::<Sandbox>().is_ok() => None,
            Kind::Sandbox => Some("read-only, workspace-write or danger-full-access"),
            Kind::Money if limits::cost(value).is_some() => None,
            Kind::Money => Some(limits::COST),
            Kind::Time if limits::time(value).is_some() => None,
            Kind::Time => Some(limits::TIME),
            Kind::Revert if revert(value).is_some() => None,
            Kind::Revert => Some("cooldown-expiry or never"),
            Kind::Text if value.trim().is_empty() => Some("a text"),
            Kind::Text | Kind::List => None,
        };
        match expected {
            None => Ok(()),
            Some(expected) => {
                Err(SettingsError::BadValue { key: name.to_owned(), value: value.to_owned(), expected })
            }
        }
    }
}

/// When a model that failed is asked again.
pub(super) fn revert(text: &str) -> Option<Revert> {
    match text {
        "cooldown-expiry" => Some(Revert::CooldownExpiry),
        "never" => Some(Revert::Never),
        _ => None,
    }
}

/// Yes or no, in the ways environments say it.
pub(super) fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}
