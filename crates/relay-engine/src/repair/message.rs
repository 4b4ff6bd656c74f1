//! The report for a model: what failed, the files' content there, and what to send back.

use std::collections::{BTreeMap, BTreeSet};

use relay_diagnostics::Diagnostic;
use relay_edit::anchors::anchored;
use relay_edit::{Dialect, codes, fence, real_text, system_prompt};
use uuid::Uuid;

use crate::mail::numbered;

/// A file of at most this many lines is shown whole.
const WHOLE_FILE_LINES: usize = 150;

/// How many lines are shown before and after the place a finding is about.
const MARGIN_LINES: usize = 20;

/// How many blocks without a path are named by their lines.
const BLOCKS_NAMED: usize = 10;

/// How such a message begins, so that it is recognised if it comes back by mistake.
const OPENING: &str = "Your reply could not be applied. Nothing was changed.";
/// How it begins when the rest has landed.
const OPENING_PARTIAL: &str = "Part of your reply could not be applied. The rest has landed.";

/// Whether a text is such a message, and so no reply, whatever it quotes.
#[must_use]
pub fn is_prompt(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(OPENING) || text.starts_with(OPENING_PARTIAL)
}

/// The content of a message.
#[derive(Debug)]
pub struct Request<'a> {
    /// The project's id, if it has one.
    pub project_id: Option<&'a str>,
    /// The uuid that the answer is to name.
    pub uuid: Uuid,
    /// The receipt that the answer is to name.
    pub receipt: Option<&'a str>,
    /// What is wrong.
    pub findings: &'a [Diagnostic],
    /// The texts of the files it may show, as they may leave the machine.
    pub files: &'a BTreeMap<String, String>,
    /// Those that the reply changes by anchors, and needs new ones for.
    pub by_anchor: BTreeSet<&'a str>,
    /// Those that it changes by line numbers.
    pub by_number: BTreeSet<&'a str>,
    /// The rest of the reply has landed, so the answer is complete by itself.
    pub has_landed: bool,
}

/// The message to paste back: it asks only for what failed.
#[must_use]
pub fn prompt(request: &Request<'_>) -> String {
    let errors: Vec<&Diagnostic> = request.findings.iter().filter(|finding| finding.is_error()).collect();
    let opening = if request.has_landed { OPENING_PARTIAL } else { OPENING };
    let mut text =
        format!("{opening} These parts cannot be read, or do not fit the files as they are now:\n\n");
    for (index, finding) in errors.iter().enumerate() {
        list(&mut text, index + 1, finding);
    }
    let says_anchor = |finding: &&Diagnostic| {
        matches!(finding.code, codes::BAD_ANCHOR | codes::STALE_ANCHOR)
            && finding.path.as_deref().is_some_and(|path| !request.by_number.contains(path))
            || finding.path.as_deref().is_some_and(|path| request.by_anchor.contains(path))
    };
    let anchored: BTreeSet<&str> =
        errors.iter().copied().filter(says_anchor).filter_map(|finding| finding.path.as_deref()).collect();
    let before = text.len();
    let mut has_numbers = false;
    for (path, places) in places(&errors) {
        let Some(content) = request.files.get(path) else { continue };
        let form = match (anchored.contains(path), request.by_number.contains(path)) {
            (true, _) => Form::Anchored,
            (false, true) => Form::Numbered,
            (false, false) => Form::Plain,
        };
        has_numbers |= form == Form::Numbered;
        excerpt(&mut text, path, content, &places, form);
    }
    let shows_files = text.len() > before;
    text.push_str(match request.has_landed {
        true => {
            "\nSend each block that has a part listed above once more, corrected and complete, in the same format as before: \
             nothing of it has landed."
        }
        false => "\nSend only the corrected blocks for the parts listed above, in the same format as before.",
    });
    if shows_files {
        text.push_str(" Copy the old lines exactly from the text shown here");
        if !anchored.is_empty() {
            text.push_str(", or their anchors, which come before the bar; put `§` sections into a fence");
        }
        text.push('.');
    }
    if has_numbers {
        text.push_str(
            " The number and the bar before a line are not part of the file; use these numbers for `start_line` and \
             `end_line`.",
        );
    }
    text.push_str(match request.has_landed {
        true => " Leave out every other block: it has landed. End with this control block:",
        false => {
            " Leave out everything else: it is kept and will be applied together with your correction. If your reply was \
             cut off, add what was still to come. End with this control block, with the same uuid:"
        }
    });
    control(&mut text, request.project_id, request.uuid, request.receipt);
    text
}

/// One finding, with the real text of what it quotes.
fn list(text: &mut String, number: usize, finding: &Diagnostic) {
    let place = match (&finding.path, finding.line) {
        (Some(path), Some(line)) => format!("`{path}`, line {line} of your reply: "),
        (Some(path), None) => format!("`{path}`: "),
        (None, Some(line)) => format!("line {line} of your reply: "),
        (None, None) => String::new(),
    };
    text.push_str(&format!("{number}. {place}{}\n", real_text(&finding.message)));
    if let Some(hint) = &finding.hint {
        text.push_str(&format!("   {}\n", real_text(hint)));
    }
}

fn control(text: &mut String, project_id: Option<&str>, uuid: Uuid, receipt: Option<&str>) {
    text.push_str("\n\n```yaml\n");
    text.extend(project_id.map(|project_id| format!("projectId: {project_id}\n")));
    text.push_str(&format!("uuid: {uuid}\n"));
    text.extend(receipt.map(|receipt| format!("receipt: {receipt}\n")));
    text.push_str("```\n");
}

/// The message to paste back when a reply held nothing that could be applied: what its code blocks lack, or, where there
/// are none, how to write a reply.
#[must_use]
pub fn ask_anew(reply: &str, dialect: Dialect, project_id: Option<&str>) -> String {
    let is_fence = |line: &str| line.trim_start().starts_with("```");
    let fences = reply.lines().zip(1_usize..).filter(|(line, _)| is_fence(line));
    let lines: Vec<String> = fences.step_by(2).take(BLOCKS_NAMED).map(|(_, at)| at.to_string()).collect();
    if lines.is_empty() {
        let instructions = system_prompt(dialect, project_id);
        return format!(
            "{OPENING} It holds no change in a format that can be applied. Send it again as follows.\n\n{instructions}"
        );
    }
    let (noun, verb) = if lines.len() == 1 { ("line", "block") } else { ("lines", "blocks") };
    let lines = lines.join(", ");
    let mut text = format!(
        "{OPENING} The code {verb} at {noun} {lines} of your reply did not say which file it changes.\n\n\
         Send the same changes again, each block with the path of its file after the language, and with the whole content \
         of the file:\n\n\
         ~~~\n```ts // {{src/file.ts}}\n…\n```\n~~~\n\n\
         To change only parts of a file, write `multi-search-replace` after the path, and in the block, for each part, a line \
         `<<<<<<< SEARCH`, the old lines exactly as they are, a line `=======`, the new lines, and a line `>>>>>>> REPLACE`. \
         End with this control block:"
    );
    control(&mut text, project_id, Uuid::new_v4(), None);
    text
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

/// How the lines of a file are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Numbered,
    Anchored,
}

fn excerpt(text: &mut String, path: &str, content: &str, places: &[(usize, usize)], form: Form) {
    let lines: Vec<&str> = content.lines().collect();
    let fence = fence(content);
    let shown = |first: usize, last: usize| {
        let plain = || lines.get(first - 1..last).unwrap_or_default().join("\n");
        match form {
            Form::Plain => plain(),
            Form::Numbered => numbered(&plain(), first),
            Form::Anchored => anchored(content.as_bytes(), first, last).trim_end_matches('\n').to_owned(),
        }
    };
    if lines.len() <= WHOLE_FILE_LINES {
        let whole = shown(1, lines.len());
        let whole = whole.trim_end_matches('\n');
        text.push_str(&format!("\n`{path}` as it is now:\n\n{fence}\n{whole}\n{fence}\n"));
        return;
    }
    // Where no place is known, the beginning is better than nothing to copy from.
    let beginning = [(1, WHOLE_FILE_LINES - MARGIN_LINES)];
    let places = if places.is_empty() { &beginning[..] } else { places };
    for (first, last) in places {
        let first = first.saturating_sub(MARGIN_LINES).max(1);
        let last = (last + MARGIN_LINES).min(lines.len());
        let shown = shown(first, last);
        text.push_str(&format!(
            "\nLines {first} to {last} of the {} lines of `{path}` as they are now:\n\n{fence}\n{shown}\n{fence}\n",
            lines.len()
        ));
    }
}
