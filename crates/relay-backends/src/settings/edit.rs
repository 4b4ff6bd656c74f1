//! Changes one setting in the user's file and leaves everything else in it as it was written.

use toml_edit::{DocumentMut, Item, Table, value};

use super::keys::{self, Kind, find};
use super::{FILE, SettingsError};

/// The file's text with one setting changed; `None` takes it away.
///
/// # Errors
/// There is no such setting, it cannot hold the value, or the file is no TOML.
pub fn set(text: &str, name: &str, new: Option<&str>) -> Result<String, SettingsError> {
    let key = find(name)?;
    let syntax = |reason: String| SettingsError::Syntax { reason };
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| syntax(error.to_string().trim().to_owned()))?;
    let mut parts: Vec<&str> = name.split('.').collect();
    let last = parts.pop().unwrap_or_default();
    let mut table: &mut Table = document.as_table_mut();
    for part in parts {
        let item = table.entry(part).or_insert_with(|| {
            let mut table = Table::new();
            // A table that only holds other tables needs no heading of its own.
            table.set_implicit(true);
            Item::Table(table)
        });
        table = item.as_table_mut().ok_or_else(|| syntax(format!("`{part}` in {FILE} is not a table")))?;
    }
    match new {
        Some(new) => {
            key.check(name, new)?;
            table.insert(last, item(key.kind, name, new)?);
        }
        None => drop(table.remove(last)),
    }
    Ok(document.to_string())
}

fn item(kind: Kind, name: &str, new: &str) -> Result<Item, SettingsError> {
    let bad = |expected| SettingsError::BadValue { key: name.to_owned(), value: new.to_owned(), expected };
    match kind {
        Kind::Text | Kind::Sandbox | Kind::Money | Kind::Time | Kind::Revert => Ok(value(new)),
        Kind::Number => new.parse::<i64>().map(value).map_err(|_| bad("a whole number above zero")),
        Kind::Count => {
            new.parse::<u32>().map(|number| value(i64::from(number))).map_err(|_| bad("a whole number"))
        }
        Kind::Flag => keys::flag(new).map(value).ok_or_else(|| bad("true or false")),
        Kind::List => {
            let expected = "a list such as [\"my-agent\", \"--quiet\"]";
            let list: toml_edit::Value = new.parse().map_err(|_| bad(expected))?;
            let is_list = list.as_array().is_some_and(|list| list.iter().all(toml_edit::Value::is_str));
            if is_list { Ok(Item::Value(list)) } else { Err(bad(expected)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, name: &str, new: Option<&str>, expected: &str) {
        assert_eq!(set(text, name, new).as_deref(), Ok(expected));
    }

    #[test]
    fn only_the_setting_changes() {
        check("", "ask.timeout", Some("30"), "[ask]\ntimeout = 30\n");
        let text = "# mine\n[ask]\ntimeout = 5 # short\nbackend = \"claude\"\n";
        check(
            text,
            "ask.backend",
            Some("codex"),
            "# mine\n[ask]\ntimeout = 5 # short\nbackend = \"codex\"\n",
        );
        check(text, "ask.timeout", None, "# mine\n[ask]\nbackend = \"claude\"\n");
        check("", "retry.maxRetries", Some("0"), "[retry]\nmaxRetries = 0\n");
        check("", "backends.mine.command", Some("[\"bot\"]"), "[backends.mine]\ncommand = [\"bot\"]\n");
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (name, new) in [
            ("ask.timeout", "soon"),
            ("ask.nothing", "x"),
            ("backends..model", "x"),
            ("backends.mine.command", "bot"),
            ("ask.diff", "maybe"),
            ("retry.maxRetries", "-1"),
            ("ask.max_cost", "nothing"),
            ("ask.max_time", "0s"),
            ("retry.fallbackRevertPolicy", "soon"),
            ("retry.fallback", "openai/gpt"),
        ] {
            assert!(set("", name, Some(new)).is_err(), "{name}");
        }
        assert!(set("ask = 3\n", "ask.timeout", Some("3")).is_err());
    }
}
