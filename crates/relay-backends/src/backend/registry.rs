//! All backends by name: the built-in ones, and those of the user.

use std::sync::Arc;

use thiserror::Error;

use super::cli::{Agent, Surroundings};
use super::custom::{self, Custom};
use super::program::ProgramBackend;
use super::{Backend, Capabilities, claude, codex, gemini, opencode};

/// The backends that can be asked.
pub struct Backends {
    all: Vec<Box<dyn Backend>>,
}

/// There is no backend with this name.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("unsupported backend `{name}`; there are: {}", known.join(", "))]
pub struct UnknownBackend {
    /// What was asked for.
    pub name: String,
    /// The known backends.
    pub known: Vec<String>,
}

impl Backends {
    /// The built-in ones and the user's own, which may not take a built-in name.
    #[must_use]
    pub fn new(surroundings: Surroundings, customs: Vec<(String, Custom)>) -> Self {
        let surroundings = Arc::new(surroundings);
        let program = |name: &str, program: &str, agent: Box<dyn Agent>, capabilities, remedy: &str| {
            let backend = ProgramBackend {
                name: name.to_owned(),
                program: program.to_owned(),
                agent,
                capabilities,
                remedy: remedy.to_owned(),
                surroundings: Arc::clone(&surroundings),
            };
            Box::new(backend) as Box<dyn Backend>
        };
        let built_in = |name: &str, agent, capabilities: Capabilities, package: &str, login: &str| {
            let remedy = format!("Install it with `npm install -g {package}`, then {login}.");
            program(name, name, agent, capabilities, &remedy)
        };
        let mut all = vec![
            built_in(
                "codex",
                Box::new(codex::Codex),
                codex::CAPABILITIES,
                "@openai/codex",
                "run `codex login`",
            ),
            built_in(
                "claude",
                Box::new(claude::Claude),
                claude::CAPABILITIES,
                "@anthropic-ai/claude-code",
                "run `claude` and log in",
            ),
            built_in(
                "gemini",
                Box::new(gemini::Gemini),
                gemini::CAPABILITIES,
                "@google/gemini-cli",
                "run `gemini` and log in",
            ),
            built_in(
                "opencode",
                Box::new(opencode::Opencode),
                opencode::CAPABILITIES,
                "opencode-ai",
                "run `opencode auth login`",
            ),
        ];
        for (name, custom) in customs {
            let command = custom.command.first().cloned().unwrap_or_default();
            let remedy = format!("It is `{command}`, from [backends.{name}] in your config.toml.");
            all.push(program(&name, &command, Box::new(custom), custom::CAPABILITIES, &remedy));
        }
        Self { all }
    }

    /// Adds a backend that is not a program.
    pub fn add(&mut self, backend: Box<dyn Backend>) {
        self.all.push(backend);
    }

    /// The backend with this name.
    ///
    /// # Errors
    /// There is none.
    pub fn get(&self, name: &str) -> Result<&dyn Backend, UnknownBackend> {
        self.iter().find(|backend| backend.name() == name).ok_or_else(|| UnknownBackend {
            name: name.to_owned(),
            known: self.iter().map(|backend| backend.name().to_owned()).collect(),
        })
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Backend> {
        self.all.iter().map(AsRef::as_ref)
    }
}
