//! Sets up backends from the user's settings, keys and environment: programs, and models asked directly.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::{Arc, Mutex};

use relay_llm::catalog::CatalogProvider;
use relay_llm::keys::Keyring;
use relay_llm::{Auth, ClientOptions, Compat, Key, Model, Provider, Wire};
use relay_settings::{Models, Settings};

use super::{ConfiguredError, Wanted, custom_backends, model};
use crate::backend::{Backends, ModelBackend, Surroundings};

/// The local server that is a backend under its own name.
const OLLAMA: &str = "ollama";

/// What backends are built from.
pub struct Sources<'a> {
    /// The user's data, the environment, and Relay's own program.
    pub surroundings: Surroundings,
    /// The user's settings.
    pub settings: &'a Settings,
}

impl Sources<'_> {
    /// The programs: the built-in ones and the user's own.
    #[must_use]
    pub fn programs(&self) -> Backends {
        Backends::new(self.surroundings.clone(), custom_backends(self.settings))
    }

    /// The programs, and the models that the user's settings name.
    ///
    /// # Errors
    /// One of them cannot be set up.
    pub fn all(&self) -> Result<Backends, ConfiguredError> {
        let mut backends = self.programs();
        for name in self.settings.backend_names() {
            if model(self.settings, name).is_some()
                && backends.get(name).is_err()
                && let Some(backend) = self.model_backend(name, Wanted::default())?
            {
                backends.add(Box::new(backend));
            }
        }
        Ok(backends)
    }

    /// The backends for some names: the programs, and those names that mean models.
    ///
    /// # Errors
    /// One of them cannot be set up, or does not support the request.
    pub fn named(&self, names: &[String], wanted: Wanted<'_>) -> Result<Backends, ConfiguredError> {
        let mut backends = self.programs();
        if let Some(agent) = names.iter().find(|name| backends.get(name).is_ok()) {
            if wanted.offline {
                return Err(ConfiguredError::AgentConnects { name: agent.clone() });
            }
            if wanted.service_tier.is_some() {
                let what = "another agent; set its tier in its own settings";
                return Err(ConfiguredError::NoTiers { name: agent.clone(), what });
            }
        }
        for name in names {
            if backends.get(name).is_err()
                && let Some(backend) = self.model_backend(name, wanted)?
            {
                backends.add(Box::new(backend));
            }
        }
        Ok(backends)
    }

    /// A model as a backend: `provider/model` or an unambiguous part of it, a custom server, or `ollama` with a
    /// model. `None` if the name does not mean a model.
    fn model_backend(&self, name: &str, wanted: Wanted<'_>) -> Result<Option<ModelBackend>, ConfiguredError> {
        let named = wanted.model_of(name, self.settings);
        if let Some(url) = self.settings.text(&format!("backends.{name}.url")) {
            return self.own_server(name, url, named, wanted).map(Some);
        }
        let models = Models::open(&self.surroundings.store, |name| self.variable(name))?;
        let selector = if name == OLLAMA {
            let by_variable = || self.variable("OLLAMA_MODEL").filter(|name| !name.is_empty());
            format!("{OLLAMA}/{}", named.or_else(by_variable).ok_or_else(|| no_model(name))?)
        } else if let Some((provider, _)) = name.split_once('/') {
            wanted.model.map_or_else(|| name.to_owned(), |model| format!("{provider}/{model}"))
        } else if models.means_one(name)? {
            name.to_owned()
        } else {
            return Ok(None);
        };
        let selected = models.select(&selector)?;
        let provider = &selected.model.provider.name;
        let needs_key = models.catalog.provider(provider).is_some_and(CatalogProvider::needs_key);
        if needs_key && models.keyring.sources(provider).is_empty() {
            return Err(ConfiguredError::NoKey { provider: provider.clone() });
        }
        let fallback = self.fallback(&models, &selected.model)?;
        Ok(Some(ModelBackend {
            name: name.to_owned(),
            options: self.options(wanted),
            model: in_tier(selected.model, wanted)?,
            fallback,
            thinking: selected.thinking,
            keys: models.keyring,
            needs_key,
            revert: self.settings.revert(),
            chain: Mutex::default(),
        }))
    }

    /// A compatible server that the user's settings describe.
    fn own_server(
        &self,
        name: &str,
        base_url: String,
        id: Option<String>,
        wanted: Wanted<'_>,
    ) -> Result<ModelBackend, ConfiguredError> {
        let id = id.ok_or_else(|| no_model(name))?;
        let variable = self.settings.text(&format!("backends.{name}.keyVariable"));
        let key =
            |variable: &String| Some(Keyring::of_one(name, variable, Key::new(self.variable(variable)?)));
        let keys = variable.as_ref().and_then(key).unwrap_or_default();
        let needs_key = variable.is_some();
        let provider = Provider {
            name: name.to_owned(),
            wire: Wire::OpenaiChat,
            base_url,
            auth: if needs_key { Auth::Bearer } else { Auth::None },
            headers: BTreeMap::new(),
            compat: Compat::default(),
        };
        Ok(ModelBackend {
            name: name.to_owned(),
            options: self.options(wanted),
            model: in_tier(Model::new(Arc::new(provider), &id), wanted)?,
            fallback: Vec::new(),
            thinking: None,
            keys,
            needs_key,
            revert: self.settings.revert(),
            chain: Mutex::default(),
        })
    }

    /// The user's fallbacks for this model. One without a key is skipped, because it could not answer either.
    fn fallback(&self, models: &Models, first: &Model) -> Result<Vec<Model>, ConfiguredError> {
        let mut chain = Vec::new();
        for selector in self.settings.fallback("default") {
            let model = models.select(&selector)?.model;
            let known = models.catalog.provider(&model.provider.name);
            let is_usable = known.is_none_or(|known| !known.needs_key() || models.has_key(known));
            if is_usable && model.selector() != first.selector() {
                chain.push(model);
            }
        }
        Ok(chain)
    }

    fn options(&self, wanted: Wanted<'_>) -> ClientOptions {
        ClientOptions { offline: wanted.offline, retry: self.settings.retry(), ..ClientOptions::default() }
    }

    /// A variable of the environment, if it is text.
    fn variable(&self, name: &str) -> Option<String> {
        self.surroundings.variables.get(name).and_then(|value: &OsString| value.to_str()).map(str::to_owned)
    }
}

fn no_model(name: &str) -> ConfiguredError {
    ConfiguredError::NoModel { name: name.to_owned() }
}

/// The model in the requested tier, else in its own.
fn in_tier(model: Model, wanted: Wanted<'_>) -> Result<Model, ConfiguredError> {
    match wanted.service_tier {
        None => Ok(model),
        Some(_) if !model.provider.wire.has_service_tiers() => Err(ConfiguredError::NoTiers {
            name: model.provider.name.clone(),
            what: "a provider without service tiers",
        }),
        Some(tier) => Ok(Model { service_tier: Some(tier.to_owned()), ..model }),
    }
}
