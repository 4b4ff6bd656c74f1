//! Making the conversation shorter: the plan is made here, the summary on a thread of its own.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use relay_diagnostics::Cancel;
use relay_llm::{Error, ErrorKind, Event, Message, Request, RetrySettings};

use super::{Agent, Asker, Mail};
use crate::compact::{self, Candidate, Plan, Situation, Summariser, Trigger};
use crate::event::CompactReason;
use crate::secrets::Masker;
use crate::session::Body;
use crate::turn::{Compacted, Happened};

/// How often a pause looks whether an end was asked for.
const LOOK_EVERY: Duration = Duration::from_millis(20);

impl Agent {
    /// Prunes old results at once, and has the rest summarised.
    pub(super) fn shorten(&mut self, reason: CompactReason, focus: Option<String>) {
        let trigger = match reason {
            CompactReason::Threshold => Trigger::Threshold,
            CompactReason::Overflow => Trigger::Overflow,
            CompactReason::Request => Trigger::Request,
            CompactReason::Idle => Trigger::Idle,
        };
        let model = self.asker.model();
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
        let candidate = Candidate { model: model.selector(), window: model.limits.context };
        let cancel = Cancel::new();
        self.under_way.model = Some(cancel.clone());
        let (sender, asker) = (self.sender.clone(), Arc::clone(&self.asker));
        let masker = Arc::clone(&self.masker);
        let started = thread::Builder::new().name("summary".to_owned()).spawn(move || {
            let mut summariser = Summaries { asker: &*asker, cancel: &cancel, masker: &masker };
            let done = compact::carry_out(
                &plan,
                &[candidate],
                &RetrySettings::default(),
                &mut summariser,
                &mut |_| {},
            );
            let result = match done {
                Ok(Some(compaction)) => Ok(Compacted {
                    summary: compaction.summary.clone(),
                    tokens_before: plan.tokens_before,
                    bodies: vec![Body::Compaction(Box::new(compaction))],
                }),
                Ok(None) => Err("there is nothing to summarise".to_owned()),
                Err(error) => Err(error.to_string()),
            };
            // An agent that is gone needs no summary.
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

/// Asks the session's own model.
struct Summaries<'a> {
    asker: &'a dyn Asker,
    cancel: &'a Cancel,
    masker: &'a Mutex<Masker>,
}

impl Summariser for Summaries<'_> {
    fn ask(&mut self, _: &Candidate, request: &Request) -> Result<String, Error> {
        let mut request = request.clone();
        self.masker.lock().unwrap_or_else(PoisonError::into_inner).mask_request(&mut request);
        let mut answer = None;
        self.asker.ask(&request, self.cancel, &mut |event| match event {
            Event::Done { turn } => answer = Some(Ok(turn.message())),
            Event::Error { error, .. } => answer = Some(Err(error)),
            _ => {}
        });
        let broken = || Error::new(ErrorKind::Network, "", "the answer has no end");
        answer.unwrap_or_else(|| Err(broken())).map(|message: Message| message.plain_text())
    }

    fn pause(&mut self, delay_ms: u64) -> bool {
        let mut left = Duration::from_millis(delay_ms);
        while !left.is_zero() && !self.cancel.is_cancelled() {
            let step = left.min(LOOK_EVERY);
            thread::sleep(step);
            left -= step;
        }
        !self.cancel.is_cancelled()
    }
}
