//! Fenced blocks with a path in their header, and what their content means.
//!
//! Input is a block whose end is known; output is an edit, or a finding with the line in the reply.

use serde::Deserialize;

use super::block::{Block, Purpose, comment_text, is_marker};
use super::header::Strategy;
use super::{Dialect, Line, OwnedLine, Parsed, git_diff, marker, search_replace, unified};
use crate::{Base, Diagnostic, Edit, Hunk, Operation, codes};

/// Reads the content of a block.
pub(crate) fn read(block: &Block) -> Parsed {
    let body = strip_markers(&block.body);
    let mut parsed = match &block.purpose {
        Purpose::Skip => Parsed::default(),
        Purpose::Rename => rename(body, block.line),
        Purpose::File { path, dialect: Dialect::WholeFile, .. } => whole_file(path, &block.body, block.line),
        Purpose::File { language, path, strategy, .. } => file(language, path, *strategy, body, block.line),
    };
    if let Some(path) = block.path() {
        for diagnostic in &mut parsed.diagnostics {
            diagnostic.path.get_or_insert_with(|| path.to_owned());
        }
    }
    parsed
}

fn file(language: &str, path: &str, strategy: Option<Strategy>, body: &[OwnedLine], line: usize) -> Parsed {
    let edit = |operation| Edit { path: path.to_owned(), operation, dialect: Dialect::Fenced, line };
    if is_delete_marker(body) {
        return Parsed { edits: vec![edit(Operation::Delete)], diagnostics: Vec::new() };
    }
    let mut diagnostics = Vec::new();
    let strategy = strategy.unwrap_or_else(|| {
        let assumed = assume(language, path, body);
        if assumed != Strategy::Replace {
            let name = if assumed == Strategy::Unified { "new-unified" } else { "multi-search-replace" };
            diagnostics.push(
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
    let lines: Vec<Line<'_>> = body.iter().map(OwnedLine::as_line).collect();
    let operations = match strategy {
        Strategy::Replace => Ok(vec![Operation::Write { content: content(body) }]),
        Strategy::Unified => unified_operations(&lines, path, line, &mut diagnostics),
        Strategy::SearchReplace => {
            sections_operation(&lines, line, &mut diagnostics).map(|operation| vec![operation])
        }
    };
    let mut edits: Vec<Edit> = operations.into_iter().flatten().map(edit).collect();
    if strategy == Strategy::Unified && !edits.is_empty() {
        match git_diff::executable(body, line) {
            Ok(executable) => edits.extend(executable.map(|executable| edit(Operation::Mode { executable }))),
            Err(finding) => {
                edits.clear();
                diagnostics.push(finding);
            }
        }
    }
    Parsed { edits, diagnostics }
}

/// A fence below a path line holds the whole file; an empty one says nothing.
fn whole_file(path: &str, body: &[OwnedLine], line: usize) -> Parsed {
    if body.iter().all(|line| line.text.trim().is_empty()) {
        let finding =
            Diagnostic::warning(codes::IGNORED_BLOCK, "this fence below a path is empty and was ignored")
                .hinted("to empty or delete a file, use a block that says so")
                .at(line);
        return Parsed { edits: Vec::new(), diagnostics: vec![finding] };
    }
    if marker::holds_section(body.iter().map(|line| line.text.as_str())) {
        let finding = Diagnostic::error(
            codes::BAD_MARKERS,
            "this looks like a SEARCH/REPLACE section that is not written as one, and not like a file",
        )
        .hinted("each section is `<<<<<<< SEARCH`, the old lines, `=======`, the new lines, `>>>>>>> REPLACE`; to write these lines into the file, head the block with `// {path} replace`")
        .at(line);
        return Parsed { edits: Vec::new(), diagnostics: vec![finding] };
    }
    let operation = Operation::Write { content: content(body) };
    let edit = Edit { path: path.to_owned(), operation, dialect: Dialect::WholeFile, line };
    Parsed { edits: vec![edit], diagnostics: Vec::new() }
}

/// What a block without a strategy is: the whole file, unless it plainly is a patch.
fn assume(language: &str, path: &str, body: &[OwnedLine]) -> Strategy {
    let is_patch_file = [".diff", ".patch"].iter().any(|extension| path.ends_with(extension));
    if is_patch_file {
        return Strategy::Replace;
    }
    let first = body.iter().find(|line| !line.text.trim().is_empty());
    if first.is_some_and(|line| search_replace::begins(&line.text)) {
        return Strategy::SearchReplace;
    }
    let is_diff = language.eq_ignore_ascii_case("diff") || language.eq_ignore_ascii_case("patch");
    if is_diff && body.iter().any(|line| unified::hunk_header(&line.text).is_some()) {
        return Strategy::Unified;
    }
    Strategy::Replace
}

/// Every line of the block with its newline; a block without lines is an empty file.
fn content(body: &[OwnedLine]) -> String {
    let mut content = String::with_capacity(body.iter().map(|line| line.text.len() + 1).sum());
    for line in body {
        content.push_str(&line.text);
        content.push('\n');
    }
    content
}

fn unified_operations(
    lines: &[Line<'_>],
    path: &str,
    line: usize,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Vec<Operation>, ()> {
    let diff = unified::parse_file(lines);
    let broken = diff.diagnostics.iter().any(Diagnostic::is_error);
    diagnostics.extend(diff.diagnostics);
    for header in [diff.old_path.as_deref(), diff.new_path.as_deref()].into_iter().flatten() {
        if header != unified::NO_FILE && !unified::means(header, path) {
            diagnostics.push(
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
        // The removed lines must stand in the file before it goes.
        let named = !diff.hunks.is_empty();
        let patch = named.then_some(Operation::Patch { hunks: diff.hunks, base: Base::Original });
        return Ok(patch.into_iter().chain([Operation::Delete]).collect());
    }
    if !diff.hunks.iter().any(|hunk| hunk.adds() || hunk.removes()) {
        diagnostics.push(
            Diagnostic::error(codes::BAD_DIFF, "this diff has no line that is added or removed")
                .hinted("start removed lines with `-`, added lines with `+` and context with one space, or use `replace` for the whole file")
                .at(line),
        );
        return Err(());
    }
    Ok(vec![Operation::Patch { hunks: diff.hunks, base: Base::Original }])
}

fn sections_operation(
    lines: &[Line<'_>],
    line: usize,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Operation, ()> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut broken = false;
    for section in search_replace::parse_sections(lines) {
        match section {
            Ok(hunk) => hunks.push(hunk),
            Err(finding) => {
                broken = true;
                diagnostics.push(*finding);
            }
        }
    }
    if hunks.is_empty() && !broken {
        diagnostics.push(
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

fn rename(body: &[OwnedLine], line: usize) -> Parsed {
    let text = content(body);
    match serde_json::from_str::<Rename>(&text) {
        Ok(Rename { from, to }) if !from.is_empty() && !to.is_empty() => Parsed {
            edits: vec![Edit {
                path: from,
                operation: Operation::Rename { to },
                dialect: Dialect::Fenced,
                line,
            }],
            diagnostics: Vec::new(),
        },
        other => {
            let (why, at) = match other {
                Err(error) => {
                    let first = body.first().map_or(line, |line| line.number);
                    (error.to_string(), first + error.line().saturating_sub(1))
                }
                Ok(_) => ("a path is empty".to_owned(), line),
            };
            Parsed {
                edits: Vec::new(),
                diagnostics: vec![
                    Diagnostic::error(codes::BAD_RENAME, format!("the rename block cannot be read: {why}"))
                        .hinted(
                            "its content is one JSON object: {\"from\": \"old/path\", \"to\": \"new/path\"}",
                        )
                        .at(at),
                ],
            }
        }
    }
}

/// The content without `START` and `END` and the blank lines next to them.
fn strip_markers(body: &[OwnedLine]) -> &[OwnedLine] {
    let mut body = body;
    let is_blank = |line: &OwnedLine| line.text.trim().is_empty();
    if let Some((first, rest)) = body.split_first()
        && is_marker(&first.text, "START")
    {
        body = match rest.split_first() {
            Some((blank, rest)) if is_blank(blank) => rest,
            _ => rest,
        };
    }
    let written = body.iter().rposition(|line| !is_blank(line)).map_or(0, |last| last + 1);
    let trimmed = body.get(..written).unwrap_or(body);
    if let Some((last, rest)) = trimmed.split_last()
        && is_marker(&last.text, "END")
    {
        body = match rest.split_last() {
            Some((blank, rest)) if is_blank(blank) => rest,
            _ => rest,
        };
    }
    body
}

/// Whether the only content is the comment that asks for the file to be deleted.
fn is_delete_marker(body: &[OwnedLine]) -> bool {
    let mut written = body.iter().filter(|line| !line.text.trim().is_empty());
    let Some(first) = written.next() else { return false };
    written.next().is_none()
        && comment_text(&first.text).is_some_and(|comment| {
            let words: String = comment.to_ascii_lowercase().replace(':', " ");
            words.trim_end_matches('.').split_whitespace().eq(["todo", "delete", "this", "file"])
        })
}
