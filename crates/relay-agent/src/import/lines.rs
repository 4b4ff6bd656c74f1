//! The lines of a log as JSON objects, one at a time.

use serde_json::{Map, Value};

use super::LINE_LIMIT_BYTES;

/// A line that was read, or why it was not.
pub(super) enum Line {
    /// An object.
    Object(Map<String, Value>),
    /// Not an object, not text, or too long.
    Unreadable,
}

/// The lines of a log that are not blank.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = Line> + '_ {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.iter().all(u8::is_ascii_whitespace)).map(|line| {
        let object = (line.len() <= LINE_LIMIT_BYTES).then(|| serde_json::from_slice(line).ok()).flatten();
        object.map_or(Line::Unreadable, Line::Object)
    })
}

/// A field that is a text and not empty.
pub(super) fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// Whether a field is `true`.
pub(super) fn is_true(object: &Map<String, Value>, key: &str) -> bool {
    object.get(key).and_then(Value::as_bool).unwrap_or_default()
}

/// A count; zero if it is not one.
pub(super) fn count(object: &Map<String, Value>, key: &str) -> u64 {
    object.get(key).and_then(Value::as_u64).unwrap_or_default()
}
