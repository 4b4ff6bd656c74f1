//! What an answer used up, and what that costs.

use serde::{Deserialize, Serialize};

use crate::model::Prices;

/// Tokens of one answer. The four kinds do not overlap: together they are what was processed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Read afresh.
    pub input: u64,
    /// Read from the provider's cache.
    pub cache_read: u64,
    /// Written to the provider's cache.
    pub cache_write: u64,
    /// Written by the model, thinking included.
    pub output: u64,
    /// The part of `output` that was thinking, where the provider says so.
    pub reasoning: u64,
}

impl Usage {
    /// Everything that was processed.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.context().saturating_add(self.output)
    }

    /// How much of the context window the request took.
    #[must_use]
    pub fn context(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// What it costs in US dollars.
    #[must_use]
    pub fn cost(&self, prices: &Prices) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
        let part = |tokens: u64, per_million: f64| tokens as f64 * per_million / 1e6;
        part(self.input, prices.input)
            + part(self.cache_read, prices.cache_read)
            + part(self.cache_write, prices.cache_write)
            + part(self.output, prices.output)
    }

    /// Adds another answer's tokens.
    pub fn add(&mut self, other: &Self) {
        self.input = self.input.saturating_add(other.input);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.output = self.output.saturating_add(other.output);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

#[cfg(test)]
mod tests {
    use super::{Prices, Usage};

    #[test]
    fn the_kinds_do_not_overlap() {
        let usage = Usage { input: 100, cache_read: 1000, cache_write: 10, output: 50, reasoning: 20 };
        assert_eq!((usage.context(), usage.total()), (1110, 1160));
        let prices = Prices { input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75 };
        let expected = (100.0 * 3.0 + 1000.0 * 0.3 + 10.0 * 3.75 + 50.0 * 15.0) / 1e6;
        assert!((usage.cost(&prices) - expected).abs() < 1e-12);
    }
}
