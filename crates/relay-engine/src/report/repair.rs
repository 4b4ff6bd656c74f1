//! The report for a model: what failed, what the files say there, and what to send back.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use relay_edit::anchors::anchored;
use relay_edit::{Diagnostic, Dialect, codes, system_prompt};
use uuid::Uuid;

/// A file of at most this many lines is shown whole.
const WHOLE_FILE_LINES: usize = 150;

/// How many lines are shown before and after the place a finding is about.
const MARGIN_LINES: usize = 20;

/// How every such message begins, so that it is known again when it comes back by mistake.
const OPENING: &str = "Your reply could not be applied. Nothing was changed.";

/// Whether a text is such a message, and so no reply, whatever it quotes.
#[must_use]
pub fn is_prompt(text: &str) -> bool {
    text.trim_start().starts_with(OPENING)
}

/// The message to paste back: it asks only for what failed. `files` are the texts of the files it may show, as they may
/// leave the machine; `by_anchor` are those of them that the reply changes by anchors, and needs new ones for.
#[must_use]
pub fn prompt(
    project_id: Option<&str>,
    uuid: Uuid,
    receipt: Option<&str>,
    findings: &[Diagnostic],
    files: &BTreeMap<String, String>,
    by_anchor: &BTreeSet<&str>,
) -> String {
    let errors: Vec<&Diagnostic> = findings.iter().filter(|finding| finding.is_error()).collect();
    let mut text =
        format!("{OPENING} These parts cannot be read, or do not fit the files as they are now:\n\n");
    for (index, finding) in errors.iter().enumerate() {
        let place = match (&finding.path, finding.line) {
            (Some(path), Some(line)) => format!("`{path}`, line {line} of your reply: "),
            (Some(path), None) => format!("`{path}`: "),
            (None, Some(line)) => format!("line {line} of your reply: "),
            (None, None) => String::new(),
        };
        push(&mut text, format_args!("{}. {place}{}", index + 1, finding.message));
        if let Some(hint) = &finding.hint {
            push(&mut text, format_args!("   {hint}"));
        }
    }
    let says_anchor = |finding: &&Diagnostic| {
        matches!(finding.code, codes::BAD_ANCHOR | codes::STALE_ANCHOR)
            || finding.path.as_deref().is_some_and(|path| by_anchor.contains(path))
    };
    let anchored: BTreeSet<&str> =
        errors.iter().copied().filter(says_anchor).filter_map(|finding| finding.path.as_deref()).collect();
    for (path, places) in places(&errors) {
        if let Some(content) = files.get(path) {
            excerpt(&mut text, path, content, &places, anchored.contains(path));
        }
    }
    text.push_str(
        "\nSend only the corrected blocks for the parts listed above, in the same format as before. Copy the old lines \
         exactly from the text shown here",
    );
    if !anchored.is_empty() {
        text.push_str(", or their anchors, which stand before the bar; put `§` sections into a fence");
    }
    text.push_str(
        ". Leave out everything else: it is kept and will be applied together with your \
         correction. If your reply was cut off, add what was still to come. End with this control block, with the same \
         uuid:\n\n```yaml\n",
    );
    if let Some(project_id) = project_id {
        push(&mut text, format_args!("projectId: {project_id}"));
    }
    push(&mut text, format_args!("uuid: {uuid}"));
    if let Some(receipt) = receipt {
        push(&mut text, format_args!("receipt: {receipt}"));
    }
    text.push_str("```\n");
    text
}

/// The message to paste back when a reply held nothing that could be applied: it says how to write one.
#[must_use]
pub fn ask_anew(dialect: Dialect, project_id: Option<&str>) -> String {
    let instructions = system_prompt(dialect, project_id);
    format!(
        "{OPENING} It holds no change in a format that can be applied. Send it again as follows.\n\n{instructions}"
    )
}

/// The files the findings are about, each with the lines they point to.
fn places<'a>(errors: &[&'a Diagnostic]) -> BTreeMap<&'a str, Vec<(usize, usize)>> {
    let mut places: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for finding in errors {
        if let Some(path) = &finding.path {
            let lines = finding.file_lines.map(|(first, last)| (first as usize, last as usize));
            places.entry(path).or_default().extend(lines);
        }
    }
    places
}

fn excerpt(text: &mut String, path: &str, content: &str, places: &[(usize, usize)], with_anchors: bool) {
    let lines: Vec<&str> = content.lines().collect();
    let fence = fence(content);
    let shown = |first: usize, last: usize| match with_anchors {
        true => anchored(content.as_bytes(), first, last).trim_end_matches('\n').to_owned(),
        false => lines.get(first - 1..last).unwrap_or_default().join("\n"),
    };
    if lines.len() <= WHOLE_FILE_LINES {
        let whole = shown(1, lines.len());
        let whole = whole.trim_end_matches('\n');
        push(text, format_args!("\n`{path}` as it is now:\n\n{fence}\n{whole}\n{fence}"));
        return;
    }
    for (first, last) in places {
        let first = first.saturating_sub(MARGIN_LINES).max(1);
        let last = (last + MARGIN_LINES).min(lines.len());
        let shown = shown(first, last);
        push(
            text,
            format_args!(
                "\nLines {first} to {last} of `{path}` as they are now:\n\n{fence}\n{shown}\n{fence}"
            ),
        );
    }
}

/// A fence longer than any in the content.
fn fence(content: &str) -> String {
    let longest =
        content.lines().map(|line| line.trim_start().chars().take_while(|c| *c == '`').count()).max();
    "`".repeat(longest.unwrap_or(0).max(2) + 1)
}

/// Writing into a `String` cannot fail.
fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    if text.write_fmt(arguments).is_ok() {
        text.push('\n');
    }
}
