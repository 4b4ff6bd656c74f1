//! The models this user can ask: the catalog with the user's `models.toml` over it, and the user's keys.
//!
//! The only place where the environment and the user's own files meet `relay-llm`. Nothing of the project is looked at.

use std::collections::BTreeMap;

use relay_diagnostics::Diagnostic;
use relay_engine::with_sources;
use relay_llm::catalog::{Catalog, CatalogProvider, LocalServer, SelectError, Selected};
use relay_llm::keys::Keyring;
use relay_llm::{Client, ClientOptions, Key};
use relay_store::Store;

use crate::failure::{BAD_USAGE, ENVIRONMENT, Failure};
use crate::signals;

/// The user's file in the config folder.
pub const FILE: &str = "models.toml";

/// What can be asked, and with which keys.
pub struct Models {
    /// Every provider and model that is known.
    pub catalog: Catalog,
    /// The keys.
    pub keyring: Keyring,
}

impl Models {
    /// Reads the user's files and the environment.
    pub fn open(store: &Store) -> Result<Self, Failure> {
        let user_file = store.settings_file(FILE).map_err(|error| broken_store(&error))?;
        let catalog = Catalog::new(user_file.as_deref(), variable).map_err(|error| {
            let place = store.config_dir().join(FILE);
            let hint = format!("Fix {} or move it away; its format: docs/formats/models.md", place.display());
            Failure::general(Diagnostic::error(ENVIRONMENT, error.to_string()).hinted(hint))
        })?;
        let stored = store.credentials().map_err(|error| broken_store(&error))?;
        let stored: BTreeMap<String, Vec<(String, Key)>> = stored
            .into_iter()
            .map(|(provider, keys)| {
                (provider, keys.into_iter().map(|key| (key.label.clone(), Key::new(key.key()))).collect())
            })
            .collect();
        let keyring = Keyring::new(&catalog, variable, &stored);
        Ok(Self { catalog, keyring })
    }

    /// The model a selector means; between providers that have the same model, those with a key decide.
    pub fn select(&self, selector: &str) -> Result<Selected, Failure> {
        self.catalog.select(selector, |known| !known.needs_key() || self.has_key(known)).map_err(|error| {
            Failure::usage(Diagnostic::error(BAD_USAGE, error.to_string()).hinted(error.hint()))
        })
    }

    /// Whether a name that may be something else means a model. Several that fit are a fault, none is not.
    pub fn means_one(&self, name: &str) -> Result<bool, Failure> {
        let is_usable = |known: &CatalogProvider| !known.needs_key() || self.has_key(known);
        match self.catalog.select(name, is_usable) {
            Err(SelectError::Ambiguous { .. }) => self.select(name).map(|_| true),
            found => Ok(found.is_ok()),
        }
    }

    /// Whether a provider has a key, or needs none.
    pub fn has_key(&self, known: &CatalogProvider) -> bool {
        !self.keyring.sources(&known.provider.name).is_empty()
    }

    /// The model servers that run on this machine; none are looked for with `--offline`.
    pub fn local_servers(&self, offline: bool) -> Result<Vec<LocalServer>, Failure> {
        let cancel = signals::cancel_on_signals().map_err(|error| Failure::environment(&error))?;
        let client = Client::new(ClientOptions { offline, ..ClientOptions::default() });
        Ok(self.catalog.local_servers(&client, &cancel))
    }
}

/// A variable of the environment, if it is text.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Something is wrong with the user's own files.
pub fn broken_store(error: &relay_store::StoreError) -> Failure {
    let diagnostic = Diagnostic::error(ENVIRONMENT, with_sources(error));
    Failure::general(match error.hint() {
        Some(hint) => diagnostic.hinted(hint),
        None => diagnostic,
    })
}

/// A provider cannot be asked without a key.
pub fn no_key(provider: &str) -> Failure {
    let message = format!("no key for {provider}");
    Failure::usage(Diagnostic::error(ENVIRONMENT, message).hinted(THREE_WAYS.trim_end()))
}

/// What somebody can do who has no model yet; the last of the three ways needs neither key nor server.
pub const THREE_WAYS: &str = "\
You have three options:
1. An API key: `relay auth login anthropic` (or openai, google, openrouter …), or set ANTHROPIC_API_KEY.
2. A model on this machine: start Ollama, LM Studio, llama.cpp or vLLM; Relay finds it.
3. No API at all: `relay prompt --copy`, ask in any chat, then `relay apply`; `relay watch` lands what you copy; \
`relay pack` gives a model your code; `relay mail` works through files, without a network.
";
