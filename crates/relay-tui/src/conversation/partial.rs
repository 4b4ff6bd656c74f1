//! The arguments of a tool call while they still arrive: JSON that is not complete, read as far as it goes.

use serde_json::Value;

/// Reads what has arrived of a JSON object. What is open is closed; a key without a value is left out.
///
/// ```
/// # use relay_tui::conversation::partial_json;
/// assert_eq!(partial_json(r#"{"path": "src/li"#)["path"], "src/li");
/// ```
#[must_use]
pub fn partial_json(text: &str) -> Value {
    if let Ok(value) = serde_json::from_str(text) {
        return value;
    }
    let mut open = Vec::new();
    let (mut in_string, mut is_escaped) = (false, false);
    // The longest beginning after which everything that is open can be closed.
    let mut safe: Option<(usize, Vec<char>)> = None;
    for (at, character) in text.char_indices() {
        if in_string {
            match character {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match character {
            '"' => in_string = true,
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' => drop(open.pop()),
            ',' => safe = Some((at, open.clone())),
            _ => {}
        }
        if matches!(character, '{' | '[') {
            safe = Some((at + 1, open.clone()));
        }
    }
    let mut attempt = text.to_owned();
    if in_string {
        // Half of an escape cannot be closed.
        let cut = attempt
            .rfind('\\')
            .filter(|at| attempt.len() - at < 7 && is_half_escape(attempt.get(*at..).unwrap_or_default()));
        attempt.truncate(cut.unwrap_or(attempt.len()));
        attempt.push('"');
    }
    close(&mut attempt, &open);
    if let Ok(value) = serde_json::from_str(&attempt) {
        return value;
    }
    let Some((end, open)) = safe else { return Value::Null };
    let mut attempt = text.get(..end).unwrap_or_default().to_owned();
    close(&mut attempt, &open);
    serde_json::from_str(&attempt).unwrap_or(Value::Null)
}

fn is_half_escape(rest: &str) -> bool {
    rest == "\\" || (rest.starts_with("\\u") && rest.len() < 6)
}

fn close(text: &mut String, open: &[char]) {
    text.extend(open.iter().rev());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(text: &str, expected: Value) {
        assert_eq!(partial_json(text), expected);
    }

    #[test]
    fn reads_as_far_as_it_goes() {
        check("", Value::Null);
        check("{", json!({}));
        check(r#"{"a": "b"#, json!({ "a": "b" }));
        check(r#"{"a": "b\"#, json!({ "a": "b" }));
        check(r#"{"a": "b\u00"#, json!({ "a": "b" }));
        check(r#"{"a": 1, "b""#, json!({ "a": 1 }));
        check(r#"{"a": 1, "b":"#, json!({ "a": 1 }));
        check(r#"{"e": [{"o": "x", "n": "y"#, json!({ "e": [{ "o": "x", "n": "y" }] }));
        check(r#"{"a": tr"#, json!({}));
    }
}
