//! Reports for programs: the JSON documents of `--json`, documented in `docs/formats/json-output.md`, and for models.

mod ledger;
pub mod mail;
mod pack;

use relay_diagnostics::{Diagnostic, Severity};
use relay_edit::{Block, Dialect};
use relay_txn::{CheckRecord, Undoes};
use serde::Serialize;
use serde_json::{Value, json};

use crate::effects::wrap::WrapOutcome;
use crate::outcome::{FileReport, FileStatus, Missing, Outcome};

pub use ledger::{Turns, blame, collected, entry, entry_in_full, unverified};
pub use pack::{packed, selection};

/// An outcome as one JSON document.
#[must_use]
pub fn outcome(outcome: &Outcome) -> Value {
    let put_off = outcome.files.iter().filter(|file| file.status == FileStatus::NotInContext);
    value(&OutcomeJson {
        status: outcome.status.name(),
        dry_run: outcome.dry_run,
        missing: outcome.missing(),
        uuid: outcome.uuid.map(|uuid| uuid.to_string()),
        undoes: &outcome.undoes,
        files: &outcome.files,
        checks: outcome.checks.iter().map(|record| check(record, true)).collect(),
        diagnostics: outcome.diagnostics.iter().map(diagnostic).collect(),
        blocks: outcome.blocks.iter().map(block).collect(),
        repair_prompt: outcome.repair_prompt.as_deref(),
        not_in_context: put_off.map(|file| file.path.as_str()).collect(),
    })
}

/// The document of `relay wrap --json`: the outcome, with the command and how it ended.
#[must_use]
pub fn wrapped(result: &WrapOutcome) -> Value {
    let mut document = outcome(&result.outcome);
    add(&mut document, "command", Some(&result.command));
    add(&mut document, "exitCode", Some(result.command_code));
    document
}

/// Findings alone, for a command that failed before there was an outcome.
#[must_use]
pub fn diagnostics(found: &[Diagnostic]) -> Value {
    found.iter().map(diagnostic).collect()
}

/// Our own types contain nothing that JSON cannot represent, so the fallback is never reached.
fn value(document: &impl Serialize) -> Value {
    serde_json::to_value(document).unwrap_or(Value::Null)
}

/// Adds a member to a document, unless it is empty.
fn add(document: &mut Value, key: &str, member: Option<impl Serialize>) {
    if let (Value::Object(map), Some(member)) = (document, member) {
        map.insert(key.to_owned(), value(&member));
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OutcomeJson<'a> {
    status: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<Missing<'a>>,
    uuid: Option<String>,
    #[serde(
        skip_serializing_if = "<[Undoes]>::is_empty",
        serialize_with = "relay_txn::short_form::serialize"
    )]
    undoes: &'a [Undoes],
    files: &'a [FileReport],
    checks: Vec<Value>,
    diagnostics: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocks: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repair_prompt: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_in_context: Vec<&'a str>,
}

/// A check; what it printed only where the transaction is shown in full.
fn check(check: &CheckRecord, in_full: bool) -> Value {
    let mut document = json!({
        "name": check.name,
        "command": check.command,
        "status": check.status,
        "exitCode": check.exit_code,
        "errors": check.errors,
    });
    add(&mut document, "newErrors", check.new_errors);
    add(&mut document, "durationMs", Some(check.duration_ms));
    add(&mut document, "outputTail", in_full.then_some(&check.output_tail));
    document
}

/// A block of a reply, with its first and last line.
fn block(block: &Block) -> Value {
    let mut document =
        json!({ "lines": [block.first, block.last], "class": block.class.name(), "reason": block.reason });
    add(&mut document, "path", block.path.as_ref());
    add(&mut document, "dialect", block.dialect.map(Dialect::name));
    document
}

fn diagnostic(found: &Diagnostic) -> Value {
    let mut document = json!({
        "code": found.code.as_str(),
        "severity": match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        "message": found.message,
        "hint": found.hint,
        "path": found.path,
        "line": found.line,
    });
    add(&mut document, "fileLines", found.file_lines);
    document
}
