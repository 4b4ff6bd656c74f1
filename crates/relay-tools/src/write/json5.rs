//! JSON5, as models write rows of a database: `{name: 'Ada', active: true,}`.
//!
//! Comments, names without quotes, single quotes, trailing commas, hexadecimal numbers, and numbers that begin or end with a
//! point are read. `NaN` and `Infinity` are not: no database column holds them.

use serde_json::{Map, Number, Value};

/// How deep lists and objects may be inside each other.
const DEPTH: usize = 64;

/// Reads a value; what is wrong and where, counted in characters from 1, if it cannot be read.
pub fn parse(text: &str) -> Result<Value, String> {
    let mut reader = Reader { rest: text, length: text.chars().count() };
    let value = reader.value(0)?;
    reader.skip()?;
    match reader.rest.is_empty() {
        true => Ok(value),
        false => Err(reader.wrong("something follows the value")),
    }
}

struct Reader<'t> {
    rest: &'t str,
    length: usize,
}

impl Reader<'_> {
    fn wrong(&self, what: &str) -> String {
        format!("{what} at character {}", self.length - self.rest.chars().count() + 1)
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    fn take(&mut self, expected: char) -> bool {
        let rest = self.rest.strip_prefix(expected);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Passes over white space and comments.
    fn skip(&mut self) -> Result<(), String> {
        loop {
            self.rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            if self.rest.starts_with("//") {
                self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                let end = comment.split_once("*/").map(|(_, rest)| rest);
                self.rest = end.ok_or_else(|| self.wrong("a comment has no end"))?;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEPTH {
            return Err(self.wrong("too many brackets inside each other"));
        }
        self.skip()?;
        match self.peek() {
            Some('{') => self.object(depth),
            Some('[') => self.list(depth),
            Some('"' | '\'') => self.text().map(Value::String),
            Some(first) if first.is_ascii_digit() || matches!(first, '+' | '-' | '.') => self.number(),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, String> {
        self.take('{');
        let mut object = Map::new();
        loop {
            self.skip()?;
            if self.take('}') {
                return Ok(Value::Object(object));
            }
            let name = match self.peek() {
                Some('"' | '\'') => self.text()?,
                _ => self.name()?,
            };
            self.skip()?;
            if !self.take(':') {
                return Err(self.wrong("a `:` is missing"));
            }
            let value = self.value(depth + 1)?;
            object.insert(name, value);
            self.skip()?;
            if !self.take(',') && self.peek() != Some('}') {
                return Err(self.wrong("a `,` or `}` is missing"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, String> {
        self.take('[');
        let mut list = Vec::new();
        loop {
            self.skip()?;
            if self.take(']') {
                return Ok(Value::Array(list));
            }
            list.push(self.value(depth + 1)?);
            self.skip()?;
            if !self.take(',') && self.peek() != Some(']') {
                return Err(self.wrong("a `,` or `]` is missing"));
            }
        }
    }

    fn name(&mut self) -> Result<String, String> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '\u{200c}' | '\u{200d}');
        let length = self.rest.find(|c: char| !is_part(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(length);
        if name.is_empty() || name.starts_with(|c: char| c.is_numeric()) {
            return Err(self.wrong("a name is missing"));
        }
        self.rest = rest;
        Ok(name.to_owned())
    }

    fn word(&mut self) -> Result<Value, String> {
        for (word, value) in
            [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)]
        {
            let rest = self.rest.strip_prefix(word);
            if let Some(rest) =
                rest.filter(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err(self.wrong("a value is missing"))
    }

    fn number(&mut self) -> Result<Value, String> {
        let length = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.'));
        let (written, rest) = self.rest.split_at(length.unwrap_or(self.rest.len()));
        let (sign, digits) = match written.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", written.strip_prefix('+').unwrap_or(written)),
        };
        let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let number = match hexadecimal {
            Some(digits) => i64::from_str_radix(&format!("{sign}{digits}"), 16).ok().map(Number::from),
            None => decimal(sign, digits),
        };
        let number = number.ok_or_else(|| self.wrong(&format!("`{written}` is not a number")))?;
        self.rest = rest;
        Ok(Value::Number(number))
    }

    fn text(&mut self) -> Result<String, String> {
        let quote = self.next();
        let mut text = String::new();
        loop {
            match self.next() {
                None | Some('\n' | '\r') => return Err(self.wrong("a text has no closing quote")),
                end if end == quote => return Ok(text),
                Some('\\') => self.escape(&mut text)?,
                Some(other) => text.push(other),
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> Result<(), String> {
        let escaped = match self.next() {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('v') => '\u{b}',
            Some('0') if !self.peek().is_some_and(|next| next.is_ascii_digit()) => '\0',
            Some('x') => self.code(2).and_then(char::from_u32).ok_or_else(|| self.wrong("a bad escape"))?,
            Some('u') => self.unicode().ok_or_else(|| self.wrong("a bad escape"))?,
            // A backslash at the end of a line continues the text below.
            Some('\r') => {
                self.take('\n');
                return Ok(());
            }
            Some('\n' | '\u{2028}' | '\u{2029}') => return Ok(()),
            Some(other) if !other.is_ascii_digit() => other,
            _ => return Err(self.wrong("a bad escape")),
        };
        text.push(escaped);
        Ok(())
    }

    fn code(&mut self, digits: usize) -> Option<u32> {
        let (code, rest) = self.rest.split_at_checked(digits)?;
        self.rest = rest;
        u32::from_str_radix(code, 16).ok()
    }

    /// A character beyond the first 65,536 is written as two halves.
    fn unicode(&mut self) -> Option<char> {
        let high = self.code(4)?;
        if !(0xd800..0xdc00).contains(&high) {
            return char::from_u32(high);
        }
        self.rest = self.rest.strip_prefix("\\u")?;
        let low = self.code(4)?.checked_sub(0xdc00)?;
        char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + low)
    }
}

fn decimal(sign: &str, digits: &str) -> Option<Number> {
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') || digits == "." {
        return None;
    }
    let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_whole && (digits == "0" || !digits.starts_with('0')) {
        let number = format!("{sign}{digits}");
        return number
            .parse::<i64>()
            .ok()
            .map(Number::from)
            .or_else(|| Number::from_f64(number.parse().ok()?));
    }
    if digits.starts_with('0') && digits.as_bytes().get(1).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    Number::from_f64(format!("{sign}{digits}").parse().ok()?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Value) {
        assert_eq!(parse(text), Ok(expected), "{text}");
    }

    #[test]
    fn what_models_write_is_read() {
        check("{name: 'Ada', active: true}", json!({ "name": "Ada", "active": true }));
        check(
            "{\"a\": 1, /* c */ 'b': [.5, 5., +1, -0x1F, 1e3,], // end\n}",
            json!({ "a": 1, "b": [0.5, 5.0, 1, -31, 1000.0] }),
        );
        check(
            r#"'it\'s \x41 \u00e9 \ud83d\ude00 \
joined'"#,
            json!("it's A é 😀 joined"),
        );
        check(" {} ", json!({}));
        check("9223372036854775807", json!(9_223_372_036_854_775_807_i64));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (text, message) in [
            ("", "a value is missing at character 1"),
            ("{a: 1", "a `,` or `}` is missing at character 6"),
            ("{a 1}", "a `:` is missing at character 4"),
            ("{1a: 1}", "a name is missing at character 2"),
            ("'x", "a text has no closing quote at character 3"),
            ("1 2", "something follows the value at character 3"),
            ("NaN", "a value is missing at character 1"),
            ("012", "`012` is not a number at character 1"),
            ("/* x", "a comment has no end at character 1"),
        ] {
            assert_eq!(parse(text), Err(message.to_owned()), "{text}");
        }
        assert!(parse(&"[".repeat(10_000)).is_err());
    }
}
