//! Compaction in the loop: when, and what follows.

use crate::event::{CompactReason, CompactionEvent, Ended, Event};
use crate::session::Body;

use super::effect::Effect;
use super::happened::Compacted;
use super::state::{Phase, State};
use super::step::{Effects, emit};

impl State {
    pub(super) fn compaction_wanted(
        &mut self,
        reason: CompactReason,
        focus: Option<String>,
        effects: &mut Effects,
    ) {
        if self.phase == Phase::Idle {
            self.compact(reason, focus, false, effects);
        } else {
            let text = "this can be done once the agent is idle".to_owned();
            effects.push(emit(Event::Notice { warning: true, text }));
        }
    }

    pub(super) fn compact(
        &mut self,
        reason: CompactReason,
        focus: Option<String>,
        then_ask: bool,
        effects: &mut Effects,
    ) {
        self.phase = Phase::Compacting { reason, then_ask };
        effects.push(emit(Event::Compaction(CompactionEvent::Start { reason })));
        effects.push(Effect::Compact { reason, focus });
    }

    pub(super) fn compacted(&mut self, result: Result<Compacted, String>, effects: &mut Effects) {
        let Phase::Compacting { reason, then_ask } = self.phase else { return };
        let will_retry = then_ask && result.is_ok();
        let (mut first_kept, mut details) = (None, None);
        let (summary, tokens_before, error) = match result {
            Ok(done) => {
                for body in &done.bodies {
                    if let Body::Compaction(compaction) = body {
                        first_kept.clone_from(&compaction.first_kept_entry_id);
                        details.clone_from(&compaction.details);
                    }
                }
                effects.extend(done.bodies.into_iter().map(Effect::Append));
                (Some(done.summary), done.tokens_before, None)
            }
            Err(error) => (None, 0, Some(error)),
        };
        let error_text = error.clone();
        let end = CompactionEvent::End {
            reason,
            summary,
            tokens_before,
            first_kept,
            details,
            will_retry,
            error: error_text,
        };
        effects.push(emit(Event::Compaction(end)));
        let ending = self.ending.take();
        let is_alone =
            matches!(reason, CompactReason::Request | CompactReason::Idle | CompactReason::Handoff);
        if is_alone && !then_ask {
            // It was no part of a run; what was said meanwhile begins one.
            self.phase = Phase::Idle;
            let waiting = if ending.is_none() { self.queues.take_all() } else { Vec::new() };
            if !waiting.is_empty() {
                self.begin(waiting, effects);
            }
            return;
        }
        if let Some(ended) = ending {
            return self.finish(ended, effects);
        }
        match (reason, error) {
            (CompactReason::Overflow, Some(error)) => {
                let why =
                    format!("the conversation does not fit the model and could not be compacted: {error}");
                self.finish(Ended::Failed(why), effects);
            }
            // A summary that failed is not a reason to stop while there is still room.
            _ if then_ask => self.ask(effects),
            _ => self.finish(Ended::Done, effects),
        }
    }
}
