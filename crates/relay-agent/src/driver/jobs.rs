//! Background jobs and the conversation: what they have to say is said between two runs.

use super::Agent;
use crate::event::{Ended, Event};
use crate::session::Message;
use crate::turn::{Delivery, Happened};

impl Agent {
    /// Waits until no background job runs and everything they had to say was answered; says how that ended. The
    /// run before it must have ended well.
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

    /// Has front ends hear of jobs that started or ended.
    pub(super) fn report_jobs(&mut self) {
        for event in self.services.jobs.take_events() {
            self.report(&Event::Job(event));
        }
    }

    /// What background jobs have to say, once the conversation is idle.
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

    /// A message went into the log, or could not be written: what a job said is not lost with it.
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
