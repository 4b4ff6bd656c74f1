//! What an agent reports while it works: one stream for every front end.
//!
//! Small enums nested by area. Names and fields on the wire are those that clients of pi know; [`wire`] writes them.

pub mod wire;

use serde_json::Value;

pub use crate::jobs::JobEvent;

use crate::session::Message;
use crate::session::message::{AssistantMessage, ToolResultMessage};
use crate::tool::Output;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A run: everything between a prompt and the moment the agent waits again.
    Run(RunEvent),
    /// A turn: one answer with its tool results.
    Turn(TurnEvent),
    /// A message.
    Message(MessageEvent),
    /// A tool call.
    Tool(ToolEvent),
    /// Another try.
    Retry(RetryEvent),
    /// A compaction.
    Compaction(CompactionEvent),
    /// A background job.
    Job(JobEvent),
    /// The session itself.
    Session(SessionEvent),
    /// Stream rules that a model's output broke.
    Rules {
        /// Their names.
        rules: Vec<String>,
        /// Whether the answer was interrupted.
        interrupted: bool,
    },
    /// A notice for the person.
    Notice {
        /// Whether it is a warning.
        warning: bool,
        /// What.
        text: String,
    },
}

/// A run begins or ends.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEvent {
    /// It begins.
    Start,
    /// It ends.
    End {
        /// How.
        ended: Ended,
        /// The messages that came into the log since it began.
        messages: Vec<Message>,
    },
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The model finished.
    Done,
    /// The model could not answer.
    Failed(String),
    /// The user aborted it.
    Aborted,
    /// A limit of turns, money or time was reached.
    Limit(String),
}

/// A turn begins or ends.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnEvent {
    /// It begins.
    Start,
    /// It ends.
    End {
        /// The answer.
        message: Box<AssistantMessage>,
        /// The results of its tool calls, in order.
        results: Vec<ToolResultMessage>,
    },
}

/// A message begins, grows or is complete.
#[derive(Clone, Debug, PartialEq)]
pub enum MessageEvent {
    /// A message that no model writes begins: a prompt, a result.
    Said(Box<Message>),
    /// An answer begins.
    Start {
        /// The model that answers.
        model: String,
    },
    /// A block of the answer begins.
    Begin {
        /// Which one.
        index: usize,
        /// What it will be.
        kind: relay_llm::Kind,
    },
    /// More of a block.
    Delta {
        /// Which one.
        index: usize,
        /// What it is.
        kind: relay_llm::Kind,
        /// What is new.
        text: String,
    },
    /// A block is complete.
    End {
        /// Which one.
        index: usize,
        /// All of it.
        block: relay_llm::Block,
    },
    /// The answer shown so far is void; it is being requested again.
    Discarded,
    /// A message is complete and in the log.
    Finished {
        /// Its entry.
        entry: String,
        /// The message.
        message: Box<Message>,
    },
}

/// A tool call starts, shows something, or ends.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolEvent {
    /// It starts.
    Start {
        /// The call's id.
        id: String,
        /// The tool.
        name: String,
        /// What it is called with.
        arguments: Value,
    },
    /// It has an update to show.
    Update {
        /// The call's id.
        id: String,
        /// The tool.
        name: String,
        /// What it is called with.
        arguments: Value,
        /// The output so far.
        output: Output,
    },
    /// It ended.
    End {
        /// The call's id.
        id: String,
        /// The tool.
        name: String,
        /// What came of it.
        output: Output,
    },
}

/// Another try of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RetryEvent {
    /// It will be tried again.
    Start {
        /// Which retry, from one.
        attempt: u32,
        /// How many there will be at most.
        max_attempts: u32,
        /// The pause before it.
        delay_ms: u64,
        /// Why.
        error: String,
    },
    /// There are no more attempts.
    End {
        /// Whether one of them succeeded.
        success: bool,
        /// How many there were.
        attempt: u32,
        /// Why the last one failed.
        error: Option<String>,
    },
    /// Another model is asked in place of the first.
    FellBack {
        /// The model.
        to: String,
    },
    /// It answered.
    FallbackAnswered {
        /// The model.
        model: String,
    },
}

/// Why a conversation is compacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompactReason {
    /// It is about to fill the model's context window.
    Threshold,
    /// It did not fit.
    Overflow,
    /// A person asked for it.
    Request,
    /// It has been idle for a while.
    Idle,
    /// The person asked for a handoff.
    Handoff,
}

impl CompactReason {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Threshold => "threshold",
            Self::Overflow => "overflow",
            Self::Request => "manual",
            Self::Idle => "idle",
            Self::Handoff => "handoff",
        }
    }
}

/// A compaction.
#[derive(Clone, Debug, PartialEq)]
pub enum CompactionEvent {
    /// It begins.
    Start {
        /// Why.
        reason: CompactReason,
    },
    /// It ended.
    End {
        /// Why it was done.
        reason: CompactReason,
        /// The summary, if there is one.
        summary: Option<String>,
        /// How many tokens there were before.
        tokens_before: u64,
        /// The first entry that the model still sees word for word.
        first_kept: Option<String>,
        /// Data stored with the summary, such as lists of files.
        details: Option<Value>,
        /// Whether the turn is retried.
        will_retry: bool,
        /// Why it failed.
        error: Option<String>,
    },
}

/// Something about the session itself.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionEvent {
    /// The messages queued for the model.
    Queue {
        /// Between tools.
        steering: Vec<String>,
        /// After the answer.
        follow_up: Vec<String>,
    },
    /// It has a name.
    Named(String),
    /// The goal has another state.
    Goal(Option<Value>),
    /// The mode is another one.
    Mode(String),
    /// A tool's stored state changed.
    Kept {
        /// What it is.
        kind: String,
        /// Its content.
        data: Value,
    },
    /// What a tool proposed was applied or discarded.
    Settled {
        /// The tool.
        tool: String,
        /// What it proposed, in a line.
        label: String,
        /// Whether it was applied.
        applied: bool,
        /// Why.
        reason: String,
        /// What the tool left with its proposal.
        data: Value,
    },
    /// The conversation moved to another place in the tree.
    Moved {
        /// The entry; none for the beginning.
        to: Option<String>,
        /// The entry with the summary of the abandoned branch, if any.
        summary: Option<String>,
    },
    /// The agent switched to another session.
    Switched {
        /// Its id.
        session: String,
    },
    /// The conversation returned to its checkpoint.
    Rewound {
        /// The entry it is at now; none for the beginning.
        to: Option<String>,
    },
}
