//! `{path, edits: [{old_text, new_text, all?}]}`: text for text in one file.

use relay_diagnostics::Diagnostic;
use relay_edit::anchors::LineHash;
use relay_edit::{Anchor, Base, Dialect, Edit, Hunk, HunkLine, Operation, Target, codes};
use relay_engine::Engine;
use serde_json::Value;

/// Reads the edits of a file.
pub fn read(path: &str, list: &[Value], engine: &Engine) -> (Vec<Edit>, Vec<Diagnostic>) {
    let (mut edits, mut findings) = (Vec::new(), Vec::new());
    for (number, item) in (1..).zip(list) {
        let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
        let (old, new) = (text("old_text"), text("new_text"));
        let refuse = |message: &str| {
            let message = format!("edit {number}: {message}");
            Diagnostic::error(codes::NOT_FOUND, message).on(path)
        };
        if old.is_empty() {
            let finding = refuse("old_text is empty, so nothing says where new_text belongs.");
            findings.push(finding.hinted("copy the text to replace; use `write` for a new file"));
        } else if item.get("all").and_then(Value::as_bool).unwrap_or_default() {
            match every(path, old, new, engine, number) {
                Some(edit) => edits.push(edit),
                None => {
                    findings.push(refuse(&format!("No match found for old_text in {path}.")).hinted(
                        "with `all`, old_text must be in the file byte for byte; read the file again",
                    ));
                }
            }
        } else {
            edits.push(one(path, old, new, number));
        }
    }
    (edits, findings)
}

/// The edits of a list that are for one place each, for which no file is needed.
#[cfg(test)]
pub fn plain(path: &str, list: &[Value]) -> Vec<Edit> {
    let text =
        |item: &Value, name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    (1..)
        .zip(list)
        .map(|(number, item)| one(path, &text(item, "old_text"), &text(item, "new_text"), number))
        .collect()
}

/// One place. Models write both texts with or without a last newline and mean the same, so lines are compared.
fn one(path: &str, old: &str, new: &str, number: usize) -> Edit {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let hunks = vec![Hunk::from_sides(&old, &new, number)];
    let operation = Operation::Patch { hunks, base: Base::Sequential };
    Edit { path: path.to_owned(), operation, dialect: Dialect::ToolCall, line: number }
}

/// Every place: the lines in which the text is, named by their anchors, so that the engine proves each of them.
fn every(path: &str, old: &str, new: &str, engine: &Engine, number: usize) -> Option<Edit> {
    let file = engine.workspace().read(&engine.workspace().path(path).ok()?).ok()??;
    let content = String::from_utf8(relay_edit::text_of(&file.bytes).into_owned()).ok()?;
    let content = content.strip_prefix('\u{feff}').unwrap_or(&content).replace("\r\n", "\n");
    let old = old.replace("\r\n", "\n");
    let lines: Vec<&str> = content.lines().collect();
    let line_at = |offset: usize| content.get(..offset).map_or(0, |before| before.matches('\n').count());
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for (at, found) in content.match_indices(&old) {
        let last = line_at(at + found.len().saturating_sub(1));
        let first = line_at(at);
        match ranges.last_mut() {
            Some(range) if range.1 >= first => range.1 = last,
            _ => ranges.push((first, last)),
        }
    }
    let anchor = |line: usize| {
        let hash = LineHash::of(lines.get(line)?.as_bytes());
        Some(Anchor { line: line + 1, hash: Some(hash) })
    };
    let hunk = |&(first, last): &(usize, usize)| {
        let text = lines.get(first..=last)?.join("\n");
        // A text that ends with a newline takes the one below its last line along.
        let added = |line: &str| HunkLine::Added(line.to_owned());
        let added = match old.ends_with('\n') {
            true => format!("{text}\n").replace(&old, new).lines().map(added).collect(),
            false => text.replace(&old, new).split('\n').map(added).collect(),
        };
        let target = Target::Lines { first: anchor(first)?, last: anchor(last)? };
        Some(Hunk { target, ..Hunk::new(added, number) })
    };
    let hunks: Vec<Hunk> = ranges.iter().map(hunk).collect::<Option<_>>()?;
    let operation = Operation::Patch { hunks, base: Base::Original };
    let edit = Edit { path: path.to_owned(), operation, dialect: Dialect::Hashline, line: number };
    (!ranges.is_empty()).then_some(edit)
}
