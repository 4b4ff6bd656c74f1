//! Commands about the model: which one, and how hard it thinks.

use relay_llm::Thinking;
use serde_json::{Value, json};

use super::{Answer, Session, flag, needed, text};
use crate::rpc::{session, with_agent};

/// How hard a model can think, in the order in which they are cycled.
const LEVELS: [Thinking; 6] =
    [Thinking::Off, Thinking::Minimal, Thinking::Low, Thinking::Medium, Thinking::High, Thinking::Max];

impl Session {
    pub(super) fn about_models(&self, kind: &str, command: &Value) -> Option<Answer> {
        Some(match kind {
            "set_model" => self.set_model(command),
            "cycle_model" => self.cycle_model(command),
            "set_thinking_level" | "cycle_thinking_level" => self.set_thinking(command),
            "set_auto_retry" => self.set_retry(command),
            "get_available_models" => Ok(Some(json!({ "models": self.host.models() }))),
            "get_thinking_levels" => {
                Ok(Some(json!({ "levels": LEVELS.map(Thinking::name), "aliases": { "xhigh": "max" } })))
            }
            _ => return None,
        })
    }

    fn set_model(&self, command: &Value) -> Answer {
        let selector = match (text(command, "provider"), text(command, "modelId")) {
            (Some(provider), Some(model)) => format!("{provider}/{model}"),
            _ => needed(command, "model")?.to_owned(),
        };
        self.use_model(&selector).map(Some)
    }

    /// The next model, or with `direction: "backward"` the one before; of `models` if they are given.
    fn cycle_model(&self, command: &Value) -> Answer {
        let current = with_agent(&self.remote, |agent| agent.asker().model().selector())?;
        let given = command.get("models").and_then(Value::as_array);
        let scope = match given {
            Some(given) => given.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            None => self.host.scope(),
        };
        let is_scoped = !scope.is_empty();
        let names: Vec<String> = match is_scoped {
            true => scope,
            false => self
                .host
                .models()
                .iter()
                .filter_map(|model| Some(model.get("selector")?.as_str()?.to_owned()))
                .collect(),
        };
        let step =
            if text(command, "direction") == Some("backward") { names.len().saturating_sub(1) } else { 1 };
        let at = names.iter().position(|name| *name == current).map_or(0, |at| at + step);
        match names.get(at % names.len().max(1)) {
            Some(name) if *name != current => {
                let model = self.use_model(name)?;
                let level = with_agent(&self.remote, |agent| agent.thinking())?.unwrap_or(Thinking::Off);
                Ok(Some(json!({ "model": model, "thinkingLevel": level.name(), "isScoped": is_scoped })))
            }
            _ => Ok(Some(Value::Null)),
        }
    }

    fn set_thinking(&self, command: &Value) -> Answer {
        let level = with_agent(&self.remote, |agent| agent.thinking())?.unwrap_or(Thinking::Off);
        let next = match text(command, "level") {
            Some("xhigh") => Thinking::Max,
            Some(name) => {
                Thinking::from_name(name).ok_or_else(|| format!("unknown thinking level `{name}`"))?
            }
            None => {
                let at = LEVELS.iter().position(|known| *known == level).unwrap_or_default();
                LEVELS.get((at + 1) % LEVELS.len()).copied().unwrap_or(level)
            }
        };
        with_agent(&self.remote, move |agent| agent.set_thinking(next))?;
        Ok(Some(json!({ "level": next.name() })))
    }

    fn set_retry(&self, command: &Value) -> Answer {
        let current = with_agent(&self.remote, |agent| agent.asker().model().selector())?;
        self.settings().retries = flag(command, "enabled").unwrap_or(true);
        self.use_model(&current).map(|_| None)
    }

    fn use_model(&self, selector: &str) -> Result<Value, String> {
        let retries = self.settings().retries;
        let (asker, thinking) = self.host.model(selector, retries)?;
        let shown = session::model(&asker.model());
        with_agent(&self.remote, move |agent| {
            agent.set_model(asker);
            if let Some(level) = thinking {
                agent.set_thinking(level);
            }
        })?;
        Ok(shown)
    }
}
