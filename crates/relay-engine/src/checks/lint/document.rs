//! JSON in the output: whole documents (ESLint, Pyright, Ruff, `go vet`) and one object per line (cargo, rustc,
//! mypy, Ruff).
//!
//! A document is tried only at the start of a line. One that does not parse is left to the line readers, and no
//! new attempt is made before the line where it broke, so that every byte is parsed a bounded number of times.

use std::collections::HashSet;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::Source;
use super::tally::Worth;

/// A document at the start of some text.
pub(super) struct Document<'a> {
    /// What it says.
    pub(super) readings: Vec<(Source, Worth)>,
    /// The errors it lists, by name.
    pub(super) names: Vec<String>,
    /// The text after it, from the next line on.
    pub(super) rest: &'a str,
}

/// Reads documents, one after the other.
#[derive(Default)]
pub(super) struct Documents {
    /// How many more lines to leave alone.
    pause_lines: usize,
    /// Compiler messages already counted: cargo sends one per target, for the library and again for its tests.
    seen: HashSet<String>,
}

impl Documents {
    /// The document the text begins with, if it does; otherwise the caller takes one line and comes back.
    pub(super) fn read<'a>(&mut self, text: &'a str) -> Option<Document<'a>> {
        if self.pause_lines > 0 {
            self.pause_lines -= 1;
            return None;
        }
        if !may_begin(text) {
            return None;
        }
        // Finding the end first, without keeping anything, makes a torn document cost no memory.
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
        if let Err(error) = values.next()? {
            self.pause_lines = error.line().saturating_sub(2);
            return None;
        }
        let (document, after) = text.split_at_checked(values.byte_offset())?;
        let (end_of_line, rest) = after.split_once('\n').unwrap_or((after, ""));
        // It may still be no document: more follows on its line, or it is nested too deeply to be read.
        let value = end_of_line.trim().is_empty().then(|| serde_json::from_str(document).ok()).flatten();
        match value {
            Some(value) => {
                let readings = self.interpret(&value);
                // A repetition of a counted error is not listed again.
                let is_empty = readings.iter().all(|(_, reading)| *reading == Worth::Nothing);
                let names = if is_empty { Vec::new() } else { names(&value) };
                Some(Document { readings, names, rest })
            }
            None => {
                self.pause_lines = document.matches('\n').count();
                None
            }
        }
    }

    fn interpret(&mut self, value: &Value) -> Vec<(Source, Worth)> {
        match value {
            Value::Array(items) => items.iter().flat_map(item).collect(),
            Value::Object(_) => self
                .compiler(value)
                .or_else(|| pyright(value))
                .or_else(|| mypy(value))
                .map(|reading| vec![reading])
                .unwrap_or_else(|| item(value).into_iter().chain(go(value)).collect()),
            _ => Vec::new(),
        }
    }

    /// A message of cargo or rustc.
    fn compiler(&mut self, value: &Value) -> Option<(Source, Worth)> {
        let reason = value.get("reason").and_then(Value::as_str);
        let message = match reason {
            Some("compiler-message") => value.get("message")?,
            Some("build-finished") => {
                self.seen.clear();
                return Some((Source::Cargo, Worth::Nothing));
            }
            Some(_) => return Some((Source::Cargo, Worth::Nothing)),
            None => value.get("$message_type").map(|_| value)?,
        };
        let is_error = message.get("level").and_then(Value::as_str) == Some("error");
        let text = message.get("message").and_then(Value::as_str).unwrap_or_default();
        let shown = message.get("rendered").and_then(Value::as_str).unwrap_or(text);
        let counts = is_error
            && !text.starts_with("aborting due to ")
            && (reason.is_none() || self.seen.insert(shown.to_owned()));
        Some((Source::Cargo, if counts { Worth::Error } else { Worth::Nothing }))
    }
}

/// The errors of a document: file and message of each.
fn names(value: &Value) -> Vec<String> {
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let all =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let name = |file: &str, message: String| format!("{file}\n{message}");
    if let Value::Array(items) = value {
        return items.iter().flat_map(names).collect();
    }
    if value.get("filePath").is_some() {
        let file = text(value, "filePath");
        let errors =
            all(value, "messages").into_iter().filter(|found| found.get("severity") == Some(&2.into()));
        return errors
            .map(|found| name(&file, text(&found, "ruleId") + " " + &text(&found, "message")))
            .collect();
    }
    if value.get("generalDiagnostics").is_some() {
        let errors =
            all(value, "generalDiagnostics").into_iter().filter(|found| text(found, "severity") == "error");
        return errors.map(|found| name(&text(&found, "file"), text(&found, "message"))).collect();
    }
    if value.get("filename").is_some() || value.get("file").is_some() {
        let file = text(value, "filename") + &text(value, "file");
        return vec![name(&file, text(value, "code") + " " + &text(value, "message"))];
    }
    let message = if value.get("reason").is_some() { value.get("message") } else { Some(value) };
    if let Some(message) = message.filter(|message| message.get("spans").is_some()) {
        let file = all(message, "spans").first().map(|span| text(span, "file_name")).unwrap_or_default();
        return vec![name(&file, text(message, "message"))];
    }
    let packages = value.as_object().into_iter().flat_map(|map| map.values());
    let findings =
        packages.filter_map(Value::as_object).flat_map(|map| map.values()).filter_map(Value::as_array);
    let findings = findings.flatten().filter(|finding| finding.get("posn").is_some());
    let file = |posn: &str| posn.split(".go:").next().unwrap_or_default().to_owned();
    findings.map(|found| name(&file(&text(found, "posn")), text(found, "message"))).collect()
}

/// Whether a document worth trying begins here: an object with a key, or a list of objects.
fn may_begin(text: &str) -> bool {
    let inside = |open: char| text.strip_prefix(open).map(str::trim_start);
    inside('{').is_some_and(|rest| rest.starts_with('"'))
        || inside('[').is_some_and(|rest| rest.starts_with('{') || rest.starts_with(']'))
}

/// One element of ESLint's or Ruff's list, or one line of Ruff's.
fn item(value: &Value) -> Vec<(Source, Worth)> {
    if value.get("filePath").is_some()
        && let Some(errors) = value.get("errorCount").and_then(Value::as_u64)
    {
        return vec![(Source::Eslint, Worth::Total(errors))];
    }
    if value.get("filename").is_some() && value.get("location").is_some() {
        return vec![(Source::Ruff, Worth::Error)];
    }
    Vec::new()
}

fn pyright(value: &Value) -> Option<(Source, Worth)> {
    value.get("generalDiagnostics")?;
    let errors = value.get("summary")?.get("errorCount")?.as_u64()?;
    Some((Source::Pyright, Worth::Total(errors)))
}

fn mypy(value: &Value) -> Option<(Source, Worth)> {
    value.get("file")?;
    let severity = value.get("severity")?.as_str()?;
    Some((Source::Mypy, if severity == "error" { Worth::Listed(1) } else { Worth::Nothing }))
}

/// `{"package": {"analyzer": [{"posn": …}, …]}}`
fn go(value: &Value) -> Vec<(Source, Worth)> {
    let packages = value.as_object().into_iter().flat_map(|map| map.values());
    let analyzers = packages.filter_map(Value::as_object).flat_map(|map| map.values());
    let findings = analyzers.filter_map(Value::as_array).flatten();
    findings.filter(|finding| finding.get("posn").is_some()).map(|_| (Source::Go, Worth::Error)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::read_errors;
    use super::{Documents, Source};

    fn check(output: &str, errors: u64, source: Source) {
        let count = read_errors(output, 0).count;
        assert_eq!((count.errors, count.source), (errors, source), "{output}");
    }

    #[test]
    fn broken_documents_are_left_to_the_lines() {
        check("{\"a\": [\nsrc/a.ts(1,7): error TS2322: no\n", 1, Source::Tsc);
        check("[{\"filePath\": \"a\", \"errorCount\": 2}] and more\n3 errors\n", 3, Source::Generic);
        check("[INFO] building\n[1/2] linking\n2 errors\n", 2, Source::Generic);
    }

    #[test]
    fn a_document_after_a_broken_one_is_read() {
        check("{\"a\": oops\n[{\"filePath\": \"a\", \"errorCount\": 2}]\n", 2, Source::Eslint);
    }

    #[test]
    fn unknown_documents_say_nothing() {
        check("{\"level\": \"error\", \"errors\": 3}\n", 0, Source::ExitCode);
        check("[]\n", 0, Source::ExitCode);
    }

    #[test]
    fn no_attempt_before_the_line_where_the_last_one_broke() {
        let text = "[{\"a\":\n[{\"a\":\n[{\"a\":\n1}], oops";
        let mut documents = Documents::default();
        assert!(documents.read(text).is_none());
        assert_eq!(documents.pause_lines, 2);
    }
}
