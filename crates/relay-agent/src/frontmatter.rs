//! Front matter: the YAML between two lines of `---` at the beginning of a rule, a skill or a template.
//!
//! Reading never fails. What is not YAML (Cursor writes `globs: *.ts`, which is not) is read again as plain
//! `key: value` lines.

use serde_json::{Map, Value};

/// More than this is not front matter.
const LIMIT_BYTES: usize = 16 << 10;

/// The fields of a text's front matter, and the text after it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrontMatter<'a> {
    fields: Map<String, Value>,
    /// The text after it.
    pub body: &'a str,
}

impl<'a> FrontMatter<'a> {
    /// Reads a text. One without front matter has no fields.
    #[must_use]
    pub fn parse(text: &'a str) -> Self {
        let Some((matter, body)) = split(text) else { return Self { fields: Map::new(), body: text } };
        Self { fields: yaml(matter).unwrap_or_else(|| lines(matter)), body }
    }

    /// A text, on one line.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        let text = match self.fields.get(name)? {
            Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            _ => return None,
        };
        (!text.is_empty()).then_some(text)
    }

    /// Yes or no; nothing if the field is missing or says neither.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.text(name)?.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" => Some(false),
            _ => None,
        }
    }

    /// A list: of YAML, or one text with `separator` between its parts. Separators inside brackets or braces do not
    /// count, so that `*.{ts,tsx}` stays whole.
    #[must_use]
    pub fn list(&self, name: &str, separator: Option<char>) -> Vec<String> {
        let texts: Vec<String> = match self.fields.get(name) {
            Some(Value::Array(values)) => {
                values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            Some(Value::String(text)) => match separator {
                Some(separator) => parts(text, separator),
                None => vec![text.clone()],
            },
            _ => Vec::new(),
        };
        texts.into_iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
    }
}

/// The front matter and the text after it.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rest = text.strip_prefix("---")?;
    let (first, rest) = rest.split_once('\n')?;
    if !first.trim().is_empty() {
        return None;
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((rest.get(..at)?, rest.get(at + line.len()..)?));
        }
        at += line.len();
        if at > LIMIT_BYTES {
            return None;
        }
    }
    None
}

fn yaml(matter: &str) -> Option<Map<String, Value>> {
    match serde_saphyr::from_str(matter).ok()? {
        Value::Object(fields) => Some(fields),
        Value::Null => Some(Map::new()),
        _ => None,
    }
}

/// `key: value` lines, and `- value` lines that follow a key without a value.
fn lines(matter: &str) -> Map<String, Value> {
    let mut fields: Map<String, Value> = Map::new();
    let mut last: Option<String> = None;
    for line in matter.lines() {
        let item = line.trim_start().strip_prefix("- ").map(unquoted);
        if let (Some(item), Some(key)) = (item, &last) {
            match fields.get_mut(key) {
                Some(Value::Array(list)) => list.push(item.into()),
                _ => drop(fields.insert(key.clone(), Value::Array(vec![item.into()]))),
            }
            continue;
        }
        let Some((key, value)) = line.split_once(':') else { continue };
        let (key, value) = (key.trim(), unquoted(value));
        if key.is_empty() || line.starts_with([' ', '\t', '#']) {
            continue;
        }
        last = value.is_empty().then(|| key.to_owned());
        fields.insert(key.to_owned(), value.into());
    }
    fields
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inner = |quote| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    inner('"').or_else(|| inner('\'')).unwrap_or(text).to_owned()
}

/// The parts of a text, without splitting inside brackets.
pub(crate) fn parts(text: &str, separator: char) -> Vec<String> {
    let mut depth = 0_usize;
    let mut parts = vec![String::new()];
    for c in text.chars() {
        match c {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c == separator && depth == 0 {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_is_read_as_yaml() {
        let matter =
            FrontMatter::parse("---\nname: x\nglobs: [a, \"b,c\"]\nalwaysApply: true\nn: 3\n---\nbody\n");
        assert_eq!(matter.body, "body\n");
        assert_eq!((matter.text("name").as_deref(), matter.flag("alwaysApply")), (Some("x"), Some(true)));
        assert_eq!(matter.list("globs", Some(',')), ["a", "b,c"]);
        assert_eq!((matter.text("n").as_deref(), matter.text("missing")), (Some("3"), None));
    }

    #[test]
    fn broken_yaml_is_read_as_lines() {
        let matter = FrontMatter::parse(
            "---\ndescription: \"a: b\nglobs: *.ts,*.{tsx,jsx}\nalwaysApply: false\nscope:\n- text\n- 'tool'\n---\nx",
        );
        assert_eq!(matter.list("globs", Some(',')), ["*.ts", "*.{tsx,jsx}"]);
        assert_eq!(matter.text("description").as_deref(), Some("\"a: b"));
        assert_eq!(matter.list("scope", Some(',')), ["text", "tool"]);
        assert_eq!((matter.flag("alwaysApply"), matter.body), (Some(false), "x"));
    }

    #[test]
    fn text_without_front_matter_is_all_body() {
        for text in ["", "---", "--- x\na: b\n---\n", "# Title\n---\na: b\n---\n", "---\nnever ends\n"] {
            assert_eq!(FrontMatter::parse(text), FrontMatter { fields: Map::new(), body: text }, "{text:?}");
        }
        assert_eq!(FrontMatter::parse("---\r\nname: x\r\n---\r\nbody").text("name").as_deref(), Some("x"));
        assert_eq!(FrontMatter::parse("---\n---\nbody").body, "body");
    }

    #[test]
    fn bombs_are_lines_at_worst() {
        let bomb =
            format!("---\na: &a [x,x]\n{}\n---\nbody", "b: [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n".repeat(300));
        drop(FrontMatter::parse(&bomb));
        let deep = format!("---\nx: {}\n---\n", "[".repeat(5_000));
        assert_eq!(FrontMatter::parse(&deep).body, "");
    }
}
