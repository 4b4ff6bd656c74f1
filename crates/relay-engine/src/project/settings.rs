//! The project's settings one at a time: what each is, what it means, and changing one in `relaycode.config.json`.
//!
//! The schema for editors is the list of settings, so it cannot disagree with what is shown here. A change rewrites the
//! file's own members and leaves every other value as it was written, unknown ones too. Nothing here trusts a
//! command: a changed command runs only after `relay trust`.

use relay_diagnostics::Diagnostic;
use relay_txn::project as files;
use relay_workspace::{OwnPath, Workspace};
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::codes;
use crate::engine::EngineError;
use crate::project::config::{CONFIG_FILE, Config, KEYS, SCHEMA};
use crate::project::members::Members;
use crate::project::suggest::closest;

/// One setting of the project.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectSetting {
    /// Its name.
    pub key: &'static str,
    /// Its value; `None` for `projectId` where there is no config.
    pub value: Option<Value>,
    /// Whether the file has it; otherwise it is as built in.
    pub is_in_file: bool,
    /// What it means.
    pub meaning: String,
}

/// All settings of a project.
#[derive(Clone, Debug)]
pub struct ProjectSettings {
    /// Each setting, in the order of [`KEYS`].
    pub settings: Vec<ProjectSetting>,
    /// Whether there is a config file.
    pub is_configured: bool,
    /// What is wrong in the file, value by value, and which keys mean nothing.
    pub problems: Vec<Diagnostic>,
}

/// Why a setting was not changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// What the user named or wanted is not possible.
    #[error("{}", .0.message)]
    Refused(Diagnostic),
    /// There is no config file to change.
    #[error("this folder is not a Relay project: it has no {CONFIG_FILE}")]
    NoConfig,
    /// The file cannot be read or written.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// The setting of that name, however its words are joined: `git_stage` is `gitStage`.
///
/// # Errors
/// There is none; the nearest name comes with it.
pub fn find(name: &str) -> Result<&'static str, Diagnostic> {
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    KEYS.iter().copied().find(|key| plain(key) == plain(name)).ok_or_else(|| {
        let hint = match closest(name, KEYS) {
            Some(near) => format!("Did you mean `{near}`?"),
            None => format!("The project's settings are {}.", KEYS.join(", ")),
        };
        Diagnostic::error(codes::UNKNOWN_CONFIG_KEY, format!("unknown project setting `{name}`")).hinted(hint)
    })
}

/// Reads every setting. A value that cannot be used is shown as it is, with what is wrong among the problems.
///
/// # Errors
/// The file cannot be read, or is not a JSON object.
pub fn read(workspace: &Workspace) -> Result<ProjectSettings, EngineError> {
    let text = file(workspace)?;
    let members = text.as_deref().map(Members::parse).transpose().map_err(EngineError::Config)?;
    let problems = match text.as_deref().map(|text| Config::parse(text.trim_start_matches('\u{feff}'))) {
        Some(Ok((_, problems)) | Err(problems)) => problems,
        None => Vec::new(),
    };
    let schema: Value = serde_json::from_str(SCHEMA).unwrap_or_default();
    let setting = |&key: &&'static str| {
        let about = schema.pointer(&format!("/properties/{key}")).unwrap_or(&Value::Null);
        let written = members.as_ref().and_then(|members| members.get(key));
        ProjectSetting {
            key,
            is_in_file: written.is_some(),
            value: written.or_else(|| about.get("default").cloned()),
            meaning: about.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
        }
    };
    let settings = KEYS.iter().map(setting).collect();
    Ok(ProjectSettings { settings, is_configured: text.is_some(), problems })
}

/// Changes one setting in the file; `None` takes it out. Returns what is still wrong in the file.
///
/// # Errors
/// The name or the value is not possible, or the file cannot be used. Then nothing is written.
pub fn change(workspace: &Workspace, name: &str, new: Option<&str>) -> Result<Vec<Diagnostic>, ChangeError> {
    let key = find(name).map_err(ChangeError::Refused)?;
    let value = match new {
        Some(new) => Some(checked(key, new).map_err(ChangeError::Refused)?),
        None if key == "projectId" => return Err(ChangeError::Refused(required())),
        None => None,
    };
    let before = file(workspace)?.ok_or(ChangeError::NoConfig)?;
    let mut members = Members::parse(&before).map_err(EngineError::Config)?;
    members.set(key, value.as_ref());
    let after = members.text(&before);
    if after != before {
        files::replace_file(workspace, &OwnPath::config(), before.as_bytes(), after.as_bytes())
            .map_err(EngineError::Ledger)?;
    }
    let plain = after.trim_start_matches('\u{feff}');
    Ok(Config::parse(plain).map_or_else(|errors| errors, |(_, warnings)| warnings))
}

/// The file's text. Bytes that are not text would be lost by writing it again, so they refuse it.
fn file(workspace: &Workspace) -> Result<Option<String>, EngineError> {
    let Some(file) = workspace.read(&OwnPath::config()).map_err(EngineError::Unreadable)? else {
        return Ok(None);
    };
    let text = String::from_utf8(file.bytes.to_vec()).map_err(|_| {
        let message = format!("{CONFIG_FILE} is not valid UTF-8");
        let refusal = Diagnostic::error(codes::INVALID_CONFIG, message).on(CONFIG_FILE);
        EngineError::Config(vec![refusal.hinted("Save it as UTF-8 in your editor.")])
    })?;
    Ok(Some(text))
}

/// What was typed as a value of the setting.
fn checked(key: &str, new: &str) -> Result<Value, Diagnostic> {
    let value = typed(&Config::default().document(), key, new);
    let sample = match key {
        "projectId" => json!({ key: value }),
        _ => json!({ "projectId": "sample", key: value }),
    };
    match Config::parse(&sample.to_string()) {
        Ok(_) => Ok(value),
        Err(errors) => {
            let message = errors.into_iter().next().map(|error| error.message).unwrap_or_default();
            let message = message.trim_start_matches(CONFIG_FILE).trim_start_matches(": ").to_owned();
            let hint = format!(
                "Nothing was written. `relay config show --project --all` shows the meaning and the current value of `{key}`."
            );
            Err(Diagnostic::error(codes::INVALID_CONFIG, message).hinted(hint))
        }
    }
}

/// The text as the kind of value that the default is, where it can be read so.
fn typed(defaults: &Map<String, Value>, key: &str, new: &str) -> Value {
    let text = || Value::String(new.to_owned());
    match defaults.get(key) {
        Some(Value::Bool(_)) => match new.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Value::Bool(true),
            "false" | "no" | "off" | "0" => Value::Bool(false),
            _ => text(),
        },
        Some(Value::Number(_)) => new.trim().parse::<u64>().map_or_else(|_| text(), Value::from),
        _ => text(),
    }
}

fn required() -> Diagnostic {
    Diagnostic::error(codes::INVALID_CONFIG, "`projectId` is required and cannot be unset")
        .hinted("Give the project another name with `relay config set projectId NAME`.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_however_their_words_are_joined() {
        for name in ["gitStage", "git_stage", "git-stage", "gitstage"] {
            assert_eq!(find(name).unwrap(), "gitStage");
        }
        assert_eq!(find("lintr").unwrap_err().hint.as_deref(), Some("Did you mean `linter`?"));
        assert!(find("zzz").unwrap_err().hint.unwrap().contains("requireRead"));
    }

    #[test]
    fn every_kind_of_value_is_checked() {
        for (key, new, expected) in [
            ("gitStage", "yes", json!(true)),
            ("notifications", "off", json!(false)),
            ("commandTimeoutMs", "5000", json!(5000)),
            ("approval", "no", json!("no")),
            ("match", "exact", json!("exact")),
            ("linter", "", json!("")),
            ("projectId", "12", json!("12")),
        ] {
            assert_eq!(checked(key, new).unwrap(), expected, "{key} {new}");
        }
        for (key, new) in [
            ("gitStage", "maybe"),
            ("commandTimeoutMs", "0"),
            ("commandTimeoutMs", "-1"),
            ("clipboardPollInterval", "49"),
            ("approval", "true"),
            ("match", "vague"),
            ("linter", "a\0b"),
            ("projectId", " "),
        ] {
            let refusal = checked(key, new).unwrap_err();
            assert!(refusal.message.starts_with(&format!("`{key}` must be")), "{}", refusal.message);
        }
    }

    #[test]
    fn the_schema_has_a_meaning_and_the_true_default_for_each() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        for (key, default) in Config::default().document() {
            let about = &schema["properties"][&key];
            assert!(about["description"].as_str().is_some_and(|text| !text.is_empty()), "{key}");
            assert_eq!(about.get("default").unwrap_or(&json!("")), &default, "{key}");
        }
    }
}
