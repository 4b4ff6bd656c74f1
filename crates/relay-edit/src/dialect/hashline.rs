//! Hashline: `§PATH` sections with `»`, `«` and `≔` operations on anchors such as `41th`.

mod ending;
mod input;
mod operation;

use std::collections::HashMap;

use super::limits::EDITS;
use super::{Dialect, End, Line, Parsed, Reader, Taken, apply_patch, path_line};
use crate::edit::Target;
use crate::{Base, Diagnostic, Edit, Hunk, HunkLine, Operation, codes};
pub(crate) use ending::doubted_fence;
pub use input::sections;
use operation::Site;
pub(crate) use operation::anchors_of;

/// Whether a line begins a section. `§src/a.ts`.
pub(crate) fn begins(text: &str) -> bool {
    header(text).is_some_and(|(path, _)| !path.contains(char::is_whitespace) || path.contains(['/', '.']))
}

/// The path in the header of a section, and whether quotes around it say that all of it is the name. `src/a.ts` for
/// `§src/a.ts`, `my notes.txt` for `§"my notes.txt"`.
fn header(text: &str) -> Option<(&str, bool)> {
    let written = text.trim_end().strip_prefix('§')?.trim_start_matches('§').trim();
    Some((path_line::unquoted(written), path_line::is_quoted(written)))
}

/// Reads sections until the text ends.
#[derive(Debug, Default)]
pub(crate) struct Hashline {
    parsed: Parsed,
    /// The sections so far, the one that is being read last; those of one path are joined, so that every anchor means the
    /// original file.
    sections: Vec<Option<Section>>,
    /// Where the section of a path is among them.
    known: HashMap<String, usize>,
    above: Above,
    /// Where the envelope around the sections begins; it needs an end.
    begun: Option<usize>,
    /// The end is said by the author, so blank lines above it are meant.
    enclosed: bool,
    /// Where a fence has an end of an envelope that never began.
    stray_end: Option<usize>,
    /// The author gave up.
    aborted: bool,
}

/// What the line before belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Above {
    /// A header, below which an operation must come.
    #[default]
    Header,
    /// An operation, below which its new lines come.
    Operation,
    /// An operation that cannot be read; its new lines are passed over.
    LostOperation,
    /// A header that cannot be read; its operations are passed over too.
    LostSection,
}

#[derive(Debug)]
struct Section {
    path: String,
    line: usize,
    /// Quotes around the path say that all of it is the name.
    is_quoted: bool,
    hunks: Vec<Hunk>,
    /// Whether the errors below its header were reported.
    is_told: bool,
}

/// Whether a line is an operation, as nothing else is written. `≔12ab..14cd`.
pub(crate) fn is_operation(text: &str) -> bool {
    operation::is_certain(text)
}

/// The first of what is written does not name a file.
pub(crate) fn headless(line: Line<'_>) -> Diagnostic {
    let message = format!(
        "input must begin with \"§PATH\" on the first non-blank line; got: \"{}\". Example: \"§src/foo.ts\" then edit ops.",
        line.text.trim()
    );
    Diagnostic::error(codes::BAD_ANCHOR, message).hinted("begin with `§path/to/file`").at(line.number)
}

/// Whether a line says that the author gave up. `*** Abort`.
pub(crate) fn is_abort(text: &str) -> bool {
    text.trim() == "*** Abort"
}

/// What becomes of a line below the one in which an author gave up inside an envelope, whose end may still come.
pub(crate) fn after_abort(text: &str) -> Taken {
    match text.trim_end() {
        "" => Taken::More,
        "*** End Patch" => Taken::Done,
        _ => Taken::NotMine,
    }
}

/// The author gave up in this line of the reply.
pub(crate) fn aborted(line: usize) -> Diagnostic {
    let message = "the author gave up here (`*** Abort`); the edits above may be incomplete";
    Diagnostic::error(codes::ABORTED, message)
        .hinted("ask for the edit again, or land what is there with --partial")
        .at(line)
}

impl Reader for Hashline {
    fn line(&mut self, line: Line<'_>, fenced: bool) -> Taken {
        self.enclosed = fenced;
        let is_bare = !fenced && self.begun.is_none();
        if self.aborted {
            return after_abort(line.text);
        }
        // New lines are taken as they are, so that what is indented is one of them.
        match line.text.trim_end() {
            "*** Begin Patch" if self.sections.is_empty() => {
                self.begun = Some(line.number);
                return Taken::More;
            }
            "*** Begin Patch" if is_bare => return Taken::NotMine,
            "*** Begin Patch" => {
                let message =
                    "`*** Begin Patch` may be a new line of the file, or the beginning of another patch";
                self.complain(
                    line.number,
                    message,
                    "end the sections above with `*** End Patch`, or leave the line out",
                );
                return Taken::More;
            }
            // The fence continues: this ends the sections only if nothing follows it.
            "*** End Patch" if fenced && self.begun.is_none() => {
                self.stray_end.get_or_insert(line.number);
                return Taken::More;
            }
            "*** End Patch" => {
                self.enclosed = true;
                return Taken::Done;
            }
            text if is_abort(text) && !text.starts_with(char::is_whitespace) => {
                self.parsed.findings.push(aborted(line.number));
                (self.begun, self.aborted) = (None, true);
                return Taken::More;
            }
            _ => {}
        }
        if let Some(end) = self.stray_end
            && !line.text.trim().is_empty()
        {
            self.stray_end = None;
            let message = format!(
                "`*** End Patch` in line {end} may be a new line of the file, or the end of the sections"
            );
            self.complain(end, message, "write `*** Begin Patch` above the sections, or leave the line out");
        }
        if let Some((path, is_quoted)) = header(line.text) {
            self.leave(is_bare, true);
            self.open(path, is_quoted, line.number);
        } else if let Some((sign, text)) = operation::split(line.text) {
            self.operation(sign, text, line.number);
        } else if is_bare && ending::is_end(self.current().map(|section| section.path.as_str()), line.text) {
            return Taken::NotMine;
        } else {
            self.payload(line);
        }
        Taken::More
    }

    fn is_open_ended(&self) -> bool {
        true
    }

    fn cut_off(&mut self, end: End) -> Option<Diagnostic> {
        let begun = self.begun;
        if begun.is_none() && !end.in_fence {
            return None;
        }
        let is_open = std::mem::take(&mut self.above) == Above::Operation;
        let Some(section) = self.current() else { return begun.map(apply_patch::unended) };
        let last = section.hunks.pop_if(|_| is_open);
        section.is_told |= section.hunks.is_empty();
        let from = last.map_or(section.line, |hunk| hunk.line);
        let finding = apply_patch::unended(begun.unwrap_or(section.line)).on(&section.path);
        Some(finding.hinted(apply_patch::go_on(from)))
    }

    fn take(&mut self) -> Option<Parsed> {
        Parsed { findings: std::mem::take(&mut self.parsed.findings), ..Parsed::default() }.take()
    }

    fn finish(mut self: Box<Self>) -> Parsed {
        self.leave(!self.enclosed && self.begun.is_none(), !self.enclosed);
        for section in std::mem::take(&mut self.sections).into_iter().flatten() {
            self.close(section);
        }
        self.parsed
    }
}

impl Hashline {
    /// A reader of sections inside the envelope that begins in this line, if there is one.
    pub fn new(begun: Option<usize>) -> Self {
        Self { begun, ..Self::default() }
    }

    fn complain(&mut self, line: usize, message: impl Into<String>, hint: &str) {
        let mut finding = Diagnostic::error(codes::BAD_ANCHOR, message).hinted(hint).at(line);
        if let Some(section) = self.current() {
            section.is_told = true;
            finding.path = Some(section.path.clone());
        }
        self.parsed.findings.push(finding);
    }

    fn open(&mut self, path: &str, is_quoted: bool, line: usize) {
        if path.is_empty() {
            let message = "Input header \"§\" is empty; provide a file path.";
            self.parsed
                .findings
                .push(Diagnostic::error(codes::BAD_ANCHOR, message).hinted("write `§path/to/file`").at(line));
            self.above = Above::LostSection;
            return;
        }
        self.above = Above::Header;
        if self.known.len() > EDITS && !self.known.contains_key(path) {
            // Each section becomes an edit, and too many are refused; the rest need not be kept.
            self.above = Above::LostSection;
            return;
        }
        let known = self.known.insert(path.to_owned(), self.sections.len());
        let section = known.and_then(|at| self.sections.get_mut(at)?.take());
        let section = section.unwrap_or_else(|| Section {
            path: path.to_owned(),
            line,
            is_quoted,
            hunks: Vec::new(),
            is_told: false,
        });
        self.sections.push(Some(section));
    }

    /// The section that is being read.
    fn current(&mut self) -> Option<&mut Section> {
        self.sections.last_mut()?.as_mut()
    }

    fn operation(&mut self, sign: char, text: &str, line: usize) {
        if self.above == Above::LostSection {
            return;
        }
        match (operation::site(sign, text, line), self.current()) {
            (Ok(Site { target, beside }), Some(section)) => {
                let named = section.is_quoted;
                section.hunks.push(Hunk { target, beside, named, ..Hunk::new(Vec::new(), line) });
                self.above = Above::Operation;
            }
            (Ok(_), None) => {
                self.complain(line, "this operation is outside every section", "begin with `§path/to/file`");
                self.above = Above::LostOperation;
            }
            (Err(message), _) => {
                self.complain(line, message, "copy anchors such as `119sr` from the numbered lines, and write ranges as `≔119sr..124ab`");
                self.above = Above::LostOperation;
            }
        }
    }

    fn payload(&mut self, line: Line<'_>) {
        let number = line.number;
        match self.above {
            Above::Operation => {
                if let Some(hunk) = self.current().and_then(|section| section.hunks.last_mut()) {
                    hunk.lines.push(HunkLine::Added(line.text.to_owned()));
                }
            }
            Above::LostOperation | Above::LostSection => {}
            Above::Header if line.text.trim().is_empty() => {}
            Above::Header if operation::is_unknown(line.text) => {
                let message = format!("line {number}: unrecognized op. Use «ANCHOR..., »ANCHOR..., ≔A..B...");
                self.complain(
                    number,
                    message,
                    "write `»` to insert after, `«` before, `≔` to replace or delete",
                );
                self.above = Above::LostOperation;
            }
            Above::Header => {
                let message = format!("line {number}: payload line has no preceding », «, or ≔ operation.");
                self.complain(number, message, "write the operation on the line before its payload");
                self.above = Above::LostOperation;
            }
        }
    }

    /// Comes to the end of what is below a header; `is_bare` says that nothing but what follows shows the end, and
    /// `is_gap` that blank lines above it set it off.
    fn leave(&mut self, is_bare: bool, is_gap: bool) {
        if self.above != Above::Operation {
            return;
        }
        let Some(section) = self.current() else { return };
        let Some(hunk) = section.hunks.last_mut() else { return };
        // Blank lines between the last payload and whatever follows are not content.
        let blanks = hunk.lines.iter().rev().take_while(|line| line.text().is_empty()).count();
        let deletes = matches!(hunk.target, Target::Lines { .. }) && blanks == hunk.lines.len();
        if is_gap && !deletes {
            hunk.lines.truncate(hunk.lines.len() - blanks);
        }
        if is_bare {
            let lines: Vec<&str> = hunk.lines.iter().map(HunkLine::text).collect();
            let doubt = ending::doubt(&section.path, &lines, hunk.line);
            doubt.into_iter().for_each(|finding| self.parsed.findings.push(finding));
        }
    }

    fn close(&mut self, section: Section) {
        let Section { path, line, hunks, is_told, .. } = section;
        for hunk in &hunks {
            if hunk.lines.is_empty() && !matches!(hunk.target, Target::Lines { .. }) {
                let message = format!(
                    "line {}: » and « operations require at least one verbatim payload line.",
                    hunk.line
                );
                self.parsed.findings.push(
                    Diagnostic::error(codes::BAD_ANCHOR, message)
                        .hinted("write the new lines below the operation")
                        .on(&path)
                        .at(hunk.line),
                );
            }
        }
        if hunks.is_empty() && is_told {
            return;
        }
        if hunks.is_empty() {
            self.parsed.findings.push(
                Diagnostic::error(codes::BAD_ANCHOR, "this section holds no operation")
                    .hinted("write `»ANCHOR`, `«ANCHOR` or `≔ANCHOR..ANCHOR` below the path")
                    .on(&path)
                    .at(line),
            );
            return;
        }
        let operation = Operation::Patch { hunks, base: Base::Original };
        self.parsed.edits.push(Edit { path, operation, dialect: Dialect::Hashline, line });
    }
}
