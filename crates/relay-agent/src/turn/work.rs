//! Calls under way: started, ended, and their results put into the log.

use relay_llm::ToolCall;

use crate::event::{Ended, Event, ToolEvent};
use crate::session::message::Message;
use crate::session::{Block, Body};
use crate::tool::{Output, Signal};

use super::effect::Effect;
use super::prose;
use super::state::State;
use super::step::{Effects, emit, note_injected, result_body};
use super::todos::TODOS;

impl State {
    pub(super) fn start_calls(&mut self, effects: &mut Effects) {
        for pending in self.calls.start() {
            let ToolCall { id, name, arguments, .. } = &pending.call;
            let arguments = arguments.object().cloned().map_or_else(Default::default, Into::into);
            let start = ToolEvent::Start { id: id.clone(), name: name.clone(), arguments };
            effects.push(emit(Event::Tool(start)));
            effects.push(Effect::Run(pending));
        }
    }

    pub(super) fn call_ended(&mut self, id: String, output: Output, effects: &mut Effects) {
        let Some(call) = self.calls.running(&id).cloned() else { return };
        let mut output = output;
        let repeated = self.repeats.count(&call, &output);
        output.content.extend(repeated.warning().map(Block::text));
        let stops = output.signals.contains(&Signal::Stop);
        let name = call.name.clone();
        effects.push(emit(Event::Tool(ToolEvent::End { id: id.clone(), name, output: output.clone() })));
        self.calls.end(&id, output);
        if let Some(why) = repeated.end(&call.name) {
            self.ending.get_or_insert(Ended::Failed(why));
        }
        if stops {
            self.ending.get_or_insert(Ended::Aborted);
        }
        if self.ending.is_some() {
            self.skip_waiting(prose::NOT_STARTED, effects);
        } else if !self.queues.steering.is_empty() && !self.settings.steering_waits {
            self.skip_waiting(prose::SKIPPED, effects);
        }
        self.log_results(effects);
        if self.calls.all_ended() {
            self.turn_over(effects);
        } else {
            self.start_calls(effects);
        }
    }

    pub(super) fn skip_waiting(&mut self, why: &str, effects: &mut Effects) {
        let output = Output { is_error: true, ..Output::text(why) };
        for call in self.calls.skip_waiting(&output) {
            let ToolCall { id, name, .. } = call;
            effects.push(emit(Event::Tool(ToolEvent::End { id, name, output: output.clone() })));
        }
    }

    /// Puts the results into the log that are next in the order of the calls.
    pub(super) fn log_results(&mut self, effects: &mut Effects) {
        for (call, mut output) in self.calls.take_results() {
            if let Some(hits) = self.breaches.calls.remove(&call.id) {
                output.content.insert(0, Block::text(prose::reminder(&hits)));
                note_injected(&hits, effects);
            }
            for signal in std::mem::take(&mut output.signals) {
                self.signalled(signal, effects);
            }
            let body = result_body(&call, output);
            if let Body::Message(message) = &body
                && let Message::ToolResult(result) = &**message
            {
                self.results.push(result.clone());
            }
            effects.push(Effect::Append(body));
        }
    }

    fn signalled(&mut self, signal: Signal, effects: &mut Effects) {
        match &signal {
            Signal::Checkpoint { .. } => self.checkpoint = true,
            Signal::Rewind { .. } | Signal::PlanApproved { .. } => {
                // The conversation is cut once the turn is over, when every result is in the log.
                self.at_end = Some(signal);
                return;
            }
            Signal::Goal(goal) => {
                let status = goal.as_ref().and_then(|goal| goal.get("status")?.as_str());
                self.goal = status == Some("active");
            }
            Signal::Pending { .. } => self.pending = true,
            Signal::Resolved { .. } => self.pending = false,
            Signal::Keep { kind, data } if kind == TODOS => self.take_todos(data),
            Signal::Mode { .. } | Signal::Select(_) | Signal::Keep { .. } | Signal::Stop => {}
        }
        effects.push(Effect::Signal(signal));
    }
}
