//! The models this user can ask: the catalog with the user's `models.toml` over it, and the user's keys.

use std::collections::BTreeMap;
use std::path::PathBuf;

use relay_diagnostics::Cancel;
use relay_llm::catalog::{Catalog, CatalogError, CatalogProvider, LocalServer, SelectError, Selected};
use relay_llm::keys::Keyring;
use relay_llm::{Client, ClientOptions, Key};
use relay_store::{Store, StoreError};
use thiserror::Error;

/// The user's file in the config folder.
pub const MODELS_FILE: &str = "models.toml";

/// Why the models cannot be listed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelsError {
    /// The user's own data cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// `models.toml` cannot be used.
    #[error("{source}")]
    Catalog {
        /// Where the file is.
        path: PathBuf,
        /// What is wrong with it.
        source: CatalogError,
    },
}

impl ModelsError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint(),
            Self::Catalog { path, .. } => {
                Some(format!("Fix {} or move it away; its format: docs/formats/models.md", path.display()))
            }
        }
    }
}

/// How to get a model; the last of the three ways needs neither key nor server.
pub const NO_MODEL_YET: &str = "\
You have three options:
1. An API key: `relay auth login anthropic` (or openai, google, openrouter …), or set ANTHROPIC_API_KEY.
2. A model on this machine: start Ollama, LM Studio, llama.cpp or vLLM; Relay finds it.
3. No API at all: `relay prompt --copy`, ask in any chat, then `relay apply`; `relay watch` lands what you copy; \
`relay pack` gives a model your code; `relay mail` works through files, without a network.
";

/// The usable models, and their keys.
pub struct Models {
    /// All known providers and models.
    pub catalog: Catalog,
    /// The keys.
    pub keyring: Keyring,
}

impl Models {
    /// Reads the user's files; `variable` looks into the environment.
    ///
    /// # Errors
    /// A file cannot be read or used.
    pub fn open(store: &Store, variable: impl Fn(&str) -> Option<String>) -> Result<Self, ModelsError> {
        let user_file = store.settings_file(MODELS_FILE)?;
        let unusable = |source| ModelsError::Catalog { path: store.config_dir().join(MODELS_FILE), source };
        let catalog = Catalog::new(user_file.as_deref(), &variable).map_err(unusable)?;
        let stored: BTreeMap<String, Vec<(String, Key)>> = store
            .credentials()?
            .into_iter()
            .map(|(provider, keys)| {
                (provider, keys.into_iter().map(|key| (key.label.clone(), Key::new(key.key()))).collect())
            })
            .collect();
        let keyring = Keyring::new(&catalog, &variable, &stored);
        Ok(Self { catalog, keyring })
    }

    /// The model that a selector means; if several providers have the same model, those with a key win.
    ///
    /// # Errors
    /// None or several match.
    pub fn select(&self, selector: &str) -> Result<Selected, SelectError> {
        self.catalog.select(selector, |known| !known.needs_key() || self.has_key(known))
    }

    /// Whether a name, which may be something else, means a model.
    ///
    /// # Errors
    /// Several match.
    pub fn means_one(&self, name: &str) -> Result<bool, SelectError> {
        match self.select(name) {
            Err(error @ SelectError::Ambiguous { .. }) => Err(error),
            found => Ok(found.is_ok()),
        }
    }

    /// Whether a provider has a key, or needs none.
    #[must_use]
    pub fn has_key(&self, known: &CatalogProvider) -> bool {
        !self.keyring.sources(&known.provider.name).is_empty()
    }

    /// The model servers that run on this machine; none with `offline`.
    #[must_use]
    pub fn local_servers(&self, offline: bool, cancel: &Cancel) -> Vec<LocalServer> {
        let client = Client::new(ClientOptions { offline, ..ClientOptions::default() });
        self.catalog.local_servers(&client, cancel)
    }
}
