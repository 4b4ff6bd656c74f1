//! What the turn loop remembers between two events.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::{CompactReason, Ended};
use crate::session::message::{AssistantMessage, ToolResultMessage};
use crate::tool::Signal;

use super::calls::Calls;
use super::happened::Hit;
use super::queue::Queues;
use super::repeats::Repeats;

/// What the loop is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Nothing: it waits for a prompt.
    #[default]
    Idle,
    /// The model answers.
    Asking,
    /// The answer is being stopped, because it broke a stream rule or the user aborted it.
    Stopping,
    /// Calls run.
    Working,
    /// The conversation is being made shorter; afterwards the model is asked, or not.
    Compacting {
        /// Why.
        reason: CompactReason,
        /// Whether the model is asked afterwards.
        then_ask: bool,
    },
    /// A pause before rules are injected and the model is asked again.
    Pausing,
}

/// The user's settings that the loop uses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The tools that run alone.
    pub exclusive: BTreeSet<String>,
    /// The tokens in the context from which on it is made shorter; none turns that off.
    pub compact_at: Option<u64>,
    /// Whether an answer that a rule interrupts stays in the conversation.
    pub keep_interrupted: bool,
    /// Whether steering waits until all calls of an answer have ended.
    pub steering_waits: bool,
    /// Whether edits in plain answers land.
    pub text_edits: bool,
    /// How often a model that ends although tasks of its list are open is reminded of them.
    pub todo_reminders: u32,
    /// Whether the model goes on by itself until an open goal is reached.
    pub goal_continues: bool,
    /// The schema that the last answer must follow.
    pub schema: Option<serde_json::Value>,
}

/// The state of the loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// What it is doing.
    pub phase: Phase,
    /// The queued messages.
    pub queues: Queues,
    /// What the user set.
    pub settings: Settings,
    /// Whether a checkpoint is open.
    pub checkpoint: bool,
    /// Whether a goal is open.
    pub goal: bool,
    /// Whether an action waits to be resolved.
    pub pending: bool,
    pub(super) calls: Calls,
    pub(super) answer: Option<Box<AssistantMessage>>,
    pub(super) results: Vec<ToolResultMessage>,
    pub(super) repeats: Repeats,
    pub(super) breaches: Breaches,
    /// What is carried out once the turn is over: the way back to a checkpoint, an approved plan.
    pub(super) at_end: Option<Signal>,
    pub(super) tries: Tries,
    pub(super) ending: Option<Ended>,
    /// The tasks of the model's list that are open.
    pub(super) todos: Vec<String>,
}

impl State {
    /// A loop that goes on with a session: whether a checkpoint and a goal are open there.
    #[must_use]
    pub fn resumed(settings: Settings, checkpoint: bool, goal: bool) -> Self {
        Self { settings, checkpoint, goal, ..Self::default() }
    }
}

/// Stream rules that the answer broke.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Breaches {
    /// Those that interrupt it.
    pub interrupting: Vec<Hit>,
    /// Those that wait for its end.
    pub prose: Vec<Hit>,
    /// Those that go in front of a call's result.
    pub calls: BTreeMap<String, Vec<Hit>>,
}

impl Breaches {
    /// Whether a rule is noted already; each is injected once, wherever else it was broken.
    pub fn knows(&self, rule: &str) -> bool {
        let mut all = self.interrupting.iter().chain(&self.prose).chain(self.calls.values().flatten());
        all.any(|hit| hit.rule == rule)
    }
}

/// Attempts made in this run, so that nothing is retried forever.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tries {
    /// Retries of the current turn.
    pub retries: u32,
    /// Whether the next retry has not begun to answer.
    pub waits: bool,
    /// The model that answers in place of the first.
    pub fell_back: Option<String>,
    /// Whether the conversation was made shorter because this turn did not fit.
    pub shortened: bool,
    /// How often the model was reminded in a row that it may not end yet.
    pub held: u32,
    /// How often it was reminded that its answer does not follow the schema.
    pub schema: u32,
    /// How often the model was reminded of open tasks.
    pub reminded: u32,
}
