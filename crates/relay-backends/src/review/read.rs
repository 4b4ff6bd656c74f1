//! Reads a reviewer's answer: JSON as requested, or the prose of a backend with its own kind of review.
//!
//! Everything a model writes may be wrong: files that are not in the diff, lines that are not changed, fixes for
//! something else. Findings outside the hunks are dropped and counted. An unreadable answer is reported as such; it
//! never counts as an empty one.

use std::path::Path;

use serde_json::{Value, json};

use super::changed::Changed;
use super::finding::{Finding, Severity};

/// The most findings kept from one answer, and the longest message: more would not be read.
const FINDINGS_LIMIT: usize = 200;
const MESSAGE_LIMIT_CHARS: usize = 4_000;

/// In how many places to look for an answer's JSON: an answer of nothing but opening braces must not take forever.
const ATTEMPTS: usize = 200;

/// A parsed answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// What was found.
    pub findings: Vec<Finding>,
    /// How many findings were dropped because they lie outside the changes.
    pub dropped: usize,
    /// Whether the answer could be read.
    pub was_understood: bool,
}

/// The JSON schema that reviewers are asked to follow.
#[must_use]
pub fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "findings": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "file": { "type": "string" },
                        "line": { "type": "integer" },
                        "severity": { "type": "string", "enum": ["blocker", "important", "nit"] },
                        "message": { "type": "string" },
                        "fix": { "type": ["string", "null"] }
                    },
                    "required": ["file", "line", "severity", "message", "fix"],
                    "additionalProperties": false
                }
            }
        },
        "required": ["findings"],
        "additionalProperties": false
    })
}

/// Reads an answer.
#[must_use]
pub fn read(answer: &str, repo: &Path, changed: &Changed) -> Reading {
    let Some(items) = in_json(answer).or_else(|| in_prose(answer)) else { return Reading::default() };
    let mut reading = Reading { was_understood: true, ..Reading::default() };
    for item in items {
        // One finding that cannot be read may have been the one that mattered.
        let Some(mut finding) = item else {
            reading.was_understood = false;
            continue;
        };
        finding.file = inside(&finding.file, repo);
        if changed.contains(&finding.file, finding.line) && reading.findings.len() < FINDINGS_LIMIT {
            reading.findings.push(finding);
        } else {
            reading.dropped += 1;
        }
    }
    reading
}

/// The path from the repository's root, however it was written.
fn inside(file: &str, repo: &Path) -> String {
    let repo = format!("{}/", repo.display());
    let file = file.strip_prefix(&repo).unwrap_or(file);
    ["./", "a/", "b/"].iter().find_map(|prefix| file.strip_prefix(prefix)).unwrap_or(file).to_owned()
}

/// The last JSON object with findings, alone or in a fence, with any text around it.
fn in_json(answer: &str) -> Option<Vec<Option<Finding>>> {
    let is_object = |rest: &str| rest.trim_start().starts_with('"');
    let starts = answer
        .match_indices('{')
        .filter(|(at, _)| answer.get(at + 1..).is_some_and(is_object))
        .map(|(at, _)| at)
        .take(ATTEMPTS);
    let mut found = None;
    let mut read_until = 0;
    for at in starts {
        if at < read_until {
            continue;
        }
        let rest = answer.get(at..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        if let Some(Ok(value)) = values.next() {
            read_until = at + values.byte_offset();
            if let Some(list) = value.get("findings").and_then(Value::as_array) {
                found = Some(list.iter().map(finding).collect());
            }
        }
    }
    found
}

fn finding(value: &Value) -> Option<Finding> {
    let text =
        |name: &str| value.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let line = value.get("line")?;
    let line =
        line.as_u64().or_else(|| line.as_str()?.parse().ok()).and_then(|line| u32::try_from(line).ok())?;
    Some(Finding {
        file: text("file")?.to_owned(),
        line,
        severity: severity(text("severity")?)?,
        message: text("message")?.chars().take(MESSAGE_LIMIT_CHARS).collect(),
        fix: text("fix").map(str::to_owned),
        by: Vec::new(),
    })
}

/// Severities under the names that reviewers use for them.
fn severity(name: &str) -> Option<Severity> {
    match name.to_ascii_lowercase().as_str() {
        "blocker" | "critical" | "p0" | "p1" => Some(Severity::Blocker),
        "important" | "major" | "warning" | "p2" => Some(Severity::Important),
        "nit" | "minor" | "info" | "suggestion" | "p3" => Some(Severity::Nit),
        _ => None,
    }
}

/// Comments of the form `- [P1] Title — path:12-14`, with their text on indented lines below. Prose without such
/// comments may come from a reviewer that gave up, so it does not count as understood.
fn in_prose(answer: &str) -> Option<Vec<Option<Finding>>> {
    let mut found: Vec<Option<Finding>> = Vec::new();
    for line in answer.lines() {
        if let Some(comment) = line.trim_start().strip_prefix("- [") {
            found.push(heading(comment));
        } else if let Some(Some(last)) = found.last_mut()
            && line.starts_with("  ")
            && last.message.chars().count() < MESSAGE_LIMIT_CHARS
        {
            last.message.push('\n');
            last.message.push_str(line.trim());
        }
    }
    (!found.is_empty()).then_some(found)
}

fn heading(comment: &str) -> Option<Finding> {
    let (rank, rest) = comment.split_once(']')?;
    let (title, place) = rest.rsplit_once(" — ").or_else(|| rest.rsplit_once(" - "))?;
    let (file, lines) = place.trim().rsplit_once(':')?;
    let line = lines.split('-').next()?.parse().ok()?;
    Some(Finding {
        file: file.to_owned(),
        line,
        severity: severity(rank.trim())?,
        message: title.trim().to_owned(),
        fix: None,
        by: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed() -> Changed {
        Changed::in_diff("--- a/src/a.rs\n+++ b/src/a.rs\n@@ -10,1 +10,2 @@\n a\n+b\n")
    }

    fn check(answer: &str, messages: &[&str], dropped: usize, was_understood: bool) {
        let reading = read(answer, Path::new("/r"), &changed());
        let found: Vec<&str> = reading.findings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(
            (found.as_slice(), reading.dropped, reading.was_understood),
            (messages, dropped, was_understood)
        );
    }

    const ONE: &str =
        r#"{"findings":[{"file":"src/a.rs","line":11,"severity":"nit","message":"m","fix":null}]}"#;

    #[test]
    fn json_is_found_anywhere() {
        check(ONE, &["m"], 0, true);
        check(&format!("Here {{it}} is:\n```json\n{ONE}\n```\nDone."), &["m"], 0, true);
        check(r#"{"findings":[]}"#, &[], 0, true);
        check(&format!("First {{\"findings\":[]}} and then {ONE}"), &["m"], 0, true);
    }

    #[test]
    fn paths_are_taken_from_the_root() {
        for file in ["/r/src/a.rs", "./src/a.rs", "b/src/a.rs"] {
            check(&ONE.replace("src/a.rs", file), &["m"], 0, true);
        }
    }

    #[test]
    fn findings_outside_the_changes_are_dropped_and_counted() {
        check(&ONE.replace("11", "12"), &[], 1, true);
        check(&ONE.replace("src/a.rs", "src/b.rs"), &[], 1, true);
        check(&ONE.replace("src/a.rs", "/etc/passwd"), &[], 1, true);
    }

    #[test]
    fn an_unreadable_answer_is_reported() {
        for answer in
            ["", "Looks good to me!", "{\"findings\":", r#"{"findings":"none"}"#, r#"{"ship":true}"#]
        {
            check(answer, &[], 0, false);
        }
        check(&ONE.replace("\"nit\"", "\"dunno\""), &[], 0, false);
        check(&ONE.replace("11", "-1"), &[], 0, false);
    }

    #[test]
    fn comments_in_prose_are_read() {
        let answer = "It has faults.\n\nFull review comments:\n\n- [P1] Wrong sign — /r/src/a.rs:11-11\n  It must be minus.\n\n- [P3] Spelling — /r/src/a.rs:10-11\n  Typo.\n";
        let reading = read(answer, Path::new("/r"), &changed());
        let found: Vec<_> =
            reading.findings.iter().map(|found| (found.severity, found.message.as_str())).collect();
        assert_eq!(
            found,
            [(Severity::Blocker, "Wrong sign\nIt must be minus."), (Severity::Nit, "Spelling\nTypo.")]
        );
    }
}
