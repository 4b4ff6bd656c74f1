//! Fenced blocks with a header: opening them, and knowing where they end.
//!
//! Content may hold fences itself. If that makes the end of a block uncertain, the block is refused rather than
//! guessed.

use super::super::block::{Block, Purpose, Step};
use super::super::fence::Fence;
use super::super::header::{self, Header};
use super::super::limits::{READ_AGAIN_BYTES, READ_AGAIN_DEPTH};
use super::super::{Dialect, Kept, Line, fenced};
use super::{Inside, Scanner};
use crate::passage::Body;
use crate::{Diagnostic, codes};

/// A block whose end might have been misread.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) closed: usize,
    pub(super) likely: bool,
    /// A blank line is below its end.
    pub(super) gap: bool,
    pub(super) hint: String,
}

impl Scanner {
    pub(super) fn open(&mut self, fence: Fence, info: &str, line: Line<'_>) {
        self.passages.open(line.number, &self.prose, self.tail);
        let parsed = match header::parse(info) {
            Header::Prose { language, path } => return self.open_code(fence, language, path, line, false),
            _ if !self.reads(Dialect::Fenced) => {
                return self.open_code(fence, String::new(), None, line, false);
            }
            other => other,
        };
        let purpose = match parsed {
            Header::Block { language, path, strategy } => {
                Purpose::File { language, path, strategy, dialect: Dialect::Fenced }
            }
            Header::Rename => Purpose::Rename,
            Header::UnknownStrategy { path, found } => {
                self.findings.push(
                    Diagnostic::error(codes::UNKNOWN_STRATEGY, format!("`{found}` is not a strategy"))
                        .hinted(header::strategy_hint(&found))
                        .on(path)
                        .at(line.number),
                );
                Purpose::Skip
            }
            Header::Broken(why) => {
                self.findings.push(
                    Diagnostic::error(
                        codes::BAD_HEADER,
                        format!("this block's header cannot be read: {why}"),
                    )
                    .hinted("write it as ```language // {path/to/file} strategy")
                    .at(line.number),
                );
                Purpose::Skip
            }
            Header::Doubtful | Header::Prose { .. } => {
                return self.open_code(fence, String::from("?"), None, line, false);
            }
        };
        self.begin_block(Block::new(purpose, fence, line.number));
    }

    pub(super) fn begin_block(&mut self, block: Block) {
        self.doubts.question = None;
        if let Some(control) = self.control.as_mut() {
            control.is_last = false;
        }
        self.state = Inside::Block(block);
    }

    pub(super) fn block_line(&mut self, mut block: Block, line: Line<'_>) {
        match block.line(line) {
            Step::More => self.state = Inside::Block(block),
            Step::Closed { certain } => {
                self.close(&block, certain, &Kept::default());
                if let Some(question) = self.doubts.question.as_mut() {
                    question.closed = line.number;
                }
            }
            Step::ClosedBefore(again) => self.close(&block, false, &again),
            Step::Interrupted => {
                self.findings.push(
                    with_path(
                        Diagnostic::error(
                            codes::AMBIGUOUS_FENCE,
                            format!("a new block begins in line {} before this one is closed", line.number),
                        ),
                        block.path(),
                    )
                    .hinted(format!(
                        "close the block with a fence; if the header is content, use the longer fence {}",
                        block.longer_fence()
                    ))
                    .at(block.line),
                );
                self.prose_line(line);
            }
            Step::Unclear => {
                self.findings.push(unclear(block.path(), block.line, line.number, &block.longer_fence()));
            }
        }
    }

    pub(super) fn close(&mut self, block: &Block, certain: bool, again: &Kept) {
        self.absorb(fenced::read(block));
        let last = again.first().map_or(self.at, |line| line.number.saturating_sub(1));
        self.passages.close(last, Body::Read);
        self.tail = self.prose.len();
        self.context.carried = None;
        self.context.before_prose = None;
        self.doubts.question = match block.path() {
            Some(path) if !certain => Some(Question {
                path: path.to_owned(),
                line: block.line,
                closed: again.first().map_or(0, |line| line.number.saturating_sub(1)),
                likely: block.is_markdown(),
                gap: false,
                hint: block.longer_fence(),
            }),
            _ => None,
        };
        self.read_again(block, again);
    }

    /// Reads lines after the end of a block that were taken for its content.
    fn read_again(&mut self, block: &Block, again: &Kept) {
        self.spent.read_again_bytes += again.text(0..again.len()).len();
        if self.spent.read_again_bytes > READ_AGAIN_BYTES || self.spent.read_again_depth >= READ_AGAIN_DEPTH {
            let closed = again.first().map_or(block.line, |line| line.number.saturating_sub(1));
            self.findings.push(unclear(block.path(), block.line, closed, &block.longer_fence()));
            return;
        }
        self.spent.read_again_depth += 1;
        for line in again.lines() {
            self.line(line);
        }
        self.spent.read_again_depth -= 1;
    }

    /// The end of a block was misread: a bare fence that opens nothing else followed it.
    pub(super) fn misread(&mut self) {
        if let Some(question) = self.doubts.question.take() {
            self.findings.push(unclear(Some(&question.path), question.line, question.closed, &question.hint));
        }
    }

    pub(super) fn unclosed(&mut self, line: usize, path: Option<&str>, longer: &str) {
        self.findings.push(unclosed(line, path, longer));
    }
}

/// The reply ends inside the fence that begins in this line.
pub(super) fn unclosed(line: usize, path: Option<&str>, longer: &str) -> Diagnostic {
    let message = "this fence is never closed: the reply seems cut off";
    with_path(Diagnostic::error(codes::UNCLOSED_FENCE, message), path)
        .hinted(format!("send the reply again to its end; if the content holds fences itself, use the longer fence {longer}"))
        .at(line)
}

fn unclear(path: Option<&str>, line: usize, closed: usize, longer: &str) -> Diagnostic {
    with_path(
        Diagnostic::error(
            codes::AMBIGUOUS_FENCE,
            format!("the content holds fences, and the block may end in line {closed} or later"),
        ),
        path,
    )
    .hinted(format!(
        "open and close the block with the longer fence {longer}, or end its content with a line `// END`"
    ))
    .at(line)
}

fn with_path(diagnostic: Diagnostic, path: Option<&str>) -> Diagnostic {
    match path {
        Some(path) => diagnostic.on(path),
        None => diagnostic,
    }
}
