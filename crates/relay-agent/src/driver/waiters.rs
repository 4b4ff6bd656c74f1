//! Who wants to know how something ends: a client that asked for it, and gets its answer then.

use serde_json::Value;

use super::Agent;
use crate::event::{CompactionEvent, Ended, Event, RunEvent, wire};
use crate::session::Message;
use crate::turn::Happened;

/// Hears how a run ended.
pub type WhenEnded = Box<dyn FnOnce(&Ended) + Send>;
/// Hears what came of a compaction: its result, or why there is none.
pub type WhenCompacted = Box<dyn FnOnce(Result<Value, String>) + Send>;

/// Those who wait.
#[derive(Default)]
pub struct Waiters {
    ended: Vec<WhenEnded>,
    compacted: Vec<WhenCompacted>,
}

impl Waiters {
    /// Tells those who wait for this.
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
    /// Begins a run, and says how it ended. Only while none is under way.
    pub fn prompt_then(&mut self, prompt: crate::turn::Prompt, then: WhenEnded) {
        self.under_way.waiters.ended.push(then);
        self.queue(Happened::Prompted(prompt));
    }

    /// Makes the conversation shorter, and says what came of it. Only while no run is under way.
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
