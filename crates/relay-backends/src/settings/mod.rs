//! The user's own settings: `config.toml`, the environment, and which of them holds.
//!
//! What is written here decides which programs run and which servers get keys, so it is the user's alone: nothing in a
//! repository is ever looked at. The command line goes before the environment, the environment before the file, the
//! file before the defaults, and every value can say where it comes from.

mod edit;
mod keys;
pub mod limits;

pub use edit::set;
pub use keys::{KEYS, Key, Kind, find};

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use relay_llm::{Limit, RetrySettings, Revert};
use thiserror::Error;
use toml::{Table, Value};

use crate::backend::{Custom, Sandbox};

/// The file's name in the user's config folder.
pub const FILE: &str = "config.toml";

/// What is wrong with the settings.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingsError {
    /// The file is no TOML.
    #[error("{FILE} cannot be read: {reason}")]
    Syntax {
        /// Where and why.
        reason: String,
    },
    /// There is no such setting.
    #[error("unknown setting `{key}`")]
    UnknownKey {
        /// What was named.
        key: String,
    },
    /// A value is not one that the setting may hold.
    #[error("`{key}` cannot be `{value}`: expected {expected}")]
    BadValue {
        /// The setting, or the variable that holds it.
        key: String,
        /// What it was given.
        value: String,
        /// What it takes.
        expected: &'static str,
    },
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// It is built in.
    Default,
    /// The user's file.
    File,
    /// A variable of the environment.
    Environment(&'static str),
}

/// A setting's value and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub key: String,
    /// Its value as text.
    pub value: String,
    /// Where that comes from.
    pub source: Source,
}

/// The settings that hold.
#[derive(Clone, Debug)]
pub struct Settings {
    file: BTreeMap<String, Value>,
    variables: BTreeMap<String, OsString>,
}

impl Settings {
    /// Reads the file's text; an empty one is a file without settings. Also gives the keys that mean nothing.
    ///
    /// # Errors
    /// The file is no TOML, or a value cannot be used.
    pub fn new(
        text: &str,
        variables: BTreeMap<String, OsString>,
    ) -> Result<(Self, Vec<String>), SettingsError> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| SettingsError::Syntax {
            reason: error.to_string().trim().to_owned(),
        })?;
        let mut file = BTreeMap::new();
        flatten("", table, &mut file);
        let mut unknown = Vec::new();
        for (name, value) in &file {
            match find(name) {
                Ok(key) => check(key, name, value)?,
                Err(_) => unknown.push(name.clone()),
            }
        }
        for key in &KEYS {
            if let Some((variable, value)) = in_environment(key, &variables) {
                key.check(variable, &value)?;
            }
        }
        Ok((Self { file, variables }, unknown))
    }

    /// A setting's value; `None` if it has none.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Setting> {
        let key = find(name).ok()?;
        let found = |value: String, source| Some(Setting { key: name.to_owned(), value, source });
        if let Some((variable, value)) = in_environment(key, &self.variables) {
            return found(value, Source::Environment(variable));
        }
        if let Some(value) = self.file.get(name) {
            return found(plain(value), Source::File);
        }
        found(key.default?.to_owned(), Source::Default)
    }

    /// All settings that have a value.
    #[must_use]
    pub fn all(&self) -> Vec<Setting> {
        let fixed = KEYS.iter().map(|key| key.name).filter(|name| !name.contains('*'));
        let own = self.file.keys().map(String::as_str).filter(|name| name.starts_with("backends."));
        fixed.chain(own).filter_map(|name| self.get(name)).collect()
    }

    /// A text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(|setting| setting.value)
    }

    /// Yes or no.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.text(name).and_then(|text| keys::flag(&text)).unwrap_or(false)
    }

    /// A number.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// The sandbox for questions.
    #[must_use]
    pub fn sandbox(&self) -> Sandbox {
        self.text("ask.sandbox").and_then(|name| name.parse().ok()).unwrap_or(Sandbox::ReadOnly)
    }

    /// When a model is asked again, and how long is waited before it.
    #[must_use]
    pub fn retry(&self) -> RetrySettings {
        let usual = RetrySettings::default();
        let count = |name: &str, usual: u32| {
            self.number(name).and_then(|number| u32::try_from(number).ok()).unwrap_or(usual)
        };
        RetrySettings {
            enabled: self.flag("retry.enabled"),
            max_retries: count("retry.maxRetries", usual.max_retries),
            base_delay_ms: self.number("retry.baseDelayMs").unwrap_or(usual.base_delay_ms),
            max_delay_ms: self.number("retry.maxDelayMs").unwrap_or(usual.max_delay_ms),
            request_max_retries: count("retry.requestMaxRetries", usual.request_max_retries),
            stream_max_retries: count("retry.streamMaxRetries", usual.stream_max_retries),
            ..usual
        }
    }

    /// Whether a model is asked again once it has recovered.
    #[must_use]
    pub fn revert(&self) -> Revert {
        self.text("retry.fallbackRevertPolicy").and_then(|policy| keys::revert(&policy)).unwrap_or_default()
    }

    /// What a question or a review may use up.
    #[must_use]
    pub fn limit(&self) -> Limit {
        Limit {
            cost: self.text("ask.max_cost").and_then(|text| limits::cost(&text)),
            turns: self.number("ask.max_turns").and_then(|number| u32::try_from(number).ok()),
            time: self.text("ask.max_time").and_then(|text| limits::time(&text)),
        }
    }

    /// The models that are asked when one cannot answer, in this order.
    #[must_use]
    pub fn fallback(&self) -> Vec<String> {
        self.list("retry.fallback")
    }

    /// The backends of the user's own that are programs.
    #[must_use]
    pub fn custom_backends(&self) -> Vec<(String, Custom)> {
        self.backend_names()
            .filter_map(|name| {
                let command = self.list(&format!("backends.{name}.command"));
                let own_folders = self.list(&format!("backends.{name}.folders"));
                let own_folders = own_folders.into_iter().map(PathBuf::from).collect();
                (!command.is_empty()).then(|| (name.to_owned(), Custom { command, own_folders }))
            })
            .collect()
    }

    /// The names of all backends that the file says something about.
    pub fn backend_names(&self) -> impl Iterator<Item = &str> {
        let names: std::collections::BTreeSet<&str> = self
            .file
            .keys()
            .filter_map(|name| name.strip_prefix("backends.")?.split_once('.'))
            .map(|(name, _)| name)
            .collect();
        names.into_iter()
    }

    fn list(&self, name: &str) -> Vec<String> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        self.file.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(text).collect()
    }
}

fn in_environment(key: &Key, variables: &BTreeMap<String, OsString>) -> Option<(&'static str, String)> {
    let variable = key.variable?;
    let value = variables.get(variable)?.to_string_lossy().trim().to_owned();
    (!value.is_empty()).then_some((variable, value))
}

/// Checks a value of the file.
fn check(key: &Key, name: &str, value: &Value) -> Result<(), SettingsError> {
    let is_list = || value.as_array().is_some_and(|list| list.iter().all(Value::is_str));
    if key.kind == Kind::List && !is_list() {
        let (key, value) = (name.to_owned(), plain(value));
        return Err(SettingsError::BadValue {
            key,
            value,
            expected: "a list of texts such as [\"one\", \"two\"]",
        });
    }
    key.check(name, &plain(value))
}

/// Names with dots for tables in tables.
fn flatten(before: &str, table: Table, flat: &mut BTreeMap<String, Value>) {
    for (name, value) in table {
        let name = if before.is_empty() { name } else { format!("{before}.{name}") };
        match value {
            Value::Table(table) => flatten(&name, table, flat),
            value => drop(flat.insert(name, value)),
        }
    }
}

/// A value as a person writes it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn settings(text: &str, variables: &[(&str, &str)]) -> Result<(Settings, Vec<String>), SettingsError> {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
        Settings::new(text, variables)
    }

    #[test]
    fn the_environment_goes_before_the_file_and_the_file_before_the_defaults() {
        let check = |text, variables: &[_], value: &str, source| {
            let found = settings(text, variables).unwrap().0.get("ask.timeout").unwrap();
            assert_eq!((found.value.as_str(), found.source), (value, source));
        };
        let variable = [("PHONE_A_FRIEND_TIMEOUT", "5")];
        check("", &[], "600", Source::Default);
        check("[ask]\ntimeout = 30\n", &[], "30", Source::File);
        check("[ask]\ntimeout = 30\n", &variable, "5", Source::Environment("PHONE_A_FRIEND_TIMEOUT"));
        check("[ask]\ntimeout = 30\n", &[("PHONE_A_FRIEND_TIMEOUT", " ")], "30", Source::File);
    }

    #[test]
    fn bad_values_are_refused_wherever_they_stand() {
        for text in
            ["ask.timeout = 0", "ask.timeout = \"x\"", "ask.sandbox = \"none\"", "ask.diff = 3", "ask = "]
        {
            assert!(settings(text, &[]).is_err(), "{text}");
        }
        assert!(settings("", &[("PHONE_A_FRIEND_SANDBOX", "none")]).is_err());
    }

    #[test]
    fn keys_that_mean_nothing_are_told() {
        let (_, unknown) =
            settings("[ask]\nbackand = \"x\"\n[backends.mine]\ncommand = [\"m\"]\n", &[]).unwrap();
        assert_eq!(unknown, ["ask.backand"]);
    }

    #[test]
    fn retries_are_as_the_user_says_and_else_as_usual() {
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
        assert_eq!(settings.fallback(), ["openai/a", "google/b"]);
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
    fn whether_a_model_is_gone_back_to_can_be_said() {
        let revert = |text| settings(text, &[]).map(|(settings, _)| settings.revert());
        assert_eq!(revert(""), Ok(Revert::CooldownExpiry));
        assert_eq!(revert("retry.fallbackRevertPolicy = \"never\""), Ok(Revert::Never));
        assert!(revert("retry.fallbackRevertPolicy = \"soon\"").is_err());
    }

    #[test]
    fn backends_of_ones_own_are_found() {
        let text = "[backends.mine]\ncommand = [\"bot\", \"-q\"]\nfolders = [\"/x\"]\n[backends.codex]\nmodel = \"m\"\n";
        let (settings, _) = settings(text, &[]).unwrap();
        let custom = Custom { command: vec!["bot".into(), "-q".into()], own_folders: vec!["/x".into()] };
        assert_eq!(settings.custom_backends(), [("mine".to_owned(), custom)]);
        assert_eq!(settings.text("backends.codex.model").as_deref(), Some("m"));
        assert_eq!(settings.all().len(), 12 + 3);
    }
}
