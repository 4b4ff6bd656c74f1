//! Fenced blocks with a path in their header, and what their content means.
//!
//! Input is a block whose end is known; output is an edit, or a finding with the line in the reply.

use std::ops::Range;

use serde::Deserialize;

use super::block::{Block, Purpose, comment_text, is_marker};
use super::findings::Findings;
use super::header::Strategy;
use super::{Dialect, Line, Parsed, git_diff, mistaken, search_replace, toolcall, unified};
use crate::{Base, Diagnostic, Edit, Hunk, Operation, codes};

/// Reads the content of a block.
pub(crate) fn read(block: &Block) -> Parsed {
    let lines = block.body.to_list();
    let all = Body { lines: &lines, text: block.body.text(0..lines.len()), line: block.line };
    let content = content(&lines);
    let body = Body {
        lines: lines.get(content.clone()).unwrap_or_default(),
        text: block.body.text(content),
        line: block.line,
    };
    let mut parsed = match &block.purpose {
        Purpose::Skip => Parsed::default(),
        Purpose::Rename => rename(body),
        Purpose::File { path, dialect, .. } if dialect.is_whole_file() => whole_file(path, *dialect, all),
        Purpose::File { language, path, strategy, .. } => file(language, path, *strategy, body),
    };
    if let Some(path) = block.path() {
        parsed.findings.concern(path);
    }
    parsed
}

/// The content of a block.
#[derive(Clone, Copy)]
struct Body<'b> {
    lines: &'b [Line<'b>],
    /// The same lines, each with a newline after it.
    text: &'b str,
    /// Where the block begins in the reply.
    line: usize,
}

fn file(language: &str, path: &str, strategy: Option<Strategy>, body: Body<'_>) -> Parsed {
    let Body { lines, text, line } = body;
    let edit = |operation| Edit { path: path.to_owned(), operation, dialect: Dialect::Fenced, line };
    if is_delete_marker(lines) {
        return Parsed { edits: vec![edit(Operation::Delete)], ..Parsed::default() };
    }
    let mut findings = Findings::default();
    let is_said = strategy.is_some();
    let strategy = strategy.unwrap_or_else(|| {
        let assumed = assume(language, path, lines);
        if assumed != Strategy::Replace {
            let name = if assumed == Strategy::Unified { "new-unified" } else { "multi-search-replace" };
            findings.push(
                Diagnostic::warning(
                    codes::ASSUMED_STRATEGY,
                    format!("the block names no strategy and was read as `{name}`"),
                )
                .hinted(format!("write `{name}` after the path"))
                .at(line),
            );
        }
        assumed
    });
    if strategy == Strategy::Replace
        && !is_said
        && let Some(finding) = mistaken::finding(path, lines.iter().map(|line| line.text), line)
    {
        let mut parsed = Parsed::default();
        parsed.findings.push(finding);
        return parsed;
    }
    let operations = match strategy {
        Strategy::Replace => Ok(vec![Operation::Write { content: text.to_owned() }]),
        Strategy::Unified => unified_operations(lines, path, line, &mut findings),
        Strategy::SearchReplace => {
            sections_operation(lines, line, &mut findings).map(|operation| vec![operation])
        }
    };
    let mut edits: Vec<Edit> = operations.into_iter().flatten().map(edit).collect();
    if strategy == Strategy::Unified && !edits.is_empty() {
        match git_diff::executable(lines, line) {
            Ok(executable) => edits.extend(executable.map(|executable| edit(Operation::Mode { executable }))),
            Err(finding) => {
                edits.clear();
                findings.push(finding);
            }
        }
    }
    Parsed { edits, findings, ..Parsed::default() }
}

/// A fence below a path line holds the whole file; an empty one says nothing.
fn whole_file(path: &str, dialect: Dialect, body: Body<'_>) -> Parsed {
    let mut parsed = Parsed::default();
    if body.lines.iter().all(|line| line.text.trim().is_empty()) {
        parsed.findings.push(
            Diagnostic::warning(codes::IGNORED_BLOCK, "this fence below a path is empty and was ignored")
                .hinted("to empty or delete a file, use a block that says so")
                .at(body.line),
        );
    } else if let Some(calls) = toolcall::read(body.text, body.line)
        .filter(|calls| !calls.edits.is_empty() && calls.unknown.is_empty())
    {
        parsed.calls = Some(calls);
    } else if let Some(finding) = mistaken::finding(path, body.lines.iter().map(|line| line.text), body.line)
    {
        parsed.findings.push(finding);
    } else {
        let operation = Operation::Write { content: body.text.to_owned() };
        let edit = Edit { path: path.to_owned(), operation, dialect, line: body.line };
        parsed.edits.push(edit);
    }
    parsed
}

/// What a block without a strategy is: the whole file, unless it plainly is a patch.
fn assume(language: &str, path: &str, body: &[Line<'_>]) -> Strategy {
    let is_patch_file = [".diff", ".patch"].iter().any(|extension| path.ends_with(extension));
    if is_patch_file {
        return Strategy::Replace;
    }
    let first = body.iter().find(|line| !line.text.trim().is_empty());
    if first.is_some_and(|line| search_replace::begins(line.text)) {
        return Strategy::SearchReplace;
    }
    let is_diff = language.eq_ignore_ascii_case("diff") || language.eq_ignore_ascii_case("patch");
    let signed = |text: &str| unified::is_hunk_header(text) || text.starts_with(['+', '-']);
    if is_diff && body.iter().any(|line| signed(line.text)) {
        return Strategy::Unified;
    }
    Strategy::Replace
}

fn unified_operations(
    lines: &[Line<'_>],
    path: &str,
    line: usize,
    findings: &mut Findings,
) -> Result<Vec<Operation>, ()> {
    let diff = unified::parse_file(lines);
    let broken = diff.findings.has_errors();
    findings.extend(diff.findings);
    for header in [diff.old_path.as_deref(), diff.new_path.as_deref()].into_iter().flatten() {
        if header != unified::NO_FILE && !unified::means(header, path) {
            findings.push(
                Diagnostic::warning(
                    codes::PATH_MISMATCH,
                    format!("the diff names `{header}`, the block names `{path}`; the block counts"),
                )
                .hinted("write the same path in both places")
                .at(line),
            );
            break;
        }
    }
    if broken {
        return Err(());
    }
    if diff.new_path.as_deref() == Some(unified::NO_FILE)
        && diff.old_path.as_deref() != Some(unified::NO_FILE)
    {
        // The removed lines must be in the file before it goes.
        let named = !diff.hunks.is_empty();
        let patch = named.then_some(Operation::Patch { hunks: diff.hunks, base: Base::Original });
        return Ok(patch.into_iter().chain([Operation::Delete]).collect());
    }
    if !diff.hunks.iter().any(|hunk| hunk.adds() || hunk.removes()) {
        findings.push(
            Diagnostic::error(codes::BAD_DIFF, "this diff has no line that is added or removed")
                .hinted("start removed lines with `-`, added lines with `+` and context with one space, or use `replace` for the whole file")
                .at(line),
        );
        return Err(());
    }
    Ok(vec![Operation::Patch { hunks: diff.hunks, base: Base::Original }])
}

fn sections_operation(lines: &[Line<'_>], line: usize, findings: &mut Findings) -> Result<Operation, ()> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut broken = false;
    for section in search_replace::sections(lines) {
        match section {
            Ok(hunk) => hunks.push(hunk),
            Err(finding) => {
                broken = true;
                findings.push(*finding);
            }
        }
    }
    if hunks.is_empty() && !broken {
        findings.push(
            Diagnostic::error(codes::BAD_MARKERS, "this block has no `<<<<<<< SEARCH` section")
                .hinted("write at least one section, or use `replace` for the whole file")
                .at(line),
        );
        broken = true;
    }
    if broken { Err(()) } else { Ok(Operation::Patch { hunks, base: Base::Sequential }) }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rename {
    from: String,
    to: String,
}

fn rename(Body { lines, text, line }: Body<'_>) -> Parsed {
    let mut parsed = Parsed::default();
    match serde_json::from_str::<Rename>(text) {
        Ok(Rename { from, to }) if !from.is_empty() && !to.is_empty() => {
            let operation = Operation::Rename { to };
            parsed.edits.push(Edit { path: from, operation, dialect: Dialect::Fenced, line });
        }
        other => {
            let (why, at) = match other {
                Err(error) => {
                    let first = lines.first().map_or(line, |line| line.number);
                    (error.to_string(), first + error.line().saturating_sub(1))
                }
                Ok(_) => ("a path is empty".to_owned(), line),
            };
            parsed.findings.push(
                Diagnostic::error(codes::BAD_RENAME, format!("the rename block cannot be read: {why}"))
                    .hinted("its content is one JSON object: {\"from\": \"old/path\", \"to\": \"new/path\"}")
                    .at(at),
            );
        }
    }
    parsed
}

/// Which lines are content: all but `START` and `END` and the blank lines next to them.
fn content(lines: &[Line<'_>]) -> Range<usize> {
    let is_blank = |at: usize| lines.get(at).is_some_and(|line| line.text.trim().is_empty());
    let marks = |at: usize, word: &str| lines.get(at).is_some_and(|line| is_marker(line.text, word));
    let mut content = 0..lines.len();
    if marks(0, "START") {
        content.start = if is_blank(1) { 2 } else { 1 };
    }
    let written = content.clone().rev().find(|at| !is_blank(*at));
    if let Some(last) = written.filter(|last| marks(*last, "END")) {
        let above = last.checked_sub(1).filter(|above| *above >= content.start && is_blank(*above));
        content.end = above.unwrap_or(last);
    }
    content
}

/// Whether the only content is the comment that asks for the file to be deleted. `// TODO: delete this file`.
fn is_delete_marker(body: &[Line<'_>]) -> bool {
    let mut written = body.iter().filter(|line| !line.text.trim().is_empty());
    let Some(first) = written.next() else { return false };
    written.next().is_none()
        && comment_text(first.text).is_some_and(|comment| {
            let words: String = comment.to_ascii_lowercase().replace(':', " ");
            words.trim_end_matches('.').split_whitespace().eq(["todo", "delete", "this", "file"])
        })
}
