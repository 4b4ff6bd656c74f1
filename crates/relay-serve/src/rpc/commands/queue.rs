//! Commands about queued messages, and when they are delivered.

use relay_agent::turn::Delivery;
use serde_json::{Value, json};

use super::{Answer, Session, Settings, flag, text};
use crate::rpc::with_agent;

impl Session {
    pub(super) fn about_queues(&self, kind: &str, command: &Value) -> Option<Answer> {
        Some(match kind {
            "set_steering_mode" | "set_follow_up_mode" | "set_interrupt_mode" | "set_auto_compaction" => {
                self.switch(kind, command)
            }
            "get_queue" => self.waiting(false),
            "take_queue" => self.waiting(true),
            _ => return None,
        })
    }

    /// The queued messages, removed from the queue so that a person can edit them.
    fn waiting(&self, takes: bool) -> Answer {
        let (steering, follow_up) = with_agent(&self.remote, move |agent| {
            let waiting = agent.waiting();
            if takes {
                agent.take_waiting();
            }
            waiting
        })?;
        Ok(Some(json!({ "steering": steering, "followUp": follow_up })))
    }

    fn switch(&self, kind: &str, command: &Value) -> Answer {
        let mut settings = self.settings();
        let delivery = match text(command, "mode") {
            Some("all") => Delivery::All,
            _ => Delivery::OneAtATime,
        };
        match kind {
            "set_steering_mode" => settings.steering = delivery,
            "set_follow_up_mode" => settings.follow_up = delivery,
            "set_interrupt_mode" => settings.waits = text(command, "mode") == Some("wait"),
            _ => settings.compacts = flag(command, "enabled").unwrap_or(true),
        }
        let Settings { steering, follow_up, compacts, waits, .. } = *settings;
        drop(settings);
        with_agent(&self.remote, move |agent| {
            agent.deliver(steering, follow_up);
            agent.set_auto_compaction(compacts);
            agent.set_steering_waits(waits);
        })?;
        Ok(None)
    }
}

/// A way of delivery as clients know it.
pub(super) fn name(delivery: Delivery) -> &'static str {
    match delivery {
        Delivery::OneAtATime => "one-at-a-time",
        Delivery::All => "all",
    }
}
