//! The written forms of edits, one file each, all incremental.
//!
//! A reply is read line by line, so how it was cut into pieces on the way can never change what it says. What a
//! line means is decided in [`scan`]; the other modules know one written form each.

mod apply_patch;
mod block;
mod citation;
mod commands;
mod edit_repl;
mod fence;
mod fenced;
mod findings;
mod fragment;
mod git_diff;
mod hashline;
mod header;
mod instruct;
mod kept;
mod limits;
mod marker;
mod mistaken;
mod path_line;
mod scan;
mod search_replace;
mod tagged;
mod toolcall;
mod unified;

use std::fmt::Debug;

use crate::lines::count;
use crate::{Diagnostic, Edit, Reply, leak};
pub(crate) use block::comment_text;
pub(crate) use citation::path as path_of_citation;
pub(crate) use fence::unfenced;
use findings::Findings;
pub(crate) use hashline::anchors_of;
pub use hashline::sections;
pub(crate) use header::{is_bare_name, may_be_title};
pub(crate) use instruct::{commented_path, named_in};
pub(crate) use kept::Kept;
use limits::Excess;
pub(crate) use mistaken::is_text;
pub(crate) use path_line::is_plain_name;
pub use path_line::speaks_of_another;

/// A written form of edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Fenced blocks with `// {path} strategy` in the info string, and a YAML control block.
    Fenced,
    /// Unified and git diffs, bare or fenced.
    Unified,
    /// SEARCH/REPLACE sections below a path line.
    SearchReplace,
    /// `*** Begin Patch` envelopes.
    ApplyPatch,
    /// `««« EDIT` blocks below a path line.
    EditRepl,
    /// `§PATH` sections with line anchors.
    Hashline,
    /// `[CREATE_FILE]`, `[EDIT_FILE]` and `[DELETE_FILE]` commands.
    Commands,
    /// Whole files below a path line, or with a path in the info string of their fence.
    WholeFile,
    /// Whole files whose path the prose above them announces, or a comment in their first line. Read, never written.
    Announced,
    /// Calls of other tools in JSON or tags. Read, never written.
    ToolCall,
    /// Instructions in prose around code: "replace … with …". Read, never written.
    Instruction,
    /// Here-documents of a shell that write a file. Read, never written.
    Shell,
}

impl Dialect {
    /// Every dialect that Relay also writes, in the order they are documented.
    pub const ALL: &[Dialect] = &[
        Dialect::Fenced,
        Dialect::Unified,
        Dialect::SearchReplace,
        Dialect::ApplyPatch,
        Dialect::EditRepl,
        Dialect::Hashline,
        Dialect::Commands,
        Dialect::WholeFile,
    ];

    /// The name used on the command line and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Fenced => "fenced",
            Dialect::Unified => "unified",
            Dialect::SearchReplace => "search-replace",
            Dialect::ApplyPatch => "apply-patch",
            Dialect::EditRepl => "edit-repl",
            Dialect::Hashline => "hashline",
            Dialect::Commands => "commands",
            Dialect::WholeFile => "whole-file",
            Dialect::Announced => "announced",
            Dialect::ToolCall => "tool-call",
            Dialect::Instruction => "instruction",
            Dialect::Shell => "shell",
        }
    }

    /// Whether it holds whole files that nothing but prose or a name above them marks as such.
    #[must_use]
    pub const fn is_whole_file(self) -> bool {
        matches!(self, Dialect::WholeFile | Dialect::Announced)
    }
}

/// The result of reading part of a reply.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    /// The edits.
    pub edits: Vec<Edit>,
    /// What was wrong or doubtful.
    pub findings: Findings,
    /// Calls of other tools, with the edits they ask for.
    pub calls: Option<toolcall::Calls>,
}

impl Parsed {
    /// Adds the result of another part.
    pub fn extend(&mut self, other: Self) {
        if self.edits.is_empty() {
            self.edits = other.edits;
        } else {
            self.edits.extend(other.edits);
        }
        self.findings.extend(other.findings);
        self.calls = self.calls.take().or(other.calls);
    }

    /// What is in here, if there is anything; nothing is afterwards.
    pub fn take(&mut self) -> Option<Self> {
        let is_empty = self.edits.is_empty() && self.findings.is_empty() && self.calls.is_none();
        (!is_empty).then(|| std::mem::take(self))
    }
}

/// What a reader did with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It took it and wants more.
    More,
    /// It took it and is done.
    Done,
    /// It is done, and the line is not its own.
    NotMine,
}

/// Where a reply ends inside a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// In the middle of a line.
    pub in_line: bool,
    /// Inside a fence, which is never closed then.
    pub in_fence: bool,
}

/// Reads one dialect's blocks line by line, from the line that begins one.
pub(crate) trait Reader: Debug {
    /// Takes the next line; `fenced` says whether a fence is around it all.
    fn line(&mut self, line: Line<'_>, fenced: bool) -> Taken;

    /// Whether fences are content at the moment.
    fn owns_fences(&self) -> bool {
        false
    }

    /// Whether nothing but what follows shows where the content ends.
    fn is_open_ended(&self) -> bool {
        false
    }

    /// Comes to the end of the reply. Where that cuts it off, what may lack its end is left out, and what is said about it
    /// names the file.
    fn cut_off(&mut self, _end: End) -> Option<Diagnostic> {
        None
    }

    /// The line that opened the envelope this reader leaves to the reader of the line it did not take.
    fn envelope(&self) -> Option<usize> {
        None
    }

    /// What has become whole since the last call. After most lines nothing has.
    fn take(&mut self) -> Option<Parsed>;

    /// Ends it.
    fn finish(self: Box<Self>) -> Parsed;
}

/// Reads a reply piece by piece.
///
/// ```
/// use relay_edit::Parser;
///
/// let mut parser = Parser::new(None);
/// assert!(parser.push("```ts // {src/a.ts}\nexport cons").is_empty());
/// assert_eq!(parser.push("t a = 1;\n```\n").len(), 1);
/// assert_eq!(parser.finish().edits.len(), 1);
/// ```
#[derive(Debug, Default)]
pub struct Parser {
    scanner: scan::Scanner,
    /// The beginning of a line whose end has not come yet.
    partial: String,
    number: usize,
    /// The first line that looks as if a model's own routing leaked into it.
    leaked: Option<usize>,
}

impl Parser {
    /// A parser that detects the dialect of each block, or reads only the one given.
    #[must_use]
    pub fn new(forced: Option<Dialect>) -> Self {
        Self { scanner: scan::Scanner::new(forced), partial: String::new(), number: 0, leaked: None }
    }

    /// Takes more text and returns the edits it completed.
    pub fn push(&mut self, text: &str) -> Vec<Edit> {
        self.take(text);
        self.scanner.take_new_edits()
    }

    fn take(&mut self, text: &str) {
        let mut rest = text;
        let may_leak = leak::may_be_in(text);
        while let Some(end) = memchr::memchr(b'\n', rest.as_bytes())
            && let (Some(line), Some(tail)) = (rest.get(..end), rest.get(end + 1..))
        {
            rest = tail;
            if self.partial.is_empty() {
                self.line(line, may_leak);
            } else {
                let mut whole = std::mem::take(&mut self.partial);
                whole.push_str(line);
                let may_leak = may_leak || leak::may_be_in(&whole);
                self.line(&whole, may_leak);
            }
        }
        self.partial.push_str(rest);
    }

    /// Ends the reply and returns everything in it, including the edits `push` returned.
    #[must_use]
    pub fn finish(mut self) -> Reply {
        let last = std::mem::take(&mut self.partial);
        if !last.is_empty() {
            let may_leak = leak::may_be_in(&last);
            self.line(&last, may_leak);
        }
        let half = Some(self.number).filter(|_| !last.is_empty());
        let mut reply = self.scanner.finish(half);
        if let Some(line) = self.leaked {
            leak::cut(&mut reply, line);
        }
        reply
    }

    fn line(&mut self, text: &str, may_leak: bool) {
        self.number += 1;
        if may_leak {
            self.scanner.look_for_leaks();
            if self.leaked.is_none() && leak::find(text, leak::Form::Source).is_some() {
                self.leaked = Some(self.number);
            }
        }
        let text = text.strip_suffix('\r').unwrap_or(text);
        let text = if self.number == 1 { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text };
        self.scanner.line(Line { number: self.number, text });
    }
}

/// Parses a whole reply at once.
#[must_use]
pub fn parse(text: &str, forced: Option<Dialect>) -> Reply {
    // With the whole text at hand, there is no need to read what is refused anyway.
    if text.len() > limits::LINES && count(text.as_bytes(), b'\n') > limits::LINES {
        return Excess::Lines.refused();
    }
    let mut parser = Parser::new(forced);
    parser.take(text);
    parser.finish()
}

/// One line of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Counted from 1.
    pub number: usize,
    /// Without its line ending.
    pub text: &'a str,
}

impl Line<'_> {
    /// How far it is indented.
    pub fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }
}

/// One line of a reply that is kept until the next one shows what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnedLine {
    /// Counted from 1.
    pub number: usize,
    /// Without its line ending.
    pub text: String,
}

impl OwnedLine {
    /// The line, borrowed.
    pub fn as_line(&self) -> Line<'_> {
        Line { number: self.number, text: &self.text }
    }
}

impl From<Line<'_>> for OwnedLine {
    fn from(line: Line<'_>) -> Self {
        Self { number: line.number, text: line.text.to_owned() }
    }
}

#[cfg(test)]
pub(crate) fn lines_of(text: &str) -> Vec<Line<'_>> {
    text.split_terminator('\n').enumerate().map(|(at, text)| Line { number: at + 1, text }).collect()
}
