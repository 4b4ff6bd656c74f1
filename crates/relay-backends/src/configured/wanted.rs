//! A caller's options for one question or review; the settings decide the rest.

use std::time::Duration;

use relay_llm::Limit;
use relay_settings::Settings;

use super::{ConfiguredError, model};
use crate::ask::Terms;
use crate::backend::Sandbox;

/// A caller's options for one question or review. `None` means the value from the settings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// Which of a backend's models.
    pub model: Option<&'a str>,
    /// The provider's service tier, such as `flex` or `priority`.
    pub service_tier: Option<&'a str>,
    /// Make no connections.
    pub offline: bool,
    /// The name of a sandbox.
    pub sandbox: Option<&'a str>,
    /// How long one answer may take.
    pub timeout: Option<Duration>,
    /// US dollars; `Some(None)` removes the limit of the settings.
    pub max_cost: Option<Option<f64>>,
    /// Requests for an answer; `Some(None)` removes the limit of the settings.
    pub max_turns: Option<Option<u32>>,
    /// Until the last request may start; `Some(None)` removes the limit of the settings.
    pub max_time: Option<Option<Duration>>,
}

impl Wanted<'_> {
    /// The model of a backend.
    #[must_use]
    pub fn model_of(&self, backend: &str, settings: &Settings) -> Option<String> {
        self.model.map(str::to_owned).or_else(|| model(settings, backend))
    }

    /// How long one answer may take.
    #[must_use]
    pub fn timeout(&self, settings: &Settings) -> Duration {
        let by_setting =
            || Duration::from_secs(settings.count("backends.timeout").unwrap_or_default().into());
        self.timeout.unwrap_or_else(by_setting)
    }

    /// What a backend may do, and its limits.
    ///
    /// # Errors
    /// There is no sandbox of this name.
    pub fn terms(&self, settings: &Settings) -> Result<Terms, ConfiguredError> {
        let sandbox = match self.sandbox {
            Some(name) => {
                name.parse().map_err(|()| ConfiguredError::UnknownSandbox { name: name.to_owned() })?
            }
            None => settings
                .text("backends.sandbox")
                .and_then(|name| name.parse().ok())
                .unwrap_or(Sandbox::ReadOnly),
        };
        let by_setting = settings.limit();
        let limit = Limit {
            cost: self.max_cost.unwrap_or(by_setting.cost),
            turns: self.max_turns.unwrap_or(by_setting.turns),
            time: self.max_time.unwrap_or(by_setting.time),
        };
        Ok(Terms { sandbox, timeout: self.timeout(settings), limit })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_call_overrides_the_settings() {
        let text = "[backends]\ntimeout = 7\nmaxCost = 2\nmaxTurns = 3\nsandbox = \"workspace-write\"\n";
        let (settings, _) = Settings::new(text, BTreeMap::new()).unwrap();
        let terms = Wanted::default().terms(&settings).unwrap();
        assert_eq!((terms.sandbox, terms.timeout.as_secs()), (Sandbox::WorkspaceWrite, 7));
        assert_eq!((terms.limit.cost, terms.limit.turns), (Some(2.0), Some(3)));
        let wanted = Wanted {
            sandbox: Some("read-only"),
            timeout: Some(Duration::from_secs(9)),
            max_cost: Some(None),
            max_turns: Some(Some(5)),
            ..Wanted::default()
        };
        let terms = wanted.terms(&settings).unwrap();
        assert_eq!((terms.sandbox, terms.timeout.as_secs()), (Sandbox::ReadOnly, 9));
        assert_eq!((terms.limit.cost, terms.limit.turns), (None, Some(5)));
        let unknown = Wanted { sandbox: Some("loose"), ..wanted }.terms(&settings).unwrap_err();
        assert_eq!(unknown.to_string(), "invalid sandbox `loose`");
        assert!(unknown.hint().unwrap().contains("workspace-write"));
    }
}
