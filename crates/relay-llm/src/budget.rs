//! Limits on money, turns and time. They stop before the next request, never in the middle of an answer that is being
//! paid for.
//!
//! What was spent is reckoned from the tokens a provider says it used, at the prices of the catalog. A provider that says
//! nothing is reckoned by the length of what was sent and received, so that a limit is never simply void.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::event::Turn;
use crate::message::{Arguments, Block, Message};
use crate::model::Model;
use crate::provider::Auth;
use crate::request::Request;
use crate::usage::Usage;

/// How many bytes a token has at least, on average, in texts and programs.
const BYTES_PER_TOKEN: u64 = 3;

/// The limits; none means there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limit {
    /// US dollars.
    pub cost: Option<f64>,
    /// Requests for an answer.
    pub turns: Option<u32>,
    /// From the beginning to the last request.
    pub time: Option<Duration>,
}

impl Limit {
    /// Whether a model's price is known, which a limit on money needs. A provider without keys costs nothing.
    ///
    /// # Errors
    /// It is not, and there is such a limit.
    pub fn check(&self, model: &Model) -> Result<(), Spent> {
        match self.cost {
            Some(limit) if model.prices.is_none() && model.provider.auth != Auth::None => {
                Err(Spent::Unpriced { model: model.selector(), limit })
            }
            _ => Ok(()),
        }
    }
}

/// Why no further request is made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Spent {
    /// The money is spent.
    #[error("the limit of ${limit} is used up (${spent:.4} spent)")]
    Cost {
        /// What may be spent.
        limit: f64,
        /// What was.
        spent: f64,
    },
    /// A model without a known price cannot be kept to an amount.
    #[error("the price of {model} is unknown, so the limit of ${limit} cannot be enforced")]
    Unpriced {
        /// The model's selector.
        model: String,
        /// What may be spent.
        limit: f64,
    },
    /// There were enough turns.
    #[error("only {} allowed", if *limit == 1 { "one turn is".to_owned() } else { format!("{limit} turns are") })]
    Turns {
        /// How many there may be.
        limit: u32,
    },
    /// The time is over.
    #[error("the time limit of {} s is reached", limit.as_secs_f64())]
    Time {
        /// How long it may take.
        limit: Duration,
    },
}

/// What was used up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spending {
    /// Requests for an answer.
    pub turns: u32,
    /// The tokens.
    pub usage: Usage,
    /// US dollars; none when a price is not known.
    pub cost: Option<f64>,
    /// Whether part of it is an estimate, because a provider did not say.
    pub is_estimate: bool,
}

impl Spending {
    /// The JSON that commands and RPC report.
    #[must_use]
    pub fn document(&self) -> Value {
        let Self { turns, usage, cost, is_estimate } = self;
        json!({
            "turns": turns,
            "cost": cost,
            "estimated": is_estimate,
            "tokens": {
                "input": usage.input,
                "cacheRead": usage.cache_read,
                "cacheWrite": usage.cache_write,
                "output": usage.output,
                "reasoning": usage.reasoning,
            },
        })
    }
}

/// What may be used up, and what was. Several may use it at the same time.
#[derive(Debug)]
pub struct Budget {
    limit: Limit,
    begun: Instant,
    /// The turns of this budget's user.
    turns: AtomicU32,
    /// What all who share the money have spent.
    purse: Arc<Mutex<Spending>>,
}

impl Default for Budget {
    /// A budget without limits.
    fn default() -> Self {
        Self::new(Limit::default())
    }
}

impl Budget {
    /// Nothing used up yet; the time begins now.
    #[must_use]
    pub fn new(limit: Limit) -> Self {
        let purse = Spending { cost: Some(0.0), ..Spending::default() };
        Self { limit, begun: Instant::now(), turns: AtomicU32::new(0), purse: Arc::new(Mutex::new(purse)) }
    }

    /// For another backend that is asked the same: money and time are shared, turns are counted for each.
    #[must_use]
    pub fn share(&self) -> Self {
        Self {
            limit: self.limit,
            begun: self.begun,
            turns: AtomicU32::new(0),
            purse: Arc::clone(&self.purse),
        }
    }

    /// The limits.
    #[must_use]
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// What is left.
    ///
    /// # Errors
    /// Which limit was reached.
    pub fn left(&self) -> Result<Limit, Spent> {
        self.left_after(Duration::ZERO)
    }

    /// Whether another request may be made to this model after a pause.
    ///
    /// # Errors
    /// Which limit was reached, or that the model cannot be kept to one.
    pub fn check(&self, model: &Model, pause: Duration) -> Result<(), Spent> {
        self.limit.check(model)?;
        self.left_after(pause).map(|_| ())
    }

    /// When the last request may begin; `None` without a time limit.
    #[must_use]
    pub fn ends(&self) -> Option<Instant> {
        self.limit.time.and_then(|limit| self.begun.checked_add(limit))
    }

    /// Counts a turn, also one that failed: what it used up is paid for.
    pub fn count(&self, model: &Model, request: &Request, turn: &Turn) {
        let is_estimate = turn.usage.total() == 0 && !turn.content.is_empty();
        let usage = if is_estimate { estimate(request, turn) } else { turn.usage };
        let is_free = usage.total() == 0 || model.provider.auth == Auth::None;
        let cost = model.prices.map(|prices| usage.cost(&prices)).or(is_free.then_some(0.0));
        self.add(Spending { turns: 1, usage, cost, is_estimate });
    }

    /// Counts what a program says it has used up.
    pub fn add(&self, spending: Spending) {
        self.turns.fetch_add(spending.turns, Ordering::Relaxed);
        let mut purse = self.purse.lock().unwrap_or_else(PoisonError::into_inner);
        purse.turns = purse.turns.saturating_add(spending.turns);
        purse.usage.add(&spending.usage);
        purse.cost = purse.cost.zip(spending.cost).map(|(before, more)| before + more);
        purse.is_estimate |= spending.is_estimate;
    }

    /// What was used up so far, by all who share the budget.
    #[must_use]
    pub fn spent(&self) -> Spending {
        *self.purse.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn left_after(&self, pause: Duration) -> Result<Limit, Spent> {
        let Limit { cost, turns, time } = self.limit;
        let turns = turns.map(|limit| match limit.checked_sub(self.turns.load(Ordering::Relaxed)) {
            None | Some(0) => Err(Spent::Turns { limit }),
            Some(left) => Ok(left),
        });
        let time = time.map(|limit| match limit.checked_sub(self.begun.elapsed().saturating_add(pause)) {
            None | Some(Duration::ZERO) => Err(Spent::Time { limit }),
            Some(left) => Ok(left),
        });
        let spent = self.spent().cost.unwrap_or_default();
        let cost = cost
            .map(|limit| if spent < limit { Ok(limit - spent) } else { Err(Spent::Cost { limit, spent }) });
        Ok(Limit { cost: cost.transpose()?, turns: turns.transpose()?, time: time.transpose()? })
    }
}

/// What an answer may have used up if its provider does not report usage.
fn estimate(request: &Request, turn: &Turn) -> Usage {
    let tokens = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX).div_ceil(BYTES_PER_TOKEN);
    let sent = request.system.len() + request.messages.iter().map(length).sum::<usize>();
    Usage { input: tokens(sent), output: tokens(length(&turn.message())), ..Usage::default() }
}

fn length(message: &Message) -> usize {
    let of_block = |block: &Block| match block {
        Block::Text { text, .. } | Block::Thinking { text, .. } => text.len(),
        Block::ToolCall(call) => match &call.arguments {
            Arguments::Object(object) => serde_json::to_string(object).map_or(0, |text| text.len()),
            Arguments::Malformed { text, .. } => text.len(),
        },
        Block::ToolResult(result) => result.text().len(),
        // A picture costs by its size in pixels, which is not looked at here.
        Block::Image(_) | Block::Unknown { .. } => 0,
    };
    message.content.iter().map(of_block).sum()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::{Budget, Limit, Spent};
    use crate::event::Turn;
    use crate::message::{Block, Message};
    use crate::model::{Model, Prices};
    use crate::provider::Provider;
    use crate::request::Request;
    use crate::usage::Usage;

    fn model(prices: Option<Prices>, auth: &str) -> Model {
        let text = format!(r#"{{"name":"p","wire":"ollama","base_url":"http://x","auth":"{auth}"}}"#);
        let provider: Provider = serde_json::from_str(&text).unwrap();
        Model { prices, ..Model::new(Arc::new(provider), "m") }
    }

    fn priced() -> Model {
        model(Some(Prices { output: 10.0, ..Prices::default() }), "bearer")
    }

    fn count(budget: &Budget, model: &Model, output: u64) {
        let turn = Turn { usage: Usage { output, ..Usage::default() }, ..Turn::new(model.origin()) };
        budget.count(model, &Request::default(), &turn);
    }

    fn check(budget: &Budget, model: &Model) -> Result<(), Spent> {
        budget.check(model, Duration::ZERO)
    }

    #[test]
    fn money_ends_it_before_the_next_request() {
        let (model, budget) = (priced(), Budget::new(Limit { cost: Some(0.5), ..Limit::default() }));
        count(&budget, &model, 40_000);
        assert_eq!(check(&budget, &model), Ok(()));
        assert!(budget.left().unwrap().cost.is_some_and(|left| (left - 0.1).abs() < 1e-9));
        count(&budget, &model, 20_000);
        let spent = check(&budget, &model).unwrap_err();
        assert_eq!(spent.to_string(), "the limit of $0.5 is used up ($0.6000 spent)");
        assert_eq!((budget.spent().usage.output, budget.spent().turns), (60_000, 2));
    }

    #[test]
    fn money_is_shared_and_turns_are_not() {
        let limit = Limit { cost: Some(0.5), turns: Some(1), ..Limit::default() };
        let (model, first) = (priced(), Budget::new(limit));
        let second = first.share();
        count(&first, &model, 20_000);
        assert_eq!(check(&first, &model), Err(Spent::Turns { limit: 1 }));
        assert_eq!(check(&second, &model), Ok(()));
        count(&first, &model, 40_000);
        assert!(matches!(check(&second, &model), Err(Spent::Cost { .. })));
    }

    #[test]
    fn a_model_without_a_price_cannot_be_kept_to_an_amount() {
        let unpriced = model(None, "bearer");
        let budget = Budget::new(Limit { cost: Some(1.0), ..Limit::default() });
        let spent = check(&budget, &unpriced).unwrap_err();
        assert_eq!(spent.to_string(), "the price of p/m is unknown, so the limit of $1 cannot be enforced");
        assert_eq!(check(&Budget::default(), &unpriced), Ok(()));
        assert_eq!(check(&budget, &model(None, "none")), Ok(()), "whoever takes no key sends no bill");
        count(&budget, &unpriced, 5);
        assert_eq!(budget.spent().cost, None, "an unknown amount is not nothing");
    }

    #[test]
    fn turns_and_time_end_it() {
        let (model, budget) = (priced(), Budget::new(Limit { turns: Some(1), ..Limit::default() }));
        assert_eq!(check(&budget, &model), Ok(()));
        count(&budget, &model, 1);
        assert_eq!(check(&budget, &model), Err(Spent::Turns { limit: 1 }));
        let time = Some(Duration::from_secs(1_000));
        let budget = Budget::new(Limit { time, ..Limit::default() });
        assert_eq!(check(&budget, &model), Ok(()));
        let pause = Duration::from_secs(1_001);
        assert!(
            matches!(budget.check(&model, pause), Err(Spent::Time { .. })),
            "a pause is not begun in vain"
        );
    }

    #[test]
    fn an_answer_without_usage_is_reckoned_by_its_length() {
        let (model, budget) = (priced(), Budget::new(Limit { cost: Some(0.5), ..Limit::default() }));
        let request = Request { messages: vec![Message::text("x".repeat(300))], ..Request::default() };
        let turn = Turn { content: vec![Block::text("y".repeat(30_000))], ..Turn::new(model.origin()) };
        budget.count(&model, &request, &turn);
        let spent = budget.spent();
        assert_eq!((spent.usage.input, spent.usage.output, spent.is_estimate), (100, 10_000, true));
        assert!(spent.cost.is_some_and(|cost| (cost - 0.1).abs() < 1e-9));
        budget.count(&model, &request, &Turn::new(model.origin()));
        assert_eq!(budget.spent().usage.output, 10_000, "an answer that never began used nothing");
    }
}
