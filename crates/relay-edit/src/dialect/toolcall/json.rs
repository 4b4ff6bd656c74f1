//! Calls in JSON: one object, a list of them, or several below each other.

use serde_json::{Deserializer, Value};

use super::super::{Line, Parsed, Reader, Taken};
use super::Calls;
use super::arguments::{Around, read_value};

/// Reads the calls in a text of nothing but JSON; `None` when it is something else.
pub(super) fn read(text: &str, line: usize) -> Option<Calls> {
    let around = Around { line, ..Around::default() };
    let mut calls = Calls::default();
    for value in Deserializer::from_str(text).into_iter::<Value>() {
        match value {
            Ok(value) => calls.extend(read_value(&value, around)?),
            Err(_) => return may_be_call(text).then(|| unreadable(calls)),
        }
    }
    Some(calls)
}

fn unreadable(mut calls: Calls) -> Calls {
    calls.unknown.push("a tool, in JSON that cannot be read".to_owned());
    calls
}

/// Whether JSON that cannot be read has the arguments of an edit.
fn may_be_call(text: &str) -> bool {
    const OLD: &[&str] =
        &["\"old_string\"", "\"old_str\"", "\"old_text\"", "\"oldText\"", "\"oldString\"", "\"search\""];
    const PATH: &[&str] = &["\"path\"", "\"file_path\"", "\"filePath\"", "\"file\"", "\"target_file\""];
    const CONTENT: &[&str] =
        &["\"content\"", "\"file_text\"", "\"new_string\"", "\"new_str\"", "\"new_text\""];
    const CALL: &[&str] = &["\"arguments\"", "\"tool\"", "\"input\"", "\"parameters\""];
    let has = |names: &[&str]| names.iter().any(|name| text.contains(name));
    has(OLD) || has(PATH) && has(CONTENT) || has(CALL) && (has(PATH) || has(CONTENT))
}

/// How models' own marks of a call begin, where a page shows them: `[TOOL_CALLS][{…}]`, `<|tool_call_begin|>edit<|…|>{…}`.
const MARKS: &[&str] = &["[TOOL_CALLS]", "<|tool", "<|python_tag|>", "<｜tool"];

/// Whether a line of prose begins an object or a list of them, or the marks of a call are before it.
pub(crate) fn begins(text: &str) -> bool {
    let text = text.trim_start();
    if is_marked(text) {
        return first_call(text).is_some();
    }
    let text: String = text.chars().filter(|c| !c.is_whitespace()).take(3).collect();
    text.starts_with("{\"") || text.starts_with("[{\"")
}

/// Whether a line of prose is a bracket alone, which opens an object or a list of them if the next line continues with
/// one.
pub(crate) fn opens(text: &str) -> bool {
    matches!(text.trim(), "{" | "[" | "[{")
}

/// Whether a line continues what the line above opened.
pub(crate) fn goes_on(opened: &str, text: &str) -> bool {
    let text = text.trim_start();
    match opened.trim() {
        "{" | "[{" => text.starts_with('"'),
        "[" => text.starts_with("{\"") || text.trim_end() == "{",
        _ => false,
    }
}

fn is_marked(text: &str) -> bool {
    MARKS.iter().any(|mark| text.starts_with(mark))
}

/// Where the first object or list of them begins in a line.
fn first_call(text: &str) -> Option<usize> {
    let object = text.find("{\"");
    let list = text.find("[{");
    object.into_iter().chain(list).min()
}

/// The name of a tool between marks: `<|tool_call_begin|>functions.edit:0<|tool_call_argument_begin|>`.
fn named_between(marks: &str) -> Option<&str> {
    let is_name = |part: &&str| {
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
        !part.is_empty() && part.bytes().all(is_sign) && !part.starts_with("tool_call") && *part != "function"
    };
    let parts = marks.split(['<', '>', '|', '｜', '[', ']']);
    let name = parts.filter(|part| !matches!(*part, "TOOL_CALLS" | "ARGS" | "python_tag")).rfind(is_name)?;
    let name = name.strip_prefix("functions.").unwrap_or(name);
    Some(name.split(':').next().unwrap_or(name))
}

/// Reads JSON between the lines of prose, up to the bracket that closes it.
#[derive(Debug)]
pub(crate) struct Objects {
    line: usize,
    text: String,
    depth: usize,
    /// Marks are between the calls, and say nothing.
    marked: bool,
    parsed: Parsed,
}

impl Objects {
    /// JSON that begins in this line.
    pub fn new(line: usize) -> Self {
        Self { line, text: String::new(), depth: 0, marked: false, parsed: Parsed::default() }
    }

    /// Follows a line; of one with marks only the calls between them.
    fn follow(&mut self, text: &str) {
        self.marked |= self.text.is_empty() && is_marked(text.trim_start());
        if !self.marked {
            self.take_json(text);
            return;
        }
        let mut rest = text;
        while !rest.is_empty() {
            let from = if self.depth > 0 { Some(0) } else { first_call(rest) };
            let Some((marks, call)) = from.and_then(|from| rest.split_at_checked(from)) else { return };
            let name = named_between(marks);
            if let Some(name) = name {
                self.text.push_str(&format!("{{\"name\": \"{name}\", \"arguments\":"));
            }
            let end = self.take_json(call);
            if name.is_some() {
                self.text.push_str("}\n");
            }
            rest = call.get(end..).unwrap_or_default();
        }
    }

    /// Follows the brackets of a text, and returns where it is done, which is in a marked one after the last bracket. A string
    /// ends in its line, as JSON has it.
    fn take_json(&mut self, text: &str) -> usize {
        let (mut quoted, mut escaped) = (false, false);
        let mut end = text.len();
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' => quoted = !quoted,
                b'{' | b'[' if !quoted => self.depth += 1,
                b'}' | b']' if !quoted => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            if self.marked && self.depth == 0 && !quoted {
                end = at + 1;
                break;
            }
        }
        self.text.push_str(text.get(..end).unwrap_or_default());
        self.text.push('\n');
        end
    }

    fn settle(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() {
            return;
        }
        let calls = super::read(&text, self.line);
        self.parsed.calls = Some(calls.unwrap_or_else(|| Calls { data: Some(text), ..Calls::default() }));
    }
}

impl Reader for Objects {
    fn line(&mut self, line: Line<'_>, _fenced: bool) -> Taken {
        self.follow(line.text);
        if self.depth > 0 {
            return Taken::More;
        }
        self.settle();
        Taken::Done
    }

    fn take(&mut self) -> Option<Parsed> {
        self.parsed.take()
    }

    fn finish(mut self: Box<Self>) -> Parsed {
        self.settle();
        self.parsed
    }
}
