//! Arguments of which only the beginning has been written.

use serde_json::{Map, Value};

/// How often the text is cut back to an earlier comma or bracket until it can be read.
const TRIES: usize = 4;

/// What can be read of an object so far: texts may lack their end, what is not begun is missing.
///
/// ```text
/// {"path": "a.rs", "edits": [{"old_text": "x", "new_te   →   {"path": "a.rs", "edits": [{"old_text": "x"}]}
/// ```
pub fn object(text: &str) -> Option<Map<String, Value>> {
    let mut text = text.trim_end();
    for _ in 0..TRIES {
        let open = open(text);
        if let Ok(Value::Object(map)) = serde_json::from_str(&closed(text, &open)) {
            return Some(map);
        }
        text = text.get(..open.last_comma?)?.trim_end();
    }
    None
}

/// What is open at the end of a text.
#[derive(Debug, Default)]
struct Open {
    /// What closes the brackets, innermost last.
    brackets: Vec<char>,
    in_text: bool,
    /// Where an escape began that has no end.
    escape: Option<usize>,
    /// Where the last comma or opening bracket is that is not inside a text; cutting there leaves what can be closed.
    last_comma: Option<usize>,
}

fn open(text: &str) -> Open {
    let mut open = Open::default();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match (open.in_text, character) {
            (true, '\\') => {
                open.escape = Some(at);
                let is_whole = match characters.next() {
                    Some((_, 'u')) => characters.by_ref().take(4).count() == 4,
                    escaped => escaped.is_some(),
                };
                if is_whole {
                    open.escape = None;
                }
            }
            (_, '"') => open.in_text = !open.in_text,
            (false, '{' | '[') => {
                open.brackets.push(if character == '{' { '}' } else { ']' });
                open.last_comma = Some(at + 1);
            }
            (false, '}' | ']') => drop(open.brackets.pop()),
            (false, ',') => open.last_comma = Some(at),
            _ => {}
        }
    }
    open
}

/// The text with everything closed that is open.
fn closed(text: &str, open: &Open) -> String {
    let mut closed = text.get(..open.escape.unwrap_or(text.len())).unwrap_or(text).to_owned();
    if open.in_text {
        closed.push('"');
    }
    closed.extend(open.brackets.iter().rev());
    closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = object(text).map(|map| Value::Object(map).to_string());
        assert_eq!(found.as_deref().unwrap_or("nothing"), expected, "{text}");
    }

    #[test]
    fn the_beginning_of_an_object_is_read() {
        check(r#"{"input": "§a\n≔1"#, r#"{"input":"§a\n≔1"}"#);
        check(r#"{"input": "a\"#, r#"{"input":"a"}"#);
        check(r#"{"input": "a\u00"#, r#"{"input":"a"}"#);
        check(
            r#"{"path": "a", "edits": [{"old_text": "x", "new_te"#,
            r#"{"path":"a","edits":[{"old_text":"x"}]}"#,
        );
        check(r#"{"path": "a", "edits": [{"#, r#"{"path":"a","edits":[{}]}"#);
        check(r#"{"path": "a", "edits""#, r#"{"path":"a"}"#);
        check(r#"{"all": tr"#, "{}");
        check(r#"{"pa"#, "{}");
        check("", "nothing");
        check("nonsense", "nothing");
    }

    /// Every beginning of a call can be read without a panic, and the whole is the whole.
    #[test]
    fn every_beginning_is_read() {
        let whole = r#"{"path": "é.rs", "edits": [{"old_text": "a\"\u00e9}", "new_text": "[{,", "all": true}], "n": 1.5}"#;
        for (end, _) in whole.char_indices() {
            drop(object(&whole[..end]));
        }
        assert_eq!(Value::Object(object(whole).unwrap()), serde_json::from_str::<Value>(whole).unwrap());
    }
}
