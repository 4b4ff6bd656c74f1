//! EDIT/REPL blocks: a path line, the old text, the new text. What both begin with is the anchor.
//!
//! A marker that is indented further than the first one of its block is text.

use super::search_replace::names_no_file;
use super::{Dialect, Kept, Line, Parsed, Reader, Taken};
use crate::{Base, Diagnostic, Edit, Hunk, Operation, codes};

/// Whether a line begins a block. `««« EDIT`.
pub(crate) fn begins(text: &str) -> bool {
    text.trim().strip_prefix("«««").is_some_and(|rest| rest.trim() == "EDIT")
}

/// Whether a line is the middle or the end of a block. `═══════ REPL`, `»»» EDIT END`.
pub(crate) fn is_marker(text: &str) -> bool {
    divides(text) || ends(text)
}

/// `═══════ REPL`.
fn divides(text: &str) -> bool {
    let text = text.trim();
    let rest = text.trim_start_matches('═');
    text.chars().take_while(|character| *character == '═').count() >= 3 && rest.trim() == "REPL"
}

/// `»»» EDIT END`.
fn ends(text: &str) -> bool {
    text.trim().strip_prefix("»»»").is_some_and(|rest| rest.trim() == "EDIT END")
}

/// Reads one block, beginning with its `««« EDIT` line.
#[derive(Debug)]
pub(crate) struct EditRepl {
    path: Option<String>,
    /// The path may be a sentence, which must not become the name of a new file.
    is_sentence: bool,
    line: usize,
    /// How far the first marker is indented.
    indent: usize,
    old: Kept,
    new: Option<Kept>,
    parsed: Parsed,
    done: bool,
}

impl EditRepl {
    /// A block of the file that was named before it; `is_sentence` says that the name may be none.
    pub fn new(path: Option<String>, is_sentence: bool) -> Self {
        Self {
            path,
            is_sentence,
            line: 0,
            indent: 0,
            old: Kept::default(),
            new: None,
            parsed: Parsed::default(),
            done: false,
        }
    }

    fn complain(&mut self, line: usize, message: impl Into<String>) {
        let mut finding = Diagnostic::error(codes::BAD_MARKERS, message)
            .hinted("a block is the path, `««« EDIT`, the old lines, `═══════ REPL`, the new lines, `»»» EDIT END`, each marker on its own line")
            .at(line);
        finding.path.clone_from(&self.path);
        self.parsed.findings.push(finding);
    }

    fn close(&mut self, number: usize) {
        self.done = true;
        let (old, new) = (std::mem::take(&mut self.old), self.new.take());
        let Some(new) = new else {
            return self.complain(
                number,
                format!("the block that begins in line {} has no `═══════ REPL` line", self.line),
            );
        };
        let Some(path) = self.path.take() else {
            self.parsed.findings.push(
                Diagnostic::error(codes::MISSING_PATH, "the line before this block has no path")
                    .hinted("write the path of the file on a line of its own, directly before `««« EDIT`")
                    .at(self.line),
            );
            return;
        };
        if self.is_sentence && old.lines().next().is_none() {
            return self.parsed.findings.push(names_no_file(&path, self.line));
        }
        let old: Vec<&str> = old.lines().map(|line| line.text).collect();
        let new: Vec<&str> = new.lines().map(|line| line.text).collect();
        let hunk = Hunk::from_sides(&old, &new, self.line);
        let operation = Operation::Patch { hunks: vec![hunk], base: Base::Sequential };
        self.parsed.edits.push(Edit { path, operation, dialect: Dialect::EditRepl, line: self.line });
    }
}

impl Reader for EditRepl {
    fn line(&mut self, line: Line<'_>, _fenced: bool) -> Taken {
        let indent = line.indent();
        if self.line == 0 {
            self.line = line.number;
            self.indent = indent;
            return Taken::More;
        }
        if indent > self.indent {
            self.new.as_mut().unwrap_or(&mut self.old).push(line);
            return Taken::More;
        }
        if begins(line.text) {
            self.complain(
                line.number,
                format!("the block that begins in line {} is not closed before the next begins", self.line),
            );
            self.done = true;
            return Taken::NotMine;
        }
        if ends(line.text) {
            self.close(line.number);
            return Taken::Done;
        }
        match &mut self.new {
            None if divides(line.text) => self.new = Some(Kept::default()),
            None => self.old.push(line),
            Some(_) if divides(line.text) => {
                self.complain(
                    line.number,
                    format!("the block that begins in line {} has a second `REPL` line", self.line),
                );
            }
            Some(new) => new.push(line),
        }
        Taken::More
    }

    fn owns_fences(&self) -> bool {
        true
    }

    fn take(&mut self) -> Option<Parsed> {
        self.parsed.take()
    }

    fn finish(mut self: Box<Self>) -> Parsed {
        if !self.done {
            self.complain(self.line, "this block has no `»»» EDIT END`: the reply seems cut off");
        }
        self.parsed
    }
}
