//! The user's settings: values, possible values and meanings; changing one.

use relay_settings::{FILE, Kind, Source, find, set};
use serde_json::{Value, json};

use super::{Binary, needed};

impl Binary {
    pub(super) fn about_settings(&self, command: &str, arguments: &Value) -> Option<Result<Value, String>> {
        Some(match command {
            "get_settings" => {
                let all = self.current_settings().all();
                Ok(
                    json!({ "settings": all.iter().map(|listed| self.setting(&listed.key)).collect::<Vec<_>>() }),
                )
            }
            "get_setting" => needed(arguments, "key").and_then(|key| {
                find(key).map_err(|error| error.to_string())?;
                Ok(self.setting(key))
            }),
            "set_setting" => self.set_setting(arguments),
            _ => return None,
        })
    }

    fn setting(&self, name: &str) -> Value {
        let Ok(found) = find(name) else { return json!({ "key": name, "value": null }) };
        let setting = self.current_settings().get(name);
        let source = setting.as_ref().map(|setting| match &setting.source {
            Source::Default => "default".to_owned(),
            Source::File => "file".to_owned(),
            Source::Environment(variable) => format!("environment: {variable}"),
            Source::CommandLine => "command line".to_owned(),
        });
        let key = found.key;
        let choices = match &key.kind {
            Kind::OneOf(words) => json!(words),
            Kind::Flag => json!(["true", "false"]),
            _ => Value::Null,
        };
        json!({
            "key": name, "value": setting.map(|setting| setting.value), "default": key.default,
            "type": kind(&key.kind), "expected": key.kind.expected(), "choices": choices, "source": source,
            "tab": key.tab.name(), "meaning": key.meaning,
        })
    }

    /// Changes a setting in the user's file; `null` removes it.
    fn set_setting(&self, arguments: &Value) -> Result<Value, String> {
        let key = needed(arguments, "key")?;
        let value = match arguments.get("value") {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => Some(other.to_string()),
        };
        let text = relay_settings::text(&self.reach.store).map_err(|error| error.to_string())?;
        let text = set(&text, key, value.as_deref()).map_err(|error| error.to_string())?;
        self.reach.store.replace_settings_file(FILE, &text).map_err(|error| error.to_string())?;
        Ok(self.setting(key))
    }
}

fn kind(kind: &Kind) -> &'static str {
    match kind {
        Kind::Text => "text",
        Kind::OneOf(_) => "choice",
        Kind::Integer => "integer",
        Kind::Count => "count",
        Kind::Positive => "positive",
        Kind::Number => "number",
        Kind::Flag => "flag",
        Kind::List => "list",
        Kind::Rules => "rules",
        Kind::Map => "map",
        Kind::Money => "money",
        Kind::Time => "time",
    }
}
