//! Compacts the conversation: plans here, and writes the summary on a separate thread.

use std::thread;

use jiff::Timestamp;
use relay_diagnostics::Cancel;
use relay_llm::RetrySettings;

use super::{Agent, Mail, SideJob};
use crate::compact::{self, Plan, Situation, Strategy, Trigger};
use crate::event::CompactReason;
use crate::session::Body;
use crate::turn::{Compacted, Happened};

impl Agent {
    /// Prunes old results at once and has the rest summarised, or hands off to a new session if configured.
    pub(super) fn shorten(&mut self, reason: CompactReason, focus: Option<String>) {
        let trigger = match reason {
            CompactReason::Handoff => return self.hand_off(reason, focus.as_deref()),
            CompactReason::Threshold if self.compaction.strategy == Strategy::Handoff => {
                return self.hand_off(reason, None);
            }
            CompactReason::Threshold => Trigger::Threshold,
            CompactReason::Overflow => Trigger::Overflow,
            CompactReason::Request => Trigger::Request,
            CompactReason::Idle => Trigger::Idle,
        };
        let model = self.asking.asker.model();
        let situation =
            Situation { focus, ..Situation::new(trigger, &self.compaction, model.limits.context) };
        let plan = compact::plan(&self.log.path_to_leaf(), &situation);
        let plan = match plan {
            Ok(plan) => plan,
            Err(nothing) => return self.queue(Happened::Compacted(Err(nothing.to_string()))),
        };
        if let Err(error) = self.prune(&plan) {
            return self.queue(Happened::Compacted(Err(error)));
        }
        if plan.cut.is_none() {
            let summary = "old tool results were left out".to_owned();
            let (bodies, tokens_before) = (Vec::new(), plan.tokens_before);
            return self.queue(Happened::Compacted(Ok(Compacted { bodies, summary, tokens_before })));
        }
        let cancel = Cancel::new();
        self.under_way.model = Some(cancel.clone());
        let mut aside = self.aside(SideJob::Summary, cancel);
        let sender = self.post.sender.clone();
        let started = thread::Builder::new().name("summary".to_owned()).spawn(move || {
            let (candidates, retry) = (aside.candidates(), RetrySettings::default());
            let done = compact::carry_out(&plan, &candidates, &retry, &mut aside, &mut |_| {});
            let result = match done {
                Ok(Some(compaction)) => Ok(Compacted {
                    summary: compaction.summary.clone(),
                    tokens_before: plan.tokens_before,
                    bodies: vec![Body::Compaction(Box::new(compaction))],
                }),
                Ok(None) => Err("there is nothing to summarise".to_owned()),
                Err(error) => Err(error.to_string()),
            };
            // If the agent is gone, the summary is not needed.
            drop(sender.send(Mail::Happened(Happened::Compacted(result))));
        });
        if started.is_err() {
            self.queue(Happened::Compacted(Err("too many threads".to_owned())));
        }
    }

    fn prune(&mut self, plan: &Plan) -> Result<(), String> {
        if plan.prunings.is_empty() {
            return Ok(());
        }
        let now = Timestamp::now().as_millisecond();
        let pruned = self.log.rewrite(|entry| {
            let pruning = plan.prunings.iter().find(|pruning| pruning.entry_id == entry.id())?;
            pruning.apply(entry, now).ok()
        });
        pruned.map(|_| ()).map_err(|error| error.to_string())
    }
}
