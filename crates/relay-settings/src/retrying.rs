//! Converts settings for `relay-llm`.

use relay_llm::{Limit, RetrySettings, Revert};

use crate::limits;
use crate::settings::Settings;

impl Settings {
    /// When to retry a model, and after how long.
    #[must_use]
    pub fn retry(&self) -> RetrySettings {
        let usual = RetrySettings::default();
        let count = |name: &str, usual: u32| self.count(name).unwrap_or(usual);
        let delay = |name: &str, usual: u64| self.count(name).map_or(usual, u64::from);
        RetrySettings {
            enabled: self.flag("retry.enabled"),
            max_retries: count("retry.maxRetries", usual.max_retries),
            base_delay_ms: delay("retry.baseDelayMs", usual.base_delay_ms),
            max_delay_ms: delay("retry.maxDelayMs", usual.max_delay_ms),
            request_max_retries: count("retry.requestMaxRetries", usual.request_max_retries),
            stream_max_retries: count("retry.streamMaxRetries", usual.stream_max_retries),
            ..usual
        }
    }

    /// Whether to return to a model once it has recovered.
    #[must_use]
    pub fn revert(&self) -> Revert {
        match self.text("retry.fallbackRevertPolicy").as_deref() {
            Some("never") => Revert::Never,
            _ => Revert::CooldownExpiry,
        }
    }

    /// The limits of a question or a review.
    #[must_use]
    pub fn limit(&self) -> Limit {
        Limit {
            cost: self.text("backends.maxCost").and_then(|text| limits::cost(&text)),
            turns: self.count("backends.maxTurns"),
            time: self.text("backends.maxTime").and_then(|text| limits::time(&text)),
        }
    }

    /// The fallback models of a role, in order. Roles without their own chain use the one of `default`.
    #[must_use]
    pub fn fallback(&self, role: &str) -> Vec<String> {
        let chains = self.map("retry.fallbackChains");
        let chain = chains.get(role).or_else(|| chains.get("default")).and_then(toml::Value::as_array);
        let text = |value: &toml::Value| value.as_str().map(str::to_owned);
        chain.into_iter().flatten().filter_map(text).collect()
    }
}
