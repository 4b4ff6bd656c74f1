//! When to try again, and how long to wait before it.
//!
//! Three budgets, kept apart: requests that fail before an answer begins, answers that break off before anything was
//! seen of them, and whole turns. This crate spends the first two by itself. The third is the caller's, because only the
//! caller can discard what was already shown.

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};

/// The settings of `retry`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct RetrySettings {
    /// Whether anything is tried again at all.
    pub enabled: bool,
    /// How often a whole turn is tried again.
    pub max_retries: u32,
    /// The pause before a turn's first retry; each further one is twice as long.
    pub base_delay_ms: u64,
    /// The longest pause. A provider that asks for more is not waited for.
    pub max_delay_ms: u64,
    /// How often a request is sent again that failed before an answer began.
    pub request_max_retries: u32,
    /// How many times to retry an answer that broke off before anything of it was shown.
    pub stream_max_retries: u32,
    /// The pause before the first retry of a request or an answer.
    pub request_base_delay_ms: u64,
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self {
            enabled: true,
            max_retries: 3,
            base_delay_ms: 2_000,
            max_delay_ms: 300_000,
            request_max_retries: 5,
            stream_max_retries: 5,
            request_base_delay_ms: 500,
        }
    }
}

/// What is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempted {
    /// A request that failed before an answer began.
    Request,
    /// An answer that broke off before anything was seen of it.
    Stream,
    /// A whole turn.
    Turn,
}

impl RetrySettings {
    /// How often this may be tried again.
    #[must_use]
    pub fn budget(&self, attempted: Attempted) -> u32 {
        match attempted {
            _ if !self.enabled => 0,
            Attempted::Request => self.request_max_retries,
            Attempted::Stream => self.stream_max_retries,
            Attempted::Turn => self.max_retries,
        }
    }

    /// How long to wait before retry number `attempt`, counted from one; `None` if another attempt is pointless.
    ///
    /// The pause doubles with each attempt. A provider's own hint makes it longer, never shorter. Up to a quarter is
    /// added by chance (`jitter`, from 0 to 1), so that many clients do not come back at the same moment.
    #[must_use]
    pub fn delay_ms(&self, attempted: Attempted, attempt: u32, error: &Error, jitter: f64) -> Option<u64> {
        if !error.kind.is_transient() || attempt == 0 || attempt > self.budget(attempted) {
            return None;
        }
        // A page that is not an API's does not become one.
        if attempted == Attempted::Request && error.kind == ErrorKind::Malformed {
            return None;
        }
        let base = match attempted {
            Attempted::Turn => self.base_delay_ms,
            Attempted::Request | Attempted::Stream => self.request_base_delay_ms,
        };
        let doubled = base.saturating_mul(1_u64.checked_shl(attempt - 1).unwrap_or(u64::MAX));
        let hint = error.retry_after_ms.unwrap_or(0);
        if hint > self.max_delay_ms {
            return None;
        }
        let delay = doubled.min(self.max_delay_ms).max(hint);
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a pause is far below 2^52 ms, and never negative"
        )]
        let extra = (delay as f64 * 0.25 * jitter.clamp(0.0, 1.0)) as u64;
        Some(delay.saturating_add(extra))
    }
}

/// A number from 0 to 1 by chance; 0 when the system has no randomness to give.
pub(crate) fn jitter() -> f64 {
    getrandom::u32().map_or(0.0, |number| f64::from(number) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::{Attempted, RetrySettings};
    use crate::error::{Error, ErrorKind};

    fn error(kind: ErrorKind, retry_after_ms: Option<u64>) -> Error {
        Error { retry_after_ms, ..Error::new(kind, "x", "y") }
    }

    fn check(error: &Error, jitter: f64, expected: [Option<u64>; 4]) {
        let settings = RetrySettings::default();
        let delays = [1, 2, 3, 4].map(|attempt| settings.delay_ms(Attempted::Turn, attempt, error, jitter));
        assert_eq!(delays, expected);
    }

    #[test]
    fn pauses_double_until_the_budget_is_spent() {
        check(&error(ErrorKind::Overloaded, None), 0.0, [Some(2000), Some(4000), Some(8000), None]);
    }

    #[test]
    fn chance_adds_up_to_a_quarter() {
        check(&error(ErrorKind::Network, None), 1.0, [Some(2500), Some(5000), Some(10_000), None]);
    }

    #[test]
    fn a_hint_makes_the_pause_longer_but_not_shorter() {
        check(&error(ErrorKind::RateLimit, Some(5000)), 0.0, [Some(5000), Some(5000), Some(8000), None]);
    }

    #[test]
    fn a_hint_beyond_the_longest_pause_is_not_waited_for() {
        check(&error(ErrorKind::RateLimit, Some(300_001)), 0.0, [None; 4]);
    }

    #[test]
    fn permanent_errors_are_not_retried() {
        for kind in [
            ErrorKind::Auth,
            ErrorKind::Quota,
            ErrorKind::ContextOverflow,
            ErrorKind::Refusal,
            ErrorKind::NotFound,
            ErrorKind::BadRequest,
            ErrorKind::Offline,
            ErrorKind::NotRunning,
            ErrorKind::Aborted,
            ErrorKind::TooLarge,
        ] {
            check(&error(kind, None), 0.0, [None; 4]);
        }
    }

    #[test]
    fn nothing_is_tried_again_when_switched_off() {
        let settings = RetrySettings { enabled: false, ..RetrySettings::default() };
        let error = error(ErrorKind::Network, None);
        for attempted in [Attempted::Request, Attempted::Stream, Attempted::Turn] {
            assert_eq!(settings.delay_ms(attempted, 1, &error, 0.0), None);
        }
    }

    #[test]
    fn the_settings_have_the_names_people_write() {
        let settings: RetrySettings =
            serde_json::from_str(r#"{"maxRetries":1,"baseDelayMs":5,"streamMaxRetries":100}"#).unwrap();
        assert_eq!((settings.max_retries, settings.base_delay_ms, settings.stream_max_retries), (1, 5, 100));
        assert_eq!(settings.request_max_retries, 5);
    }
}
