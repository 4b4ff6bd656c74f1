//! The control block: the YAML at the end of a reply that names the project and the transaction.
//!
//! It is read, never believed: the caller compares the project and the uuid with what it knows.

use std::ops::Range;

use serde_json::Value;

use crate::dialect::{Kept, Line};
use crate::{Diagnostic, codes};

/// The metadata of a transaction as the model wrote it; nothing in it is trusted yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// `projectId`: must match the project's config.
    pub project_id: Option<String>,
    /// `uuid`: must parse as a UUID and be new.
    pub uuid: Option<String>,
    /// `changeSummary`: compared with the edits, a difference is a warning.
    pub change_summary: Vec<SummaryItem>,
    /// `gitCommitMsg`: a commit message the model proposes.
    pub git_commit_msg: Option<String>,
    /// `promptSummary`: what the user had asked for, in the model's words.
    pub prompt_summary: Option<String>,
    /// `model`: the model that wrote the reply, in its own words.
    pub model: Option<String>,
    /// `receipt`: the pack the reply answers.
    pub receipt: Option<String>,
    /// The line in the reply where the block begins, counted from 1.
    pub line: usize,
}

/// One line of `changeSummary`, such as `- edit: src/main.rs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryItem {
    /// `edit`, `new`, `delete`, `rename`, as written.
    pub verb: String,
    /// The path, as written; for a rename `old -> new`.
    pub path: String,
}

/// A stretch of prose that seems to be the control block.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The line in the reply where it begins.
    line: usize,
    /// Its lines among the prose, fences included.
    pub prose: Range<usize>,
    /// The YAML among the prose.
    yaml: Range<usize>,
    /// Nothing but blank lines came after it so far.
    pub is_last: bool,
}

impl Candidate {
    /// A fenced one; `prose` covers both fences.
    pub fn fenced(line: usize, prose: Range<usize>) -> Self {
        let yaml = prose.start + 1..prose.end.saturating_sub(1);
        Self { line, prose, yaml, is_last: true }
    }
}

const KEYS: &[&str] =
    &["projectId:", "uuid:", "changeSummary:", "gitCommitMsg:", "promptSummary:", "receipt:", "model:"];

/// The receipt that prose names last, in a line such as `Receipt: r-0f3c9a17b2`, however it is decorated.
pub(crate) fn receipt_in_prose(prose: &Kept) -> Option<String> {
    prose.lines().rev().find_map(|line| {
        let said = line.text.trim_start_matches(|c: char| !c.is_alphanumeric());
        let is_named = said.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("receipt"));
        if is_named { receipt_id(said) } else { None }
    })
}

/// The first thing in a text that has the form of a receipt's id: `r-` and ten hexadecimal digits, in any case.
#[must_use]
pub fn receipt_id(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let is_id = |word: &&str| {
        let digits = word.strip_prefix("r-").or_else(|| word.strip_prefix("R-"));
        digits.is_some_and(|digits| digits.len() == 10 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    words.into_iter().find(is_id).map(str::to_ascii_lowercase)
}

/// Whether lines have `projectId` or `uuid` as a key at the top level.
pub(crate) fn looks_like_control<'l>(mut lines: impl Iterator<Item = Line<'l>>) -> bool {
    lines.any(|line| line.text.starts_with("projectId:") || line.text.starts_with("uuid:"))
}

/// The bare YAML at the very end of the prose, if there is any.
pub(crate) fn trailing(prose: &Kept, tail: usize) -> Option<Candidate> {
    let mut rest = prose.range(tail..prose.len());
    let start = tail + rest.position(|line| KEYS.iter().any(|key| line.text.starts_with(key)))?;
    looks_like_control(prose.range(start..prose.len())).then_some(())?;
    let above = start.checked_sub(1).filter(|above| *above >= tail).and_then(|above| prose.get(above));
    let ruled = above.is_some_and(|line| line.text.trim() == "---");
    Some(Candidate {
        line: prose.get(start)?.number,
        prose: start - usize::from(ruled)..prose.len(),
        yaml: start..prose.len(),
        is_last: true,
    })
}

/// Reads a candidate.
pub(crate) fn read(candidate: &Candidate, prose: &Kept) -> (Option<Control>, Vec<Diagnostic>) {
    let text = prose.text(candidate.yaml.clone());
    let mut findings = Vec::new();
    if !candidate.is_last {
        findings.push(
            Diagnostic::warning(
                codes::CONTROL_NOT_LAST,
                "the control block is not the last thing in the reply",
            )
            .hinted("put the control block after all blocks and all prose")
            .at(candidate.line),
        );
    }
    match parse(text) {
        Ok(value) => (Some(interpret(&value, text, candidate.line, &mut findings)), findings),
        Err((why, at)) => {
            // Lines of a block are counted from its first line, which has a number of its own in the reply.
            let line = prose.range(candidate.yaml.clone()).nth(at.saturating_sub(1));
            let line = line.map_or(candidate.line, |line| line.number);
            findings.push(
                Diagnostic::error(codes::BAD_CONTROL, format!("the control block is not valid YAML: {why}"))
                    .hinted("write `projectId: …`, `uuid: …` and a list under `changeSummary:`; quote values that hold `: ` or `#`")
                    .at(line),
            );
            (None, findings)
        }
    }
}

/// Parses YAML without anchors and aliases; the error carries the line inside the text.
fn parse(text: &str) -> Result<Value, (String, usize)> {
    let mut budget = serde_saphyr::Budget::default();
    budget.max_aliases = 0;
    budget.max_anchors = 0;
    budget.max_depth = 16;
    let mut options = serde_saphyr::Options::default();
    options.budget = Some(budget);
    options.with_snippet = false;
    options.strict_booleans = true;
    let value: Value = serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let line = error.location().map_or(1, |location| usize::try_from(location.line()).unwrap_or(1));
        (reason(&error.to_string()), line)
    })?;
    if value.is_object() { Ok(value) } else { Err(("it is not a list of keys and values".to_owned(), 1)) }
}

/// The parser's words without the place inside the block: the reply's own line is beside them.
fn reason(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    if first.contains("Anchors") || first.contains("Aliases") {
        return "anchors and aliases are not allowed in it".to_owned();
    }
    first.split_once(" at line ").map_or(first, |(words, _)| words).to_owned()
}

fn interpret(value: &Value, yaml: &str, line: usize, findings: &mut Vec<Diagnostic>) -> Control {
    let mut wrong = |key: &str| {
        findings.push(
            Diagnostic::error(codes::BAD_CONTROL, format!("`{key}` in the control block is not a text"))
                .hinted(format!("write `{key}: value` on one line"))
                .at(line),
        );
    };
    let mut scalar = |key: &str| match value.get(key) {
        None | Some(Value::Null) => None,
        Some(found) => {
            // Even something that looks like a number is a name: `007` must not become `7`.
            let written = if matches!(found, Value::Number(_)) { as_written(yaml, key) } else { None };
            let text = written.or_else(|| as_text(found));
            if text.is_none() {
                wrong(key);
            }
            text
        }
    };
    Control {
        project_id: scalar("projectId"),
        uuid: scalar("uuid"),
        change_summary: value.get("changeSummary").map(summary).unwrap_or_default(),
        git_commit_msg: value.get("gitCommitMsg").and_then(as_paragraph),
        prompt_summary: value.get("promptSummary").and_then(as_paragraph),
        // A name and nothing else; whatever is not one is as unknown as any other key.
        model: value.get("model").and_then(as_text).filter(|name| !name.is_empty()),
        receipt: value
            .get("receipt")
            .and_then(as_text)
            .map(|written| receipt_id(&written).unwrap_or(written)),
        line,
    }
}

/// The value of a key at the top level, as it is on its line.
fn as_written(yaml: &str, key: &str) -> Option<String> {
    let value = yaml.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    let value = value.split_once(" #").map_or(value, |(value, _)| value).trim();
    (!value.is_empty()).then(|| value.to_owned())
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// A text, or a list of texts as its lines.
fn as_paragraph(value: &Value) -> Option<String> {
    match value {
        Value::Array(items) => {
            let lines: Vec<String> = items.iter().filter_map(as_text).collect();
            (!lines.is_empty()).then(|| lines.join("\n"))
        }
        other => as_text(other),
    }
}

fn summary(value: &Value) -> Vec<SummaryItem> {
    match value {
        Value::Array(items) => items.iter().flat_map(summary_items).collect(),
        other => summary_items(other),
    }
}

fn summary_items(value: &Value) -> Vec<SummaryItem> {
    match value {
        Value::Object(map) => map
            .iter()
            .flat_map(|(verb, what)| {
                paths(what).into_iter().map(|path| SummaryItem { verb: verb.clone(), path })
            })
            .collect(),
        Value::String(text) => text
            .split_once([':', ' '])
            .map(|(verb, path)| SummaryItem { verb: verb.trim().to_owned(), path: path.trim().to_owned() })
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}

fn paths(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(paths).collect(),
        Value::Object(map) => match (map.get("from").and_then(as_text), map.get("to").and_then(as_text)) {
            (Some(from), Some(to)) => vec![format!("{from} -> {to}")],
            _ => Vec::new(),
        },
        other => as_text(other).into_iter().collect(),
    }
}
