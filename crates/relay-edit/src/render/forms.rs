//! How each dialect writes a change.

use std::fmt::Write as _;

use super::RenderError;
use super::hunks::{LineForm, Stretch, changed, stretches, text};
use crate::anchors::LineHash;
use crate::encoding::text_of;
use crate::lines::{Lines, is_binary};
use crate::{Change, Dialect};

/// `write!` to a `String` cannot fail.
macro_rules! put {
    ($out:expr, $($what:tt)*) => {
        if write!($out, $($what)*).is_err() {
            debug_assert!(false, "a String takes everything");
        }
    };
}

/// Writes one change; `origin` is the old name and content of a file that was renamed. `again` says that it could not be read
/// back as it is written first: then `unified` is written for Relay alone, and `fenced` without differences.
pub(crate) fn write(
    out: &mut String,
    change: &Change,
    origin: Option<(&str, &[u8])>,
    dialect: Dialect,
    again: bool,
) -> Result<(), RenderError> {
    let path = change.path.as_str();
    let unsayable = |what| RenderError::Unsayable { dialect, what, path: path.to_owned() };
    let no_text = || unsayable("write what is not text");
    let Some(after) = change.after.as_deref() else {
        return delete(out, change, dialect, again).ok_or_else(|| unsayable("delete a file"));
    };
    if change.executable.is_some() && dialect != Dialect::Unified {
        return Err(unsayable("change the mode of a file"));
    }
    let mode = mode_lines(change.executable);
    let before = match origin {
        Some((from, content)) if dialect == Dialect::Unified => {
            put!(out, "diff --git a/{from} b/{path}\n{mode}rename from {from}\nrename to {path}\n");
            Some(content)
        }
        Some((from, content)) => {
            rename(out, from, path, content == after, dialect).ok_or_else(|| unsayable("rename a file"))?;
            Some(content)
        }
        None => change.before.as_deref(),
    };
    if before == Some(after) {
        if origin.is_none() && change.executable.is_some() {
            put!(out, "diff --git a/{path} b/{path}\n{mode}");
        }
        return Ok(());
    }
    let Some(before) = before else {
        let content = std::str::from_utf8(after).map_err(|_| no_text())?;
        let mode = if change.executable == Some(true) { "100755" } else { "100644" };
        if dialect == Dialect::Unified {
            put!(out, "diff --git a/{path} b/{path}\nnew file mode {mode}\n");
        }
        return create(out, path, content, dialect, again).ok_or_else(|| unsayable("write this file"));
    };
    let (before, after) = (text_of(before), text_of(after));
    if is_binary(&before) || is_binary(&after) {
        return Err(no_text());
    }
    if dialect == Dialect::Hashline {
        return anchored(out, path, &before, &after).ok_or_else(no_text);
    }
    if again && dialect == Dialect::Fenced || matches!(dialect, Dialect::WholeFile | Dialect::Commands) {
        return create(out, path, &ended(&after), dialect, again).ok_or_else(|| unsayable("write this file"));
    }
    let form = match dialect {
        Dialect::Unified if !again => LineForm::Bytes,
        Dialect::Unified | Dialect::Fenced => LineForm::Ended,
        _ => LineForm::Text,
    };
    let stretches = stretches(&before, &after, form).ok_or_else(no_text)?;
    let moved = origin.map(|(from, _)| from);
    if dialect == Dialect::Unified && moved.is_none() {
        put!(out, "diff --git a/{path} b/{path}\n{mode}");
    }
    let ends = Ends { old: form.is_ended(&before), new: form.is_ended(&after) };
    modify(out, [moved.unwrap_or(path), path], &stretches, &ends, dialect);
    Ok(())
}

/// A text with a newline at its end. Bytes that are not text, and the end of the file itself, stay as they are.
fn ended(text: &[u8]) -> String {
    let mut content = String::from_utf8_lossy(text).into_owned();
    if !content.is_empty() && !content.ends_with('\n') {
        content.push('\n');
    }
    content
}

/// The lines of a git diff about a mode that changes.
const fn mode_lines(executable: Option<bool>) -> &'static str {
    match executable {
        Some(true) => "old mode 100644\nnew mode 100755\n",
        Some(false) => "old mode 100755\nnew mode 100644\n",
        None => "",
    }
}

/// Whether the two texts end with a newline.
#[derive(Debug)]
struct Ends {
    old: bool,
    new: bool,
}

fn delete(out: &mut String, change: &Change, dialect: Dialect, again: bool) -> Option<()> {
    let path = &change.path;
    match dialect {
        Dialect::Fenced => put!(out, "```text // {{{path}}}\n//TODO: delete this file\n```\n\n"),
        Dialect::Unified => {
            put!(out, "diff --git a/{path} b/{path}\ndeleted file mode 100644\n");
            let before = change.before.as_deref().filter(|before| !again && !before.is_empty());
            // Other tools require the removed lines. A file that is not text can only be deleted without them.
            if let Some(stretches) = before.and_then(|before| stretches(before, b"", LineForm::Bytes)) {
                let ends =
                    Ends { old: before.is_some_and(|before| LineForm::Bytes.is_ended(before)), new: true };
                put!(out, "--- a/{path}{}\n+++ /dev/null\n{}", tab(path), diff_body(&stretches, &ends));
            }
        }
        Dialect::ApplyPatch => put!(out, "*** Delete File: {path}\n"),
        Dialect::Commands => put!(out, "[DELETE_FILE path=\"{path}\"]\n\n"),
        _ => return None,
    }
    Some(())
}

/// What ends a path with spaces in the header of a diff.
fn tab(path: &str) -> &'static str {
    if path.contains(' ') { "\t" } else { "" }
}

fn rename(out: &mut String, from: &str, to: &str, alone: bool, dialect: Dialect) -> Option<()> {
    match dialect {
        Dialect::Fenced => {
            let names = serde_json::json!({ "from": from, "to": to });
            put!(out, "```json // rename-file\n{names}\n```\n\n");
        }
        Dialect::ApplyPatch if alone => {
            put!(out, "*** Update File: {from}\n*** Move to: {to}\n");
        }
        // With changes, the move is part of the update.
        Dialect::ApplyPatch => {}
        _ => return None,
    }
    Some(())
}

fn create(out: &mut String, path: &str, content: &str, dialect: Dialect, again: bool) -> Option<()> {
    let whole = content.is_empty() || content.ends_with('\n');
    let fence = fence(content);
    let lines = || content.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line));
    let added = || -> String { lines().map(|line| format!("+{line}\n")).collect() };
    match dialect {
        Dialect::Fenced if whole => {
            // Named so, nothing of it is taken for an edit.
            let strategy = if again { " replace" } else { "" };
            put!(out, "{fence}text // {{{path}}}{strategy}\n{content}{fence}\n\n");
        }
        Dialect::WholeFile if whole => put!(out, "{path}\n{fence}\n{content}{fence}\n\n"),
        Dialect::Fenced => {
            let count = lines().count();
            let fence = if fence.len() > 3 { fence } else { "````".to_owned() };
            put!(
                out,
                "{fence}diff // {{{path}}} new-unified\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{count} @@\n{}\\ No newline at end of file\n{fence}\n\n",
                added()
            );
        }
        Dialect::Unified => {
            let count = lines().count();
            if count > 0 {
                put!(out, "--- /dev/null\n+++ b/{path}{}\n@@ -0,0 +1,{count} @@\n{}", tab(path), added());
                if !whole {
                    out.push_str("\\ No newline at end of file\n");
                }
            }
        }
        Dialect::ApplyPatch if whole => {
            put!(out, "*** Add File: {path}\n{}", added());
        }
        Dialect::SearchReplace if whole => sections(out, path, &[], &content.lines().collect::<Vec<_>>()),
        Dialect::EditRepl if whole => put!(out, "{path}\n««« EDIT\n═══════ REPL\n{content}»»» EDIT END\n\n"),
        Dialect::Hashline if whole && !content.is_empty() => {
            put!(out, "§{path}\n»BOF\n{content}");
        }
        Dialect::Commands if whole => put!(out, "[CREATE_FILE path=\"{path}\"]\n{content}[/CREATE_FILE]\n\n"),
        _ => return None,
    }
    Some(())
}

/// A fence longer than any in the content.
///
/// ```
/// assert_eq!(relay_edit::fence("a\n```sh\nls\n```\n"), "````");
/// ```
#[must_use]
pub fn fence(content: &str) -> String {
    let longest = content
        .lines()
        .map(str::trim_start)
        .map(|line| line.len() - line.trim_start_matches('`').len())
        .max();
    "`".repeat(longest.unwrap_or(0).max(2) + 1)
}

/// Writes the changed lines of a file; its old path is another one where it moved.
fn modify(out: &mut String, [old, path]: [&str; 2], stretches: &[Stretch], ends: &Ends, dialect: Dialect) {
    match dialect {
        Dialect::Unified => {
            put!(out, "--- a/{old}{}\n+++ b/{path}{}\n{}", tab(old), tab(path), diff_body(stretches, ends));
        }
        Dialect::Fenced => {
            let body = diff_body(stretches, ends);
            let fence = fence(&body);
            put!(out, "{fence}diff // {{{path}}} new-unified\n{body}{fence}\n\n");
        }
        Dialect::ApplyPatch => {
            put!(out, "*** Update File: {old}\n");
            if old != path {
                put!(out, "*** Move to: {path}\n");
            }
            for stretch in stretches {
                out.push_str("@@\n");
                stretch.lines.iter().for_each(|(sign, text)| put!(out, "{sign}{text}\n"));
            }
        }
        Dialect::EditRepl => {
            // From the bottom to the top, so that no block moves the lines of another.
            for stretch in stretches.iter().rev() {
                let join =
                    |lines: Vec<&str>| -> String { lines.iter().map(|line| format!("{line}\n")).collect() };
                put!(
                    out,
                    "{path}\n««« EDIT\n{}═══════ REPL\n{}»»» EDIT END\n\n",
                    join(stretch.before()),
                    join(stretch.after())
                );
            }
        }
        _ => {
            for stretch in stretches.iter().rev() {
                sections(out, path, &stretch.before(), &stretch.after());
            }
        }
    }
}

fn diff_body(stretches: &[Stretch], ends: &Ends) -> String {
    let mut body = String::new();
    for stretch in stretches {
        let (old, new) = (stretch.before().len(), stretch.after().len());
        let start = |line: usize, count: usize| if count == 0 { line } else { line + 1 };
        put!(
            body,
            "@@ -{},{old} +{},{new} @@\n",
            start(stretch.old_start, old),
            start(stretch.new_start, new)
        );
        let last_old = stretch.lines.iter().rposition(|(sign, _)| *sign != '+');
        let last_new = stretch.lines.iter().rposition(|(sign, _)| *sign != '-');
        for (at, (sign, text)) in stretch.lines.iter().enumerate() {
            put!(body, "{sign}{text}\n");
            let lacks = (Some(at) == last_old && !ends.old) || (Some(at) == last_new && !ends.new);
            if stretch.is_last && lacks {
                body.push_str("\\ No newline at end of file\n");
            }
        }
    }
    body
}

fn sections(out: &mut String, path: &str, old: &[&str], new: &[&str]) {
    // Markers must not be as long as a line of the text that looks like one.
    let taken = |length: usize| old.iter().chain(new).any(|line| line.trim_end() == "=".repeat(length));
    let length = [7, 9, 8, 6, 5].into_iter().find(|length| !taken(*length)).unwrap_or(7);
    let marker = |character: &str| character.repeat(length);
    let join = |lines: &[&str]| -> String { lines.iter().map(|line| format!("{line}\n")).collect() };
    put!(
        out,
        "{path}\n{} SEARCH\n{}{}\n{}{} REPLACE\n\n",
        marker("<"),
        join(old),
        marker("="),
        join(new),
        marker(">")
    );
}

/// One section of operations on anchors.
fn anchored(out: &mut String, path: &str, before: &[u8], after: &[u8]) -> Option<()> {
    let (old, new) = (Lines::new(before), Lines::new(after));
    let anchor = |line: usize| format!("{}{}", line + 1, LineHash::of(old.text(line)));
    put!(out, "§{path}\n");
    for change in changed(before, after) {
        let payload = change.after.clone().map(|line| Some(text(new.text(line))? + "\n"));
        let payload: String = payload.collect::<Option<_>>()?;
        match (change.before.is_empty(), change.before.start) {
            (true, 0) => put!(out, "»BOF\n{payload}"),
            (true, start) => put!(out, "»{}\n{payload}", anchor(start - 1)),
            (false, start) => put!(out, "≔{}..{}\n{payload}", anchor(start), anchor(change.before.end - 1)),
        }
    }
    Some(())
}
