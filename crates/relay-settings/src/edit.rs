//! Changes one setting in the user's file and leaves everything else in it as it was written.

use serde::Serialize;
use toml_edit::{DocumentMut, Item, Table, Value, value};

use crate::error::SettingsError;
use crate::key::{self, Key, Kind};
use crate::lists;
use crate::settings::FILE;
use crate::spelling;
use crate::table::{self, Found, find};

/// The file's text with one setting changed; `None` removes it. A setting under an old name gets its current name.
///
/// # Errors
/// There is no such setting, it cannot hold the value, or the file is not TOML.
pub fn set(text: &str, name: &str, new: Option<&str>) -> Result<String, SettingsError> {
    let found = find(name)?;
    let syntax = |reason: String| SettingsError::Syntax { reason };
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| syntax(error.to_string().trim().to_owned()))?;
    let new = new.map(|new| item(&found, name, new)).transpose()?;
    remove_old(document.as_table_mut(), &found, "");
    let mut path = path(&found.name);
    path.extend(found.entry);
    let last = path.pop().unwrap_or_default();
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for part in path {
        if new.is_none() && table.get(&part).is_none() {
            return Ok(document.to_string());
        }
        let item = table.entry(&part).or_insert_with(|| {
            let mut table = Table::new();
            // A table that only holds other tables needs no heading of its own.
            table.set_implicit(true);
            Item::Table(table)
        });
        let missing = || syntax(format!("`{part}` in {FILE} is not a table"));
        table = item.as_table_like_mut().ok_or_else(missing)?;
    }
    match new {
        Some(new) => drop(table.insert(&last, new)),
        None => drop(table.remove(&last)),
    }
    Ok(document.to_string())
}

/// The file's text with one table added to a list of tables, such as `policy.rules`.
///
/// # Errors
/// The table cannot be written as TOML.
pub fn append(text: &str, name: &str, table: &impl Serialize) -> Result<String, SettingsError> {
    let table = toml::to_string(table)
        .map_err(|error| SettingsError::Syntax { reason: error.to_string().trim().to_owned() })?;
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{text}{gap}\n[[{name}]]\n{table}"))
}

/// The names of the tables that lead to a setting, and its own. A setting below another one that has its own value
/// (`todo.reminders` and `todo.reminders.max`) is one name with a dot in it.
fn path(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let (mut done, mut rest) = (String::new(), name);
    while let Some((part, after)) = rest.split_once('.') {
        let upto = if done.is_empty() { part.to_owned() } else { format!("{done}.{part}") };
        if table::exactly(&upto).is_some() {
            break;
        }
        parts.push(part.to_owned());
        (done, rest) = (upto, after);
    }
    parts.push(rest.to_owned());
    parts
}

/// Removes a setting under its old name.
fn remove_old(table: &mut dyn toml_edit::TableLike, found: &Found, before: &str) {
    let names: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
    for name in names {
        let full = if before.is_empty() { name.clone() } else { format!("{before}.{name}") };
        let is_old = table::exactly(&full).is_none() || spelling::today(&full) != full;
        if let Some(inner) = table.get_mut(&name).and_then(Item::as_table_like_mut) {
            remove_old(inner, found, &full);
        } else if is_old && find(&full).is_ok_and(|old| old.name == found.name && old.entry == found.entry) {
            table.remove(&name);
        }
    }
}

/// The TOML for a value.
fn item(found: &Found, name: &str, new: &str) -> Result<Item, SettingsError> {
    let Key { kind, .. } = found.key;
    let bad = |kind: &Kind| SettingsError::BadValue {
        key: name.to_owned(),
        value: new.to_owned(),
        expected: kind.expected(),
    };
    if found.entry.is_some() {
        if found.name == "retry.fallbackChains" && lists::list(new).is_none() {
            return Err(bad(&Kind::List));
        }
        let entry = lists::entry(new);
        return if entry.is_str() { Ok(value(new)) } else { parsed(new).ok_or_else(|| bad(kind)) };
    }
    found.key.check(name, new)?;
    let written = match kind {
        Kind::Text | Kind::OneOf(_) | Kind::Money | Kind::Time => Some(value(new)),
        Kind::Integer | Kind::Count | Kind::Positive => new.parse::<i64>().ok().map(value),
        Kind::Number => new.parse::<f64>().ok().map(value),
        Kind::Flag => key::flag(new).map(value),
        Kind::List | Kind::Rules | Kind::Map => parsed(new),
    };
    written.ok_or_else(|| bad(kind))
}

/// A list or table as the user wrote it.
fn parsed(new: &str) -> Option<Item> {
    new.parse::<Value>().ok().map(Item::Value)
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
        check("", "backends.timeout", Some("30"), "[backends]\ntimeout = 30\n");
        let text = "# mine\n[backends]\ntimeout = 5 # short\ndefault = \"claude\"\n";
        let after = "# mine\n[backends]\ntimeout = 5 # short\ndefault = \"codex\"\n";
        check(text, "backends.default", Some("codex"), after);
        check(text, "ask.backend", Some("codex"), after);
        check(text, "backends.timeout", None, "# mine\n[backends]\ndefault = \"claude\"\n");
        check("", "todo.reminders.max", Some("2"), "[todo]\n\"reminders.max\" = 2\n");
        check(
            "[todo]\nreminders = true\n",
            "todo.reminders.max",
            Some("2"),
            "[todo]\nreminders = true\n\"reminders.max\" = 2\n",
        );
        check("", "modelRoles.smol", Some("m"), "[modelRoles]\nsmol = \"m\"\n");
        check("", "modelRoles", Some("{ smol = \"m\" }"), "modelRoles = { smol = \"m\" }\n");
        check(
            "modelRoles = { smol = \"m\" }\n",
            "modelRoles.slow",
            Some("n"),
            "modelRoles = { smol = \"m\" , slow = \"n\" }\n",
        );
        check("", "read.summarize.prose", Some("on"), "[read.summarize]\nprose = true\n");
        check("", "lsp.enabled", None, "");
        check("", "retry.maxRetries", Some("0"), "[retry]\nmaxRetries = 0\n");
        check("", "backends.mine.command", Some("[\"bot\"]"), "[backends.mine]\ncommand = [\"bot\"]\n");
    }

    #[test]
    fn a_table_is_added_below_everything_else() {
        let rule = toml::Table::from_iter([("allow".to_owned(), toml::Value::from("make *"))]);
        let added = append("shellPath = \"/bin/sh\"", "policy.rules", &rule).unwrap();
        assert_eq!(added, "shellPath = \"/bin/sh\"\n\n[[policy.rules]]\nallow = \"make *\"\n");
    }

    #[test]
    fn an_old_name_is_replaced_by_the_current_one() {
        check("[ask]\nmax_cost = 1\n", "ask.max_cost", Some("2"), "[ask]\n\n[backends]\nmaxCost = \"2\"\n");
        check("[ask]\nmax_cost = 1\n", "backends.maxCost", None, "[ask]\n");
        check(
            "[retry]\nfallback = [\"a\"]\n",
            "retry.fallback",
            Some("[\"b\"]"),
            "[retry]\n\n[retry.fallbackChains]\ndefault = [\"b\"]\n",
        );
    }

    #[test]
    fn invalid_settings_are_refused() {
        for (name, new) in [
            ("backends.timeout", "soon"),
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
        assert!(set("backends = 3\n", "backends.timeout", Some("3")).is_err());
    }
}
