//! The conversation: its parts in order, which of them are finished, and how it grows while the agent works.
//!
//! Parts are data; their lines are worked out when they are drawn. A part that is finished is drawn once into the scrollback, and
//! kept as data for the view of the whole conversation and for drawing again after a resize.

mod block;
pub mod diff;
mod highlight;
mod markdown;
mod partial;
mod table;
mod tool;

pub use block::{Block, Level, Summary, Usage, tokens};
pub use highlight::{Highlight, Highlighted, code_lines};
pub use markdown::lines as markdown_lines;
pub use partial::partial_json;
pub use tool::{State, ToolCall, duration, title as tool_title};

use serde_json::Value;

use crate::picture::Picture;
use crate::text::Line;
use crate::view::View;

/// How many pictures are kept.
const PICTURES: usize = 4;
/// How long a finished part waits for the colours of its code.
const COLORS_WAIT_MS: u64 = 250;

/// The conversation.
#[derive(Debug, Default)]
pub struct Conversation {
    blocks: Vec<Block>,
    /// How many parts are in the scrollback.
    drawn: usize,
    /// Where the answer that streams began.
    message: usize,
    /// Since when a finished part waits for colours.
    held: Option<u64>,
}

impl Conversation {
    /// Every part.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Adds a part.
    pub fn push(&mut self, block: Block) {
        self.close_reads();
        self.blocks.push(block);
    }

    /// Everything is gone, for another session.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// An answer begins.
    pub fn begin_message(&mut self) {
        self.message = self.blocks.len();
    }

    /// More of an answer's text.
    pub fn text(&mut self, delta: &str) {
        match self.blocks.last_mut() {
            Some(Block::Text(text, false)) => text.push_str(delta),
            _ if delta.trim().is_empty() => {}
            _ => self.push(Block::Text(delta.trim_start().to_owned(), false)),
        }
    }

    /// More thinking.
    pub fn thinking(&mut self, delta: &str) {
        match self.blocks.last_mut() {
            Some(Block::Thinking(text, false)) => text.push_str(delta),
            _ if delta.trim().is_empty() => {}
            _ => self.push(Block::Thinking(delta.to_owned(), false)),
        }
    }

    /// The text or thinking that grew is complete.
    pub fn end_text(&mut self) {
        if let Some(Block::Text(_, is_done) | Block::Thinking(_, is_done)) = self.blocks.last_mut() {
            *is_done = true;
        }
    }

    /// What was shown of the answer is void. What is in the scrollback already stays there.
    pub fn discard_message(&mut self) {
        self.blocks.truncate(self.message.max(self.drawn));
    }

    /// A tool call begins to arrive, or is known from the log.
    pub fn begin_call(&mut self, id: &str, name: &str) {
        if self.call(id).is_some() {
            return;
        }
        self.end_text();
        let call = ToolCall::new(id, name);
        if name != "read" {
            return self.push(Block::Tool(Box::new(call)));
        }
        match self.blocks.last_mut() {
            Some(Block::Reads(calls, false)) => calls.push(call),
            _ => self.push(Block::Reads(vec![call], false)),
        }
    }

    /// A call that may still change.
    pub fn call(&mut self, id: &str) -> Option<&mut ToolCall> {
        let live = self.blocks.get_mut(self.drawn..)?;
        live.iter_mut().rev().find_map(|block| match block {
            Block::Tool(call) if call.id == id => Some(&mut **call),
            Block::Reads(calls, _) => calls.iter_mut().find(|call| call.id == id),
            _ => None,
        })
    }

    /// The last part that may still change, for a command of the person's own.
    pub fn last_mut(&mut self) -> Option<&mut Block> {
        self.blocks.get_mut(self.drawn..)?.last_mut()
    }

    /// The command of the person's own that runs.
    pub fn shell_mut(&mut self) -> Option<&mut Block> {
        let is_running = |block: &&mut Block| matches!(block, Block::Shell { exit: None, .. });
        self.blocks.get_mut(self.drawn..)?.iter_mut().find(is_running)
    }

    /// The run is over: nothing grows or runs any more.
    pub fn settle(&mut self) {
        self.end_text();
        self.close_reads();
        for block in self.blocks.get_mut(self.drawn..).unwrap_or_default() {
            match block {
                Block::Text(_, is_done) | Block::Thinking(_, is_done) => *is_done = true,
                Block::Tool(call) if !call.is_done() => call.state = State::Skipped,
                Block::Reads(calls, is_closed) => {
                    *is_closed = true;
                    calls
                        .iter_mut()
                        .filter(|call| !call.is_done())
                        .for_each(|call| call.state = State::Skipped);
                }
                _ => {}
            }
        }
    }

    fn close_reads(&mut self) {
        if let Some(Block::Reads(_, is_closed)) = self.blocks.last_mut() {
            *is_closed = true;
        }
    }

    /// Splits what can no longer change off the text that grows.
    fn split_text(&mut self) {
        if let Some(Block::Text(text, false)) = self.blocks.last_mut() {
            let end = markdown::finished(text);
            if end > 0 {
                let rest = text.split_off(end);
                let done = std::mem::replace(text, rest);
                let at = self.blocks.len() - 1;
                self.blocks.insert(at, Block::Text(done.trim_end().to_owned(), true));
            }
        }
    }

    /// Lines of parts that are finished now: they go into the scrollback, and are not returned again.
    pub fn take_done(&mut self, view: &View<'_>) -> Vec<Line> {
        self.split_text();
        let mut lines = Vec::new();
        while let Some(block) = self.blocks.get(self.drawn).filter(|block| block.is_done()) {
            // A read may be joined by another one as long as it is the last part.
            let drawn = self.with_gap(self.drawn, block.lines(view));
            let is_colored = view.code.is_complete();
            let waited = self.held.is_some_and(|since| view.now_ms.saturating_sub(since) > COLORS_WAIT_MS);
            if !is_colored && !waited {
                self.held.get_or_insert(view.now_ms);
                break;
            }
            self.held = None;
            lines.extend(drawn);
            self.drawn += 1;
            self.forget_pictures();
        }
        lines
    }

    /// Of pictures that are in the scrollback, only the newest are kept for drawing them again.
    fn forget_pictures(&mut self) {
        let drawn = self.blocks.get_mut(..self.drawn).unwrap_or_default();
        let calls = drawn.iter_mut().rev().flat_map(|block| match block {
            Block::Tool(call) => std::slice::from_mut(&mut **call),
            Block::Reads(calls, _) => calls.as_mut_slice(),
            _ => &mut [],
        });
        let pictures = calls.flat_map(|call| &mut call.pictures).filter(|picture| picture.is_kept());
        pictures.skip(PICTURES).for_each(Picture::forget);
    }

    /// Whether a finished part waits for colours.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Lines of the parts that may still change.
    #[must_use]
    pub fn live(&self, view: &View<'_>) -> Vec<Line> {
        // What is drawn again and again has no pictures.
        let view = &View { pictures: view.pictures.none(), ..*view };
        let mut lines = Vec::new();
        for (at, block) in self.blocks.iter().enumerate().skip(self.drawn) {
            lines.extend(self.with_gap(at, block.lines(view)));
        }
        lines
    }

    /// The last `rows` lines that are in the scrollback, and whether these are all.
    #[must_use]
    pub fn tail(&self, view: &View<'_>, rows: usize) -> (Vec<Line>, bool) {
        let mut parts = Vec::new();
        let mut count = 0;
        for at in (0..self.drawn).rev() {
            if count >= rows {
                break;
            }
            let Some(block) = self.blocks.get(at) else { break };
            let lines = self.with_gap(at, block.lines(view));
            count += lines.len();
            parts.push((at, lines));
        }
        let all = parts.last().is_none_or(|(at, _)| *at == 0) && count <= rows;
        let mut lines: Vec<Line> = parts.into_iter().rev().flat_map(|(_, lines)| lines).collect();
        lines.drain(..lines.len().saturating_sub(rows));
        (lines, all)
    }

    /// The lines of one part, with the blank line before it.
    #[must_use]
    pub fn block_lines(&self, at: usize, view: &View<'_>) -> Vec<Line> {
        self.blocks.get(at).map_or_else(Vec::new, |block| self.with_gap(at, block.lines(view)))
    }

    fn with_gap(&self, at: usize, mut lines: Vec<Line>) -> Vec<Line> {
        let before = at.checked_sub(1).and_then(|before| self.blocks.get(before));
        let has_gap = match (before, self.blocks.get(at)) {
            (Some(before), Some(this)) => this.gap_after(before),
            _ => false,
        };
        if has_gap && !lines.is_empty() {
            lines.insert(0, Line::new());
        }
        lines
    }
}

/// A number of a JSON object.
pub(crate) fn number(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or_default()
}
