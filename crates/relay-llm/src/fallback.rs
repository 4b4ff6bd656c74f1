//! Chains of models: when one cannot answer, the next is asked, and when it has recovered, it is asked again.
//!
//! A chain knows no clock and connects to nothing. Time is handed in, so that it can be tried out without waiting.

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::retry::{Attempted, RetrySettings};

/// How long a model that failed is left alone when the provider does not say.
const COOLDOWN_MS: u64 = 60_000;

/// Whether the first model is asked again once it has had its rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Revert {
    /// It is.
    #[default]
    CooldownExpiry,
    /// The chain stays where it is.
    Never,
}

/// What to do after a turn failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Ask the same model again after a pause. What it said so far is discarded.
    Retry {
        /// Which retry, from one.
        attempt: u32,
        /// The pause.
        delay_ms: u64,
    },
    /// Ask another model at once.
    Switch {
        /// Its place in the chain.
        to: usize,
    },
    /// Nothing more to try.
    GiveUp,
}

/// A chain of models, by their places in it.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Until when each model is left alone.
    rests: Vec<u64>,
    current: usize,
    attempts: u32,
    settings: RetrySettings,
    revert: Revert,
}

impl Chain {
    /// A chain of this many models. One alone is a chain too: it is tried again as the settings say.
    #[must_use]
    pub fn new(models: usize, settings: RetrySettings, revert: Revert) -> Self {
        Self { rests: vec![0; models.max(1)], current: 0, attempts: 0, settings, revert }
    }

    /// How many models it has.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a chain has one model at least")]
    pub fn len(&self) -> usize {
        self.rests.len()
    }

    /// Which model to ask now. The first one that has had its rest, unless the chain stays where it is.
    pub fn current(&mut self, now_ms: u64) -> usize {
        if self.revert == Revert::CooldownExpiry
            && let Some(rested) = self.rests.iter().take(self.current).position(|&until| until <= now_ms)
        {
            self.current = rested;
        }
        self.current
    }

    /// A turn succeeded: resets the count of failures.
    pub fn succeeded(&mut self) {
        self.attempts = 0;
    }

    /// A turn failed. Decides what to do, and lets the model rest if another one can take over. After giving up, the
    /// count starts over.
    pub fn failed(&mut self, error: &Error, now_ms: u64, jitter: f64) -> Next {
        let next = self.after(error, now_ms, jitter);
        if next == Next::GiveUp {
            self.attempts = 0;
        }
        next
    }

    fn after(&mut self, error: &Error, now_ms: u64, jitter: f64) -> Next {
        if !helps_to_switch(error.kind) || !self.settings.enabled {
            return Next::GiveUp;
        }
        if is_slip(error.kind)
            && let Some(retry) = self.retry(error, jitter)
        {
            return retry;
        }
        let rest = error.retry_after_ms.unwrap_or(COOLDOWN_MS);
        if let Some(until) = self.rests.get_mut(self.current) {
            *until = now_ms.saturating_add(rest);
        }
        if let Some(to) = self.rests.iter().position(|&until| until <= now_ms) {
            self.current = to;
            return Next::Switch { to };
        }
        self.retry(error, jitter).unwrap_or(Next::GiveUp)
    }

    fn retry(&mut self, error: &Error, jitter: f64) -> Option<Next> {
        let attempt = self.attempts + 1;
        let delay_ms = self.settings.delay_ms(Attempted::Turn, attempt, error, jitter)?;
        self.attempts = attempt;
        Some(Next::Retry { attempt, delay_ms })
    }
}

/// Whether the model lost its way, as models do by chance: the provider is well, and the same model may do better.
fn is_slip(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Leak | ErrorKind::Repetition)
}

/// Whether another model may succeed where this one failed. A conversation that is too long, a refusal and a wrong
/// request stay what they are.
fn helps_to_switch(kind: ErrorKind) -> bool {
    use ErrorKind::{Auth, NotFound, NotRunning, Quota};
    kind.is_transient() || matches!(kind, Quota | Auth | NotFound | NotRunning)
}

#[cfg(test)]
mod tests {
    use super::{Chain, Next, Revert};
    use crate::error::{Error, ErrorKind};
    use crate::retry::RetrySettings;

    fn error(kind: ErrorKind, retry_after_ms: Option<u64>) -> Error {
        Error { retry_after_ms, ..Error::new(kind, "x", "y") }
    }

    fn chain(models: usize, revert: Revert) -> Chain {
        Chain::new(models, RetrySettings::default(), revert)
    }

    #[test]
    fn one_model_is_tried_again_as_the_settings_say() {
        let mut chain = chain(1, Revert::default());
        let overloaded = error(ErrorKind::Overloaded, None);
        let mut next = |now| chain.failed(&overloaded, now, 0.0);
        assert_eq!(next(0), Next::Retry { attempt: 1, delay_ms: 2000 });
        assert_eq!(next(10), Next::Retry { attempt: 2, delay_ms: 4000 });
        assert_eq!(next(20), Next::Retry { attempt: 3, delay_ms: 8000 });
        assert_eq!(next(30), Next::GiveUp);
        assert_eq!(next(40), Next::Retry { attempt: 1, delay_ms: 2000 }, "the next question starts over");
    }

    #[test]
    fn the_next_model_takes_over_at_once_and_the_first_comes_back_rested() {
        let mut chain = chain(3, Revert::CooldownExpiry);
        assert_eq!(chain.failed(&error(ErrorKind::RateLimit, Some(5000)), 0, 0.0), Next::Switch { to: 1 });
        assert_eq!(chain.current(4999), 1);
        assert_eq!(chain.failed(&error(ErrorKind::Quota, None), 1000, 0.0), Next::Switch { to: 2 });
        assert_eq!(chain.current(4999), 2);
        assert_eq!(chain.current(5000), 0, "rested");
    }

    #[test]
    fn a_chain_that_does_not_revert_stays() {
        let mut chain = chain(2, Revert::Never);
        assert_eq!(chain.failed(&error(ErrorKind::Overloaded, None), 0, 0.0), Next::Switch { to: 1 });
        assert_eq!(chain.current(1_000_000), 1);
    }

    #[test]
    fn when_all_rest_the_last_one_is_tried_again() {
        let mut chain = chain(2, Revert::CooldownExpiry);
        let overloaded = error(ErrorKind::Overloaded, None);
        assert_eq!(chain.failed(&overloaded, 0, 0.0), Next::Switch { to: 1 });
        assert_eq!(chain.failed(&overloaded, 10, 0.0), Next::Retry { attempt: 1, delay_ms: 2000 });
        chain.succeeded();
        assert_eq!(chain.failed(&overloaded, 20, 0.0), Next::Retry { attempt: 1, delay_ms: 2000 });
    }

    #[test]
    fn a_model_that_lost_its_way_is_asked_again_before_another_one() {
        let mut chain = chain(2, Revert::CooldownExpiry);
        let leak = error(ErrorKind::Leak, None);
        for delay_ms in [2000, 4000, 8000] {
            assert!(
                matches!(chain.failed(&leak, 0, 0.0), Next::Retry { delay_ms: found, .. } if found == delay_ms)
            );
            assert_eq!(chain.current(0), 0);
        }
        assert_eq!(chain.failed(&leak, 0, 0.0), Next::Switch { to: 1 });
        assert_eq!(chain.failed(&leak, 0, 0.0), Next::GiveUp);
    }

    #[test]
    fn errors_that_no_model_can_fix_end_it() {
        for kind in [
            ErrorKind::ContextOverflow,
            ErrorKind::Refusal,
            ErrorKind::BadRequest,
            ErrorKind::Aborted,
            ErrorKind::Offline,
        ] {
            assert_eq!(
                chain(3, Revert::default()).failed(&error(kind, None), 0, 0.0),
                Next::GiveUp,
                "{kind:?}"
            );
        }
    }

    #[test]
    fn nothing_is_tried_when_switched_off() {
        let settings = RetrySettings { enabled: false, ..RetrySettings::default() };
        let mut chain = Chain::new(2, settings, Revert::default());
        assert_eq!(chain.failed(&error(ErrorKind::Overloaded, None), 0, 0.0), Next::GiveUp);
    }
}
