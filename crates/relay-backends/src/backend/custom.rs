//! A custom backend: a command that reads a prompt and prints an answer.

use std::path::PathBuf;

use super::cli::{Agent, Call, Reader, Said, Surroundings};
use super::{Capabilities, Containment, Question};

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    streaming: true,
    resume: false,
    structured: false,
    local_files: true,
    review: false,
    max_cost: false,
    max_turns: false,
    containment: Containment::Nothing,
};

/// How a custom command is called. `{model}`, `{repo}` and `{sandbox}` in its arguments are replaced; if no model was
/// named, an argument with `{model}` is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Custom {
    /// Its program and arguments.
    pub command: Vec<String>,
    /// The folders for its own data.
    pub own_folders: Vec<PathBuf>,
}

impl Agent for Custom {
    fn call(&self, question: &Question<'_>, _confined: bool) -> Call {
        let repo = question.repo.to_string_lossy();
        let args = self
            .command
            .iter()
            .skip(1)
            .filter(|argument| question.model.is_some() || !argument.contains("{model}"))
            .map(|argument| {
                argument
                    .replace("{model}", question.model.unwrap_or_default())
                    .replace("{sandbox}", question.sandbox.name())
                    .replace("{repo}", &repo)
            })
            .collect();
        Call { args, stdin: question.prompt.to_owned(), ..Call::default() }
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Plain::default())
    }

    fn own_folders(&self, _surroundings: &Surroundings) -> Vec<PathBuf> {
        self.own_folders.clone()
    }

    fn is_logged_in(&self, _surroundings: &Surroundings) -> Option<bool> {
        None
    }
}

/// Everything it prints is the answer.
#[derive(Default)]
struct Plain(String);

impl Reader for Plain {
    fn line(&mut self, line: &str) -> Option<String> {
        let piece = format!("{line}\n");
        if self.0.len() + piece.len() <= super::program::ANSWER_LIMIT_BYTES {
            self.0.push_str(&piece);
        }
        Some(piece)
    }

    fn finish(self: Box<Self>) -> Said {
        let mut said = Said::default();
        said.answer.text = self.0;
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Sandbox;
    use crate::backend::tests::question;

    #[test]
    fn placeholders_are_replaced() {
        let command = ["bot", "--model={model}", "--mode", "{sandbox}", "{repo}"].map(str::to_owned).to_vec();
        let custom = Custom { command, own_folders: Vec::new() };
        let plain = question("p", Sandbox::ReadOnly);
        assert_eq!(custom.call(&plain, true).args, ["--mode", "read-only", "/"]);
        let with = Question { model: Some("m"), ..plain };
        assert_eq!(custom.call(&with, true).args, ["--model=m", "--mode", "read-only", "/"]);
    }
}
