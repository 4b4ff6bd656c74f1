//! The report on a submission, for people.

use std::fmt::Write;

use relay_diagnostics::Diagnostic;
use relay_engine::check::errors_in_words;
use relay_engine::{FileOperation, FileReport, FileStatus, ModeChange, Outcome, Status, codes, history};
use relay_txn::CheckRecord;

use super::blocks;
use super::style::{BAD, FAINT, GOOD, NOTE, PLACE, STRONG, count, paint};
use super::visible;

/// How many files a report lists before it only counts them.
const FILES_SHOWN: usize = 40;

/// How many missing files the first line names.
const MISSING_SHOWN: usize = 5;

/// How many lines of a failed command's output a report shows.
const OUTPUT_LINES_SHOWN: usize = 12;

/// The whole outcome: headline, files, checks, findings, and next steps.
pub fn outcome(outcome: &Outcome) -> String {
    let mut text = String::new();
    text.push_str(&headline(outcome));
    let refused = matches!(
        outcome.status,
        Status::Rejected
            | Status::RolledBack
            | Status::RecoveryNeeded
            | Status::Interrupted
            | Status::Explained
    );
    let is_told = |file: &FileReport| matches!(file.status, FileStatus::Failed | FileStatus::Skipped);
    if !refused || outcome.files.iter().any(is_told) {
        text.push_str(&files(&outcome.files));
    }
    text.push_str(&blocks::text(outcome));
    text.push_str(&checks(&outcome.checks));
    text.push_str(&diagnostics(&outcome.diagnostics));
    if put_off(outcome) > 0 {
        let next = paint(PLACE, "relay pack");
        line(
            &mut text,
            format_args!("  {} {next}", paint(FAINT, "show the model the files it had not seen with")),
        );
    }
    if matches!(outcome.status, Status::Committed | Status::Partial)
        && !outcome.dry_run
        && outcome.uuid.is_some()
    {
        let is_undo = !outcome.undoes.is_empty() && !outcome.is_redo;
        let (what, next) =
            if is_undo { ("reapply it with", "relay redo") } else { ("undo it with", "relay undo") };
        line(&mut text, format_args!("  {} {}", paint(FAINT, what), paint(PLACE, next)));
    }
    text
}

fn headline(outcome: &Outcome) -> String {
    let (style, word, tail) = match outcome.status {
        Status::Committed if outcome.is_redo => (GOOD, "✓ reapplied", totals(outcome)),
        Status::Committed if !outcome.undoes.is_empty() => (GOOD, "✓ undone", totals(outcome)),
        Status::Committed => (GOOD, "✓ landed", totals(outcome)),
        Status::Validated if !outcome.undoes.is_empty() => (GOOD, "✓ would undo", totals(outcome)),
        Status::Validated => (GOOD, "✓ would land", totals(outcome)),
        Status::Unchanged if !outcome.undoes.is_empty() => {
            (GOOD, "✓ nothing to do", "the files are already as they were before".to_owned())
        }
        Status::Unchanged => (GOOD, "✓ nothing to do", "the files already match the reply".to_owned()),
        Status::AlreadyProcessed => (GOOD, "✓ nothing to do", "this reply has already landed".to_owned()),
        Status::Explained => (FAINT, "blocks of this reply", "nothing was changed".to_owned()),
        Status::Partial if outcome.landed().next().is_none() => (NOTE, "! nothing landed", missing(outcome)),
        Status::Partial => {
            let word = if outcome.dry_run { "! would land in part" } else { "! landed in part" };
            (NOTE, word, format!("{}  {}", totals(outcome), missing(outcome)))
        }
        Status::Rejected => (BAD, "✗ refused", "nothing was changed".to_owned()),
        Status::RolledBack => (BAD, "✗ rolled back", put_back(outcome)),
        Status::RecoveryNeeded => (
            BAD,
            "✗ not rolled back",
            "some files still hold the new content; `relay recover` restores them".to_owned(),
        ),
        Status::Interrupted => (BAD, "✗ interrupted", put_back(outcome)),
    };
    let name = match (outcome.undoes.as_slice(), outcome.uuid) {
        ([target], _) if outcome.is_redo => {
            format!(" what {} undid", paint(STRONG, history::short(target.uuid)))
        }
        ([target], _) => format!(" {}", paint(STRONG, history::short(target.uuid))),
        ([_, ..], _) => format!(" {}", paint(STRONG, count(outcome.undoes.len(), "transaction"))),
        ([], Some(uuid))
            if matches!(outcome.status, Status::Committed | Status::Partial) && !outcome.dry_run =>
        {
            format!(" {}", paint(STRONG, history::short(uuid)))
        }
        _ => String::new(),
    };
    format!("{}{name}  {tail}\n", paint(style.bold(), word))
}

/// The result of a rollback; a command's changes that could not be captured remain, and are listed.
fn put_back(outcome: &Outcome) -> String {
    let stays = outcome.diagnostics.iter().any(|found| found.code == codes::NOT_CAPTURED);
    if stays { "every file is as it was, except those listed below" } else { "every file is as it was" }
        .to_owned()
}

/// How many files have deferred edits, because the model had not seen them.
fn put_off(outcome: &Outcome) -> usize {
    outcome.files.iter().filter(|file| file.status == FileStatus::NotInContext).count()
}

fn totals(outcome: &Outcome) -> String {
    let (added, removed) = outcome.landed().fold((0, 0), |(a, r), file| (a + file.added, r + file.removed));
    format!("{}  {}", count(outcome.landed().count(), "file"), lines(added, removed))
}

/// What did not land: files with the reason, and lines of the reply that name no file.
fn missing(outcome: &Outcome) -> String {
    let missing = outcome.missing();
    let named = missing.iter().take(MISSING_SHOWN).map(|missing| {
        let reason = match missing.reason {
            "not_in_context" => "deferred, the model had not seen it",
            "partial" => "in part",
            other => other,
        };
        match (missing.path, missing.line) {
            (Some(path), _) => format!("{} ({reason})", visible(path)),
            (None, Some(line)) => format!("reply line {line} ({reason})"),
            (None, None) => reason.to_owned(),
        }
    });
    let more = missing.len().saturating_sub(MISSING_SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("missing: {}{more}", named.collect::<Vec<_>>().join(", "))
}

/// `+2 −1`, coloured.
pub fn lines(added: usize, removed: usize) -> String {
    format!("{} {}", paint(GOOD, format_args!("+{added}")), paint(BAD, format_args!("−{removed}")))
}

/// Changes to a file besides its lines, such as its mode.
pub fn mode(change: Option<ModeChange>) -> String {
    change.map(|mode| format!("  {}", paint(NOTE, mode))).unwrap_or_default()
}

fn files(files: &[FileReport]) -> String {
    let mut text = String::new();
    for file in files.iter().take(FILES_SHOWN) {
        let sign = operation_sign(file.operation);
        let path = match &file.renamed_from {
            Some(from) => format!("{} → {}", visible(from), visible(&file.path)),
            None => visible(&file.path).into_owned(),
        };
        let what = match file.status {
            FileStatus::Failed => paint(BAD, "failed").to_string(),
            FileStatus::Skipped => paint(BAD, "skipped").to_string(),
            FileStatus::Partial => {
                format!("{}  {}", lines(file.added, file.removed), paint(BAD, "in part; some edits failed"))
            }
            FileStatus::Unchanged => paint(FAINT, "unchanged").to_string(),
            FileStatus::NotInContext => paint(NOTE, "deferred").to_string(),
            FileStatus::NotApplied if file.added + file.removed == 0 => {
                paint(FAINT, "not applied").to_string()
            }
            FileStatus::NotApplied => {
                format!("{}  {}", lines(file.added, file.removed), paint(FAINT, "fits, not applied"))
            }
            _ => format!(
                "{}{}  {}",
                lines(file.added, file.removed),
                mode(file.mode),
                paint(FAINT, &file.placement)
            ),
        };
        line(&mut text, format_args!("  {sign} {path}  {what}"));
    }
    if files.len() > FILES_SHOWN {
        line(
            &mut text,
            format_args!("  {}", paint(FAINT, format_args!("… and {} more", files.len() - FILES_SHOWN))),
        );
    }
    text
}

/// The letter git uses for it.
pub fn operation_sign(operation: FileOperation) -> String {
    match operation {
        FileOperation::Create => paint(GOOD, "A").to_string(),
        FileOperation::Modify => paint(NOTE, "M").to_string(),
        FileOperation::Delete => paint(BAD, "D").to_string(),
        FileOperation::Rename => paint(PLACE, "R").to_string(),
    }
}

/// The commands that ran, and for failed ones the end of their output.
pub fn checks(checks: &[CheckRecord]) -> String {
    let mut text = String::new();
    for check in checks {
        let passed = check.status == "passed" || check.new_errors == Some(0);
        let mark = if passed { paint(GOOD, "✓") } else { paint(BAD, "✗") };
        let result = match (check.errors, check.status.as_str()) {
            (Some(errors), _) => errors_in_words(errors, check.new_errors),
            (None, "passed") => "passed".to_owned(),
            (None, "timed_out") => "ran out of time".to_owned(),
            (None, "not_started") => "could not be started".to_owned(),
            (None, "cancelled") => "was interrupted".to_owned(),
            (None, _) => {
                check.exit_code.map_or("failed".to_owned(), |code| format!("failed with exit {code}"))
            }
        };
        let seconds = std::time::Duration::from_millis(check.duration_ms).as_secs_f64();
        line(
            &mut text,
            format_args!(
                "  {mark} {} {}: {result} {}",
                check.name,
                paint(FAINT, visible(&check.command)),
                paint(FAINT, format_args!("({seconds:.1} s)"))
            ),
        );
        if !passed {
            text.push_str(&output(&check.output_tail));
        }
    }
    text
}

fn output(tail: &str) -> String {
    let mut text = String::new();
    let lines: Vec<&str> = tail.lines().filter(|line| !line.trim().is_empty()).collect();
    for shown in lines.iter().skip(lines.len().saturating_sub(OUTPUT_LINES_SHOWN)) {
        line(&mut text, format_args!("    {} {}", paint(FAINT, "│"), visible(shown)));
    }
    text
}

/// Findings, each with its place in the reply and its hint.
pub fn diagnostics(found: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in found {
        let word =
            if diagnostic.is_error() { paint(BAD.bold(), "error") } else { paint(NOTE.bold(), "warning") };
        let place = match (diagnostic.line, &diagnostic.path) {
            (Some(line), Some(path)) => format!("reply line {line}, {}: ", visible(path)),
            (Some(line), None) => format!("reply line {line}: "),
            (None, _) => String::new(),
        };
        line(
            &mut text,
            format_args!(
                "{word}{}: {place}{}",
                paint(FAINT, format_args!("[{}]", diagnostic.code)),
                indent(&visible(&diagnostic.message))
            ),
        );
        if let Some(hint) = &diagnostic.hint {
            line(&mut text, format_args!("  {} {}", paint(PLACE, "hint:"), indent(&visible(hint))));
        }
    }
    text
}

/// Indents the later lines of a text a little further than its first one.
fn indent(text: &str) -> String {
    text.replace('\n', "\n  ")
}

/// Adds a whole line.
pub fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    part(text, arguments);
    text.push('\n');
}

/// Adds a part of a line. Writing into a `String` cannot fail.
pub fn part(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let written = text.write_fmt(arguments);
    debug_assert!(written.is_ok(), "writing into a string cannot fail");
}
