//! Lists and tables, written as TOML writes them inside one line.

use toml::{Table, Value};

/// A value of TOML on its own.
fn value(text: &str) -> Option<Value> {
    // Only a whole document can be parsed; a second line would smuggle in a second key.
    if text.contains(['\n', '\r']) {
        return None;
    }
    format!("value = {text}").parse::<Table>().ok()?.remove("value")
}

/// A list of texts.
pub(crate) fn list(text: &str) -> Option<Vec<String>> {
    let Value::Array(items) = value(text)? else { return None };
    items.into_iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

/// A list of texts or tables.
pub(crate) fn rules(text: &str) -> Option<Vec<Value>> {
    let Value::Array(items) = value(text)? else { return None };
    items.iter().all(|item| item.is_str() || item.is_table()).then_some(items)
}

/// A table.
pub(crate) fn map(text: &str) -> Option<Table> {
    let Value::Table(table) = value(text)? else { return None };
    Some(table)
}

/// One entry of a table: a list or a table if it looks like one, a flag or a number if it is one, else a text.
pub(crate) fn entry(text: &str) -> Value {
    match value(text) {
        Some(found @ (Value::Array(_) | Value::Table(_) | Value::Boolean(_) | Value::Integer(_))) => found,
        _ => Value::String(text.to_owned()),
    }
}

/// A value as a person writes it.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_type_is_accepted() {
        assert_eq!(list("[\"a\", \"b\"]"), Some(vec!["a".to_owned(), "b".to_owned()]));
        for text in ["a", "[1]", "[\"a\"", "{ a = 1 }", "[]\nother = [\"x\"]"] {
            assert_eq!(list(text), None, "{text}");
        }
        assert!(map("{ a = \"b\" }").is_some() && map("[]").is_none());
        assert!(rules("[\"a\", { pattern = \"b\" }]").is_some() && rules("[1]").is_none());
        assert_eq!(entry("gpt-5"), Value::String("gpt-5".to_owned()));
        assert!(entry("[\"a\"]").is_array());
    }
}
