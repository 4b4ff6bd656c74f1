//! Names the file a hunk may have been meant for, when it fits no place in the one it names.
//!
//! This only searches, within limits: a hunk is never moved to another file.

use std::cell::LazyCell;

use relay_diagnostics::Diagnostic;
use relay_edit::{Edit, Hunk, OldLines, codes, parse};
use relay_workspace::Workspace;

/// For how many hunks to search.
const HUNKS: usize = 20;
/// How many bytes are read for all of them.
const READ_LIMIT_BYTES: u64 = 64 << 20;
/// Larger files are unlikely to be meant.
const FILE_LIMIT_BYTES: u64 = 4 << 20;

/// Adds the name of another file to each finding about lines that were not found, where exactly one file has them.
pub(crate) fn name(workspace: &Workspace, edits: &[Edit], findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut sought: Vec<Sought<'_>> = findings
        .iter()
        .enumerate()
        .filter_map(|(at, finding)| {
            let lines = OldLines::of(hunk_of(edits, finding)?)?;
            Some(Sought { finding: at, lines, found: Vec::new() })
        })
        .take(HUNKS)
        .collect();
    if !sought.is_empty() {
        search(workspace, &mut sought, &findings);
    }
    let mut findings = findings;
    for Sought { finding, found, .. } in sought {
        if let ([path], Some(finding)) = (found.as_slice(), findings.get_mut(finding)) {
            let more = finding.hint.take().unwrap_or_default();
            finding.hint =
                Some(format!("these lines are in `{path}`; is that the file you mean? Otherwise: {more}"));
        }
    }
    findings
}

/// A hunk that was not found in its file, and the files that have it.
struct Sought<'e> {
    /// The position of the finding that says so.
    finding: usize,
    lines: OldLines<'e>,
    found: Vec<String>,
}

/// The hunk a finding is about, if it says that its lines were not found.
fn hunk_of<'e>(edits: &'e [Edit], finding: &Diagnostic) -> Option<&'e Hunk> {
    let named = finding.hint.as_ref().is_some_and(|hint| hint.starts_with("these lines are in"));
    if finding.code != codes::NOT_FOUND || named {
        return None;
    }
    let of_file = edits.iter().filter(|edit| finding.path.as_ref() == Some(&edit.path));
    of_file.flat_map(Edit::hunks).find(|hunk| Some(hunk.line) == finding.line)
}

fn search(workspace: &Workspace, sought: &mut [Sought<'_>], findings: &[Diagnostic]) {
    let mut left = READ_LIMIT_BYTES;
    for path in workspace.walk() {
        // An unreadable file is not the intended one.
        let Ok(Some(facts)) = workspace.facts(&path) else { continue };
        if facts.size > FILE_LIMIT_BYTES {
            continue;
        }
        let Some(rest) = left.checked_sub(facts.size) else { return };
        left = rest;
        let Ok(Some(file)) = workspace.read(&path) else { continue };
        let is_reply = LazyCell::new(|| holds_edits(&file.bytes));
        for hunk in sought.iter_mut() {
            let own = findings.get(hunk.finding).and_then(|finding| finding.path.as_deref());
            if own != Some(path.as_str()) && hunk.lines.stand_in(&file.bytes) && !*is_reply {
                hunk.found.push(path.as_str().to_owned());
            }
        }
    }
}

/// Whether a file is a reply itself: people save them in their project, where each says what it looks for.
fn holds_edits(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| !parse(text, None).edits.is_empty())
}
