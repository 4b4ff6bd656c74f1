//! How models are reached: the user's catalog and keys, the settings, and what the command line says about both.

use std::sync::Arc;

use relay_agent::driver::{Asker, Live, LiveOptions};
use relay_agent::session::SessionLog;
use relay_backends::configured::ConfiguredError;
use relay_diagnostics::Diagnostic;
use relay_llm::catalog::{CatalogProvider, SelectError, Selected};
use relay_llm::{Budget, ClientOptions, Key, Limit, Model, Thinking};
use relay_settings::{Models, NO_MODEL_YET, Settings};
use relay_store::Store;

use crate::cli::{AgentArgs, ModelFlags};
use crate::failure::{BAD_USAGE, Failure, NO_MODEL};
use crate::user;

/// How models are reached, which one is asked first, and how hard it thinks.
pub type Found = (Reach, Arc<dyn Asker>, Option<Thinking>);

/// Reaches models. Clones share the budget.
#[derive(Clone)]
pub struct Reach {
    pub store: Store,
    pub settings: Settings,
    pub budget: Arc<Budget>,
    /// Make no connections.
    pub offline: bool,
    /// The key of the command line, and the provider it is for.
    key: Option<(String, Key)>,
    /// The models that can be switched between; empty means all.
    scope: Vec<String>,
}

impl Reach {
    /// What a recording needs: it is never asked over a network itself, but models for side tasks are.
    pub fn beside_a_recording(store: &Store, settings: &Settings, offline: bool) -> Self {
        Self {
            store: store.clone(),
            settings: settings.clone(),
            budget: Arc::new(Budget::new(Limit::default())),
            offline,
            key: None,
            scope: Vec::new(),
        }
    }

    /// The model that the command line, the session or the settings choose, and how to reach the others.
    pub fn open(
        store: &Store,
        settings: &Settings,
        args: &AgentArgs,
        log: &SessionLog,
        offline: bool,
    ) -> Result<Found, Failure> {
        let mut reach = Self::beside_a_recording(store, settings, offline);
        let known = user::models(store)?;
        let flags = &args.ask;
        let patterns =
            if flags.models.is_empty() { settings.list("enabledModels") } else { flags.models.clone() };
        reach.scope = scope(&known, &patterns)?;
        let selector = named(&known, flags)?
            .or_else(|| log.context().state.models.get("default").cloned())
            .or_else(|| reach.scope.first().filter(|_| !flags.models.is_empty()).cloned())
            .or_else(|| settings.text("modelRoles.default"))
            .or_else(|| first_with_key(&known))
            .ok_or_else(no_model)?;
        let selected = known.select(&selector)?;
        if let Some(key) = &flags.api_key {
            let key = Key::new(crate::commands::sound_key(key)?);
            reach.key = Some((selected.model.provider.name.clone(), key));
        }
        let by_setting = settings.limit();
        let limit = Limit {
            cost: args.limits.max_cost.map_or(by_setting.cost, |bound| bound.0),
            turns: args.limits.max_turns.map_or(by_setting.turns, |bound| bound.0),
            time: None,
        };
        limit.check(&selected.model).map_err(|spent| {
            Failure::usage(Diagnostic::error(BAD_USAGE, spent.to_string()).hinted("Leave out --max-cost."))
        })?;
        reach.budget = Arc::new(Budget::new(limit));
        let by_setting = || settings.text("defaultThinkingLevel").and_then(|name| Thinking::from_name(&name));
        let thinking = flags.thinking.or(selected.thinking).or_else(by_setting);
        let asker = reach.live(&selected, true)?;
        Ok((reach, asker, thinking))
    }

    /// The catalog and the keys, including the one from the command line.
    pub fn known(&self) -> Result<Models, Failure> {
        let mut known = user::models(&self.store)?;
        if let Some((provider, key)) = &self.key {
            known.keyring.use_only(provider, key.clone());
        }
        Ok(known)
    }

    /// The models that the user wants to switch between; empty means all.
    pub fn scope(&self) -> &[String] {
        &self.scope
    }

    /// A model by its selector, ready to be asked.
    pub fn ask(&self, selector: &str, retries: bool) -> Result<(Arc<dyn Asker>, Option<Thinking>), Failure> {
        let selected = self.known()?.select(selector)?;
        Ok((self.live(&selected, retries)?, selected.thinking))
    }

    /// A model at its provider, with the user's fallbacks for when it cannot answer.
    pub fn live(&self, selected: &Selected, retries: bool) -> Result<Arc<dyn Asker>, Failure> {
        let known = self.known()?;
        let provider = &selected.model.provider.name;
        let needs_key = known.catalog.provider(provider).is_some_and(CatalogProvider::needs_key);
        if needs_key && known.keyring.sources(provider).is_empty() {
            return Err(ConfiguredError::NoKey { provider: provider.clone() }.into());
        }
        let mut fallback: Vec<Model> = Vec::new();
        for name in self.settings.fallback("default") {
            let model = known.select(&name)?.model;
            if model.selector() != selected.model.selector() {
                fallback.push(model);
            }
        }
        let mut retry = self.settings.retry();
        retry.enabled &= retries;
        Ok(Arc::new(Live::new(LiveOptions {
            client: ClientOptions {
                offline: self.offline,
                retry,
                raw: super::journal::raw(),
                ..ClientOptions::default()
            },
            model: selected.model.clone(),
            fallback,
            revert: self.settings.revert(),
            keys: Arc::new(known.keyring),
            budget: Arc::clone(&self.budget),
            session: None,
        })))
    }
}

/// The model that the command line names, by itself or through its provider.
fn named(known: &Models, flags: &ModelFlags) -> Result<Option<String>, Failure> {
    let usage = |message: String| Failure::usage(Diagnostic::error(BAD_USAGE, message));
    match (&flags.provider, &flags.model) {
        (None, None) if flags.api_key.is_some() => Err(usage(
            "--api-key needs --model or --provider, so that it reaches the right provider".to_owned(),
        )),
        (None, model) => Ok(model.clone()),
        (Some(provider), Some(model)) if model.starts_with(&format!("{provider}/")) => {
            Ok(Some(model.clone()))
        }
        (Some(provider), Some(model)) => Ok(Some(format!("{provider}/{model}"))),
        (Some(provider), None) => {
            let names = || known.catalog.providers().iter().map(|known| known.provider.name.as_str());
            let Some(found) = known.catalog.provider(provider) else {
                let names: Vec<&str> = names().collect();
                return Err(usage(format!(
                    "unknown provider `{provider}`. {}",
                    crate::cli::did_you_mean(provider, &names)
                )));
            };
            let first = found.models.first().map(|entry| entry.model.selector());
            first.map(Some).ok_or_else(|| usage(format!("--provider {provider} needs --model as well")))
        }
    }
}

/// The models that match the patterns, in the patterns' order.
fn scope(known: &Models, patterns: &[String]) -> Result<Vec<String>, Failure> {
    let mut scope: Vec<String> = Vec::new();
    for pattern in patterns.iter().map(|pattern| pattern.trim()).filter(|pattern| !pattern.is_empty()) {
        let found: Vec<String> = if pattern.contains('*') {
            let models = known.catalog.providers().iter().flat_map(|provider| &provider.models);
            models
                .filter(|entry| fits(pattern, &entry.model.selector()) || fits(pattern, &entry.model.id))
                .map(|entry| entry.model.selector())
                .collect()
        } else {
            vec![known.select(pattern)?.model.selector()]
        };
        if found.is_empty() {
            let unknown = SelectError::Unknown { selector: pattern.to_owned(), suggestions: Vec::new() };
            return Err(unknown.into());
        }
        let fresh: Vec<String> = found.into_iter().filter(|name| !scope.contains(name)).collect();
        scope.extend(fresh);
    }
    Ok(scope)
}

/// Whether a name matches a pattern, in which `*` matches anything.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|start| name.strip_prefix(start)) else { return false };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part).and_then(|at| rest.get(at + part.len()..)) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.is_empty()
}

/// The first model of the catalog with a key for its provider.
fn first_with_key(known: &Models) -> Option<String> {
    let mut usable =
        known.catalog.providers().iter().filter(|provider| provider.needs_key() && known.has_key(provider));
    usable.find_map(|provider| {
        let model = provider.models.first()?;
        Some(format!("{}/{}", provider.provider.name, model.model.id))
    })
}

fn no_model() -> Failure {
    let message = "no model is available";
    Failure::usage(Diagnostic::error(NO_MODEL, message).hinted(NO_MODEL_YET.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_matches_anything() {
        for (pattern, name, expected) in [
            ("anthropic/*", "anthropic/claude", true),
            ("*haiku*", "anthropic/claude-haiku-4", true),
            ("*haiku", "anthropic/claude-haiku-4", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*bc", "abc", true),
            ("ab*ba", "aba", false),
            ("gpt", "gpt", true),
            ("gpt", "gpt-5", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
