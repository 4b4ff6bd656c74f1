//! What can be typed about models and keys.

use clap::{Args, Subcommand};

/// List the models that can be asked now, with what they take and cost
///
/// Usable is a model whose provider has a key (in the environment or stored with `relay auth login`), and what a server on
/// this machine serves: Ollama, LM Studio, llama.cpp and vLLM are looked for at their usual ports, unless --offline is
/// given. Prices are US dollars for a million tokens.
#[derive(Debug, Args)]
pub struct ModelsArgs {
    /// Only models whose names have these words, usable or not
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,

    /// All models that are known, usable or not
    #[arg(long)]
    pub all: bool,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// Store, forget and list the keys of model providers
///
/// Keys are kept in a file that only you can read, never in a project, and never shown. A key in the environment
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
/// Providers that log in through a browser are not supported; those Relay knows all give out keys.
#[derive(Debug, Args)]
pub struct LoginArgs {
    /// The provider, such as anthropic, openai, google or openrouter
    pub provider: String,

    /// What to call it; the same label again replaces the key, others take turns
    #[arg(long, value_name = "LABEL", default_value = "default")]
    pub label: String,

    /// Refused: other programs can read arguments
    #[arg(hide = true, value_name = "KEY", num_args = 0..)]
    pub key: Vec<String>,
}

/// Forget a provider's stored keys, or one of them
#[derive(Debug, Args)]
pub struct LogoutArgs {
    /// The provider
    pub provider: String,

    /// Only the key with this label
    #[arg(long, value_name = "LABEL")]
    pub label: Option<String>,
}

/// Say which providers have a key, and where it is; never the key itself
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}
