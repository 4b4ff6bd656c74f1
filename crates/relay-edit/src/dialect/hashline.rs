//! Hashline: `§PATH` sections with `»`, `«` and `≔` operations on anchors such as `41th`.

use std::collections::HashMap;

use super::limits::EDITS;
use super::{Dialect, Line, Parsed, Reader, Taken, apply_patch};
use crate::anchors::LineHash;
use crate::edit::{Anchor, Target};
use crate::{Base, Diagnostic, Edit, Hunk, HunkLine, Operation, codes};

/// Whether a line begins a section.
pub(crate) fn begins(text: &str) -> bool {
    header(text).is_some_and(|path| !path.contains(char::is_whitespace) || path.contains(['/', '.']))
}

fn header(text: &str) -> Option<&str> {
    let text = text.trim_end();
    text.starts_with('§').then(|| text.trim_start_matches('§').trim())
}

/// Reads sections until the text ends.
#[derive(Debug, Default)]
pub(crate) struct Hashline {
    parsed: Parsed,
    /// The sections so far, the one that is being read last; those of one path are joined, so that every anchor means the
    /// original file.
    sections: Vec<Option<Section>>,
    /// Where the section of a path stands among them.
    known: HashMap<String, usize>,
    in_section: bool,
    /// Where the envelope around the sections begins; it needs an end.
    begun: Option<usize>,
    /// The end is said by the author, so blank lines above it are meant.
    enclosed: bool,
}

#[derive(Debug)]
struct Section {
    path: String,
    line: usize,
    hunks: Vec<Hunk>,
}

/// Whether a line says that the author gave up.
pub(crate) fn is_abort(text: &str) -> bool {
    text.trim() == "*** Abort"
}

/// The author gave up in this line of the reply.
pub(crate) fn aborted(line: usize) -> Diagnostic {
    let message = "the author gave up here (`*** Abort`); what stands above may be incomplete";
    Diagnostic::error(codes::ABORTED, message)
        .hinted("ask for the edit again, or land what is there with --partial")
        .at(line)
}

impl Reader for Hashline {
    fn line(&mut self, line: Line<'_>, fenced: bool) -> Taken {
        self.enclosed = fenced;
        match line.text.trim() {
            "*** Begin Patch" => {
                self.begun = Some(line.number);
                return Taken::More;
            }
            "*** End Patch" => {
                self.enclosed = true;
                return Taken::Done;
            }
            text if is_abort(text) => {
                self.parsed.findings.push(aborted(line.number));
                return Taken::Done;
            }
            _ => {}
        }
        if let Some(path) = header(line.text) {
            self.open(path, line.number);
        } else if let Some(operation) =
            line.text.chars().next().filter(|first| matches!(first, '»' | '«' | '≔'))
        {
            self.operation(operation, line.text.trim_start_matches(operation).trim(), line.number);
        } else {
            self.payload(line);
        }
        Taken::More
    }

    fn owns_fences(&self) -> bool {
        false
    }

    fn cut_off(&self, _in_line: bool) -> Option<Diagnostic> {
        apply_patch::unended(self.begun?).into()
    }

    fn take(&mut self) -> Option<Parsed> {
        Parsed { edits: Vec::new(), findings: std::mem::take(&mut self.parsed.findings) }.take()
    }

    fn finish(mut self: Box<Self>) -> Parsed {
        let last = self.sections.len().saturating_sub(1);
        for (at, section) in std::mem::take(&mut self.sections).into_iter().enumerate() {
            if let Some(section) = section {
                self.close(section, self.enclosed && at == last);
            }
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
        finding.path = self.current().map(|section| section.path.clone());
        self.parsed.findings.push(finding);
    }

    fn open(&mut self, path: &str, line: usize) {
        self.in_section = true;
        if path.is_empty() {
            self.complain(line, "Input header \"§\" is empty; provide a file path.", "write `§path/to/file`");
            self.in_section = false;
            return;
        }
        if self.known.len() > EDITS && !self.known.contains_key(path) {
            // Each section becomes an edit, and so many are refused; what more there is need not be kept.
            return;
        }
        let known = self.known.insert(path.to_owned(), self.sections.len());
        let section = known.and_then(|at| self.sections.get_mut(at)?.take());
        let section = section.unwrap_or_else(|| Section { path: path.to_owned(), line, hunks: Vec::new() });
        self.sections.push(Some(section));
    }

    /// The section that is being read.
    fn current(&mut self) -> Option<&mut Section> {
        self.sections.last_mut()?.as_mut()
    }

    fn operation(&mut self, operation: char, text: &str, line: usize) {
        let target = match (operation, text) {
            ('»' | '«', "BOF") => Ok(Target::Start),
            ('»' | '«', "EOF") => Ok(Target::End),
            ('»', anchor) => parse_anchor(anchor, line).map(Target::After),
            ('«', anchor) => parse_anchor(anchor, line).map(Target::Before),
            (_, range) => parse_range(range, line),
        };
        match (target, self.in_section) {
            (Ok(target), true) => {
                let mut hunk = Hunk::new(Vec::new(), line);
                hunk.target = target;
                if let Some(section) = self.current() {
                    section.hunks.push(hunk);
                }
            }
            (Ok(_), false) => {
                self.complain(line, "this operation stands in no section", "begin with `§path/to/file`");
            }
            (Err(message), _) => {
                self.complain(line, message, "copy anchors such as `119sr` from the numbered lines, and write ranges as `≔119sr..124ab`");
            }
        }
    }

    fn payload(&mut self, line: Line<'_>) {
        let hunk = self.current().and_then(|section| section.hunks.last_mut());
        match hunk {
            Some(hunk) => hunk.lines.push(HunkLine::Added(line.text.to_owned())),
            None if line.text.trim().is_empty() => {}
            None => self.complain(
                line.number,
                format!("line {}: payload line has no preceding », «, or ≔ operation.", line.number),
                "write the operation on the line before its payload",
            ),
        }
    }

    /// Ends a section; `enclosed` says that the line below it is an end and no gap.
    fn close(&mut self, section: Section, enclosed: bool) {
        let Section { path, line, mut hunks } = section;
        let last = hunks.len().saturating_sub(1);
        for (at, hunk) in hunks.iter_mut().enumerate() {
            // Blank lines between the last payload and whatever comes below the section are no content.
            let blanks = hunk.lines.iter().rev().take_while(|line| line.text().is_empty()).count();
            let replaces = matches!(hunk.target, Target::Lines { .. });
            let only_blank = blanks == hunk.lines.len();
            if at == last && blanks > 0 && !enclosed && !(replaces && only_blank) {
                hunk.lines.truncate(hunk.lines.len() - blanks);
            }
            if hunk.lines.is_empty() && !replaces {
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

fn parse_anchor(text: &str, line: usize) -> Result<Anchor, String> {
    // Somebody who copies the whole numbered line means its anchor.
    let token = text.split('|').next().unwrap_or(text).trim();
    let digits = token.len() - token.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, hash) = token.split_at_checked(digits).unwrap_or((token, ""));
    match (number.parse::<usize>(), LineHash::parse(hash)) {
        (Ok(number), Some(hash)) if number > 0 => Ok(Anchor { line: number, hash: Some(hash) }),
        _ => Err(format!("line {line}: expected a full anchor such as \"119sr\"; got \"{token}\".")),
    }
}

fn parse_range(text: &str, line: usize) -> Result<Target, String> {
    let Some((first, last)) = text.split_once("..") else {
        let anchor = parse_anchor(text, line)?;
        return Ok(Target::Lines { first: anchor, last: anchor });
    };
    if last.contains("..") || last.trim().is_empty() || first.trim().is_empty() {
        return Err(format!("line {line}: range must include exactly two full anchors separated by \"..\"."));
    }
    let (first, last) = (parse_anchor(first, line)?, parse_anchor(last, line)?);
    if last.line < first.line {
        return Err(format!("line {line}: range {text} ends before it starts."));
    }
    if last.line == first.line && last.hash != first.hash {
        return Err(format!("line {line}: range {text} uses two different hashes for the same line."));
    }
    Ok(Target::Lines { first, last })
}
