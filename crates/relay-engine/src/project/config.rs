//! `relaycode.config.json`: a project's settings.
//!
//! The file comes with a repository, so nothing in it is trusted blindly: values are checked one by one and refused by
//! name, unknown keys are reported, and its commands run only once they are trusted (see [`crate::approval::trust`]).

use relay_diagnostics::Diagnostic;
use relay_edit::Strictness;
use serde_json::{Map, Value, json};

use crate::codes;

pub use relay_workspace::CONFIG_FILE;

/// Where editors find the schema of the config file; `relay init` writes it there as `$schema`.
pub const SCHEMA: &str = include_str!("../../../../docs/formats/relaycode.config.schema.json");

/// Whether changes that pass their checks land automatically.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalMode {
    /// They do.
    Yes,
    /// A person confirms each one.
    No,
}

/// The settings of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// `projectId`: replies must name it. `None` where there is no config file.
    pub project_id: Option<String>,
    /// `clipboardPollInterval`: how often `relay watch` looks at the clipboard.
    pub clipboard_poll_interval_ms: u64,
    /// `approval`.
    pub approval: ApprovalMode,
    /// `approvalOnErrorCount`: how many linter errors still land without a question.
    pub approval_on_error_count: u64,
    /// `linter`: empty for none.
    pub linter: String,
    /// `linterBaseline`: whether only errors count that were not there before the change.
    pub linter_baseline: bool,
    /// `preCommand`: empty for none.
    pub pre_command: String,
    /// `postCommand`: empty for none.
    pub post_command: String,
    /// `commandTimeoutMs`: the limit for each of the three commands.
    pub command_timeout_ms: u64,
    /// `match`: how much may differ between a hunk's old lines and the file.
    pub strictness: Strictness,
    /// `gitStage`: whether what landed is added to git's index.
    pub git_stage: bool,
    /// `repairToClipboard`: whether `relay watch` puts the message that asks for a repair on the clipboard by itself.
    pub repair_to_clipboard: bool,
    /// `notifications`: whether `relay watch` notifies the desktop.
    pub notifications: bool,
    /// `requireRead`: whether mail edits only files that the model was shown.
    pub require_read: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            project_id: None,
            clipboard_poll_interval_ms: 2000,
            approval: ApprovalMode::Yes,
            approval_on_error_count: 0,
            linter: String::new(),
            linter_baseline: true,
            pre_command: String::new(),
            post_command: String::new(),
            command_timeout_ms: 600_000,
            strictness: Strictness::default(),
            git_stage: false,
            repair_to_clipboard: false,
            notifications: true,
            require_read: false,
        }
    }
}

/// How many keys `relay init` writes, from the first on.
const USUAL_KEYS: usize = 8;

/// Every key, for "did you mean" and for `relay doctor`.
pub const KEYS: &[&str] = &[
    "projectId",
    "clipboardPollInterval",
    "approval",
    "approvalOnErrorCount",
    "linter",
    "linterBaseline",
    "preCommand",
    "postCommand",
    "commandTimeoutMs",
    "match",
    "gitStage",
    "repairToClipboard",
    "notifications",
    "requireRead",
];

/// One command the config asks Relay to run, with the key it is under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfiguredCommand<'a> {
    /// The config key.
    pub key: &'static str,
    /// The shell command.
    pub command: &'a str,
}

impl Config {
    /// Reads the text of a config file. Errors refuse the file; the diagnostics of an `Ok` are warnings.
    ///
    /// # Errors
    /// Every value that cannot be used, each named by its key.
    pub fn parse(text: &str) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        let map: Map<String, Value> = serde_json::from_str(text).map_err(|error| vec![unusable(&error)])?;
        let mut reader = Reader { map: &map, errors: Vec::new() };
        let config = reader.config();
        if !reader.errors.is_empty() {
            return Err(reader.errors);
        }
        Ok((config, unknown_keys(&map)))
    }

    /// The commands this config asks Relay to run, in the order they run.
    #[must_use]
    pub fn commands(&self) -> Vec<ConfiguredCommand<'_>> {
        [("preCommand", &self.pre_command), ("postCommand", &self.post_command), ("linter", &self.linter)]
            .into_iter()
            .filter(|(_, command)| !command.is_empty())
            .map(|(key, command)| ConfiguredCommand { key, command })
            .collect()
    }

    /// Every setting with its value.
    pub(crate) fn document(&self) -> Map<String, Value> {
        let approval = match self.approval {
            ApprovalMode::Yes => "yes",
            ApprovalMode::No => "no",
        };
        let values = [
            json!(self.project_id.as_deref().unwrap_or_default()),
            json!(self.clipboard_poll_interval_ms),
            json!(approval),
            json!(self.approval_on_error_count),
            json!(self.linter),
            json!(self.linter_baseline),
            json!(self.pre_command),
            json!(self.post_command),
            json!(self.command_timeout_ms),
            json!(self.strictness.name()),
            json!(self.git_stage),
            json!(self.repair_to_clipboard),
            json!(self.notifications),
            json!(self.require_read),
        ];
        KEYS.iter().map(|key| (*key).to_owned()).zip(values).collect()
    }

    /// The text `relay init` writes: the keys that most projects set, so that a person sees them.
    #[must_use]
    pub fn to_json(&self) -> String {
        let document: Map<String, Value> = self.document().into_iter().take(USUAL_KEYS).collect();
        format!("{:#}\n", Value::Object(document))
    }
}

fn invalid(message: String) -> Diagnostic {
    Diagnostic::error(codes::INVALID_CONFIG, message).on(CONFIG_FILE)
}

/// The error for a file that is not a JSON object.
pub(crate) fn unusable(error: &serde_json::Error) -> Diagnostic {
    let message = if error.is_data() {
        format!("{CONFIG_FILE} must contain one JSON object")
    } else {
        format!("{CONFIG_FILE} is not valid JSON: {error}")
    };
    invalid(message).hinted("Fix the file, or delete it and run `relay init`.")
}

fn unknown_keys(map: &Map<String, Value>) -> Vec<Diagnostic> {
    map.keys()
        .filter(|key| !KEYS.contains(&key.as_str()) && key.as_str() != "$schema")
        .map(|key| {
            let hint = match crate::project::suggest::closest(key, KEYS) {
                Some(near) => format!("Did you mean `{near}`?"),
                None => format!("The keys are {}.", KEYS.join(", ")),
            };
            Diagnostic::warning(codes::UNKNOWN_CONFIG_KEY, format!("{CONFIG_FILE}: unknown key `{key}`"))
                .on(CONFIG_FILE)
                .hinted(hint)
        })
        .collect()
}

/// Takes values out of the JSON object, collecting what is wrong with them.
struct Reader<'a> {
    map: &'a Map<String, Value>,
    errors: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn config(&mut self) -> Config {
        let default = Config::default();
        Config {
            project_id: self.project_id(),
            clipboard_poll_interval_ms: self.number(
                "clipboardPollInterval",
                50,
                default.clipboard_poll_interval_ms,
            ),
            approval: self.approval(),
            approval_on_error_count: self.number("approvalOnErrorCount", 0, default.approval_on_error_count),
            linter: self.command("linter"),
            linter_baseline: self.switch("linterBaseline", default.linter_baseline),
            pre_command: self.command("preCommand"),
            post_command: self.command("postCommand"),
            command_timeout_ms: self.number("commandTimeoutMs", 1, default.command_timeout_ms),
            strictness: self.strictness(),
            git_stage: self.switch("gitStage", default.git_stage),
            repair_to_clipboard: self.switch("repairToClipboard", default.repair_to_clipboard),
            notifications: self.switch("notifications", default.notifications),
            require_read: self.switch("requireRead", default.require_read),
        }
    }

    fn project_id(&mut self) -> Option<String> {
        if !self.map.contains_key("projectId") {
            let missing = invalid(format!("{CONFIG_FILE}: `projectId` is missing"));
            self.errors.push(missing.hinted("Add \"projectId\": \"your-project\"; replies must name it."));
        }
        self.take("projectId", "a text that is not empty", None, |value| {
            value.as_str().filter(|id| !id.trim().is_empty()).map(|id| Some(id.to_owned()))
        })
    }

    fn approval(&mut self) -> ApprovalMode {
        self.take("approval", "\"yes\" or \"no\"", ApprovalMode::Yes, |value| match value.as_str() {
            Some("yes") => Some(ApprovalMode::Yes),
            Some("no") => Some(ApprovalMode::No),
            _ => None,
        })
    }

    fn strictness(&mut self) -> Strictness {
        self.take("match", "\"exact\", \"whitespace\" or \"fuzzy\"", Strictness::default(), |value| {
            Strictness::ALL.iter().copied().find(|strictness| value.as_str() == Some(strictness.name()))
        })
    }

    fn switch(&mut self, key: &str, default: bool) -> bool {
        self.take(key, "true or false", default, Value::as_bool)
    }

    fn number(&mut self, key: &str, least: u64, default: u64) -> u64 {
        let wanted = format!("a whole number, {least} or more");
        self.take(key, &wanted, default, |value| value.as_u64().filter(|number| *number >= least))
    }

    fn command(&mut self, key: &str) -> String {
        self.take(key, "a shell command as text (\"\" for none)", String::new(), |value| match value {
            Value::Null => Some(String::new()),
            Value::String(command) if !command.contains('\0') => Some(command.trim().to_owned()),
            _ => None,
        })
    }

    /// The value of a key, if it is one that `read` understands; the default where there is none.
    fn take<T>(&mut self, key: &str, wanted: &str, default: T, read: impl Fn(&Value) -> Option<T>) -> T {
        let Some(value) = self.map.get(key) else { return default };
        read(value).unwrap_or_else(|| {
            self.errors.push(
                invalid(format!("{CONFIG_FILE}: `{key}` must be {wanted}, found {value}"))
                    .hinted(format!("Correct `{key}` in {CONFIG_FILE}.")),
            );
            default
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        Config::parse(text).expect_err("must be refused").into_iter().map(|d| d.message).collect()
    }

    #[test]
    fn every_key_has_its_default() {
        let (config, warnings) = Config::parse(r#"{"projectId": "app"}"#).unwrap();
        assert_eq!(config, Config { project_id: Some("app".into()), ..Config::default() });
        assert!(warnings.is_empty());
        assert!(config.commands().is_empty(), "a missing linter key means no linter");
    }

    #[test]
    fn what_init_writes_reads_back_the_same() {
        let config = Config {
            project_id: Some("a \"quoted\" name".into()),
            linter: "cargo check".into(),
            approval: ApprovalMode::No,
            ..Config::default()
        };
        assert_eq!(Config::parse(&config.to_json()).unwrap(), (config, vec![]));
    }

    #[test]
    fn every_wrong_value_is_named_by_its_key() {
        let found = errors(
            r#"{"projectId": " ", "clipboardPollInterval": 10, "approval": true, "approvalOnErrorCount": -1,
                "linter": 3, "linterBaseline": 1, "preCommand": [], "postCommand": {}, "commandTimeoutMs": 0, "match": "vague", "gitStage": 1,
                "repairToClipboard": "yes", "notifications": 0, "requireRead": "x"}"#,
        );
        for key in KEYS {
            assert!(found.iter().any(|m| m.contains(&format!("`{key}` must be"))), "{key} in {found:#?}");
        }
    }

    #[test]
    fn a_missing_project_id_is_refused() {
        assert_eq!(errors("{}"), ["relaycode.config.json: `projectId` is missing"]);
    }

    #[test]
    fn broken_json_is_reported_with_its_place() {
        assert!(errors("{\n  \"projectId\": \"x\",\n}").iter().all(|m| m.contains("line 3")));
        assert_eq!(errors("[]"), ["relaycode.config.json must contain one JSON object"]);
    }

    #[test]
    fn unknown_keys_are_warned_about_with_the_nearest_known_one() {
        let (_, warnings) = Config::parse(r#"{"projectId": "x", "linters": "", "$schema": "y"}"#).unwrap();
        let [warning] = warnings.as_slice() else { panic!("{warnings:#?}") };
        assert!(!warning.is_error());
        assert_eq!(warning.hint.as_deref(), Some("Did you mean `linter`?"));
    }

    #[test]
    fn the_schema_for_editors_knows_the_same_keys() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let Some(Value::Object(properties)) = schema.get("properties") else { panic!("no properties") };
        let known: Vec<_> = properties.keys().map(String::as_str).filter(|k| *k != "$schema").collect();
        assert_eq!(known, KEYS);
    }
}
