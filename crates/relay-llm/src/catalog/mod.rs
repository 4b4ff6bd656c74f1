//! Which providers and models there are: a built-in table, and the user's own `models.toml` over it.
//!
//! Both are data in one format (`docs/formats/models.md`). Nothing is read from disk or the environment here: the caller
//! hands in the text of the user's file and a way to look up variables, so that a repository's files have no say.

mod file;
mod host;
mod local;
mod select;

use std::sync::Arc;

use crate::model::{Capabilities, Limits, Model};
use crate::provider::{Auth, Provider};

pub use file::CatalogError;
pub use local::LocalServer;
pub use select::{SelectError, Selected};

/// Everything that can be asked.
#[derive(Clone, Debug)]
pub struct Catalog {
    providers: Vec<CatalogProvider>,
}

/// A provider with what is known of its models.
#[derive(Clone, Debug)]
pub struct CatalogProvider {
    /// How it is spoken to.
    pub provider: Arc<Provider>,
    /// Where its key may be in the environment, the first one first.
    pub key_variables: Vec<String>,
    /// Whether it is a server of the user's own that is asked which models it has.
    pub is_local: bool,
    /// The models that are known by name; others may be asked too.
    pub models: Vec<CatalogModel>,
    /// The service tier of models that name none of their own.
    pub service_tier: Option<String>,
}

/// A model with what people call it.
#[derive(Clone, Debug)]
pub struct CatalogModel {
    /// The model.
    pub model: Model,
    /// Its full name.
    pub name: String,
}

impl Catalog {
    /// The built-in table with the user's file over it. `variable` looks up what the user's environment says about base
    /// URLs.
    ///
    /// # Errors
    /// The user's file is not understood, or describes a provider incompletely.
    ///
    /// # Examples
    /// ```
    /// use relay_llm::catalog::Catalog;
    ///
    /// let own = r#"
    ///     [providers.office]
    ///     wire = "openai-chat"
    ///     base_url = "https://models.office.example/v1"
    ///     key_env = ["OFFICE_API_KEY"]
    /// "#;
    /// let catalog = Catalog::new(Some(own), |_| None)?;
    /// let selected = catalog.select("office/our-model:high", |_| true)?;
    /// assert_eq!(selected.model.selector(), "office/our-model");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        user_file: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, CatalogError> {
        let providers = file::read(user_file)?;
        let providers = providers.into_iter().map(|(name, described)| {
            let from_environment = described.base_url_env.as_deref().and_then(&variable);
            let from_environment = from_environment.filter(|url| !url.trim().is_empty());
            provider(name, described, from_environment)
        });
        Ok(Self { providers: providers.collect::<Result<_, _>>()? })
    }

    /// All providers, by name.
    #[must_use]
    pub fn providers(&self) -> &[CatalogProvider] {
        &self.providers
    }

    /// The provider with this name.
    #[must_use]
    pub fn provider(&self, name: &str) -> Option<&CatalogProvider> {
        self.providers.iter().find(|known| known.provider.name == name)
    }

    /// The names of all providers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.providers.iter().map(|known| known.provider.name.as_str())
    }
}

impl CatalogProvider {
    /// Whether it can be asked without a key.
    #[must_use]
    pub fn needs_key(&self) -> bool {
        self.provider.auth != Auth::None
    }

    /// A model of which nothing is known but its name.
    #[must_use]
    pub fn unknown_model(&self, id: &str) -> CatalogModel {
        let service_tier = self.service_tier.clone();
        let model = Model { service_tier, ..Model::new(Arc::clone(&self.provider), id) };
        CatalogModel { model, name: id.to_owned() }
    }
}

fn provider(
    name: String,
    described: file::ProviderFile,
    from_environment: Option<String>,
) -> Result<CatalogProvider, CatalogError> {
    let incomplete = |field: &'static str| CatalogError::Incomplete { provider: name.clone(), field };
    let is_local = described.local.unwrap_or(false);
    let base_url = match from_environment {
        Some(url) if described.base_url_env.as_deref() == Some(host::VARIABLE) => host::base_url(&url),
        Some(url) => url.trim().to_owned(),
        None => described.base_url.ok_or_else(|| incomplete("base_url"))?,
    };
    let provider = Arc::new(Provider {
        wire: described.wire.ok_or_else(|| incomplete("wire"))?,
        base_url,
        auth: described.auth.unwrap_or_default(),
        headers: described.headers,
        compat: described.compat.unwrap_or_default(),
        name,
    });
    let service_tier = described.service_tier;
    if !provider.wire.has_service_tiers()
        && let Some(tier) = service_tier
            .iter()
            .chain(described.models.iter().filter_map(|model| model.service_tier.as_ref()))
            .next()
    {
        return Err(CatalogError::NoTiers { provider: provider.name.clone(), tier: tier.clone() });
    }
    let models =
        described.models.into_iter().map(|model| entry(&provider, service_tier.as_deref(), model)).collect();
    let key_variables = described.key_env.unwrap_or_default();
    Ok(CatalogProvider { provider, key_variables, is_local, models, service_tier })
}

fn entry(provider: &Arc<Provider>, service_tier: Option<&str>, described: file::ModelFile) -> CatalogModel {
    let (limits, can) = (Limits::default(), Capabilities::default());
    let model = Model {
        provider: Arc::clone(provider),
        limits: Limits {
            context: described.context.unwrap_or(limits.context),
            output: described.output.unwrap_or(limits.output),
        },
        prices: described.price,
        capabilities: Capabilities {
            thinking: described.thinking.unwrap_or(can.thinking),
            images: described.images.unwrap_or(can.images),
            tools: described.tools.unwrap_or(can.tools),
            structured: described.structured.unwrap_or(can.structured),
            grammars: described.grammars.unwrap_or(can.grammars),
        },
        service_tier: described.service_tier.or_else(|| service_tier.map(str::to_owned)),
        id: described.id,
    };
    CatalogModel { name: described.name.unwrap_or_else(|| model.id.clone()), model }
}

#[cfg(test)]
mod tests {
    use super::Catalog;
    use crate::provider::{Auth, Wire};

    fn catalog(user_file: &str, variables: &[(&str, &str)]) -> Catalog {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        Catalog::new(Some(user_file), variable).unwrap()
    }

    fn base_url<'a>(catalog: &'a Catalog, provider: &str) -> &'a str {
        &catalog.provider(provider).unwrap().provider.base_url
    }

    #[test]
    fn the_built_in_table_is_sound() {
        let catalog = Catalog::new(None, |_| None).unwrap();
        for known in catalog.providers() {
            let name = &known.provider.name;
            assert_eq!(known.needs_key(), !known.key_variables.is_empty(), "{name}");
            assert_eq!(known.is_local, known.provider.base_url.starts_with("http://127.0.0.1:"), "{name}");
            assert!(known.is_local || known.provider.base_url.starts_with("https://"), "{name}");
            for entry in &known.models {
                let (id, limits) = (&entry.model.id, &entry.model.limits);
                assert!(limits.output < limits.context, "{id}");
                let prices = entry.model.prices.unwrap_or_default();
                assert!(prices.cache_read <= prices.input && prices.input <= prices.output, "{id}");
                assert_eq!(known.models.iter().filter(|other| other.model.id == *id).count(), 1, "{id}");
            }
        }
        assert_eq!(catalog.provider("anthropic").unwrap().provider.wire, Wire::AnthropicMessages);
    }

    #[test]
    fn base_urls_come_from_the_environment() {
        let variables = [
            ("ANTHROPIC_BASE_URL", "http://127.0.0.1:1"),
            ("OPENAI_BASE_URL", " http://127.0.0.1:2/v1 "),
            ("GOOGLE_GEMINI_BASE_URL", ""),
            ("OLLAMA_HOST", "gpu.example"),
        ];
        let catalog = catalog("", &variables);
        assert_eq!(base_url(&catalog, "anthropic"), "http://127.0.0.1:1");
        assert_eq!(base_url(&catalog, "openai"), "http://127.0.0.1:2/v1");
        assert_eq!(base_url(&catalog, "openai-chat"), "http://127.0.0.1:2/v1");
        assert_eq!(base_url(&catalog, "google"), "https://generativelanguage.googleapis.com");
        assert_eq!(base_url(&catalog, "ollama"), "http://gpu.example:11434");
    }

    #[test]
    fn service_tiers_are_a_providers_or_a_models() {
        let text = "[providers.openai]\nservice_tier = \"flex\"\n[[providers.openai.models]]\n\
                    id = \"gpt-6-astra\"\nservice_tier = \"priority\"\n";
        let catalog = catalog(text, &[]);
        let tier = |name: &str| catalog.select(name, |_| true).unwrap().model.service_tier;
        assert_eq!(tier("openai/gpt-6-astra").as_deref(), Some("priority"));
        assert_eq!(tier("openai/gpt-6-luna").as_deref(), Some("flex"));
        assert_eq!(tier("openai/some-model").as_deref(), Some("flex"));
        assert_eq!(tier("anthropic/claude-opus-5"), None);
        let error =
            Catalog::new(Some("[providers.ollama]\nservice_tier = \"flex\"\n"), |_| None).unwrap_err();
        assert!(error.to_string().contains("has no service tiers"), "{error}");
    }

    #[test]
    fn the_users_file_adds_and_overrides_field_by_field() {
        let text = r#"
            [providers.anthropic]
            base_url = "https://proxy.example"
            headers = { x-team = "blue" }
            [[providers.anthropic.models]]
            id = "claude-opus-5-5"
            context = 200_000
            [[providers.anthropic.models]]
            id = "claude-house"

            [providers.mistral.compat]
            short_tool_ids = false

            [providers.office]
            wire = "openai-chat"
            base_url = "http://10.0.0.5:8000/v1"
            auth = "none"
        "#;
        let catalog = catalog(text, &[]);
        let anthropic = catalog.provider("anthropic").unwrap();
        assert_eq!(anthropic.provider.base_url, "https://proxy.example");
        assert_eq!(anthropic.provider.auth, Auth::Header("x-api-key".to_owned()), "the rest stays");
        assert_eq!(anthropic.provider.headers["x-team"], "blue");
        let opus = anthropic.models.iter().find(|entry| entry.model.id == "claude-opus-5-5").unwrap();
        assert_eq!((opus.model.limits.context, opus.model.limits.output), (200_000, 128_000));
        assert_eq!(opus.name, "Claude Opus 5.5");
        assert!(anthropic.models.iter().any(|entry| entry.model.id == "claude-house"));
        let mistral = &catalog.provider("mistral").unwrap().provider.compat;
        assert!(!mistral.short_tool_ids && mistral.legacy_max_tokens);
        assert!(!catalog.provider("office").unwrap().needs_key());
    }
}
