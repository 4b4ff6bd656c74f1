//! Markers outside every block: what they belonged to was lost, and with it an edit.
//!
//! Landing the rest would do half of what was asked for and say that all is done.

use super::super::marker::{LEAST, Marker, marker};
use super::super::{Dialect, Line, apply_patch, commands, edit_repl, hashline, unified};
use super::Scanner;
use super::code::Code;
use crate::{Diagnostic, codes};

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
        } else if self.reads(Dialect::Commands) && commands::closes_any(line.text) {
            (
                "this tag ends a command that never began",
                "begin it with a line `[CREATE_FILE path=\"…\"]` or `[EDIT_FILE path=\"…\" start_line=\"…\" end_line=\"…\"]`",
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
}

fn closes_section(text: &str) -> bool {
    matches!(marker(text.trim_start()), Some(Marker::Replace(length)) if length >= LEAST)
}

/// Numbers make a header unmistakable; without them only a fence that says it holds a diff does.
fn begins_hunk(text: &str, code: Option<&Code>) -> bool {
    // Outside a fence, a diff may be indented like the list it stands in.
    let text = if code.is_none() { text.trim_start() } else { text };
    let Some(header) = unified::hunk_header(text) else { return false };
    let language = code.map(|code| code.language.to_ascii_lowercase());
    header.counts().is_some() || matches!(language.as_deref(), Some("diff" | "patch"))
}
