//! The events of a stream: one contract for every provider.
//!
//! A stream is `Start`, then for each block `Begin`, any number of `Delta`, `End`, and last `Done` or `Error`. Deltas
//! carry only what is new. `End` carries the finished block, and the last event the whole turn. Blocks do not nest, but
//! some providers interleave them, so everything carries the block's index.

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::message::{Block, Message, Origin, Role};
use crate::usage::Usage;

/// Something that happened in a stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The provider has begun to answer.
    Start {
        /// The model that answers, which may be more precise than the one asked for.
        model: String,
    },
    /// A block begins.
    Begin {
        /// Which one.
        index: usize,
        /// What it will be.
        kind: Kind,
    },
    /// More of a block.
    Delta {
        /// Which one.
        index: usize,
        /// Text, thoughts, or a piece of a tool call's JSON.
        text: String,
    },
    /// A block is finished.
    End {
        /// Which one.
        index: usize,
        /// All of it.
        block: Block,
    },
    /// Something worth knowing that is not part of the answer.
    Notice(Notice),
    /// The model has finished. Nothing follows.
    Done {
        /// The whole answer.
        turn: Turn,
    },
    /// The answer ends here, unfinished. Nothing follows.
    Error {
        /// Why.
        error: Error,
        /// What there was of the answer.
        turn: Turn,
    },
}

/// What a block is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    /// Words for the reader.
    Text,
    /// Thoughts.
    Thinking,
    /// A tool call.
    ToolCall {
        /// The call's id.
        id: String,
        /// The tool's name.
        name: String,
    },
    /// An image or a block Relay does not know; it comes whole with its `End`.
    Other,
}

/// Something worth knowing that is not part of the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "notice", rename_all = "snake_case")]
pub enum Notice {
    /// The request failed before anything was seen of an answer, and is sent again after a pause.
    Retry {
        /// Which retry, from one.
        attempt: u32,
        /// How many there will be at most.
        max_attempts: u32,
        /// The pause.
        delay_ms: u64,
        /// Why.
        error: Error,
    },
    /// A whole turn failed and is tried again. Everything emitted since the last `Start` is void.
    Discarded {
        /// What there was of it.
        turn: Box<Turn>,
        /// The pause before the next attempt.
        delay_ms: u64,
        /// The model that is asked next.
        model: String,
    },
    /// The model wrote its own routing instead of content. What follows in this block cannot be trusted; unless it is
    /// thinking, the stream is ended.
    HarmonyLeak {
        /// Which block.
        index: usize,
        /// Where in the block's text the leak begins, in bytes.
        offset: usize,
    },
    /// The model says the same over and over; the stream is ended.
    Repetition {
        /// Which block.
        index: usize,
    },
    /// The provider sent events of a kind Relay does not know.
    UnknownEvent {
        /// What the provider calls it.
        name: String,
    },
}

/// Why a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model had said everything.
    Stop,
    /// The answer reached its longest length.
    Length,
    /// The model waits for its tool calls' results.
    ToolUse,
    /// The caller cancelled.
    Aborted,
    /// Something failed.
    Error,
}

/// One answer of a model: finished, or as far as it got.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// The blocks, in order.
    pub content: Vec<Block>,
    /// Which model was asked.
    pub origin: Origin,
    /// The provider's id of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Why it ended.
    pub stop: StopReason,
    /// The provider's own word for why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_detail: Option<String>,
    /// What it used up.
    #[serde(default)]
    pub usage: Usage,
    /// The service tier that answered, where the provider says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_tier: Option<String>,
    /// Why it failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Error>,
}

impl Turn {
    /// A turn in which nothing was said yet.
    #[must_use]
    pub fn new(origin: Origin) -> Self {
        Self {
            content: Vec::new(),
            origin,
            id: None,
            stop: StopReason::Stop,
            stop_detail: None,
            usage: Usage::default(),
            service_tier: None,
            error: None,
        }
    }

    /// The turn, ended by a failure.
    #[must_use]
    pub fn failed(mut self, error: Error) -> Self {
        self.stop = if error.kind == ErrorKind::Aborted { StopReason::Aborted } else { StopReason::Error };
        self.error = Some(error);
        self
    }

    /// The answer as a message, for the next request.
    #[must_use]
    pub fn message(&self) -> Message {
        Message { role: Role::Assistant, content: self.content.clone(), origin: Some(self.origin.clone()) }
    }
}
