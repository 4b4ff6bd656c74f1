//! All settings, read once from `keys.txt`.

use std::sync::LazyLock;

use crate::error::SettingsError;
use crate::key::{Key, Kind};
use crate::spelling;

/// One line per setting, below the name of its tab.
const TEXT: &str = include_str!("keys.txt");

/// The pages of the settings, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// Other agents and models that `relay ask` and `relay review` talk to.
    Backends,
    /// How the screen looks.
    Appearance,
    /// Which model answers, and how.
    Model,
    /// How you talk to the agent.
    Interaction,
    /// What a model sees of a session.
    Context,
    /// What is remembered between sessions.
    Memory,
    /// How files are read and changed.
    Editing,
    /// What the agent can use.
    Tools,
    /// Lists of tasks, subagents, goals.
    Tasks,
    /// Services and their addresses.
    Providers,
}

impl Tab {
    /// All of them, in their order.
    pub const ALL: [Self; 10] = [
        Self::Backends,
        Self::Appearance,
        Self::Model,
        Self::Interaction,
        Self::Context,
        Self::Memory,
        Self::Editing,
        Self::Tools,
        Self::Tasks,
        Self::Providers,
    ];

    /// Its heading.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Backends => "Backends",
            Self::Appearance => "Appearance",
            Self::Model => "Model",
            Self::Interaction => "Interaction",
            Self::Context => "Context",
            Self::Memory => "Memory",
            Self::Editing => "Editing",
            Self::Tools => "Tools",
            Self::Tasks => "Tasks",
            Self::Providers => "Providers",
        }
    }
}

/// A named setting.
#[derive(Clone, Debug)]
pub struct Found {
    /// The setting.
    pub key: &'static Key,
    /// Its current name, with the user's own part in place of `*`.
    pub name: String,
    /// The named entry of a setting that is a map.
    pub entry: Option<String>,
}

/// Every setting, in the order of the tabs.
#[must_use]
pub fn keys() -> &'static [Key] {
    static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| parse(TEXT).0);
    &KEYS
}

/// The setting with this name, also in an old spelling.
///
/// # Errors
/// There is none; the nearest name comes with it.
pub fn find(name: &str) -> Result<Found, SettingsError> {
    let today = spelling::today(name);
    exactly(&today)
        .or_else(|| keys().iter().find_map(|key| fitted(key, &today, spelling::camel)))
        .ok_or_else(|| SettingsError::UnknownKey { key: name.to_owned(), nearest: nearest(&today) })
}

/// The setting with this spelling.
pub(crate) fn exactly(name: &str) -> Option<Found> {
    keys().iter().find_map(|key| fitted(key, name, str::to_owned))
}

/// The setting, if the name is its name, with both spelled in a common way.
fn fitted(key: &'static Key, name: &str, spelled: impl Fn(&str) -> String) -> Option<Found> {
    let found = |name: String, entry| Some(Found { key, name, entry });
    if let Some((before, after)) = key.name.split_once('*') {
        let (own, field) = name.strip_prefix(before)?.rsplit_once('.')?;
        let is_it =
            !own.is_empty() && !own.contains('.') && spelled(field) == spelled(after.trim_start_matches('.'));
        return is_it.then(|| key.name.replace('*', own)).and_then(|name| found(name, None));
    }
    if spelled(key.name) == spelled(name) {
        return found(key.name.to_owned(), None);
    }
    let entry = name.strip_prefix(key.name)?.strip_prefix('.').filter(|_| key.kind == Kind::Map)?;
    (!entry.is_empty()).then(|| entry.to_owned()).and_then(|entry| found(key.name.to_owned(), Some(entry)))
}

/// The setting with the most similar name.
fn nearest(name: &str) -> Option<&'static str> {
    let likeness = |key: &&Key| (strsim::jaro_winkler(key.name, name) * 1000.0) as u32;
    // People use only the last part of a name as often as they misspell it.
    let by_end = keys().iter().find(|key| key.name.rsplit('.').next() == Some(name));
    let by_likeness = || keys().iter().max_by_key(likeness).filter(|key| likeness(key) > 850);
    by_end.or_else(by_likeness).map(|key| key.name)
}

/// The settings of a text, and the lines that cannot be understood.
fn parse(text: &'static str) -> (Vec<Key>, Vec<&'static str>) {
    let (mut keys, mut broken) = (Vec::new(), Vec::new());
    let mut tab = Tab::Backends;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let heading = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if let Some(named) = heading.and_then(|name| Tab::ALL.into_iter().find(|tab| tab.name() == name)) {
            tab = named;
        } else if let Some(key) = row(line, tab) {
            keys.push(key);
        } else {
            broken.push(line);
        }
    }
    (keys, broken)
}

fn row(line: &'static str, tab: Tab) -> Option<Key> {
    let mut columns = line.split(" | ");
    let mut column = || columns.next().map(str::trim);
    let (name, kind, default, variables, meaning) = (column()?, column()?, column()?, column()?, column()?);
    let kind = match kind {
        "text" => Kind::Text,
        "integer" => Kind::Integer,
        "count" => Kind::Count,
        "positive" => Kind::Positive,
        "number" => Kind::Number,
        "flag" => Kind::Flag,
        "list" => Kind::List,
        "rules" => Kind::Rules,
        "map" => Kind::Map,
        "money" => Kind::Money,
        "time" => Kind::Time,
        words => Kind::OneOf(words.strip_prefix("one of ")?.split(' ').collect()),
    };
    let default = Some(default).filter(|default| *default != "-");
    let variables = variables.split(' ').filter(|variable| *variable != "-").collect();
    Some(Key { name, kind, default, variables, tab, meaning })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_setting_whose_default_it_may_hold() {
        let (keys, broken) = parse(TEXT);
        assert!(broken.is_empty(), "{broken:?}");
        assert_eq!(keys.iter().filter(|key| key.tab != Tab::Backends).count(), 284);
        for (at, key) in keys.iter().enumerate() {
            assert!(!key.meaning.is_empty() && !key.meaning.contains('|'), "{}", key.name);
            assert!(key.default.is_none_or(|default| key.check(key.name, default).is_ok()), "{}", key.name);
            assert!(keys.iter().skip(at + 1).all(|other| other.name != key.name), "{}", key.name);
        }
    }

    #[test]
    fn defaults_that_differ_from_the_common_ones() {
        for name in ["secrets.enabled", "skills.enabled"] {
            assert_eq!(find(name).unwrap().key.default, Some("true"), "{name}");
        }
    }

    #[test]
    fn names_are_found_in_every_spelling() {
        for (name, expected, entry) in [
            ("backends.timeout", "backends.timeout", None),
            ("ask.timeout", "ask.timeout", None),
            ("ask.backend", "backends.default", None),
            ("ask.max_cost", "backends.maxCost", None),
            ("backends.max-cost", "backends.maxCost", None),
            ("backends.mine.key_variable", "backends.mine.keyVariable", None),
            ("web_search.enabled", "web_search.enabled", None),
            ("webSearch.enabled", "web_search.enabled", None),
            ("retry.fallback", "retry.fallbackChains", Some("default")),
            ("modelRoles.smol", "modelRoles", Some("smol")),
            ("todo.reminders.max", "todo.reminders.max", None),
        ] {
            let found = find(name).unwrap();
            assert_eq!((found.name.as_str(), found.entry.as_deref()), (expected, entry), "{name}");
        }
    }

    #[test]
    fn an_unknown_name_comes_with_the_nearest() {
        let nearest = |name: &str| match find(name) {
            Err(SettingsError::UnknownKey { nearest, .. }) => nearest,
            other => panic!("{other:?}"),
        };
        assert_eq!(nearest("compaction.enabeld"), Some("compaction.enabled"));
        assert_eq!(nearest("shimmer"), Some("display.shimmer"));
        assert_eq!(nearest("zzz"), None);
        assert!(find("backends..model").is_err() && find("modelRoles.").is_err());
    }
}
