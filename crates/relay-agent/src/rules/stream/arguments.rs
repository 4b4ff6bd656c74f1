//! Arguments of a tool call as rules see them, while they arrive.
//!
//! Providers send arguments as pieces of JSON. Rules are about what the model writes into a file, not about how JSON
//! escapes it, so strings are decoded on the way. Paths are picked up as soon as they are complete: values of fields such
//! as `path`, and headers of files in the text of an edit. Nothing here fails; what is not JSON passes through.

use crate::compact::header;

/// Fields that hold a path.
const PATH_FIELDS: [&str; 7] =
    ["path", "paths", "file", "file_path", "filePath", "notebook_path", "target_file"];
/// Longer strings are not paths, and longer keys not those of a path.
const PATH_LIMIT_BYTES: usize = 1_024;

/// Where in the JSON the next byte belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    Inside,
    Escape,
    /// Digits after `\u`: how many there were, and their value.
    Unicode(u8, u32),
}

/// A decoder for the arguments of one call.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    state: State,
    /// The first half of a character that JSON writes in two.
    high: Option<u32>,
    /// The string that is being read, as far as it may be a key or a path.
    string: Vec<u8>,
    /// The line of a string that is being read, as far as it may head a file.
    line: Vec<u8>,
    /// The last string outside a value: a key, if a colon follows.
    last: Option<String>,
    /// The key whose value comes.
    key: Option<String>,
    /// The paths that were found, in order.
    pub paths: Vec<String>,
}

impl Arguments {
    /// Takes a piece; every decoded byte goes to `emit`.
    pub(super) fn push(&mut self, delta: &str, emit: &mut dyn FnMut(&mut Self, u8)) {
        for byte in delta.bytes() {
            match self.state {
                State::Outside => self.outside(byte, emit),
                State::Inside => self.inside(byte, emit),
                State::Escape => self.escape(byte, emit),
                State::Unicode(count, value) => self.unicode(byte, count, value, emit),
            }
        }
    }

    fn outside(&mut self, byte: u8, emit: &mut dyn FnMut(&mut Self, u8)) {
        match byte {
            b'"' => {
                self.state = State::Inside;
                self.string.clear();
                self.line.clear();
            }
            b':' => self.key = self.last.take(),
            b'{' | b'}' | b']' => self.key = None,
            b',' if self.key.as_deref() != Some("paths") => self.key = None,
            _ => {}
        }
        emit(self, byte);
    }

    fn inside(&mut self, byte: u8, emit: &mut dyn FnMut(&mut Self, u8)) {
        match byte {
            b'\\' => self.state = State::Escape,
            b'"' => {
                self.end_high(emit);
                self.state = State::Outside;
                self.end_string();
                emit(self, byte);
            }
            _ => {
                self.end_high(emit);
                self.decoded(byte, emit);
            }
        }
    }

    fn end_string(&mut self) {
        self.end_line();
        let text = String::from_utf8_lossy(&self.string).into_owned();
        match &self.key {
            Some(key) if PATH_FIELDS.contains(&key.as_str()) && self.string.len() < PATH_LIMIT_BYTES => {
                self.add_path(text);
            }
            Some(_) => {}
            None => self.last = Some(text),
        }
        self.string.clear();
    }

    fn add_path(&mut self, path: String) {
        if !path.is_empty() && !self.paths.contains(&path) {
            self.paths.push(path);
        }
    }

    fn end_line(&mut self) {
        if self.line.len() < PATH_LIMIT_BYTES
            && let Some(path) = header(&String::from_utf8_lossy(&self.line))
        {
            self.add_path(path);
        }
        self.line.clear();
    }

    fn escape(&mut self, byte: u8, emit: &mut dyn FnMut(&mut Self, u8)) {
        self.state = State::Inside;
        let decoded = match byte {
            b'u' => {
                self.state = State::Unicode(0, 0);
                return;
            }
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 0x08,
            b'f' => 0x0c,
            byte => byte,
        };
        self.end_high(emit);
        self.decoded(decoded, emit);
    }

    fn unicode(&mut self, byte: u8, count: u8, value: u32, emit: &mut dyn FnMut(&mut Self, u8)) {
        let Some(digit) = char::from(byte).to_digit(16) else {
            // Not an escape after all. What was taken for one is lost, the rest is not.
            self.state = State::Inside;
            self.inside(byte, emit);
            return;
        };
        let value = value << 4 | digit;
        if count < 3 {
            self.state = State::Unicode(count + 1, value);
            return;
        }
        self.state = State::Inside;
        match (self.high.take(), value) {
            (Some(high), 0xdc00..=0xdfff) => {
                self.character(0x1_0000 + ((high - 0xd800) << 10) + (value - 0xdc00), emit);
            }
            (earlier, 0xd800..=0xdbff) => {
                if earlier.is_some() {
                    self.character(0xfffd, emit);
                }
                self.high = Some(value);
            }
            (earlier, value) => {
                if earlier.is_some() {
                    self.character(0xfffd, emit);
                }
                self.character(value, emit);
            }
        }
    }

    /// Half a character that is not followed by its other half.
    fn end_high(&mut self, emit: &mut dyn FnMut(&mut Self, u8)) {
        if self.high.take().is_some() {
            self.character(0xfffd, emit);
        }
    }

    fn character(&mut self, value: u32, emit: &mut dyn FnMut(&mut Self, u8)) {
        let character = char::from_u32(value).unwrap_or('\u{fffd}');
        for byte in character.encode_utf8(&mut [0; 4]).bytes() {
            self.decoded(byte, emit);
        }
    }

    /// A byte of a string, as it is meant.
    fn decoded(&mut self, byte: u8, emit: &mut dyn FnMut(&mut Self, u8)) {
        if self.string.len() < PATH_LIMIT_BYTES {
            self.string.push(byte);
        }
        if byte == b'\n' {
            self.end_line();
        } else if self.line.len() < PATH_LIMIT_BYTES {
            self.line.push(byte);
        }
        emit(self, byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What rules see of arguments, and their paths, for every place where they may be cut.
    fn check(json: &str, text: &str, paths: &[&str]) {
        for cut in (0..=json.len()).filter(|cut| json.is_char_boundary(*cut)) {
            let (before, after) = json.split_at(cut);
            let mut arguments = Arguments::default();
            let mut seen = Vec::new();
            for part in [before, after] {
                arguments.push(part, &mut |_, byte| seen.push(byte));
            }
            assert_eq!(String::from_utf8_lossy(&seen), text, "cut at {cut}");
            assert_eq!(arguments.paths, paths, "cut at {cut}");
        }
    }

    #[test]
    fn strings_are_decoded() {
        check(r#"{"a":"x\ny\"z\\"}"#, "{\"a\":\"x\ny\"z\\\"}", &[]);
        check(r#"{"a":"\u00e4\ud83d\ude00é"}"#, "{\"a\":\"ä😀é\"}", &[]);
        check(r#"{"a":"\ud83dx\udc00"}"#, "{\"a\":\"\u{fffd}x\u{fffd}\"}", &[]);
        check(r#"{"a":"\u12"}"#, "{\"a\":\"\"}", &[]);
        check("not json \\ at all", "not json \\ at all", &[]);
    }

    #[test]
    fn paths_are_found() {
        check(r#"{"path":"src/a.rs","content":"x"}"#, r#"{"path":"src/a.rs","content":"x"}"#, &["src/a.rs"]);
        check(r#"{"content":"path","file_path":"b"}"#, r#"{"content":"path","file_path":"b"}"#, &["b"]);
        check(r#"{"paths":["a","b"],"x":["c"]}"#, r#"{"paths":["a","b"],"x":["c"]}"#, &["a", "b"]);
        check(
            r#"{"edits":[{"path":"a"},{"path":"b"}]}"#,
            r#"{"edits":[{"path":"a"},{"path":"b"}]}"#,
            &["a", "b"],
        );
        check(r#"{"input":"§a.rs\n»1\nx"}"#, "{\"input\":\"§a.rs\n»1\nx\"}", &["a.rs"]);
    }
}
