//! Changes that the loop itself makes to files: edits in plain answers, and the way back to a checkpoint.

use relay_engine::{LandOptions, Submission, UndoOptions, Unobserved, Which, group};

use super::Agent;
use crate::event::Event;
use crate::policy::Level;
use crate::session::milliseconds;
use crate::tool::{Landing, is_failure};
use crate::turn::{Happened, Prompt};

impl Agent {
    /// Lands the edits in a plain answer. The model is told what did not land, so that it can repair it.
    pub(super) fn land_text(&mut self, text: &str) {
        let level = self.policy.lock().unwrap_or_else(std::sync::PoisonError::into_inner).level;
        if level == Level::ReadOnly || self.facts.mode == super::PLAN_MODE {
            return;
        }
        let engine = &self.services.engine;
        let submission = Submission { channel: "agent", text: text.to_owned(), dialect: None };
        let group = group::of_call(&self.services.session, &self.facts.turn, "text");
        let options = LandOptions {
            group: Some(group),
            model: Some(self.asking.asker.model().selector()),
            ..LandOptions::default()
        };
        let mut approver = Landing::new(level, &self.services);
        let outcome = relay_engine::land(engine, &submission, &options, &mut approver, &mut Unobserved);
        let report = Landing::report(&outcome);
        if outcome.files.is_empty() && !is_failure(outcome.status) {
            return;
        }
        self.report(&Event::Notice { warning: is_failure(outcome.status), text: report.clone() });
        if is_failure(outcome.status) {
            self.queue(Happened::FollowedUp(Prompt::hidden("text-edits", report)));
        }
    }

    /// Undoes what this session changed since a point in time.
    pub(super) fn restore_files(&mut self, since: Option<&str>) {
        let Some(since) = since.and_then(milliseconds) else { return };
        let engine = &self.services.engine;
        let session = group::of_session(&self.services.session);
        let Ok(history) = engine.history() else {
            let text = "the ledger cannot be read, so files stay as they are".to_owned();
            return self.report(&Event::Notice { warning: true, text });
        };
        let first = history
            .entries
            .iter()
            .filter(|entry| group::contains(&session, entry.record.header.group.as_deref()))
            .filter(|entry| entry.record.created_at.as_millisecond() >= since)
            .map(|entry| entry.record.sequence)
            .min();
        let Some(first) = first else { return };
        let options = UndoOptions { which: Which::GroupSince(session, first), ..UndoOptions::default() };
        let mut approver = Landing::new(Level::Full, &self.services);
        let outcome = relay_engine::undo(engine, &options, &mut approver, &mut Unobserved);
        self.report(&Event::Notice { warning: is_failure(outcome.status), text: Landing::report(&outcome) });
    }
}
