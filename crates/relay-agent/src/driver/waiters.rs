//! Callers that wait for the end of something, and get an answer then.

use serde_json::Value;

use super::Agent;
use crate::event::{CompactionEvent, Ended, Event, RunEvent, wire};
use crate::session::Message;
use crate::turn::Happened;

/// Receives how a run ended.
pub type WhenEnded = Box<dyn FnOnce(&Ended) + Send>;
/// Receives a compaction's result, or why it failed.
pub type WhenCompacted = Box<dyn FnOnce(Result<Value, String>) + Send>;

/// The waiting callers.
#[derive(Default)]
pub struct Waiters {
    ended: Vec<WhenEnded>,
    compacted: Vec<WhenCompacted>,
}

impl Waiters {
    /// Notifies the callers that wait for this.
    pub fn tell(&mut self, event: &Event) {
        match event {
            Event::Run(RunEvent::End { ended, .. }) => {
                self.ended.drain(..).for_each(|waiter| waiter(ended));
            }
            Event::Compaction(end @ CompactionEvent::End { error, .. }) => {
                let cancelled = || error.clone().unwrap_or_else(|| "Compaction cancelled".to_owned());
                let result = wire::compaction_result(end).ok_or_else(cancelled);
                self.compacted.drain(..).for_each(|waiter| waiter(result.clone()));
            }
            _ => {}
        }
    }
}

impl Agent {
    /// Starts a run, and reports how it ended. Only possible while none is in progress.
    pub fn prompt_then(&mut self, prompt: crate::turn::Prompt, then: WhenEnded) {
        self.under_way.waiters.ended.push(then);
        self.queue(Happened::Prompted(prompt));
    }

    /// Compacts the conversation, and reports the result. Only possible while no run is in progress.
    pub fn compact_then(&mut self, focus: Option<String>, then: WhenCompacted) {
        self.under_way.waiters.compacted.push(then);
        self.queue(Happened::CompactionWanted { focus });
    }

    /// The end of a run, with the messages that it put into the log.
    pub(super) fn with_messages(&self, event: Event) -> Event {
        let Event::Run(RunEvent::End { ended, .. }) = event else { return event };
        let since = self.log.entries().get(self.under_way.begun_at..).unwrap_or_default();
        let messages: Vec<Message> = since.iter().filter_map(|entry| entry.message().cloned()).collect();
        Event::Run(RunEvent::End { ended, messages })
    }
}
