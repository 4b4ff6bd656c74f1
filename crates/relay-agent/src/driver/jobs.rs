//! Background jobs and the conversation: their messages are delivered between two runs.

use super::Agent;
use crate::event::{Ended, Event};
use crate::session::Message;
use crate::turn::{Delivery, Happened};

impl Agent {
    /// Waits until no background job runs and all their messages were answered; returns how that ended. The previous
    /// run must have succeeded.
    pub fn finish_jobs(&mut self) -> Ended {
        let mut ended = Ended::Done;
        while ended == Ended::Done && (self.services.jobs.is_busy() || self.state.is_busy()) {
            let Some(happened) = self.poll() else { continue };
            match happened {
                Happened::Aborted => ended = Ended::Aborted,
                Happened::TimeIsUp(why) => ended = Ended::Limit(why),
                happened => {
                    self.handle(happened);
                    ended = self.work();
                }
            }
        }
        self.report_jobs();
        if ended != Ended::Done {
            self.services.jobs.tear_down();
        }
        ended
    }

    /// Tells front ends about jobs that started or ended.
    pub(super) fn report_jobs(&mut self) {
        for event in self.services.jobs.take_events() {
            self.report(&Event::Job(event));
        }
    }

    /// Delivers messages of background jobs once the conversation is idle.
    pub(super) fn said_by_jobs(&mut self) -> Option<Happened> {
        if self.state.is_busy() || self.post.quits || self.under_way.delivery.is_some() {
            return None;
        }
        let all = self.state.queues.follow_up_mode == Delivery::All;
        let due = self.services.jobs.take_due(all)?;
        let prompt = due.prompt.clone();
        self.under_way.delivery = Some(due);
        Some(Happened::FollowedUp(prompt))
    }

    /// Handles a message that was logged or could not be: a job's message must not be lost with it.
    pub(super) fn delivered(&mut self, message: Option<&Message>, is_written: bool) {
        if !matches!(message, Some(Message::Custom(_))) {
            return;
        }
        if let Some(due) = self.under_way.delivery.take()
            && !is_written
        {
            self.services.jobs.give_back(due);
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // Nothing that an agent started outlives it.
        self.services.jobs.tear_down();
    }
}
