//! Markers outside every block: what they belonged to was lost, and with it an edit.
//!
//! Landing the rest would do half of what was asked for and say that all is done.

use super::super::header::looks_like_path;
use super::super::marker::{LEAST, Marker, marker};
use super::super::{Dialect, Line, apply_patch, commands, edit_repl, hashline, toolcall, unified};
use super::code::Code;
use super::{Inside, Scanner};
use crate::{Diagnostic, Edit, codes};

impl Scanner {
    /// Notes a line of prose, or of a fence without edits, that can only be the rest of an edit.
    pub(super) fn note_stray(&mut self, line: Line<'_>, code: Option<&Code>) {
        let (message, hint) = if self.reads(Dialect::SearchReplace) && closes_section(line.text) {
            (
                "this marker ends a section that never began",
                "each section begins with a line `<<<<<<< SEARCH`",
            )
        } else if self.reads(Dialect::SearchReplace) && code.is_none() && line.text.starts_with(">>>>>>> ") {
            (
                "this marker of a conflict belongs to no section",
                "write `<<<<<<< SEARCH` and `>>>>>>> REPLACE` around old and new lines",
            )
        } else if self.reads(Dialect::EditRepl) && edit_repl::is_marker(line.text) {
            ("this marker belongs to a block that never began", "each block begins with a line `««« EDIT`")
        } else if self.reads(Dialect::ApplyPatch) && apply_patch::continues(line.text) {
            ("this belongs to no `*** Update File:`", "write the operation on the file before it")
        } else if apply_patch::is_end(line.text) && self.goes_on_behind_envelope() {
            (
                "this ends a patch that has ended before; the lines above may belong to it",
                "write one `*** End Patch` behind the last file; a line of a file has a sign before it",
            )
        } else if self.reads(Dialect::Commands) && commands::closes_any(line.text) {
            (
                "this tag ends a command that never began",
                "begin it with a line `[CREATE_FILE path=\"…\"]` or `[EDIT_FILE path=\"…\" start_line=\"…\" end_line=\"…\"]`",
            )
        } else if self.forced.is_none() && code.is_none() && toolcall::is_argument(line.text) {
            (
                "this is an argument of a tool call that Relay cannot read",
                "write the edit as a diff or a SEARCH/REPLACE section; `relay prompt` prints the instructions for the model",
            )
        } else if self.reads(Dialect::Unified) && begins_hunk(line.text, code) {
            ("this hunk names no file", "begin the diff with `--- a/path` and `+++ b/path`")
        } else if self.reads(Dialect::Hashline) && hashline::is_operation(line.text) {
            return self.findings.push(hashline::headless(line));
        } else {
            return;
        };
        self.findings.push(Diagnostic::error(codes::BAD_MARKERS, message).hinted(hint).at(line.number));
    }

    /// Whether an envelope was read, and something else than blank lines since the last edit.
    fn goes_on_behind_envelope(&self) -> bool {
        let is_written = |line: Line<'_>| !line.text.trim().is_empty();
        let in_envelope = |edit: &Edit| matches!(edit.dialect, Dialect::ApplyPatch | Dialect::Hashline);
        self.edits.iter().any(in_envelope) && self.prose.range(self.tail..self.prose.len()).any(is_written)
    }

    /// Notes that nothing of what was to be read as sections is one.
    pub(super) fn note_headless(&mut self) {
        let first = self.prose.lines().find(|line| !line.text.trim().is_empty());
        if self.forced == Some(Dialect::Hashline)
            && self.edits.is_empty()
            && self.findings.is_empty()
            && let Some(first) = first
        {
            self.findings.push(hashline::headless(first));
        }
    }

    /// Notes that the last line is only the beginning of one that begins an edit; `half` is its number if it has no end.
    pub(super) fn note_half(&mut self, half: Option<usize>) {
        let last = self.prose.last().filter(|line| Some(line.number) == half);
        let Some(line) = last.filter(|_| matches!(self.state, Inside::Prose)) else { return };
        if !half_of(line.text).is_some_and(|dialect| self.reads(dialect)) {
            return;
        }
        let message = format!("`{}` seems to begin an edit: the reply seems cut off", line.text.trim());
        let hint = "send this edit and what was still to come";
        self.findings.push(Diagnostic::error(codes::UNCLOSED_BLOCK, message).hinted(hint).at(line.number));
    }
}

/// What begins edits, and how much of it at the end of a reply is nothing else.
const BEGINNINGS: &[(&str, usize, Dialect)] = &[
    ("««« EDIT", 2, Dialect::EditRepl),
    ("*** Begin Patch", 5, Dialect::ApplyPatch),
    ("*** Add File:", 5, Dialect::ApplyPatch),
    ("*** Update File:", 5, Dialect::ApplyPatch),
    ("*** Delete File:", 5, Dialect::ApplyPatch),
    ("diff --git a/", 6, Dialect::Unified),
    ("[CREATE_FILE", 2, Dialect::Commands),
    ("[EDIT_FILE", 2, Dialect::Commands),
    ("[DELETE_FILE", 2, Dialect::Commands),
    ("```", 1, Dialect::Fenced),
];

/// The dialect whose edit would begin in a line, if there were more of it.
fn half_of(text: &str) -> Option<Dialect> {
    let text = text.trim();
    let word = text.trim_start_matches('<');
    let signs = text.len() - word.len();
    if signs > 0 && word.is_empty() || signs >= 3 && "SEARCH".starts_with(word.trim_start()) {
        return Some(Dialect::SearchReplace);
    }
    // A heading without words would have named the file of the next section.
    if !text.is_empty() && text.bytes().all(|byte| byte == b'#') {
        return Some(Dialect::SearchReplace);
    }
    let path = text.strip_prefix("--- ").map(unified::header_path);
    if path.is_some_and(|path| looks_like_path(&path) && !path.contains(char::is_whitespace)) {
        return Some(Dialect::Unified);
    }
    let begins = |(whole, least, dialect): &(&str, usize, Dialect)| {
        let is_half = text.len() >= *least && text.len() < whole.len() && whole.starts_with(text);
        is_half.then_some(*dialect)
    };
    BEGINNINGS.iter().find_map(begins)
}

fn closes_section(text: &str) -> bool {
    matches!(marker(text.trim_start()), Some(Marker::Replace(length)) if length >= LEAST)
}

/// Numbers make a header unmistakable; without them only a fence that says it holds a diff does.
fn begins_hunk(text: &str, code: Option<&Code>) -> bool {
    // Outside a fence, a diff may be indented like the list it is in.
    let text = if code.is_none() { text.trim_start() } else { text };
    let Some(header) = unified::hunk_header(text) else { return false };
    let language = code.map(|code| code.language.to_ascii_lowercase());
    header.counts().is_some() || matches!(language.as_deref(), Some("diff" | "patch"))
}
