//! Fenced code without a header: prose, a whole file below a path line, or the wrapping of another dialect.

use super::super::block::{Block, Purpose, is_block_header};
use super::super::fence::{Fence, FenceLine, fence_line};
use super::super::{Dialect, Kept, Line, path_line};
use super::super::{citation, git_diff, hashline};
use super::not_the_file::{NotTheFile, is_command};
use super::{Inside, Scanner};
use crate::control::{self, Candidate};
use crate::lead::{Intent, Lead};
use crate::passage::{Body, Snippet};
use crate::{Diagnostic, codes};

/// A fence with a path whose content has not begun.
#[derive(Debug)]
pub(super) struct Opening {
    pub(super) code: Code,
    pub(super) path: String,
    /// How the path was given.
    pub(super) dialect: Dialect,
    /// Lines that are blank or paths, and may come before the content.
    pub(super) held: Kept,
    /// One of them is not blank.
    pub(super) written: bool,
}

/// Fenced code without a path of its own.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) fence: Fence,
    pub(super) language: String,
    /// The path that was named before the fence.
    pub(super) path: Option<String>,
    /// The file that it shows something of instead.
    pub(super) shown: Option<NotTheFile>,
    pub(super) line: usize,
    /// Where in the prose its opening fence is.
    pub(super) prose_start: usize,
    /// Its fence may be the end of the block before it.
    pub(super) doubted: bool,
    /// It held edits, so it is not prose.
    pub(super) held_edits: bool,
}

impl Code {
    /// Whether its fence says that it holds a diff.
    pub(super) fn is_diff(&self) -> bool {
        is_diff(&self.language)
    }

    /// The file it shows something of.
    pub(super) fn shown_path(&self) -> Option<String> {
        self.shown.as_ref().map(|shown| shown.path().to_owned())
    }
}

/// A longer line above a fence is not a citation.
const CITATION: usize = 200;

/// A path between tags is at most this many lines above its section.
const TAGS: usize = 5;

impl Scanner {
    /// The path in the line before, which is then no prose; otherwise the one before the fence.
    pub(super) fn take_path(
        &mut self,
        code: Option<&Code>,
        read: fn(&str) -> Option<String>,
    ) -> Option<String> {
        let first = code.map_or(0, |code| code.prose_start + 1);
        let last = self
            .prose
            .last_before(self.prose.len(), TAGS, path_line::opens_tag)
            .filter(|last| *last >= first.max(self.tail));
        let found = last.and_then(|last| {
            let (above, text) = (self.prose.len() - last, self.prose.get(last)?.text);
            let path = path_line::tagged(text).or_else(|| read(text).filter(|_| above <= 2))?;
            Some((last, path))
        });
        match found {
            Some((last, path)) => {
                self.prose.truncate(last);
                Some(path)
            }
            None => code.and_then(|code| code.path.clone()),
        }
    }

    pub(super) fn open_code(
        &mut self,
        fence: Fence,
        language: String,
        path: Option<String>,
        line: Line<'_>,
        doubted: bool,
    ) {
        self.passages.open(line.number, &self.prose, self.tail);
        let given = path.or_else(|| self.path_above()).map(|path| (path, Dialect::WholeFile));
        let is_given = given.is_some();
        let cited = if given.is_none() { self.cited(line) } else { None };
        let announced = || self.announced_above(is_diff(&language)).filter(|_| cited.is_none());
        let (path, shown) = match given.or_else(announced) {
            Some((path, _)) if is_command(&language, &path) => (None, Some(NotTheFile::Command(path))),
            Some(path) => (Some(path), None),
            None => (None, cited),
        };
        // A section below a sentence must prove that the file it speaks of is meant.
        let sure = path.as_ref().filter(|_| is_given || is_diff(&language)).map(|(path, _)| path.clone());
        let prose_start = self.prose.len();
        let code = Code {
            fence,
            language,
            path: sure.filter(|path| !path.is_empty()),
            shown,
            line: line.number,
            prose_start,
            doubted,
            held_edits: false,
        };
        self.prose.push(line);
        self.state = match path {
            Some((path, dialect)) => {
                Inside::Opening(Opening { code, path, dialect, held: Kept::default(), written: false })
            }
            None => Inside::Code(code),
        };
    }

    /// Whether the last line of code so far is the name of a file.
    fn names_file_inside(&self, code: &Code) -> bool {
        let last = self.prose.written_before(self.prose.len()).filter(|last| *last > code.prose_start);
        let text = last.and_then(|last| self.prose.get(last)).map(|line| line.text);
        self.reads(Dialect::WholeFile) && text.is_some_and(|text| path_line::read(text).is_some())
    }

    /// The file whose lines the fence cites, or the line above it.
    fn cited(&self, line: Line<'_>) -> Option<NotTheFile> {
        if let Some(path) = citation::find(line.text) {
            return Some(NotTheFile::Citation(path.to_owned()));
        }
        let above = self.prose.written_before(self.prose.len()).filter(|last| *last >= self.tail);
        let above = above.and_then(|last| self.prose.get(last)).filter(|above| above.text.len() < CITATION);
        above.and_then(|above| citation::find(above.text)).map(|path| NotTheFile::Lines(path.to_owned()))
    }

    /// The path in the last line of the prose, with at most one blank line below it.
    pub(super) fn path_above(&self) -> Option<String> {
        let last = self.prose.written_before(self.prose.len()).filter(|last| *last >= self.tail)?;
        path_line::read(self.prose.get(last)?.text)
    }

    /// The file that the prose above a fence announces, where it says that the fence holds a file. A diff needs no such words,
    /// and without a path its old lines must show which file is meant.
    fn announced_above(&self, is_diff: bool) -> Option<(String, Dialect)> {
        if self.forced.is_some() {
            return None;
        }
        let lead = Lead::new(self.prose.text(self.tail..self.prose.len()));
        if is_diff {
            return Some((lead.path().unwrap_or_default(), Dialect::Announced));
        }
        let dialect = match lead.intent() {
            Intent::Create => Dialect::WholeFile,
            Intent::Whole | Intent::Alternative | Intent::Correction => Dialect::Announced,
            Intent::Unsaid if lead.is_title() => Dialect::Announced,
            _ => return None,
        };
        Some((lead.path()?, dialect))
    }

    pub(super) fn opening_line(&mut self, mut opening: Opening, line: Line<'_>) {
        let blank = line.text.trim().is_empty();
        let could_be_path =
            !opening.written && !self.begins_foreign(line.text) && path_line::read(line.text).is_some();
        if blank || could_be_path {
            opening.written |= !blank;
            opening.held.push(line);
            self.state = Inside::Opening(opening);
            return;
        }
        let Opening { code, path, dialect, mut held, .. } = opening;
        held.push(line);
        let text = code.fence.unindent(line.text);
        let is_diff = code.is_diff();
        if is_diff && self.reads(Dialect::Unified) && !unified_header(text) && !self.begins_foreign(text) {
            self.state = Inside::Code(code);
            self.start(Box::new(git_diff::GitDiff::new(Some(path))), line);
            return;
        }
        let foreign = unified_header(text) || self.begins_foreign(text) || is_diff;
        if foreign || !self.reads(Dialect::WholeFile) {
            self.state = Inside::Code(code);
        } else {
            // The path line and the fence are the block's header, not prose.
            let above = self.path_above_fence(&code);
            self.prose.truncate(above.unwrap_or(code.prose_start));
            let purpose = Purpose::File { language: code.language, path, strategy: None, dialect };
            self.begin_block(Block::new(purpose, code.fence, code.line));
        }
        for line in held.lines() {
            self.line(line);
        }
    }

    pub(super) fn path_above_fence(&self, code: &Code) -> Option<usize> {
        let last = self.prose.written_before(code.prose_start)?;
        path_line::read(self.prose.get(last)?.text).map(|_| last)
    }

    /// The path in a heading directly above a fence, for a section that has none otherwise.
    pub(super) fn heading_above(&self, code: &Code) -> Option<String> {
        let last = self.prose.written_before(code.prose_start)?;
        path_line::heading(self.prose.get(last)?.text)
    }

    /// The path that the prose directly above a section or its fence speaks of.
    pub(super) fn mentioned_above(&self, code: Option<&Code>) -> Option<String> {
        let end = code.map_or(self.prose.len(), |code| code.prose_start);
        let last = self.prose.written_before(end).filter(|last| *last >= self.tail)?;
        path_line::mentioned(self.prose.get(last)?.text)
    }

    pub(super) fn code_line(&mut self, mut code: Code, line: Line<'_>) {
        code.fence.note(line.text);
        match fence_line(line.text) {
            Some(FenceLine::Bare(fence)) if code.fence.accepts(fence) => {
                self.prose.push(line);
                self.context.script = None;
                self.close_code(&code);
            }
            Some(FenceLine::Labelled(fence, info))
                if code.fence.accepts(fence) && is_block_header(info) && self.reads(Dialect::Fenced) =>
            {
                // A reply wrapped in a fence as a whole, or a fence that the author forgot to close.
                self.doubts.wrapper = Some(code.fence);
                let is_written = |line: Line<'_>| !line.text.trim().is_empty();
                let above = self.prose.range(self.tail..code.prose_start).any(is_written);
                let is_doubtful = above && code.language.is_empty();
                self.doubts.lost_fence = is_doubtful.then_some((code.fence, code.line));
                self.tail = self.prose.len();
                self.open(fence, info, line);
            }
            Some(FenceLine::Labelled(fence, _))
                if code.fence.accepts(fence) && code.language.is_empty() && self.names_file_inside(&code) =>
            {
                // Most likely a fence above was lost, and this one opens what looks like code of the one before.
                self.findings.push(lost_fence(code.fence, code.line));
                self.prose.push(line);
                self.state = Inside::Code(code);
            }
            _ => {
                let text = code.fence.unindent(line.text);
                match self.detect(Line { text, ..line }, Some(&code)) {
                    Some(reader) => {
                        self.state = Inside::Code(code);
                        self.start(reader, line);
                    }
                    None => {
                        self.follow_script(Line { text, ..line });
                        self.note_stray(Line { text, ..line }, Some(&code));
                        self.prose.push(Line { text, ..line });
                        self.state = Inside::Code(code);
                    }
                }
            }
        }
    }

    /// Whether there is nothing but edits between the fences around code.
    fn holds_nothing_else(&self, code: &Code) -> bool {
        let inside = code.prose_start + 1..self.prose.len().saturating_sub(1);
        self.prose.range(inside).all(|line| line.text.trim().is_empty())
    }

    pub(super) fn close_code(&mut self, code: &Code) {
        // Authors do not begin a fence with a blank line, so the one above this code ended its block, if this is all
        // edits.
        let is_end = self.doubts.question.as_ref().is_some_and(|question| question.gap);
        if code.held_edits && code.doubted && !(is_end && self.holds_nothing_else(code)) {
            self.misread();
        }
        if code.held_edits {
            // What is left of it is the fence, and the path above it.
            self.prose.truncate(self.path_above_fence(code).unwrap_or(code.prose_start));
            self.tail = self.prose.len();
            self.passages.close(self.at, Body::Read);
            return;
        }
        let end = self.prose.len();
        let inside = code.prose_start + 1..end.saturating_sub(1);
        // Some authors put the path of a section into a fence of its own.
        if inside.len() == 1
            && let Some(only) = self.prose.get(inside.start)
            && let Some(path) = path_line::read(only.text)
        {
            self.context.carried = Some(path);
        }
        let may_hold_control = matches!(code.language.to_ascii_lowercase().as_str(), "" | "yaml" | "yml");
        if may_hold_control && control::looks_like_control(self.prose.range(inside.clone())) {
            self.control = Some(Candidate::fenced(code.line, code.prose_start..end));
            self.passages.close(self.at, Body::Control);
        } else {
            let text = self.prose.text(inside).to_owned();
            let (language, path) = (code.language.clone(), code.shown_path());
            let cited = matches!(&code.shown, Some(NotTheFile::Citation(_)));
            let snippet = Snippet { language, path, cited, text, ends_reply: false };
            self.passages.close(self.at, Body::Code(snippet));
            if let Some(control) = self.control.as_mut() {
                control.is_last = false;
            }
            if code.doubted {
                self.misread();
            }
            if self.doubts.open_end == Some(code.line) {
                self.findings.push(hashline::doubted_fence(code.line));
            }
        }
        self.tail = end;
    }
}

/// A fence in this line seems to be the end of something whose own fence was lost.
pub(super) fn lost_fence(fence: Fence, line: usize) -> Diagnostic {
    let message = "a fence with a file's name is inside this code: a fence above it seems to be missing";
    Diagnostic::error(codes::AMBIGUOUS_FENCE, message)
        .hinted(format!("send every fence; around code that holds fences, use {}", fence.longer()))
        .at(line)
}

/// Whether code of this language is a diff.
fn is_diff(language: &str) -> bool {
    matches!(language.to_ascii_lowercase().as_str(), "diff" | "patch")
}

fn unified_header(text: &str) -> bool {
    text.starts_with("--- ")
}
