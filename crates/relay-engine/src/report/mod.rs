//! Reports for programs: the JSON documents of `--json`, documented in `docs/formats/json-output.md`, and for models.

mod ledger;
pub mod mail;
mod pack;

use relay_diagnostics::{Diagnostic, Severity};
use relay_edit::{Block, Dialect};
use relay_txn::{CheckRecord, Undoes};
use serde::Serialize;
use serde_json::Value;

use crate::effects::wrap::WrapOutcome;
use crate::outcome::mode_change::ModeChange;
use crate::outcome::{FileReport, FileStatus, Missing, Outcome};

pub use ledger::{Turns, blame, collected, entry, entry_in_full, unverified};
pub use pack::{packed, selection};

/// An outcome as one JSON document.
#[must_use]
pub fn outcome(outcome: &Outcome) -> Value {
    value(&OutcomeJson {
        status: outcome.status.name(),
        dry_run: outcome.dry_run,
        missing: outcome.missing().into_iter().map(MissingJson::from).collect(),
        uuid: outcome.uuid.map(|uuid| uuid.to_string()),
        undoes: &outcome.undoes,
        files: outcome.files.iter().map(FileJson::from).collect(),
        checks: outcome.checks.iter().map(|check| CheckJson::new(check, true)).collect(),
        diagnostics: outcome.diagnostics.iter().map(DiagnosticJson::from).collect(),
        blocks: outcome.blocks.iter().map(BlockJson::from).collect(),
        repair_prompt: outcome.repair_prompt.as_deref(),
        not_in_context: outcome
            .files
            .iter()
            .filter(|file| file.status == FileStatus::NotInContext)
            .map(|file| file.path.as_str())
            .collect(),
    })
}

/// The document of `relay wrap --json`: the outcome, with the command and how it ended.
#[must_use]
pub fn wrapped(result: &WrapOutcome) -> Value {
    let mut document = outcome(&result.outcome);
    if let Value::Object(map) = &mut document {
        map.insert("command".to_owned(), Value::from(result.command.clone()));
        map.insert("exitCode".to_owned(), Value::from(result.command_code));
    }
    document
}

/// Findings alone, for a command that failed before there was an outcome.
#[must_use]
pub fn diagnostics(found: &[Diagnostic]) -> Value {
    value(&found.iter().map(DiagnosticJson::from).collect::<Vec<_>>())
}

/// Our own types hold nothing that JSON cannot say, so the fallback is never reached.
fn value(document: &impl Serialize) -> Value {
    serde_json::to_value(document).unwrap_or(Value::Null)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OutcomeJson<'a> {
    status: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<MissingJson<'a>>,
    uuid: Option<String>,
    #[serde(
        skip_serializing_if = "<[Undoes]>::is_empty",
        serialize_with = "relay_txn::short_form::serialize"
    )]
    undoes: &'a [Undoes],
    files: Vec<FileJson<'a>>,
    checks: Vec<CheckJson<'a>>,
    diagnostics: Vec<DiagnosticJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocks: Vec<BlockJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repair_prompt: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_in_context: Vec<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileJson<'a> {
    path: &'a str,
    operation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed_from: Option<&'a str>,
    status: &'static str,
    added: usize,
    removed: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<ModeJson>,
    placement: &'a str,
}

#[derive(Serialize)]
struct MissingJson<'a> {
    path: Option<&'a str>,
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

impl<'a> From<Missing<'a>> for MissingJson<'a> {
    fn from(Missing { path, reason, line }: Missing<'a>) -> Self {
        Self { path, reason, line }
    }
}

/// Modes as git writes them.
#[derive(Serialize)]
struct ModeJson {
    before: Option<String>,
    after: String,
}

impl From<ModeChange> for ModeJson {
    fn from(mode: ModeChange) -> Self {
        let octal = |mode: u32| format!("{mode:o}");
        Self { before: mode.before.map(octal), after: octal(mode.after) }
    }
}

impl<'a> From<&'a FileReport> for FileJson<'a> {
    fn from(file: &'a FileReport) -> Self {
        Self {
            path: &file.path,
            operation: file.operation.name(),
            renamed_from: file.renamed_from.as_deref(),
            status: file.status.name(),
            added: file.added,
            removed: file.removed,
            mode: file.mode.map(ModeJson::from),
            placement: &file.placement,
        }
    }
}

/// A check; what it printed only where the transaction is shown in full.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CheckJson<'a> {
    name: &'a str,
    command: &'a str,
    status: &'a str,
    exit_code: Option<i32>,
    errors: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_errors: Option<u64>,
    duration_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tail: Option<&'a str>,
}

impl<'a> CheckJson<'a> {
    fn new(check: &'a CheckRecord, in_full: bool) -> Self {
        Self {
            name: &check.name,
            command: &check.command,
            status: &check.status,
            exit_code: check.exit_code,
            errors: check.errors,
            new_errors: check.new_errors,
            duration_ms: check.duration_ms,
            output_tail: in_full.then_some(check.output_tail.as_str()),
        }
    }
}

/// A block of a reply, with its first and last line.
#[derive(Serialize)]
struct BlockJson<'a> {
    lines: (usize, usize),
    class: &'static str,
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<&'static str>,
}

impl<'a> From<&'a Block> for BlockJson<'a> {
    fn from(block: &'a Block) -> Self {
        Self {
            lines: (block.first, block.last),
            class: block.class.name(),
            reason: &block.reason,
            path: block.path.as_deref(),
            dialect: block.dialect.map(Dialect::name),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DiagnosticJson<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    hint: Option<&'a str>,
    path: Option<&'a str>,
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_lines: Option<(u32, u32)>,
}

impl<'a> From<&'a Diagnostic> for DiagnosticJson<'a> {
    fn from(diagnostic: &'a Diagnostic) -> Self {
        Self {
            code: diagnostic.code.as_str(),
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: &diagnostic.message,
            hint: diagnostic.hint.as_deref(),
            path: diagnostic.path.as_deref(),
            line: diagnostic.line,
            file_lines: diagnostic.file_lines,
        }
    }
}
