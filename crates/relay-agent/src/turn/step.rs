//! One step: from an event to the effects that follow.

use relay_llm::{Error, ErrorKind, Kind, ToolCall};
use serde_json::Value;

use crate::event::{CompactReason, Ended, Event, MessageEvent, RetryEvent, RunEvent};
use crate::event::{SessionEvent, ToolEvent, TurnEvent};
use crate::session::body::{ModelChange, TtsrInjection};
use crate::session::message::{Message, ToolResultMessage};
use crate::session::{Body, Content};
use crate::tool::{Output, PlanChoice, Signal};

use super::calls::{Calls, PendingCall};
use super::effect::Effect;
use super::happened::{Answer, Happened, Hit, Prompt, Source};
use super::state::{Breaches, Phase, State, Tries};
use super::{prose, repeats, schema};

/// How often in a row a model that wants to end is reminded that it may not.
const HOLDS: u32 = 3;
/// How often a model is asked again because its answer does not follow the schema.
const SCHEMA_TRIES: u32 = 2;
/// The role of a model that answers in place of the first for a while.
const TEMPORARY: &str = "temporary";
/// The result of a retry that was aborted before it began.
const RETRY_CANCELLED: &str = "Retry cancelled";
/// The pause between an interrupted answer and the next request.
const PAUSE_MS: u64 = 50;

pub(super) type Effects = Vec<Effect>;

impl State {
    /// Reacts to an event. Events of an ended run do nothing.
    #[must_use]
    pub fn step(mut self, happened: Happened) -> (Self, Effects) {
        let mut effects = Vec::new();
        self.react(happened, &mut effects);
        (self, effects)
    }

    /// Whether a run is in progress.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.phase != Phase::Idle
    }

    /// Whether the conversation is being compacted.
    #[must_use]
    pub fn is_compacting(&self) -> bool {
        matches!(self.phase, Phase::Compacting { .. })
    }

    fn react(&mut self, happened: Happened, effects: &mut Effects) {
        match happened {
            Happened::Prompted(prompt) if self.phase == Phase::Idle => self.begin(vec![prompt], effects),
            Happened::Prompted(prompt) | Happened::Steered(prompt) => self.steer(prompt, effects),
            Happened::FollowedUp(prompt) => self.follow_up(prompt, effects),
            Happened::Resumed if self.phase == Phase::Idle => self.begin(Vec::new(), effects),
            Happened::Resumed => {}
            Happened::Aborted => self.end_early(Ended::Aborted, effects),
            Happened::TimeIsUp(why) => self.end_early(Ended::Limit(why), effects),
            Happened::CompactionWanted { focus } => {
                self.compaction_wanted(CompactReason::Request, focus, effects);
            }
            Happened::HandoffWanted { focus } => {
                self.compaction_wanted(CompactReason::Handoff, focus, effects);
            }
            Happened::Unused if self.phase == Phase::Idle => {
                self.compact(CompactReason::Idle, None, false, effects);
            }
            Happened::Unused => {}
            Happened::ModelStarted { model } => {
                self.tries.waits = false;
                self.while_asking(MessageEvent::Start { model }, effects);
            }
            Happened::BlockBegan { index, kind } => {
                self.while_asking(MessageEvent::Begin { index, kind }, effects);
            }
            Happened::Delta { index, kind, text, hits } => self.delta(index, kind, text, hits, effects),
            Happened::BlockEnded { index, block } => {
                self.while_asking(MessageEvent::End { index, block }, effects);
            }
            Happened::Retrying { attempt, max_attempts, delay_ms, error, discards, model } => {
                if discards && self.phase == Phase::Asking {
                    effects.push(emit(Event::Message(MessageEvent::Discarded)));
                }
                let start = RetryEvent::Start { attempt, max_attempts, delay_ms, error };
                self.retrying(attempt, start, model, effects);
            }
            Happened::Answered(answer) => self.answered(answer, effects),
            Happened::Failed { error, answer } => self.failed(&error, answer, effects),
            Happened::CallUpdated { id, output } => {
                if let Some(call) = self.calls.running(&id) {
                    let name = call.name.clone();
                    let arguments = call.arguments.object().cloned().map(Value::Object).unwrap_or_default();
                    effects.push(emit(Event::Tool(ToolEvent::Update { id, name, arguments, output })));
                }
            }
            Happened::CallEnded { id, output } => self.call_ended(id, output, effects),
            Happened::Compacted(result) => self.compacted(result, effects),
            Happened::Waited => {
                if self.phase == Phase::Pausing {
                    let hits = std::mem::take(&mut self.breaches.interrupting);
                    inject(&hits, effects);
                    self.ask(effects);
                }
            }
        }
    }

    /// A run begins with these prompts; with none it goes on with what the log ends with.
    pub(super) fn begin(&mut self, prompts: Vec<Prompt>, effects: &mut Effects) {
        self.tries = Tries::default();
        self.repeats = repeats::Repeats::default();
        effects.push(emit(Event::Run(RunEvent::Start)));
        say(prompts, effects);
        if self.goal {
            effects.push(Effect::RemindOfGoal { continues: false });
        }
        self.ask(effects);
    }

    pub(super) fn ask(&mut self, effects: &mut Effects) {
        self.phase = Phase::Asking;
        self.breaches = Breaches::default();
        self.tries.retries = 0;
        self.answer = None;
        self.results.clear();
        self.calls = Calls::default();
        effects.push(emit(Event::Turn(TurnEvent::Start)));
        let must_call = self.pending.then(|| "resolve".to_owned());
        effects.push(Effect::Ask { must_call });
    }

    fn steer(&mut self, prompt: Prompt, effects: &mut Effects) {
        if self.phase == Phase::Idle {
            return self.begin(vec![prompt], effects);
        }
        self.queues.steering.push_back(prompt);
        effects.push(self.queue_event());
    }

    fn follow_up(&mut self, prompt: Prompt, effects: &mut Effects) {
        if self.phase == Phase::Idle {
            return self.begin(vec![prompt], effects);
        }
        self.queues.follow_up.push_back(prompt);
        effects.push(self.queue_event());
    }

    fn queue_event(&self) -> Effect {
        let (steering, follow_up) = self.queues.texts();
        emit(Event::Session(SessionEvent::Queue { steering, follow_up }))
    }

    fn while_asking(&mut self, event: MessageEvent, effects: &mut Effects) {
        if self.phase == Phase::Asking {
            effects.push(emit(Event::Message(event)));
        }
    }

    fn delta(&mut self, index: usize, kind: Kind, text: String, hits: Vec<Hit>, effects: &mut Effects) {
        if self.phase != Phase::Asking {
            return;
        }
        effects.push(emit(Event::Message(MessageEvent::Delta { index, kind, text })));
        let mut fresh: Vec<Hit> = Vec::new();
        for hit in hits {
            if !self.breaches.knows(&hit.rule) && !fresh.iter().any(|known| known.rule == hit.rule) {
                fresh.push(hit);
            }
        }
        if fresh.is_empty() {
            return;
        }
        let rules = fresh.iter().map(|hit| hit.rule.clone()).collect();
        let interrupted = fresh.iter().any(|hit| hit.interrupts);
        if interrupted {
            self.breaches.interrupting.extend(fresh);
            self.phase = Phase::Stopping;
            effects.push(Effect::StopModel);
        } else {
            for hit in fresh {
                match hit.source.clone() {
                    Source::Prose => self.breaches.prose.push(hit),
                    Source::Call(id) => self.breaches.calls.entry(id).or_default().push(hit),
                }
            }
        }
        effects.push(emit(Event::Rules { rules, interrupted }));
    }

    fn answered(&mut self, answer: Answer, effects: &mut Effects) {
        match self.phase {
            Phase::Stopping => return self.stopped(answer, effects),
            Phase::Asking => {}
            _ => return,
        }
        self.retries_are_over(None, effects);
        effects.push(Effect::Append(Body::Message(Box::new(Message::Assistant(answer.message.clone())))));
        effects.push(Effect::Used(answer.message.usage.fresh_tokens()));
        let exclusive = &self.settings.exclusive;
        self.calls = Calls::new(answer.calls.into_iter().map(|call| PendingCall {
            exclusive: exclusive.contains(&call.name.to_ascii_lowercase()),
            call,
        }));
        self.answer = Some(answer.message);
        if self.calls.is_empty() {
            return self.turn_over(effects);
        }
        self.phase = Phase::Working;
        self.start_calls(effects);
    }

    /// An answer that was ended on purpose: by a rule, by a person, or because time is up.
    fn stopped(&mut self, answer: Answer, effects: &mut Effects) {
        if self.ending.is_some() && self.tries.waits {
            self.retries_are_over(Some(RETRY_CANCELLED.to_owned()), effects);
        }
        let by_rule = self.ending.is_none() && !self.breaches.interrupting.is_empty();
        if by_rule && !self.settings.keep_interrupted {
            effects.push(emit(Event::Message(MessageEvent::Discarded)));
        } else if has_content(&answer) {
            let mut message = answer.message;
            message.stop_reason = "aborted".to_owned();
            effects.push(Effect::Append(Body::Message(Box::new(Message::Assistant(message)))));
            // No call without a result, whatever reads this log next.
            for call in answer.calls {
                let output = Output { is_error: true, ..Output::text(prose::NOT_STARTED) };
                effects.push(Effect::Append(result_body(&call, output)));
            }
        }
        if let Some(ended) = self.ending.take() {
            return self.finish(ended, effects);
        }
        self.breaches.prose.clear();
        self.breaches.calls.clear();
        self.phase = Phase::Pausing;
        effects.push(Effect::Wait(PAUSE_MS));
    }

    fn failed(&mut self, error: &Error, answer: Answer, effects: &mut Effects) {
        match self.phase {
            Phase::Stopping => return self.stopped(answer, effects),
            Phase::Asking => {}
            _ => return,
        }
        self.breaches = Breaches::default();
        self.retries_are_over(Some(error.to_string()), effects);
        if error.kind == ErrorKind::ContextOverflow && !self.tries.shortened {
            self.tries.shortened = true;
            return self.compact(CompactReason::Overflow, None, true, effects);
        }
        if has_content(&answer) || error.kind != ErrorKind::Budget {
            effects.push(Effect::Append(Body::Message(Box::new(Message::Assistant(answer.message)))));
            for call in answer.calls {
                let output = Output { is_error: true, ..Output::text(prose::NOT_STARTED) };
                effects.push(Effect::Append(result_body(&call, output)));
            }
        }
        let ended = match error.kind {
            ErrorKind::Budget => Ended::Limit(error.to_string()),
            ErrorKind::Aborted => Ended::Aborted,
            _ => Ended::Failed(error.to_string()),
        };
        self.finish(ended, effects);
    }

    /// The request is sent again, perhaps to another model.
    fn retrying(&mut self, attempt: u32, start: RetryEvent, model: Option<String>, effects: &mut Effects) {
        if self.phase != Phase::Asking {
            return;
        }
        self.tries.retries = self.tries.retries.max(attempt).max(1);
        self.tries.waits = true;
        self.breaches = Breaches::default();
        effects.push(emit(Event::Retry(start)));
        if let Some(to) = model.filter(|to| self.tries.fell_back.as_ref() != Some(to)) {
            let change =
                ModelChange { model: to.clone(), role: Some(TEMPORARY.to_owned()), ..ModelChange::default() };
            effects.push(Effect::Append(Body::ModelChange(change)));
            effects.push(emit(Event::Retry(RetryEvent::FellBack { to: to.clone() })));
            self.tries.fell_back = Some(to);
        }
    }

    fn retries_are_over(&mut self, error: Option<String>, effects: &mut Effects) {
        let attempt = std::mem::take(&mut self.tries.retries);
        if attempt > 0 {
            let model = self.tries.fell_back.clone().filter(|_| error.is_none());
            let end = RetryEvent::End { success: error.is_none(), attempt, error };
            effects.push(emit(Event::Retry(end)));
            effects.extend(model.map(|model| emit(Event::Retry(RetryEvent::FallbackAnswered { model }))));
        }
    }

    /// An answer and its calls are done: what now?
    pub(super) fn turn_over(&mut self, effects: &mut Effects) {
        let results = std::mem::take(&mut self.results);
        let had_calls = !self.calls.is_empty();
        let Some(message) = self.answer.take() else { return self.finish(Ended::Done, effects) };
        let context_tokens = message.usage.context_tokens();
        let text = Content::text(&message.content, "\n");
        let is_cut = message.stop_reason == "length";
        let todos_failed = results.iter().any(|result| result.is_error && result.tool_name == "todo_write");
        effects.push(emit(Event::Turn(TurnEvent::End { message, results })));
        effects.push(Effect::TurnEnded);
        if let Some(ended) = self.ending.take() {
            return self.finish(ended, effects);
        }
        let compacts = match self.at_end.take() {
            Some(signal) => self.carry_out(signal, effects),
            None => false,
        };
        if todos_failed {
            say(vec![Prompt::hidden("todo-write-error-reminder", prose::TODO_FAILED)], effects);
        }
        let prose_hits = std::mem::take(&mut self.breaches.prose);
        inject(&prose_hits, effects);
        let goes_on = had_calls || !prose_hits.is_empty() || self.goes_on(&text, is_cut, effects);
        if had_calls || !prose_hits.is_empty() {
            say(self.queues.take_steering(), effects);
            if had_calls {
                self.tries.held = 0;
            }
        }
        if compacts {
            return self.compact(CompactReason::Request, None, true, effects);
        }
        if self.settings.compact_at.is_some_and(|limit| context_tokens > limit) {
            return self.compact(CompactReason::Threshold, None, goes_on, effects);
        }
        if goes_on {
            return self.ask(effects);
        }
        let ended = self.ending.take().unwrap_or(Ended::Done);
        self.finish(ended, effects);
    }

    /// Carries out what had to wait for the end of the turn; says whether the conversation is made shorter then.
    fn carry_out(&mut self, signal: Signal, effects: &mut Effects) -> bool {
        let compacts = matches!(&signal, Signal::PlanApproved { choice: PlanChoice::Compact, .. });
        if matches!(signal, Signal::Rewind { .. }) {
            self.checkpoint = false;
        }
        effects.push(Effect::Signal(signal));
        compacts
    }

    /// Whether there is a reason to ask the model again, although it wants nothing more.
    fn goes_on(&mut self, text: &str, is_cut: bool, effects: &mut Effects) -> bool {
        if self.settings.text_edits && !text.is_empty() {
            effects.push(Effect::LandText { text: text.to_owned() });
        }
        if is_cut {
            let text = "the answer reached the model's length limit and ends early".to_owned();
            effects.push(emit(Event::Notice { warning: true, text }));
        }
        for waiting in [self.queues.take_steering(), self.queues.take_follow_up()] {
            if !waiting.is_empty() {
                say(waiting, effects);
                effects.push(self.queue_event());
                self.tries.held = 0;
                return true;
            }
        }
        if self.tries.held >= HOLDS {
            if self.goal && self.settings.goal_continues {
                let text = "the goal is still open, but the model has stopped working on it".to_owned();
                effects.push(emit(Event::Notice { warning: true, text }));
            }
            return self.remind_of_todos(effects);
        }
        if self.checkpoint {
            self.tries.held += 1;
            say(vec![Prompt::hidden("checkpoint-warning", prose::REWIND_FIRST)], effects);
            return true;
        }
        if self.pending {
            self.tries.held += 1;
            say(vec![Prompt::hidden("resolve-reminder", prose::RESOLVE_FIRST)], effects);
            return true;
        }
        if self.goal && self.settings.goal_continues {
            self.tries.held += 1;
            effects.push(Effect::RemindOfGoal { continues: true });
            return true;
        }
        self.remind_of_todos(effects) || self.breaks_schema(text, effects)
    }

    /// Whether the last answer does not follow the schema, and the model is asked again for that.
    fn breaks_schema(&mut self, text: &str, effects: &mut Effects) -> bool {
        let Some(schema) = &self.settings.schema else { return false };
        let Err(faults) = schema::check(schema, text) else { return false };
        if self.tries.schema >= SCHEMA_TRIES {
            let why = format!("the answer does not follow the schema: {}", faults.join("; "));
            self.ending = Some(Ended::Failed(why));
            return false;
        }
        self.tries.schema += 1;
        say(vec![Prompt::hidden("schema-retry", prose::wrong_schema(&faults))], effects);
        true
    }

    fn end_early(&mut self, ended: Ended, effects: &mut Effects) {
        match self.phase {
            Phase::Idle => {}
            Phase::Asking | Phase::Compacting { .. } => {
                if self.phase == Phase::Asking {
                    self.phase = Phase::Stopping;
                }
                self.ending.get_or_insert(ended);
                effects.push(Effect::StopModel);
            }
            Phase::Stopping => {
                self.ending.get_or_insert(ended);
            }
            Phase::Working => {
                self.ending.get_or_insert(ended);
                self.skip_waiting(prose::NOT_STARTED, effects);
                effects.push(Effect::StopCalls);
            }
            Phase::Pausing => self.finish(ended, effects),
        }
    }

    pub(super) fn finish(&mut self, ended: Ended, effects: &mut Effects) {
        if ended != Ended::Done {
            // A half-finished investigation cannot be returned from; the conversation stays as it is.
            if ended == Ended::Aborted && self.checkpoint {
                self.checkpoint = false;
                effects.push(Effect::Signal(Signal::Keep {
                    kind: "checkpoint".to_owned(),
                    data: serde_json::Value::Null,
                }));
            }
            self.at_end = None;
        }
        self.phase = Phase::Idle;
        self.breaches = Breaches::default();
        self.calls = Calls::default();
        self.answer = None;
        self.ending = None;
        // The driver adds the messages, which are in the log.
        effects.push(emit(Event::Run(RunEvent::End { ended, messages: Vec::new() })));
    }
}

pub(super) fn emit(event: Event) -> Effect {
    Effect::Emit(event)
}

/// Puts prompts into the log.
pub(super) fn say(prompts: Vec<Prompt>, effects: &mut Effects) {
    effects.extend(prompts.into_iter().flat_map(|prompt| prompt.bodies).map(Effect::Append));
}

/// Shows broken rules to the model, and remembers that it did.
fn inject(hits: &[Hit], effects: &mut Effects) {
    if !hits.is_empty() {
        effects.push(Effect::Append(Body::CustomMessage(Box::new(prose::injection(hits)))));
        note_injected(hits, effects);
    }
}

pub(super) fn note_injected(hits: &[Hit], effects: &mut Effects) {
    let rules: Vec<String> = hits.iter().map(|hit| hit.rule.clone()).collect();
    effects.push(Effect::Append(Body::TtsrInjection(TtsrInjection { injected_rules: rules.clone() })));
    effects.push(Effect::Injected(rules));
}

pub(super) fn result_body(call: &ToolCall, output: Output) -> Body {
    let result = ToolResultMessage {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        content: Content::Blocks(output.content),
        details: output.details,
        is_error: output.is_error,
        ..ToolResultMessage::default()
    };
    Body::Message(Box::new(Message::ToolResult(result)))
}

fn has_content(answer: &Answer) -> bool {
    !answer.message.content.blocks().is_empty() || !answer.message.content.text("").is_empty()
}
