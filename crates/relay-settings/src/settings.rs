//! The effective settings: the file, the environment, and which source wins.
//!
//! The command line overrides the environment, the environment overrides the file, and the file overrides the
//! defaults.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::error::SettingsError;
use crate::key::{self, Key, Kind};
use crate::lists::{self, plain};
use crate::spelling;
use crate::table::{self, Found, Tab, find, keys};

/// The file's name in the user's config folder.
pub const FILE: &str = "config.toml";

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The default.
    Default,
    /// The user's file.
    File,
    /// A variable of the environment.
    Environment(&'static str),
    /// An option of the command line.
    CommandLine,
}

/// A setting's value and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub key: String,
    /// Its value as text.
    pub value: String,
    /// Where the value comes from.
    pub source: Source,
}

/// A setting in a list of all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub key: String,
    /// Its value; `None` if it has none.
    pub setting: Option<Setting>,
    /// What it means.
    pub meaning: &'static str,
    tab: Tab,
}

/// The effective settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Values by their current names.
    file: BTreeMap<String, Value>,
    variables: BTreeMap<String, OsString>,
    /// Values from the command line, for this run only.
    given: BTreeMap<String, String>,
}

impl Settings {
    /// Reads the file's text, which may be empty. Also returns unknown keys.
    ///
    /// # Errors
    /// The file is not TOML, or a value cannot be used.
    pub fn new(
        text: &str,
        variables: BTreeMap<String, OsString>,
    ) -> Result<(Self, Vec<String>), SettingsError> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| SettingsError::Syntax {
            reason: error.to_string().trim().to_owned(),
        })?;
        let mut written = BTreeMap::new();
        flatten("", table, &mut written);
        let (file, unknown) = by_todays_names(written)?;
        for key in keys() {
            if let Some((variable, value)) = in_environment(key, &variables) {
                key.check(variable, &value)?;
            }
        }
        Ok((Self { file, variables, given: BTreeMap::new() }, unknown))
    }

    /// A setting's value; `None` if it has none.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Setting> {
        let Found { key, name, entry } = find(name).ok()?;
        let whole = entry.as_ref().map_or_else(|| name.clone(), |entry| format!("{name}.{entry}"));
        if let Some(value) = self.given.get(&whole) {
            return Some(Setting { key: whole, value: value.clone(), source: Source::CommandLine });
        }
        if let Some(entry) = entry {
            let value = self.map(&name).get(&entry).map(plain)?;
            return Some(Setting { key: whole, value, source: Source::File });
        }
        let (value, source) = if let Some((variable, value)) = in_environment(key, &self.variables) {
            (value, Source::Environment(variable))
        } else if let Some(value) = self.file.get(&name) {
            (plain(value), Source::File)
        } else {
            (key.default?.to_owned(), Source::Default)
        };
        Some(Setting { key: name, value, source })
    }

    /// Makes a command-line option override everything else, for as long as this process runs.
    ///
    /// # Errors
    /// There is no such setting, or it cannot have this value.
    pub fn give(&mut self, name: &str, value: &str) -> Result<(), SettingsError> {
        let Found { key, name, entry } = find(name)?;
        if entry.is_none() {
            key.check(&name, value)?;
        }
        let whole = entry.map_or_else(|| name.clone(), |entry| format!("{name}.{entry}"));
        self.given.insert(whole, value.to_owned());
        Ok(())
    }

    /// These settings, read again, under the same command line.
    #[must_use]
    pub fn read_again(&self, mut fresh: Self) -> Self {
        fresh.given.clone_from(&self.given);
        fresh
    }

    /// The settings of backends, and all others that differ from their defaults.
    #[must_use]
    pub fn changed(&self) -> Vec<Listed> {
        let is_shown = |listed: &Listed| match &listed.setting {
            Some(setting) => listed.tab == Tab::Backends || setting.source != Source::Default,
            None => false,
        };
        self.all().into_iter().filter(is_shown).collect()
    }

    /// All settings, also those without a value.
    #[must_use]
    pub fn all(&self) -> Vec<Listed> {
        let (fixed, own): (Vec<&Key>, Vec<&Key>) = keys().iter().partition(|key| !key.name.contains('*'));
        let fixed = fixed.into_iter().map(|key| (key, key.name.to_owned()));
        let own = self
            .backend_names()
            .flat_map(|name| own.iter().map(move |key| (*key, key.name.replace('*', name))));
        fixed
            .chain(own)
            .map(|(key, name)| Listed {
                setting: self.get(&name),
                key: name,
                meaning: key.meaning,
                tab: key.tab,
            })
            .collect()
    }

    /// Whether `ask.timeout` is the file's only time limit. It used to limit `relay ask` and is now the agent's, so
    /// the file may have been written for the old meaning.
    #[must_use]
    pub(crate) fn may_mean_old_timeout(&self) -> bool {
        let (old, today) = spelling::TIMEOUT;
        let others = self.file.keys().any(|name| name.starts_with("ask.") && name != old);
        self.file.contains_key(old) && !self.file.contains_key(today) && !others
    }

    /// A text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(|setting| setting.value)
    }

    /// Yes or no; no value means no.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.text(name).and_then(|text| key::flag(&text)).unwrap_or(false)
    }

    /// A whole number.
    #[must_use]
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.text(name)?.parse().ok()
    }

    /// A whole number from zero on.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<u32> {
        self.text(name)?.parse().ok()
    }

    /// A number.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        self.text(name)?.parse().ok()
    }

    /// A list of texts; empty if there is none.
    #[must_use]
    pub fn list(&self, name: &str) -> Vec<String> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        match self.file.get(name) {
            Some(value) => value.as_array().into_iter().flatten().filter_map(text).collect(),
            None => self.text(name).and_then(|text| lists::list(&text)).unwrap_or_default(),
        }
    }

    /// The tables of a list of rules, each read as a `T`; empty if there is none.
    ///
    /// # Errors
    /// One of them is not a `T`.
    pub fn rules<T: DeserializeOwned>(&self, name: &str) -> Result<Vec<T>, SettingsError> {
        let listed = self.file.get(name).and_then(Value::as_array);
        let tables = listed.into_iter().flatten().filter_map(Value::as_table).cloned();
        let read = |(index, table): (usize, Table)| {
            let bad = |error: toml::de::Error| SettingsError::BadRule {
                key: name.to_owned(),
                number: index + 1,
                reason: error.message().to_owned(),
            };
            table.try_into().map_err(bad)
        };
        tables.enumerate().map(read).collect()
    }

    /// A table; empty if there is none.
    #[must_use]
    pub fn map(&self, name: &str) -> Table {
        self.file.get(name).and_then(Value::as_table).cloned().unwrap_or_default()
    }

    /// The names of all backends with settings in the file.
    pub fn backend_names(&self) -> impl Iterator<Item = &str> {
        let names: BTreeSet<&str> = self
            .file
            .keys()
            .filter_map(|name| name.strip_prefix("backends.")?.split_once('.'))
            .map(|(name, _)| name)
            .collect();
        names.into_iter()
    }
}

/// Values by their current names, and unknown keys. If a setting appears under both names, the current one wins.
fn by_todays_names(
    written: BTreeMap<String, Value>,
) -> Result<(BTreeMap<String, Value>, Vec<String>), SettingsError> {
    let is_old = written.keys().any(|name| spelling::is_old_ask(name));
    let (mut file, mut unknown) = (BTreeMap::new(), Vec::new());
    // Current names first, so that an old one cannot replace them.
    let (today, before): (Vec<_>, Vec<_>) = written
        .into_iter()
        .partition(|(name, _)| table::exactly(name).is_some() && !(is_old && name == spelling::TIMEOUT.0));
    for (name, value) in today.into_iter().chain(before) {
        let meant = if is_old && name == spelling::TIMEOUT.0 { spelling::TIMEOUT.1 } else { name.as_str() };
        let Ok(found) = find(meant) else {
            unknown.push(name);
            continue;
        };
        check(&found, &name, &value)?;
        if let Some(entry) = found.entry {
            let map = file.entry(found.name).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(map) = map
                && !map.contains_key(&entry)
            {
                map.insert(entry, value);
            }
        } else {
            file.entry(found.name).or_insert(value);
        }
    }
    Ok((file, unknown))
}

fn in_environment(key: &Key, variables: &BTreeMap<String, OsString>) -> Option<(&'static str, String)> {
    key.variables.iter().find_map(|&variable| {
        let value = variables.get(variable)?.to_string_lossy().trim().to_owned();
        (!value.is_empty()).then_some((variable, value))
    })
}

/// Checks a value of the file.
fn check(found: &Found, name: &str, value: &Value) -> Result<(), SettingsError> {
    let all = |fits: fn(&Value) -> bool| value.as_array().is_some_and(|list| list.iter().all(fits));
    // `retry.fallback` was a list, and still is one as an entry.
    let is_chain = found.name == "retry.fallbackChains";
    let fits = match (&found.key.kind, &found.entry) {
        (_, Some(_)) => !is_chain || all(Value::is_str),
        (Kind::List, _) => all(Value::is_str),
        (Kind::Rules, _) => all(|item| item.is_str() || item.is_table()),
        (Kind::Map, _) => value.is_table(),
        _ => return found.key.check(name, &plain(value)),
    };
    if fits {
        return Ok(());
    }
    let expected =
        if is_chain && found.entry.is_some() { Kind::List.expected() } else { found.key.kind.expected() };
    Err(SettingsError::BadValue { key: name.to_owned(), value: plain(value), expected })
}

/// Names with dots for tables in tables. A table that is a setting's value stays one.
fn flatten(before: &str, table: Table, flat: &mut BTreeMap<String, Value>) {
    for (name, value) in table {
        let name = if before.is_empty() { name } else { format!("{before}.{name}") };
        let is_value = table::exactly(&name).is_some_and(|found| found.key.kind == Kind::Map);
        match value {
            Value::Table(table) if !is_value => flatten(&name, table, flat),
            value => drop(flat.insert(name, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use relay_llm::{Limit, RetrySettings, Revert};

    use super::*;

    fn settings(text: &str, variables: &[(&str, &str)]) -> Result<(Settings, Vec<String>), SettingsError> {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
        Settings::new(text, variables)
    }

    #[test]
    fn the_environment_overrides_the_file_and_the_file_the_defaults() {
        let check = |text, variables: &[_], value: &str, source| {
            let found = settings(text, variables).unwrap().0.get("backends.timeout").unwrap();
            assert_eq!((found.value.as_str(), found.source), (value, source));
        };
        let variable = [("PHONE_A_FRIEND_TIMEOUT", "5")];
        check("", &[], "600", Source::Default);
        check("[backends]\ntimeout = 30\n", &[], "30", Source::File);
        check("[backends]\ntimeout = 30\n", &variable, "5", Source::Environment("PHONE_A_FRIEND_TIMEOUT"));
        check("[backends]\ntimeout = 30\n", &[("PHONE_A_FRIEND_TIMEOUT", " ")], "30", Source::File);
    }

    #[test]
    fn the_command_line_overrides_everything_for_the_whole_process() {
        let (mut read, _) = settings("[modelRoles]\nsmol = \"a/b\"\n", &[("RELAY_NO_PTY", "false")]).unwrap();
        read.give("modelRoles.smol", "c/d").unwrap();
        read.give("bash.noPty", "true").unwrap();
        let check = |read: &Settings| {
            let smol = read.get("modelRoles.smol").unwrap();
            assert_eq!((smol.value.as_str(), smol.source), ("c/d", Source::CommandLine));
            assert!(read.flag("bash.noPty"));
        };
        check(&read);
        check(&read.read_again(settings("", &[]).unwrap().0));
        assert!(read.give("bash.noPty", "perhaps").is_err() && read.give("no.such", "1").is_err());
    }

    #[test]
    fn bad_values_are_refused_wherever_they_appear() {
        for text in [
            "backends.timeout = 0",
            "ask.timeout = \"x\"",
            "ask.sandbox = \"none\"",
            "ask.diff = 3",
            "ask = ",
            "lsp.enabled = \"x\"",
            "modelRoles = 3",
        ] {
            assert!(settings(text, &[]).is_err(), "{text}");
        }
        assert!(settings("", &[("PHONE_A_FRIEND_SANDBOX", "none")]).is_err());
    }

    #[test]
    fn unknown_keys_are_reported() {
        let (_, unknown) =
            settings("[ask]\nbackand = \"x\"\n[backends.mine]\ncommand = [\"m\"]\n", &[]).unwrap();
        assert_eq!(unknown, ["ask.backand"]);
    }

    #[test]
    fn retries_follow_the_settings_or_the_defaults() {
        let retry = |text| settings(text, &[]).unwrap().0.retry();
        assert_eq!(retry(""), RetrySettings::default());
        let text = "[retry]\nenabled = false\nmaxRetries = 0\nbaseDelayMs = 5\nmaxDelayMs = 6\n\
                    requestMaxRetries = 7\nstreamMaxRetries = 8\n";
        let expected = RetrySettings {
            enabled: false,
            max_retries: 0,
            base_delay_ms: 5,
            max_delay_ms: 6,
            request_max_retries: 7,
            stream_max_retries: 8,
            ..RetrySettings::default()
        };
        assert_eq!(retry(text), expected);
        assert!(settings("retry.maxRetries = -1", &[]).is_err());
        assert!(
            settings("retry.fallback = \"one\"", &[]).is_err(),
            "a list that is none would be passed over"
        );
        let (settings, _) = settings("retry.fallback = [\"openai/a\", \"google/b\"]", &[]).unwrap();
        assert_eq!(settings.fallback("default"), ["openai/a", "google/b"]);
    }

    #[test]
    fn limits_are_numbers_or_texts() {
        let limit = |text| settings(text, &[]).map(|(settings, _)| settings.limit());
        assert_eq!(limit(""), Ok(Limit::default()));
        let expected = Limit { cost: Some(0.5), turns: Some(3), time: Some(Duration::from_secs(300)) };
        assert_eq!(limit("[ask]\nmax_cost = 0.5\nmax_turns = 3\nmax_time = 300\n"), Ok(expected));
        assert_eq!(limit("[ask]\nmax_cost = \"$0.50\"\nmax_turns = 3\nmax_time = \"5m\"\n"), Ok(expected));
        for text in ["ask.max_cost = 0", "ask.max_cost = -1", "ask.max_turns = 0", "ask.max_time = \"soon\""]
        {
            assert!(limit(text).is_err(), "{text}");
        }
    }

    #[test]
    fn returning_to_a_recovered_model_can_be_configured() {
        let revert = |text| settings(text, &[]).map(|(settings, _)| settings.revert());
        assert_eq!(revert(""), Ok(Revert::CooldownExpiry));
        assert_eq!(revert("retry.fallbackRevertPolicy = \"never\""), Ok(Revert::Never));
        assert!(revert("retry.fallbackRevertPolicy = \"soon\"").is_err());
    }

    #[test]
    fn the_settings_of_backends_are_listed() {
        let text = "[backends.mine]\ncommand = [\"bot\", \"-q\"]\nfolders = [\"/x\"]\n[backends.codex]\nmodel = \"m\"\n";
        let (settings, _) = settings(text, &[]).unwrap();
        assert_eq!(settings.text("backends.codex.model").as_deref(), Some("m"));
        assert_eq!(settings.list("backends.mine.command"), ["bot", "-q"]);
        assert_eq!(settings.backend_names().collect::<Vec<_>>(), ["codex", "mine"]);
        assert_eq!(settings.changed().len(), 5 + 3, "{:?}", settings.changed());
        let all = settings.all();
        assert!(all.len() > 200 && all.iter().all(|listed| !listed.meaning.is_empty()));
        assert!(all.iter().any(|listed| listed.key == "shellPath" && listed.setting.is_none()));
    }

    #[test]
    fn old_names_are_read_and_current_ones_win() {
        let (old, unknown) = settings("[ask]\nbackend = \"a\"\ntimeout = 7\nmax_cost = 2\n", &[]).unwrap();
        assert_eq!(
            (old.text("backends.default").as_deref(), old.count("backends.timeout")),
            (Some("a"), Some(7))
        );
        assert_eq!((old.limit().cost, old.count("ask.timeout")), (Some(2.0), Some(0)));
        assert!(unknown.is_empty());
        let (both, _) = settings("ask.backend = \"a\"\nbackends.default = \"b\"\n", &[]).unwrap();
        assert_eq!(both.text("ask.backend").as_deref(), Some("b"));
        let (agent, _) = settings("ask.timeout = 7\n", &[]).unwrap();
        assert_eq!((agent.count("ask.timeout"), agent.count("backends.timeout")), (Some(7), Some(600)));
        let text = "[retry]\nfallback = [\"a\"]\n[retry.fallbackChains]\nsmol = [\"b\"]\n";
        let (chains, _) = settings(text, &[]).unwrap();
        assert_eq!(
            (chains.fallback("smol"), chains.fallback("slow")),
            (vec!["b".to_owned()], vec!["a".to_owned()])
        );
    }

    #[test]
    fn a_file_that_may_mean_the_old_timeout_is_noticed() {
        let may = |text| settings(text, &[]).unwrap().0.may_mean_old_timeout();
        assert!(may("ask.timeout = 7\n"));
        assert!(!may(""));
        assert!(!may("ask.timeout = 7\nbackends.timeout = 600\n"));
        assert!(!may("ask.timeout = 7\nask.notify = \"off\"\n"), "written for the agent");
        assert!(!may("ask.timeout = 7\nask.backend = \"a\"\n"), "still read in its old meaning");
    }

    #[test]
    fn relay_variables_override_the_old_ones() {
        let both = [("RELAY_BACKEND", "new"), ("PHONE_A_FRIEND_BACKEND", "old")];
        let of = |variables: &[_]| settings("", variables).unwrap().0.text("backends.default").unwrap();
        assert_eq!((of(&both), of(&both[1..])), ("new".to_owned(), "old".to_owned()));
    }

    #[test]
    fn every_kind_can_be_read() {
        let text = "topP = 0.5\ntopK = -1\nextensions = [\"x\"]\n[modelRoles]\nsmol = \"m\"\n[todo]\nreminders = false\n\"reminders.max\" = 9\n";
        let (settings, unknown) = settings(text, &[]).unwrap();
        assert!(unknown.is_empty(), "{unknown:?}");
        assert_eq!((settings.number("topP"), settings.integer("topK")), (Some(0.5), Some(-1)));
        assert_eq!(
            (settings.list("extensions"), settings.list("cycleOrder")),
            (vec!["x".to_owned()], vec!["default".to_owned()])
        );
        assert_eq!(settings.text("modelRoles.smol").as_deref(), Some("m"));
        assert_eq!((settings.flag("todo.reminders"), settings.count("todo.reminders.max")), (false, Some(9)));
    }
}
