//! A hunk that is still being read, line by line.

use super::hunk_header::Header;
use crate::align::realign;
use crate::{EndOfFile, Hunk, HunkLine};

/// For how many lines room is made at most because a header announces them.
const EXPECTED: usize = 64;

/// A hunk that is still being read.
#[derive(Debug)]
pub(super) struct Pending<'t> {
    header: Header<'t>,
    line: usize,
    lines: Vec<HunkLine>,
    /// How many of the lines are old, and how many are new.
    sides: (usize, usize),
    /// How many lines at the end were wholly empty, so that they may be no part of the hunk.
    empty_tail: usize,
    /// How many lines at the end have no sign.
    unsigned: usize,
    old_lacks_newline: bool,
    new_lacks_newline: bool,
}

impl<'t> Pending<'t> {
    pub fn new(header: Header<'t>, line: usize) -> Self {
        // Most hunks exchange one line, so that they have one line more than either side.
        let expected = header.counts().map_or(0, |(old, new)| old.max(new).saturating_add(1));
        Self {
            header,
            line,
            lines: Vec::with_capacity(expected.min(EXPECTED)),
            sides: (0, 0),
            empty_tail: 0,
            unsigned: 0,
            old_lacks_newline: false,
            new_lacks_newline: false,
        }
    }

    /// How many old and new lines the header still announces.
    pub fn due(&self) -> Option<(usize, usize)> {
        let (old, new) = self.header.counts()?;
        Some((old.saturating_sub(self.sides.0), new.saturating_sub(self.sides.1)))
    }

    /// Takes the next line.
    pub fn push(&mut self, text: &str) {
        self.empty_tail = if text.is_empty() { self.empty_tail + 1 } else { 0 };
        let mut chars = text.chars();
        let line = match chars.next() {
            Some(' ') => HunkLine::Context(chars.as_str().to_owned()),
            Some('+') => HunkLine::Added(chars.as_str().to_owned()),
            Some('-') => HunkLine::Removed(chars.as_str().to_owned()),
            Some('\\') if chars.as_str().trim_start().to_lowercase().starts_with("no newline") => {
                self.note_missing_newline();
                return;
            }
            // The leading space of a context line is often lost, above all on blank lines.
            _ => HunkLine::Context(text.to_owned()),
        };
        self.unsigned = if text.starts_with([' ', '+', '-']) { 0 } else { self.unsigned + 1 };
        self.sides.0 += usize::from(line.is_old());
        self.sides.1 += usize::from(line.is_new());
        self.lines.push(line);
    }

    fn note_missing_newline(&mut self) {
        match self.lines.last() {
            Some(HunkLine::Removed(_)) => self.old_lacks_newline = true,
            Some(HunkLine::Added(_)) => self.new_lacks_newline = true,
            _ => {
                self.old_lacks_newline = true;
                self.new_lacks_newline = true;
            }
        }
    }

    /// The hunk, unless it has no lines.
    pub fn finish(mut self) -> Option<Hunk> {
        self.drop_separators();
        if self.lines.is_empty() {
            return None;
        }
        let end = match (self.old_lacks_newline, self.new_lacks_newline) {
            (false, false) => EndOfFile::Unsaid,
            (true, false) if self.lines.iter().any(|line| matches!(line, HunkLine::Added(_))) => {
                EndOfFile::WithNewline
            }
            (true, false) => EndOfFile::Reached,
            (_, true) => EndOfFile::WithoutNewline,
        };
        let line_hint = self.header.line_hint();
        let scope = if self.header.section.is_empty() || self.header.section == "..." {
            Vec::new()
        } else {
            vec![self.header.section.to_owned()]
        };
        // Where only one side ends without a newline, its last line is another one even if it reads the same.
        let lines = match (self.old_lacks_newline, self.new_lacks_newline) {
            (false, false) => realign(self.lines),
            (true, true) => realign_unended(self.lines),
            _ => self.lines,
        };
        let mut hunk = Hunk::new(lines, self.line);
        hunk.line_hint = line_hint;
        hunk.announced = self.header.counts();
        hunk.unsigned = self.unsigned;
        hunk.scope = scope;
        hunk.end = end;
        Some(hunk)
    }

    /// Empty lines at the end are separators rather than context, unless the header counted them.
    fn drop_separators(&mut self) {
        while self.empty_tail > 0 {
            let (old, new) = self.sides;
            if self.header.counts().is_some_and(|(old_count, new_count)| old <= old_count && new <= new_count)
            {
                return;
            }
            self.lines.pop();
            self.sides = (old.saturating_sub(1), new.saturating_sub(1));
            self.empty_tail -= 1;
            self.unsigned = self.unsigned.saturating_sub(1);
        }
    }
}

/// As [`realign`], where both sides end without a newline: a line that is the last on one side only is another one there,
/// even if it reads the same.
fn realign_unended(lines: Vec<HunkLine>) -> Vec<HunkLine> {
    let realigned = realign(lines.clone());
    let ends_in_context = |side: fn(&HunkLine) -> bool| {
        matches!(realigned.iter().rfind(|line| side(line)), Some(HunkLine::Context(_)))
    };
    if ends_in_context(HunkLine::is_old) == ends_in_context(HunkLine::is_new) { realigned } else { lines }
}
