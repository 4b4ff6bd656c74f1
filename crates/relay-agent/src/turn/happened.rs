//! What the step function reacts to.

use relay_llm::{Error, Kind, ToolCall};

use crate::session::message::{AssistantMessage, CustomMessage, Message, UserMessage};
use crate::session::{Block, Body, Content};
use crate::tool::Output;

/// Something that happened outside the step function.
#[derive(Clone, Debug, PartialEq)]
pub enum Happened {
    /// A prompt, for now.
    Prompted(Prompt),
    /// A message for between two tools.
    Steered(Prompt),
    /// A message for when the agent is done.
    FollowedUp(Prompt),
    /// Continue from the end of the log.
    Resumed,
    /// The user aborts.
    Aborted,
    /// Time is up.
    TimeIsUp(String),
    /// A request to compact the conversation.
    CompactionWanted {
        /// What the summary should focus on.
        focus: Option<String>,
    },
    /// A request for a handoff.
    HandoffWanted {
        /// What the document should focus on.
        focus: Option<String>,
    },
    /// The session has been idle for a while.
    Unused,
    /// The model began to answer.
    ModelStarted {
        /// Which model.
        model: String,
    },
    /// A block of the answer begins.
    BlockBegan {
        /// Which one.
        index: usize,
        /// What it will be.
        kind: Kind,
    },
    /// The model said more.
    Delta {
        /// Which block.
        index: usize,
        /// What the block is.
        kind: Kind,
        /// What is new.
        text: String,
        /// Stream rules that this breaks.
        hits: Vec<Hit>,
    },
    /// A block of the answer is complete.
    BlockEnded {
        /// Which one.
        index: usize,
        /// All of it.
        block: relay_llm::Block,
    },
    /// The request is sent again after a pause.
    Retrying {
        /// Which retry.
        attempt: u32,
        /// How many there will be at most.
        max_attempts: u32,
        /// The pause.
        delay_ms: u64,
        /// Why.
        error: String,
        /// Whether part of an answer had been shown.
        discards: bool,
        /// The model that is asked instead, if it is another one.
        model: Option<String>,
    },
    /// The answer is complete.
    Answered(Answer),
    /// The answer ends unfinished.
    Failed {
        /// Why.
        error: Error,
        /// What there was.
        answer: Answer,
    },
    /// A call has something to show.
    CallUpdated {
        /// The call.
        id: String,
        /// What there is so far.
        output: Output,
    },
    /// A call ended.
    CallEnded {
        /// The call.
        id: String,
        /// What came of it.
        output: Output,
    },
    /// The conversation was made shorter, or not.
    Compacted(Result<Compacted, String>),
    /// A pause is over.
    Waited,
}

/// What a model answered, finished or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The message for the log.
    pub message: Box<AssistantMessage>,
    /// The calls in it, with their arguments as the provider sent them.
    pub calls: Vec<ToolCall>,
}

/// A conversation that was made shorter.
#[derive(Clone, Debug, PartialEq)]
pub struct Compacted {
    /// What goes into the log.
    pub bodies: Vec<Body>,
    /// The summary.
    pub summary: String,
    /// How many tokens there were before.
    pub tokens_before: u64,
}

/// A message to the agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// What goes into the log: the message, or a hidden one of Relay's own, and what comes with it.
    pub bodies: Vec<Body>,
    /// The words, for front ends that show what waits.
    pub text: String,
}

impl Prompt {
    /// A prompt of a person.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::with_images(text, Vec::new())
    }

    /// A prompt with pictures.
    #[must_use]
    pub fn with_images(text: impl Into<String>, images: Vec<Block>) -> Self {
        let text = text.into();
        let content: Content = if images.is_empty() {
            text.as_str().into()
        } else {
            Content::Blocks(std::iter::once(Block::text(text.clone())).chain(images).collect())
        };
        let message = Message::User(UserMessage { content, ..UserMessage::default() });
        Self { bodies: vec![Body::Message(Box::new(message))], text }
    }

    /// A message of Relay's own, which the model reads and a person does not see.
    #[must_use]
    pub fn hidden(kind: &str, text: impl Into<String>) -> Self {
        let text = text.into();
        let message = CustomMessage {
            custom_type: kind.to_owned(),
            content: text.as_str().into(),
            display: false,
            attribution: Some("agent".to_owned()),
            ..CustomMessage::default()
        };
        Self { bodies: vec![Body::CustomMessage(Box::new(message))], text }
    }
}

/// Where a stream rule was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// In text or thoughts.
    Prose,
    /// In the arguments of this block's call.
    Call(String),
}

/// A stream rule that the answer breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The rule's name.
    pub rule: String,
    /// Where the rule is written.
    pub path: String,
    /// What the rule says.
    pub content: String,
    /// Where it was broken.
    pub source: Source,
    /// Whether the answer is interrupted.
    pub interrupts: bool,
}
