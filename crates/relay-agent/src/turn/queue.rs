//! The messages queued for the model.

use std::collections::VecDeque;

use super::happened::Prompt;

/// How many of the waiting messages are delivered at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// One per turn.
    #[default]
    OneAtATime,
    /// All of them.
    All,
}

/// Messages that wait, by when they are said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Queues {
    /// Between two tools.
    pub steering: VecDeque<Prompt>,
    /// After the answer.
    pub follow_up: VecDeque<Prompt>,
    /// How steering is delivered.
    pub steering_mode: Delivery,
    /// How follow-ups are delivered.
    pub follow_up_mode: Delivery,
}

impl Queues {
    /// The messages to deliver now, between two tools.
    pub fn take_steering(&mut self) -> Vec<Prompt> {
        take(&mut self.steering, self.steering_mode)
    }

    /// The messages to deliver now that the answer is over.
    pub fn take_follow_up(&mut self) -> Vec<Prompt> {
        take(&mut self.follow_up, self.follow_up_mode)
    }

    /// Removes everything, for a person who wants to edit it.
    pub fn take_all(&mut self) -> Vec<Prompt> {
        self.steering.drain(..).chain(self.follow_up.drain(..)).collect()
    }

    /// The text of all queued messages.
    #[must_use]
    pub fn texts(&self) -> (Vec<String>, Vec<String>) {
        let texts = |queue: &VecDeque<Prompt>| queue.iter().map(|prompt| prompt.text.clone()).collect();
        (texts(&self.steering), texts(&self.follow_up))
    }
}

fn take(queue: &mut VecDeque<Prompt>, mode: Delivery) -> Vec<Prompt> {
    match mode {
        Delivery::OneAtATime => queue.pop_front().into_iter().collect(),
        Delivery::All => queue.drain(..).collect(),
    }
}
