//! Limits on money, turns and time. They stop before the next request, never in the middle of an answer that is being
//! paid for.

use std::time::{Duration, Instant};

use crate::event::Turn;
use crate::model::Model;
use crate::usage::Usage;

/// The limits; none means there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limit {
    /// US dollars.
    pub cost: Option<f64>,
    /// Answers of a model.
    pub turns: Option<u32>,
    /// From the beginning to now.
    pub time: Option<Duration>,
}

/// Why no further request is made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Spent {
    /// The money is spent.
    #[error("the budget of ${limit} is spent: ${spent:.4}")]
    Cost {
        /// What may be spent.
        limit: f64,
        /// What was.
        spent: f64,
    },
    /// A model without a known price cannot be kept to an amount.
    #[error("the price of {model} is not known, so a budget of ${limit} cannot be kept")]
    Unpriced {
        /// The model's selector.
        model: String,
        /// What may be spent.
        limit: f64,
    },
    /// The model has answered often enough.
    #[error("the model has answered {limit} times, which is the limit")]
    Turns {
        /// How often it may.
        limit: u32,
    },
    /// The time is over.
    #[error("the time limit of {} s is over", limit.as_secs())]
    Time {
        /// How long it may take.
        limit: Duration,
    },
}

/// What was used up so far, and what may be.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: Limit,
    begun: Instant,
    usage: Usage,
    cost: f64,
    turns: u32,
}

impl Budget {
    /// Nothing used up yet; the time begins now.
    #[must_use]
    pub fn new(limit: Limit) -> Self {
        Self { limit, begun: Instant::now(), usage: Usage::default(), cost: 0.0, turns: 0 }
    }

    /// Whether another request may be made to this model.
    ///
    /// # Errors
    /// Which limit was reached.
    pub fn check(&self, model: &Model) -> Result<(), Spent> {
        if let Some(limit) = self.limit.turns
            && self.turns >= limit
        {
            return Err(Spent::Turns { limit });
        }
        if let Some(limit) = self.limit.time
            && self.begun.elapsed() >= limit
        {
            return Err(Spent::Time { limit });
        }
        let Some(limit) = self.limit.cost else { return Ok(()) };
        if model.prices.is_none() {
            return Err(Spent::Unpriced { model: model.selector(), limit });
        }
        if self.cost >= limit { Err(Spent::Cost { limit, spent: self.cost }) } else { Ok(()) }
    }

    /// Counts a turn, also one that failed: what it used up is paid for.
    pub fn count(&mut self, model: &Model, turn: &Turn) {
        self.turns = self.turns.saturating_add(1);
        self.usage.add(&turn.usage);
        self.cost += model.prices.map_or(0.0, |prices| turn.usage.cost(&prices));
    }

    /// How much time is left; none when there is no limit.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        self.limit.time.map(|limit| limit.saturating_sub(self.begun.elapsed()))
    }

    /// The tokens used up so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// The money used up so far, in US dollars.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.cost
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::{Budget, Limit, Spent};
    use crate::event::Turn;
    use crate::model::{Model, Prices};
    use crate::provider::Provider;
    use crate::usage::Usage;

    fn model(prices: Option<Prices>) -> Model {
        let provider: Provider =
            serde_json::from_str(r#"{"name":"p","wire":"ollama","base_url":"http://x"}"#).unwrap();
        Model { prices, ..Model::new(Arc::new(provider), "m") }
    }

    fn turn(model: &Model, output: u64) -> Turn {
        Turn { usage: Usage { output, ..Usage::default() }, ..Turn::new(model.origin()) }
    }

    #[test]
    fn money_ends_it_before_the_next_request() {
        let model = model(Some(Prices { output: 10.0, ..Prices::default() }));
        let mut budget = Budget::new(Limit { cost: Some(0.5), ..Limit::default() });
        budget.count(&model, &turn(&model, 40_000));
        assert_eq!(budget.check(&model), Ok(()));
        budget.count(&model, &turn(&model, 20_000));
        assert!(matches!(budget.check(&model), Err(Spent::Cost { .. })), "{}", budget.cost());
        assert_eq!(budget.usage().output, 60_000);
    }

    #[test]
    fn a_model_without_a_price_cannot_be_kept_to_an_amount() {
        let model = model(None);
        let budget = Budget::new(Limit { cost: Some(1.0), ..Limit::default() });
        let spent = budget.check(&model).unwrap_err();
        assert_eq!(spent.to_string(), "the price of p/m is not known, so a budget of $1 cannot be kept");
        assert_eq!(Budget::new(Limit::default()).check(&model), Ok(()));
    }

    #[test]
    fn turns_and_time_end_it() {
        let model = model(None);
        let mut budget = Budget::new(Limit { turns: Some(1), ..Limit::default() });
        assert_eq!(budget.check(&model), Ok(()));
        budget.count(&model, &turn(&model, 1));
        assert_eq!(budget.check(&model), Err(Spent::Turns { limit: 1 }));
        let limit = Duration::ZERO;
        let budget = Budget::new(Limit { time: Some(limit), ..Limit::default() });
        assert_eq!(budget.check(&model), Err(Spent::Time { limit }));
        assert_eq!(budget.time_left(), Some(limit));
    }
}
