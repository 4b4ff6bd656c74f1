//! Messages that wait for a conversation: results of jobs, lines of monitors, prompts of schedules.
//!
//! They wait here and not in the conversation's own queue, so that a result that the model looks up meanwhile is not
//! delivered twice.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::turn::Prompt;

/// The first pause after a delivery that failed.
const BASE_MS: u64 = 500;
/// The longest pause.
const MAX_MS: u64 = 30_000;
/// Pauses differ by less than this, so that several do not come at once.
const JITTER_MS: u64 = 200;
/// The pause doubles this often at most.
const DOUBLINGS: u32 = 8;

/// What is delivered.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Parcel {
    /// How a job ended.
    Ended(String),
    /// A message, of a job or of nothing in particular.
    Said { job: Option<String>, prompt: Prompt },
}

/// A waiting message.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Delivery {
    pub owner: String,
    pub parcel: Parcel,
    pub attempts: u32,
    pub due: Instant,
}

/// All waiting messages, oldest first.
#[derive(Debug, Default)]
pub(super) struct Deliveries(VecDeque<Delivery>);

impl Deliveries {
    pub fn add(&mut self, owner: &str, parcel: Parcel, now: Instant) {
        self.0.push_back(Delivery { owner: owner.to_owned(), parcel, attempts: 0, due: now });
    }

    /// How many messages of a job wait.
    pub fn waiting_of(&self, job: &str) -> usize {
        let is_its = |delivery: &&Delivery| matches!(&delivery.parcel, Parcel::Said { job: Some(id), .. } if id == job);
        self.0.iter().filter(is_its).count()
    }

    /// Whether something waits for this owner, due or not.
    pub fn any(&self, owner: &str) -> bool {
        self.0.iter().any(|delivery| delivery.owner == owner)
    }

    /// Takes what is due now: the results of all jobs that ended, or one message, or all messages.
    pub fn take(
        &mut self,
        owner: &str,
        all: bool,
        now: Instant,
        held: impl Fn(&str) -> bool,
    ) -> Vec<Delivery> {
        let is_due = |delivery: &Delivery| {
            let is_held = matches!(&delivery.parcel, Parcel::Ended(id) if held(id));
            delivery.owner == owner && delivery.due <= now && !is_held
        };
        let Some(first) = self.0.iter().find(|delivery| is_due(delivery)) else { return Vec::new() };
        let ended = matches!(first.parcel, Parcel::Ended(_));
        let mut taken = Vec::new();
        let mut left = VecDeque::with_capacity(self.0.len());
        for delivery in self.0.drain(..) {
            let is_like_it = matches!(delivery.parcel, Parcel::Ended(_)) == ended;
            if is_due(&delivery) && is_like_it && (taken.is_empty() || ended || all) {
                taken.push(delivery);
            } else {
                left.push_back(delivery);
            }
        }
        self.0 = left;
        taken
    }

    /// Puts back what could not be delivered. It is tried again after a pause that grows.
    pub fn give_back(&mut self, taken: Vec<Delivery>, now: Instant, jitter: u64) {
        for mut delivery in taken.into_iter().rev() {
            delivery.due = now + pause(delivery.attempts, jitter);
            delivery.attempts += 1;
            self.0.push_front(delivery);
        }
    }

    /// Forgets the results of these jobs: the conversation has them.
    pub fn forget(&mut self, is_known: impl Fn(&str) -> bool) {
        self.0.retain(|delivery| !matches!(&delivery.parcel, Parcel::Ended(id) if is_known(id)));
    }

    /// Drops an owner's waiting messages.
    pub fn forget_owner(&mut self, owner: &str) {
        self.0.retain(|delivery| delivery.owner != owner);
    }
}

/// The pause before another try.
fn pause(attempts: u32, jitter: u64) -> Duration {
    let grown = BASE_MS << attempts.min(DOUBLINGS);
    Duration::from_millis(grown.min(MAX_MS) + jitter % JITTER_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Parcel {
        Parcel::Said { job: None, prompt: Prompt::hidden("t", text) }
    }

    fn ended(id: &str) -> Parcel {
        Parcel::Ended(id.to_owned())
    }

    #[test]
    fn pauses_double_up_to_half_a_minute() {
        let pauses: Vec<u128> = (0..12).map(|attempts| pause(attempts, 0).as_millis()).collect();
        assert_eq!(
            pauses,
            [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000]
        );
        assert_eq!(pause(0, 199).as_millis(), 699);
        assert_eq!(pause(0, 1_000_200).as_millis(), 500);
    }

    #[test]
    fn results_come_together_and_messages_one_by_one() {
        let now = Instant::now();
        let mut all = Deliveries::default();
        for parcel in [said("1"), ended("a"), said("2"), ended("b")] {
            all.add("main", parcel, now);
        }
        all.add("other", ended("c"), now);
        let parcels = |taken: Vec<Delivery>| taken.into_iter().map(|one| one.parcel).collect::<Vec<_>>();
        assert_eq!(parcels(all.take("main", false, now, |_| false)), [said("1")]);
        assert_eq!(parcels(all.take("main", false, now, |_| false)), [ended("a"), ended("b")]);
        assert_eq!(parcels(all.take("main", true, now, |_| false)), [said("2")]);
        assert!(!all.any("main") && all.any("other"));
    }

    #[test]
    fn results_that_are_watched_or_known_are_not_delivered() {
        let now = Instant::now();
        let mut all = Deliveries::default();
        all.add("main", ended("a"), now);
        assert!(all.take("main", false, now, |id| id == "a").is_empty());
        all.forget(|id| id == "a");
        assert!(!all.any("main"));
    }

    #[test]
    fn failed_deliveries_wait_longer_each_time_and_keep_their_place() {
        let now = Instant::now();
        let mut all = Deliveries::default();
        all.add("main", said("1"), now);
        all.add("main", said("2"), now);
        let taken = all.take("main", false, now, |_| false);
        all.give_back(taken, now, 0);
        let later = now + Duration::from_millis(500);
        let again = all.take("main", true, later, |_| false);
        assert_eq!(again.len(), 2);
        assert_eq!((again[0].attempts, &again[0].parcel), (1, &said("1")));
        all.give_back(again, later, 0);
        assert!(all.take("main", false, later + Duration::from_millis(499), |_| false).is_empty());
        // The second has failed once, the first twice.
        assert_eq!(all.take("main", true, later + Duration::from_millis(500), |_| false).len(), 1);
    }
}
