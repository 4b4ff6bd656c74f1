//! A tool call's arguments while they are still being written.
//!
//! Parsing everything again with each piece would cost the square of the length, and edits are long. This parser takes
//! each byte once and grows one value in place: what is complete is final, a string that is still being written holds
//! what there is of it. It is for showing only. What a tool runs with is parsed as a whole, strictly, once the call is
//! finished ([`Arguments::parse`](crate::Arguments::parse)).

use serde_json::{Map, Value};

/// The deepest nesting that is followed. Beyond it the value stays as it was.
const DEPTH: usize = 64;

/// JSON that is still being written.
///
/// ```
/// let mut json = relay_llm::PartialJson::default();
/// json.push(r#"{"path":"src/ma"#);
/// assert_eq!(json.value(), &serde_json::json!({ "path": "src/ma" }));
/// json.push(r#"in.rs","lines":[1,"#);
/// assert_eq!(json.value(), &serde_json::json!({ "path": "src/main.rs", "lines": [1] }));
/// ```
#[derive(Clone, Debug, Default)]
pub struct PartialJson {
    value: Value,
    /// The open containers from the outermost to the innermost, each by the place of its newest entry.
    path: Vec<Step>,
    state: State,
    /// What is known of the key, number or word being read.
    token: String,
    /// An escape being read, without its backslash.
    escape: Option<String>,
    /// The first half of a character that JSON writes as two escapes.
    surrogate: Option<u16>,
    is_broken: bool,
}

/// An open container and where its newest entry is.
#[derive(Clone, Debug)]
enum Step {
    Object(Option<String>),
    Array,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// A value may begin.
    #[default]
    Value,
    /// A string that is a value.
    String,
    /// A number or a word.
    Scalar,
    /// A key may begin, or the object end.
    Key,
    /// Inside a key.
    InKey,
    /// The colon after a key.
    Colon,
    /// A comma, or the end of the container.
    After,
    /// The outermost value is complete.
    Done,
}

impl PartialJson {
    /// Takes what came. After something that is not JSON, nothing changes any more.
    pub fn push(&mut self, text: &str) {
        let mut rest = text;
        while !self.is_broken && !rest.is_empty() {
            rest = match self.state {
                State::String | State::InKey => self.string(rest),
                _ => self.token(rest),
            };
        }
    }

    /// What there is so far.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Whether what came cannot become JSON any more.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Reads a part of a string up to its end, an escape, or the end of what came. Returns the rest.
    fn string<'a>(&mut self, text: &'a str) -> &'a str {
        if self.escape.is_some() {
            return self.escaped(text);
        }
        let end = memchr::memchr2(b'"', b'\\', text.as_bytes()).unwrap_or(text.len());
        let (part, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        self.append(part);
        if rest.starts_with('\\') {
            self.escape = Some(String::new());
        } else if !rest.is_empty() {
            self.end_string();
        }
        rest.get(1..).unwrap_or_default()
    }

    /// Reads an escape, which may have been cut anywhere.
    fn escaped<'a>(&mut self, text: &'a str) -> &'a str {
        let Some(c) = text.chars().next() else { return text };
        let rest = text.get(c.len_utf8()..).unwrap_or_default();
        let mut escape = self.escape.take().unwrap_or_default();
        escape.push(c);
        let plain = match escape.as_str() {
            "n" => "\n",
            "t" => "\t",
            "r" => "\r",
            "b" => "\u{8}",
            "f" => "\u{c}",
            "\"" => "\"",
            "\\" => "\\",
            "/" => "/",
            digits if digits.starts_with('u') => {
                if digits.len() < 5 {
                    self.escape = Some(escape);
                } else {
                    self.unicode(u16::from_str_radix(digits.get(1..).unwrap_or_default(), 16).ok());
                }
                return rest;
            }
            _ => {
                self.is_broken = true;
                return rest;
            }
        };
        self.append(plain);
        rest
    }

    fn unicode(&mut self, unit: Option<u16>) {
        let Some(unit) = unit else {
            self.is_broken = true;
            return;
        };
        let pair: Vec<u16> = self.surrogate.take().into_iter().chain([unit]).collect();
        if pair.len() == 1 && (0xd800..0xdc00).contains(&unit) {
            self.surrogate = Some(unit);
            return;
        }
        let text: String =
            char::decode_utf16(pair).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        self.append(&text);
    }

    /// Adds to the string being read: a key, or the newest value.
    fn append(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let target = if self.state == State::InKey {
            Some(&mut self.token)
        } else {
            match self.newest() {
                Some(Value::String(string)) => Some(string),
                _ => None,
            }
        };
        match target {
            Some(target) => target.push_str(text),
            None => self.is_broken = true,
        }
    }

    fn end_string(&mut self) {
        if self.state == State::InKey {
            let key = std::mem::take(&mut self.token);
            if let Some(Step::Object(newest)) = self.path.last_mut() {
                *newest = Some(key);
            }
            self.state = State::Colon;
        } else {
            self.close_value();
        }
    }

    /// Reads one character outside strings, or as much of a number or word as there is. Returns the rest.
    fn token<'a>(&mut self, text: &'a str) -> &'a str {
        let Some(c) = text.chars().next() else { return text };
        let rest = text.get(c.len_utf8()..).unwrap_or_default();
        if self.state == State::Scalar {
            if c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.') {
                self.token.push(c);
                return rest;
            }
            self.end_scalar();
            return text;
        }
        if c.is_ascii_whitespace() {
            return rest;
        }
        match (self.state, c) {
            (State::Value, '"') => {
                self.begin(Value::String(String::new()));
                self.state = State::String;
            }
            (State::Value, '{') => self.open(Value::Object(Map::new()), Step::Object(None), State::Key),
            (State::Value, '[') => self.open(Value::Array(Vec::new()), Step::Array, State::Value),
            (State::Value, ']') | (State::After, ']') if matches!(self.path.last(), Some(Step::Array)) => {
                self.close();
            }
            (State::Value, c) if c.is_ascii_alphanumeric() || c == '-' => {
                self.token.push(c);
                self.state = State::Scalar;
            }
            (State::Key, '"') => self.state = State::InKey,
            (State::Key | State::After, '}') if matches!(self.path.last(), Some(Step::Object(_))) => {
                self.close();
            }
            (State::Colon, ':') => self.state = State::Value,
            (State::After, ',') => {
                let is_object = matches!(self.path.last(), Some(Step::Object(_)));
                self.state = if is_object { State::Key } else { State::Value };
            }
            _ => self.is_broken = true,
        }
        rest
    }

    fn end_scalar(&mut self) {
        let token = std::mem::take(&mut self.token);
        match serde_json::from_str(&token) {
            Ok(value) => {
                self.begin(value);
                self.close_value();
            }
            Err(_) => self.is_broken = true,
        }
    }

    fn open(&mut self, value: Value, step: Step, state: State) {
        if self.path.len() >= DEPTH {
            self.is_broken = true;
            return;
        }
        self.begin(value);
        self.path.push(step);
        self.state = state;
    }

    fn close(&mut self) {
        self.path.pop();
        self.close_value();
    }

    fn close_value(&mut self) {
        self.surrogate = None;
        self.state = if self.path.is_empty() { State::Done } else { State::After };
    }

    /// Puts a value where the next one belongs.
    fn begin(&mut self, value: Value) {
        let Some((last, outer)) = self.path.split_last() else {
            self.value = value;
            return;
        };
        match (follow(&mut self.value, outer), last) {
            (Some(Value::Object(map)), Step::Object(Some(key))) => {
                map.insert(key.clone(), value);
            }
            (Some(Value::Array(list)), Step::Array) => list.push(value),
            _ => self.is_broken = true,
        }
    }

    /// The newest value: the one being written.
    fn newest(&mut self) -> Option<&mut Value> {
        follow(&mut self.value, &self.path)
    }
}

/// The newest entry of each container in turn.
fn follow<'a>(value: &'a mut Value, path: &[Step]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, step| match (value, step) {
        (Value::Object(map), Step::Object(Some(key))) => map.get_mut(key),
        (Value::Array(list), Step::Array) => list.last_mut(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::PartialJson;

    fn check(text: &str, expected: Value) {
        let mut json = PartialJson::default();
        json.push(text);
        assert_eq!((json.value(), json.is_broken()), (&expected, false), "{text}");
    }

    #[test]
    fn available_parts_are_shown() {
        check("", Value::Null);
        check("{", json!({}));
        check(r#"{"pa"#, json!({}));
        check(r#"{"path""#, json!({}));
        check(r#"{"path":"#, json!({}));
        check(r#"{"path":""#, json!({ "path": "" }));
        check(r#"{"path":"src/ma"#, json!({ "path": "src/ma" }));
        check(r#"{"a":"x\"#, json!({ "a": "x" }));
        check(r#"{"a":"x\u00"#, json!({ "a": "x" }));
        check(r#"{"a":"x\ud83e"#, json!({ "a": "x" }));
        check(r#"{"a":tr"#, json!({}));
        check(r#"{"a":12"#, json!({}));
        check(r#"{"a":12,"#, json!({ "a": 12 }));
        check(r#"{"a":[1,{"b":"c"#, json!({ "a": [1, { "b": "c" }] }));
    }

    #[test]
    fn complete_json_is_the_same_however_it_was_cut() {
        let text = r#" {"path":"src/mäin.rs","edits":[{"old":"a\n\"b\"\\","new":"\ud83e\udd80 \u00e9"},[],{}],
            "count":-1.5e3,"yes":true,"no":null} "#;
        let expected: Value = serde_json::from_str(text).unwrap();
        check(text, expected.clone());
        for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            let mut json = PartialJson::default();
            json.push(&text[..cut]);
            json.push(&text[cut..]);
            assert_eq!(json.value(), &expected, "cut at {cut}");
        }
        let mut json = PartialJson::default();
        for c in text.chars() {
            json.push(c.encode_utf8(&mut [0; 4]));
        }
        assert_eq!(json.value(), &expected);
    }

    #[test]
    fn after_something_else_nothing_changes() {
        for text in [r#"{"a":"b"} x"#, "{a", r#"{"a" "b"}"#, r#"["a"}"#, r#"{"a":"\x"#, "tru!"] {
            let mut json = PartialJson::default();
            json.push(text);
            assert!(json.is_broken(), "{text}");
            let before = json.value().clone();
            json.push(r#","more":1}"#);
            assert_eq!(json.value(), &before);
        }
    }

    #[test]
    fn nesting_has_an_end() {
        let mut json = PartialJson::default();
        json.push(&"[".repeat(100_000));
        assert!(json.is_broken());
    }
}
