//! The models this user can ask, as the commands of the binary need them: with the environment, and failures in words.

use relay_diagnostics::Diagnostic;
use relay_engine::with_sources;
use relay_llm::catalog::SelectError;
use relay_settings::{MODELS_FILE, Models, ModelsError};
use relay_store::Store;

use crate::failure::{BAD_USAGE, ENVIRONMENT, Failure};

/// Reads the user's files and the environment.
pub fn open(store: &Store) -> Result<Models, Failure> {
    Models::open(store, |name| std::env::var(name).ok()).map_err(|error| unavailable(store, &error))
}

/// The models cannot be listed.
pub fn unavailable(store: &Store, error: &ModelsError) -> Failure {
    if let ModelsError::Store(error) = error {
        return broken_store(error);
    }
    let place = store.config_dir().join(MODELS_FILE);
    let hint = format!("Fix {} or move it away; its format: docs/formats/models.md", place.display());
    Failure::general(Diagnostic::error(ENVIRONMENT, error.to_string()).hinted(hint))
}

/// A selector means no model, or several.
pub fn unselected(error: &SelectError) -> Failure {
    Failure::usage(Diagnostic::error(BAD_USAGE, error.to_string()).hinted(error.hint()))
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
