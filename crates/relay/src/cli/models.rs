//! What can be typed about models and keys.

use clap::{Args, Subcommand};

use super::values::providers;

/// List the models you can use now, with limits and prices
///
/// A model is usable if its provider has a key (in the environment or stored with `relay auth login`) or if a server on
/// this machine serves it: Relay looks for Ollama, LM Studio, llama.cpp and vLLM on their usual ports, unless --offline is
/// given. Prices are US dollars per million tokens.
#[derive(Debug, Args)]
pub struct ModelsArgs {
    /// Only models whose names contain these words, usable or not
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,

    /// All known models, usable or not
    #[arg(long)]
    pub all: bool,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// Store, remove and list API keys
///
/// Keys are stored in a file that only you can read, never in a project, and are never shown. A key in the environment
/// (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY …) is used before a stored one.
#[derive(Debug, Args)]
pub struct AuthArgs {
    #[command(subcommand)]
    pub command: AuthCommand,
}

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub enum AuthCommand {
    Login(LoginArgs),
    Logout(LogoutArgs),
    Status(StatusArgs),
}

/// Store a key
///
/// Asks for it without showing it, or reads it from standard input: `pass show anthropic | relay auth login anthropic`.
/// Logging in through a browser is not supported; every provider Relay knows issues keys.
#[derive(Debug, Args)]
pub struct LoginArgs {
    /// The provider, such as anthropic, openai, google or openrouter
    #[arg(add = providers())]
    pub provider: String,

    /// A name for the key; the same label replaces a key, several labels take turns
    #[arg(long, value_name = "LABEL", default_value = "default")]
    pub label: String,

    /// Refused: other programs can read arguments
    #[arg(hide = true, value_name = "KEY", num_args = 0..)]
    pub key: Vec<String>,
}

/// Remove a provider's stored keys, or one of them
#[derive(Debug, Args)]
pub struct LogoutArgs {
    /// The provider
    #[arg(add = providers())]
    pub provider: String,

    /// Only the key with this label
    #[arg(long, value_name = "LABEL")]
    pub label: Option<String>,
}

/// Show which providers have a key and where it comes from, never the key itself
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}
