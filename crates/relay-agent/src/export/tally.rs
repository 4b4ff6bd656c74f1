//! What a session used up, in all and by model.

use std::collections::HashSet;

use crate::session::{Entry, Message, milliseconds};

/// What one model used up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelTally {
    /// `provider/model`.
    pub model: String,
    /// How many answers it gave.
    pub answers: usize,
    /// Tokens read afresh.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Tokens read from the cache.
    pub cache_read: u64,
    /// Tokens written to the cache.
    pub cache_write: u64,
    /// US dollars; zero where the log does not say.
    pub cost: f64,
}

/// What a session used up, all branches together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// How many prompts of the user there are.
    pub prompts: usize,
    /// How many answers.
    pub answers: usize,
    /// How many tool calls.
    pub calls: usize,
    /// How many of them failed.
    pub failures: usize,
    /// The models, in the order in which they first answered.
    pub models: Vec<ModelTally>,
    /// From the first entry to the last, in milliseconds.
    pub span_ms: i64,
}

impl Tally {
    pub(super) fn of(entries: &[Entry]) -> Self {
        let mut tally = Self::default();
        let mut failed: HashSet<&str> = HashSet::new();
        let mut span: Option<(i64, i64)> = None;
        for entry in entries {
            if let Some(time) = milliseconds(entry.timestamp()) {
                let (first, last) = span.unwrap_or((time, time));
                span = Some((first.min(time), last.max(time)));
            }
            match entry.message() {
                Some(Message::User(message)) if message.synthetic != Some(true) => tally.prompts += 1,
                Some(Message::Assistant(message)) => {
                    tally.calls += message.tool_calls().count();
                    tally.add(message);
                }
                Some(Message::ToolResult(result))
                    if result.is_error && failed.insert(&result.tool_call_id) =>
                {
                    tally.failures += 1;
                }
                _ => {}
            }
        }
        tally.span_ms = span.map_or(0, |(first, last)| last.saturating_sub(first));
        tally
    }

    fn add(&mut self, message: &crate::session::message::AssistantMessage) {
        self.answers += 1;
        let name = match message.provider.is_empty() {
            true => message.model.clone(),
            false => format!("{}/{}", message.provider, message.model),
        };
        let place = self.models.iter().position(|known| known.model == name).unwrap_or_else(|| {
            self.models.push(ModelTally { model: name, ..ModelTally::default() });
            self.models.len() - 1
        });
        let Some(model) = self.models.get_mut(place) else { return };
        let usage = &message.usage;
        model.answers += 1;
        model.input = model.input.saturating_add(usage.input);
        model.output = model.output.saturating_add(usage.output);
        model.cache_read = model.cache_read.saturating_add(usage.cache_read);
        model.cache_write = model.cache_write.saturating_add(usage.cache_write);
        model.cost += usage.cost.total;
    }

    /// All models together.
    #[must_use]
    pub fn total(&self) -> ModelTally {
        self.models.iter().fold(ModelTally::default(), |sum, model| ModelTally {
            model: String::new(),
            answers: sum.answers + model.answers,
            input: sum.input.saturating_add(model.input),
            output: sum.output.saturating_add(model.output),
            cache_read: sum.cache_read.saturating_add(model.cache_read),
            cache_write: sum.cache_write.saturating_add(model.cache_write),
            cost: sum.cost + model.cost,
        })
    }
}

/// A count as people read it: `1,234`, `12.3k`, `4.56M`.
pub(super) fn short_count(count: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let number = count as f64;
    match count {
        0..=9_999 => grouped(count),
        10_000..=999_999 => format!("{:.1}k", number / 1e3),
        _ => format!("{:.2}M", number / 1e6),
    }
}

fn grouped(count: u64) -> String {
    match count {
        0..=999 => count.to_string(),
        _ => format!("{},{:03}", count / 1000, count % 1000),
    }
}

/// An amount of money: small ones with more digits.
pub(super) fn dollars(amount: f64) -> String {
    match amount {
        _ if amount <= 0.0 => "–".to_owned(),
        _ if amount < 0.01 => format!("${amount:.4}"),
        _ => format!("${amount:.2}"),
    }
}

/// A length of time: `12 s`, `3 min`, `2 h 5 min`, `3 d 4 h`.
pub(super) fn span(milliseconds: i64) -> String {
    let seconds = milliseconds / 1000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match () {
        () if seconds < 60 => format!("{seconds} s"),
        () if minutes < 60 => format!("{minutes} min"),
        () if hours < 24 => format!("{hours} h {} min", minutes % 60),
        () => format!("{days} d {} h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let counts = [0, 999, 1000, 12_345, 4_560_000].map(short_count);
        assert_eq!(counts, ["0", "999", "1,000", "12.3k", "4.56M"]);
        assert_eq!([0.0, 0.00123, 1.5].map(dollars), ["–", "$0.0012", "$1.50"]);
        assert_eq!(
            [5_000, 65_000, 7_500_000, 90_000_000].map(span),
            ["5 s", "1 min", "2 h 5 min", "1 d 1 h"]
        );
    }
}
