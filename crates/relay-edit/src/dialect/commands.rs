//! Bracketed commands: `[CREATE_FILE path="…"]`, `[EDIT_FILE … start_line end_line]`, `[DELETE_FILE …]`.
//!
//! The other commands of that protocol are named in a warning and never run here.

use super::findings::never_closed;
use super::{Dialect, Kept, Line, Parsed, Reader, Taken};
use crate::commands::tag::{ALONE, EDITING, Tag, opening};
use crate::commands::{lines_target, without_fence};
use crate::{Base, Diagnostic, Edit, Hunk, HunkLine, Operation, codes};

/// Whether a line begins a command. `[EDIT_FILE path="a.ts" lines="3-7"]`.
pub(crate) fn begins(text: &str) -> bool {
    tag(text).is_some()
}

/// The opening tag that a line begins with, whole or not: a command that cannot be read is refused, never left out.
fn tag(text: &str) -> Option<Tag<'_>> {
    let tag = opening(text).filter(|tag| tag.is_known() && !tag.is_mentioned())?;
    // What these two say is for people, and so is a line that only begins like one of them.
    let is_prose = matches!(tag.name, "MESSAGE" | "DONE")
        && tag.rest.is_none_or(|rest| !rest.trim().is_empty() && tag.body_on_its_line().is_none());
    (!is_prose).then_some(tag)
}

/// Whether a line is the end of a command that changes files and has a body. `[/EDIT_FILE]`.
pub(crate) fn closes_any(text: &str) -> bool {
    EDITING.iter().any(|name| !ALONE.contains(name) && closes(text, name))
}

/// Whether a line is the closing tag of a command. `[/EDIT_FILE]`.
fn closes(text: &str, name: &str) -> bool {
    let tag = text.trim().strip_prefix("[/").and_then(|tag| tag.strip_suffix(']'));
    tag == Some(name)
}

/// Reads one command.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    open: Option<Open>,
    parsed: Parsed,
}

#[derive(Debug)]
struct Open {
    name: String,
    /// The line with the opening tag.
    tag: String,
    line: usize,
    body: Kept,
}

impl Reader for Commands {
    fn line(&mut self, line: Line<'_>, _fenced: bool) -> Taken {
        let Some(open) = self.open.as_mut() else {
            let Some(tag) = tag(line.text) else { return Taken::NotMine };
            let open = Open {
                name: tag.name.to_owned(),
                tag: line.text.to_owned(),
                line: line.number,
                body: Kept::default(),
            };
            let on_its_line = tag.body_on_its_line();
            if ALONE.contains(&tag.name) || on_its_line.is_some() {
                self.close(&open, &on_its_line.unwrap_or_default());
                return Taken::Done;
            }
            self.open = Some(open);
            return Taken::More;
        };
        if closes(line.text, &open.name) {
            if let Some(open) = self.open.take() {
                let body: Vec<String> = open.body.lines().map(|line| line.text.to_owned()).collect();
                self.close(&open, &body);
            }
            return Taken::Done;
        }
        open.body.push(line);
        Taken::More
    }

    fn owns_fences(&self) -> bool {
        true
    }

    fn take(&mut self) -> Option<Parsed> {
        self.parsed.take()
    }

    fn finish(mut self: Box<Self>) -> Parsed {
        if let Some(open) = self.open.take() {
            let hint = format!("end it with a line `[/{}]`", open.name);
            self.parsed.findings.push(never_closed(&format!("[{}]", open.name), hint, open.line));
        }
        self.parsed
    }
}

impl Commands {
    fn close(&mut self, open: &Open, body: &[String]) {
        let line = open.line;
        if !EDITING.contains(&open.name.as_str()) {
            let hint = match open.name.as_str() {
                "MESSAGE" | "DONE" => "read it yourself, or use the mail channel",
                _ => "run it yourself, or use the mail channel",
            };
            self.parsed.findings.push(
                Diagnostic::warning(
                    codes::NOT_RUN,
                    format!("`[{}]` is not run when a reply is applied", open.name),
                )
                .hinted(hint)
                .at(line),
            );
            return;
        }
        let Some(tag) = tag(&open.tag) else { return };
        if let Some(fault) = tag.fault() {
            return self.complain(
                codes::BAD_MARKERS,
                line,
                format!("`[{}]` cannot be read: {fault}", open.name),
            );
        }
        let Ok(path) = tag.path() else {
            return self.complain(codes::MISSING_PATH, line, format!("`[{}]` has no path", open.name));
        };
        let body = without_fence(&path, body).map_or(body, |inner| {
            let message = format!("the fence around the lines for `{path}` was taken off");
            let hint = "write the lines of a file between the tags, without a fence";
            self.parsed
                .findings
                .push(Diagnostic::warning(codes::FENCE_TAKEN_OFF, message).hinted(hint).on(&path).at(line));
            inner
        });
        let operation = match open.name.as_str() {
            "CREATE_FILE" => {
                let text = body.join("\n");
                Operation::Write { content: format!("{}\n", text.trim_end_matches('\n')) }
            }
            "DELETE_FILE" => Operation::Delete,
            _ => match tag.line_range() {
                Ok((first, last)) => {
                    let mut hunk = Hunk::new(body.iter().cloned().map(HunkLine::Added).collect(), line);
                    hunk.target = lines_target(first, last);
                    Operation::Patch { hunks: vec![hunk], base: Base::Sequential }
                }
                Err(message) => return self.complain(codes::BAD_ANCHOR, line, message),
            },
        };
        self.parsed.edits.push(Edit { path, operation, dialect: Dialect::Commands, line });
    }

    fn complain(&mut self, code: crate::Code, line: usize, message: String) {
        self.parsed.findings.push(
            Diagnostic::error(code, message)
                .hinted("write [EDIT_FILE path=\"src/a.rs\" start_line=\"3\" end_line=\"5\"], [CREATE_FILE path=\"…\"] or [DELETE_FILE path=\"…\"]")
                .at(line),
        );
    }
}
