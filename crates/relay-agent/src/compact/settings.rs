//! The settings of compaction and of branch summaries: names, defaults and effective values for a model.

use serde::{Deserialize, Serialize};

/// What happens when a conversation becomes too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Earlier messages are summarised, and the session continues.
    #[default]
    ContextFull,
    /// A new session begins with a handoff document.
    Handoff,
    /// Nothing happens automatically.
    Off,
}

/// `compaction.*`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Whether conversations are compacted without being asked to.
    pub enabled: bool,
    /// How.
    pub strategy: Strategy,
    /// The threshold in percent of the window; not above zero means that it is not used.
    pub threshold_percent: f64,
    /// The threshold in tokens, before everything else; not above zero means that it is not used.
    pub threshold_tokens: i64,
    /// Whether handoff documents that Relay writes by itself are kept as files too.
    pub handoff_save_to_disk: bool,
    /// Whether a remote endpoint may summarise.
    pub remote_enabled: bool,
    /// How many tokens of the window stay free at least.
    pub reserve_tokens: u64,
    /// How many tokens of the newest messages stay word for word.
    pub keep_recent_tokens: u64,
    /// Whether the agent continues on its own afterwards.
    pub auto_continue: bool,
    /// The address of the remote endpoint.
    pub remote_endpoint: Option<String>,
    /// Whether an idle session is compacted.
    pub idle_enabled: bool,
    /// The minimum number of tokens.
    pub idle_threshold_tokens: u64,
    /// The idle time in seconds.
    pub idle_timeout_seconds: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            strategy: Strategy::ContextFull,
            threshold_percent: -1.0,
            threshold_tokens: -1,
            handoff_save_to_disk: false,
            remote_enabled: true,
            reserve_tokens: 16_384,
            keep_recent_tokens: 20_000,
            auto_continue: true,
            remote_endpoint: None,
            idle_enabled: false,
            idle_threshold_tokens: 200_000,
            idle_timeout_seconds: 300,
        }
    }
}

impl Settings {
    /// The number of tokens at which a conversation is compacted, for a model with this window.
    ///
    /// ```
    /// let settings = relay_agent::compact::Settings::default();
    /// assert_eq!(settings.threshold(200_000), 170_000, "15 % stay free");
    /// assert_eq!(settings.threshold(64_000), 64_000 - 16_384, "but 16,384 tokens at least");
    /// ```
    #[must_use]
    pub fn threshold(&self, window: u64) -> u64 {
        if let Ok(tokens @ 1..) = u64::try_from(self.threshold_tokens) {
            return tokens.min(window);
        }
        if self.threshold_percent > 0.0 {
            // A percentage of a window is far below what a float can count exactly.
            return (window as f64 * self.threshold_percent.min(100.0) / 100.0) as u64;
        }
        // A small window cannot spare the whole reserve: half of it has to hold a conversation.
        window - (window * 15 / 100).max(self.reserve_tokens).min(window / 2)
    }

    /// How many tokens of the newest messages stay word for word: what the user chose, but at most half of what fits.
    #[must_use]
    pub fn keep_recent(&self, window: u64) -> u64 {
        self.keep_recent_tokens.min(self.threshold(window) / 2)
    }

    /// Whether a conversation of this size is compacted after a turn.
    #[must_use]
    pub fn is_due(&self, tokens: u64, window: u64) -> bool {
        self.enabled && self.strategy != Strategy::Off && window > 0 && tokens > self.threshold(window)
    }

    /// Whether a conversation of this size is compacted after being idle for this long. The agent does not continue
    /// afterwards.
    #[must_use]
    pub fn is_idle_due(&self, tokens: u64, idle_ms: u64) -> bool {
        self.enabled
            && self.idle_enabled
            && self.strategy != Strategy::Off
            && tokens >= self.idle_threshold_tokens
            && idle_ms >= self.idle_timeout_seconds.saturating_mul(1_000)
    }
}

/// `branchSummary.*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BranchSettings {
    /// Whether the user is asked for a summary when they leave a branch.
    pub enabled: bool,
    /// How many tokens of the window stay free for the summary.
    pub reserve_tokens: u64,
}

impl Default for BranchSettings {
    fn default() -> Self {
        Self { enabled: false, reserve_tokens: 16_384 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_tokens_percent_and_reserve_decides() {
        let with = |tokens, percent| Settings {
            threshold_tokens: tokens,
            threshold_percent: percent,
            ..Settings::default()
        };
        assert_eq!(with(50_000, 80.0).threshold(200_000), 50_000);
        assert_eq!(with(500_000, -1.0).threshold(200_000), 200_000);
        assert_eq!(with(-1, 80.0).threshold(200_000), 160_000);
        assert_eq!(with(0, 400.0).threshold(200_000), 200_000);
        assert_eq!(with(-1, -1.0).threshold(1_000_000), 850_000);
        assert_eq!(with(-1, -1.0).threshold(8_192), 4_096, "a small window keeps half of it");
        assert_eq!(with(-1, -1.0).threshold(0), 0);
        assert!(with(-1, f64::NAN).threshold(200_000) == 170_000);
    }

    #[test]
    fn little_is_kept_of_a_small_window() {
        let settings = Settings::default();
        assert_eq!(settings.keep_recent(200_000), 20_000);
        assert_eq!(settings.keep_recent(8_192), 2_048);
    }

    #[test]
    fn nothing_is_due_if_turned_off() {
        let on = Settings::default();
        assert!(!on.is_due(170_000, 200_000) && on.is_due(170_001, 200_000));
        for off in [
            Settings { enabled: false, ..Settings::default() },
            Settings { strategy: Strategy::Off, ..Settings::default() },
        ] {
            assert!(!off.is_due(199_000, 200_000));
        }
        assert!(!on.is_due(5, 0), "a window that is not known");
    }

    #[test]
    fn idle_sessions_wait_for_size_and_time() {
        let off = Settings::default();
        assert!(!off.is_idle_due(300_000, 400_000));
        let on = Settings { idle_enabled: true, ..Settings::default() };
        assert!(on.is_idle_due(200_000, 300_000));
        assert!(!on.is_idle_due(199_999, 300_000) && !on.is_idle_due(200_000, 299_999));
    }

    #[test]
    fn the_names_are_those_of_the_settings() {
        let read: Settings =
            serde_json::from_str(r#"{"strategy":"handoff","thresholdPercent":70,"keepRecentTokens":5}"#)
                .unwrap();
        assert_eq!((read.strategy, read.keep_recent_tokens), (Strategy::Handoff, 5));
        let names = serde_json::to_value(Settings::default()).unwrap();
        let names: Vec<&str> = names.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "enabled",
                "strategy",
                "thresholdPercent",
                "thresholdTokens",
                "handoffSaveToDisk",
                "remoteEnabled",
                "reserveTokens",
                "keepRecentTokens",
                "autoContinue",
                "remoteEndpoint",
                "idleEnabled",
                "idleThresholdTokens",
                "idleTimeoutSeconds"
            ]
        );
    }
}
