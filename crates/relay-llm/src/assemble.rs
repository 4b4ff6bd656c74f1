//! Puts an answer together from its pieces and says what happened, in the words of the contract.
//!
//! Adapters call this and nothing else: it keeps the blocks, turns every piece into at most one event, joins deltas of
//! one block that arrive faster than a person can read, and ends what was left open. Each byte is copied at most twice,
//! so the cost of a long answer is linear.

use std::collections::VecDeque;

use crate::error::{Error, ErrorKind};
use crate::event::{Event, Kind, Notice, StopReason, Turn};
use crate::guard::Guards;
use crate::message::{Arguments, Block, Seal, ToolCall};

/// How many kinds of unknown events are reported.
const UNKNOWN_NAMES: usize = 8;

/// An answer in the making.
pub(crate) struct Assembler {
    turn: Turn,
    /// One for each block of the turn.
    slots: Vec<Slot>,
    events: VecDeque<Event>,
    /// A delta that waits for more of its block.
    waiting: Option<(usize, String)>,
    guards: Guards,
    unknown: Vec<String>,
    is_started: bool,
    bytes: usize,
    limit_bytes: usize,
}

/// What is known of a block besides its content.
struct Slot {
    is_open: bool,
    /// A tool call's arguments as they come.
    json: String,
    /// Whether nothing shows that a finished tool call is whole: it came without any text for its arguments, or its text
    /// has no end of its own.
    is_doubtful: bool,
}

impl Assembler {
    pub(crate) fn new(turn: Turn, guards: Guards, limit_bytes: usize) -> Self {
        Self {
            turn,
            slots: Vec::new(),
            events: VecDeque::new(),
            waiting: None,
            guards,
            unknown: Vec::new(),
            is_started: false,
            bytes: 0,
            limit_bytes,
        }
    }

    /// Whether part of the answer was emitted. Then it cannot be retried unnoticed.
    pub(crate) fn has_output(&self) -> bool {
        !self.turn.content.is_empty()
    }

    /// What the provider says about the answer as a whole: usage, id, tier.
    pub(crate) fn turn_mut(&mut self) -> &mut Turn {
        &mut self.turn
    }

    /// The turn as far as it got.
    pub(crate) fn turn(&self) -> &Turn {
        &self.turn
    }

    /// The provider has begun to answer.
    pub(crate) fn start(&mut self, id: Option<&str>, model: Option<&str>) {
        if let Some(id) = id {
            self.turn.id = Some(id.to_owned());
        }
        if !std::mem::replace(&mut self.is_started, true) {
            let model = model.unwrap_or(&self.turn.origin.model).to_owned();
            self.events.push_back(Event::Start { model });
        }
    }

    /// A block begins. Returns its index.
    pub(crate) fn begin(&mut self, kind: Kind) -> usize {
        self.start(None, None);
        self.flush();
        let block = match &kind {
            Kind::Text | Kind::Other => Block::text(""),
            Kind::Thinking => Block::Thinking { text: String::new(), seal: None },
            Kind::ToolCall { id, name } => Block::ToolCall(ToolCall {
                id: id.clone(),
                name: name.clone(),
                arguments: Arguments::Object(serde_json::Map::new()),
                seal: None,
            }),
        };
        let index = self.turn.content.len();
        self.turn.content.push(block);
        self.slots.push(Slot { is_open: true, json: String::new(), is_doubtful: false });
        self.events.push_back(Event::Begin { index, kind });
        index
    }

    /// More of a block: words, thoughts, or a piece of a tool call's JSON.
    pub(crate) fn delta(&mut self, index: usize, text: &str) -> Result<(), Error> {
        let (Some(block), Some(slot)) = (self.turn.content.get_mut(index), self.slots.get_mut(index)) else {
            return Ok(());
        };
        if text.is_empty() || !slot.is_open {
            return Ok(());
        }
        self.bytes += text.len();
        if self.bytes > self.limit_bytes {
            let message = format!("the answer is longer than {} bytes", self.limit_bytes);
            return Err(self.error(ErrorKind::TooLarge, message));
        }
        let is_prose = !matches!(block, Block::ToolCall(_));
        let is_thinking = matches!(block, Block::Thinking { .. });
        let whole = match block {
            Block::Text { text, .. } | Block::Thinking { text, .. } => text,
            _ => &mut slot.json,
        };
        whole.push_str(text);
        let notice = self.guards.look(index, whole, is_prose);
        match &mut self.waiting {
            Some((waiting, joined)) if *waiting == index => joined.push_str(text),
            _ => {
                self.flush();
                self.waiting = Some((index, text.to_owned()));
            }
        }
        match notice {
            Some(notice) => self.lost(notice, is_thinking),
            None => Ok(()),
        }
    }

    /// The model lost its way: nothing it says from here on is worth paying for. Thoughts alone do no harm by a leak.
    fn lost(&mut self, notice: Notice, is_thinking: bool) -> Result<(), Error> {
        let failure = match notice {
            Notice::Repetition { .. } => Some((ErrorKind::Repetition, "the model repeats itself")),
            Notice::HarmonyLeak { .. } if !is_thinking => {
                Some((ErrorKind::Leak, "the model wrote its own routing into the answer"))
            }
            _ => None,
        };
        self.notice(notice);
        failure.map_or(Ok(()), |(kind, message)| Err(self.error(kind, message)))
    }

    /// Sets what the provider wants back with a block.
    pub(crate) fn seal(&mut self, index: usize, new: Seal) {
        if let Some(
            Block::Text { seal, .. } | Block::Thinking { seal, .. } | Block::ToolCall(ToolCall { seal, .. }),
        ) = self.turn.content.get_mut(index)
        {
            *seal = Some(new);
        }
    }

    /// What the provider wants back with a block, so far.
    pub(crate) fn seal_mut(&mut self, index: usize) -> Option<&mut Option<Seal>> {
        match self.turn.content.get_mut(index) {
            Some(
                Block::Text { seal, .. }
                | Block::Thinking { seal, .. }
                | Block::ToolCall(ToolCall { seal, .. }),
            ) => Some(seal),
            _ => None,
        }
    }

    /// How much of a block there is.
    pub(crate) fn len(&self, index: usize) -> usize {
        match self.turn.content.get(index) {
            Some(Block::Text { text, .. } | Block::Thinking { text, .. }) => text.len(),
            _ => self.slots.get(index).map_or(0, |slot| slot.json.len()),
        }
    }

    /// The whole text of a block, if only its end carries it: what is missing becomes a delta.
    pub(crate) fn complete(&mut self, index: usize, whole: &str) -> Result<(), Error> {
        match whole.get(self.len(index)..) {
            Some(missing) if !missing.is_empty() => self.delta(index, missing),
            _ => Ok(()),
        }
    }

    /// A block is finished.
    pub(crate) fn end(&mut self, index: usize) {
        self.finish_block(index, None);
    }

    /// A call is finished whose text would look whole wherever it was cut.
    pub(crate) fn end_free(&mut self, index: usize) {
        if let Some(slot) = self.slots.get_mut(index) {
            slot.is_doubtful = true;
        }
        self.finish_block(index, None);
    }

    fn finish_block(&mut self, index: usize, instead: Option<Block>) {
        let (Some(block), Some(slot)) = (self.turn.content.get_mut(index), self.slots.get_mut(index)) else {
            return;
        };
        if !std::mem::replace(&mut slot.is_open, false) {
            return;
        }
        if let Some(instead) = instead {
            *block = instead;
        } else if let Block::ToolCall(call) = block {
            let text = std::mem::take(&mut slot.json);
            slot.is_doubtful |= text.trim().is_empty();
            call.arguments = Arguments::parse(&text);
        }
        let block = block.clone();
        self.flush();
        self.events.push_back(Event::End { index, block });
    }

    /// A block that comes whole: an image, or one of a kind Relay does not know.
    pub(crate) fn whole(&mut self, block: Block) {
        let index = self.begin(Kind::Other);
        self.finish_block(index, Some(block));
    }

    /// A block of unknown kind begins, to be given by `end_whole`.
    pub(crate) fn end_whole(&mut self, index: usize, block: Block) {
        self.finish_block(index, Some(block));
    }

    /// Something worth knowing.
    pub(crate) fn notice(&mut self, notice: Notice) {
        self.flush();
        self.events.push_back(Event::Notice(notice));
    }

    /// An event of a kind Relay does not know. Each kind is reported once.
    pub(crate) fn unknown_event(&mut self, name: &str) {
        if self.unknown.len() < UNKNOWN_NAMES && !self.unknown.iter().any(|known| known == name) {
            self.unknown.push(name.to_owned());
            self.notice(Notice::UnknownEvent { name: name.to_owned() });
        }
    }

    /// A failure of this provider.
    pub(crate) fn error(&self, kind: ErrorKind, message: impl Into<String>) -> Error {
        Error::new(kind, self.turn.origin.provider.clone(), message)
    }

    /// Whether a delta waits for more of its block.
    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// How long the delta is that waits.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.waiting.as_ref().map_or(0, |(_, text)| text.len())
    }

    /// Lets the waiting delta go.
    pub(crate) fn flush(&mut self) {
        if let Some((index, text)) = self.waiting.take() {
            self.events.push_back(Event::Delta { index, text });
        }
    }

    /// Whether there is an event to emit.
    pub(crate) fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// The next event to emit.
    pub(crate) fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// The model has finished: ends what is open and emits the turn.
    pub(crate) fn done(&mut self) {
        self.start(None, None);
        for index in 0..self.slots.len() {
            self.end(index);
        }
        self.flush();
        self.doubt_the_last_call();
        // Some servers call every end a stop, although the model waits for its tools.
        let calls = self.turn.content.iter().any(|block| matches!(block, Block::ToolCall(_)));
        if calls && self.turn.stop == StopReason::Stop {
            self.turn.stop = StopReason::ToolUse;
        }
        self.events.push_back(Event::Done { turn: self.turn.clone() });
    }

    /// An answer that was cut at its longest may have lost a call's arguments altogether, or the end of a text, and providers
    /// end the call all the same. Then "no text" is not "no arguments", and no tool may run on it.
    fn doubt_the_last_call(&mut self) {
        if self.turn.stop == StopReason::Length
            && let Some(Block::ToolCall(call)) = self.turn.content.last_mut()
            && self.slots.last().is_some_and(|slot| slot.is_doubtful)
        {
            let reason = "the answer was cut off in the arguments".to_owned();
            call.arguments = Arguments::Malformed { text: String::new(), reason };
        }
    }

    /// The answer ends unfinished: emits why, and the turn as far as it got.
    pub(crate) fn fail(&mut self, error: Error) {
        self.flush();
        for (block, slot) in self.turn.content.iter_mut().zip(&mut self.slots) {
            if let Block::ToolCall(call) = block
                && slot.is_open
            {
                let text = std::mem::take(&mut slot.json);
                call.arguments = Arguments::Malformed { text, reason: "the answer broke off".to_owned() };
            }
        }
        let turn = self.turn.clone().failed(error.clone());
        self.events.push_back(Event::Error { error, turn });
    }

    /// Forgets an attempt, so that another can begin. Events already emitted stay emitted.
    pub(crate) fn restart(&mut self) {
        self.turn = Turn::new(self.turn.origin.clone());
        self.slots.clear();
        self.waiting = None;
        self.bytes = 0;
    }
}
