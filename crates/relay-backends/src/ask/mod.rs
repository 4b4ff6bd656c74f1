//! The way of a question: checked first, so that nothing is started in vain, then put into one envelope and handed over.
//!
//! ```text
//! prompt ─▶ timeout ─▶ repo ─▶ backend ─▶ sandbox ─▶ limits ─▶ context ─▶ diff ─▶ envelope ─▶ depth ─▶ backend ─▶ answer
//! ```
//! The order is part of the contract: of several faults, the first in this line is reported.

mod context;
mod depth;
pub mod diff;
mod envelope;
mod error;
mod schema;
mod terms;
mod together;
mod watch;

pub use context::{Context, Files};
pub use depth::{DEPTH_VARIABLE, Depth, HOST_VARIABLE};
pub use envelope::envelope;
pub use error::AskError;
pub use schema::Schema;
pub use terms::Terms;
pub use together::{Listener, Results, together};
pub use watch::Watch;

use std::path::Path;
use std::time::Duration;

use relay_diagnostics::Cancel;
use relay_exec::git::Ignored;
use relay_llm::Limit;
use serde_json::Value;

use diff::Diff;

use crate::backend::{Answer, Backend, Backends, Link, Question};

/// The largest context, whether text or file.
pub const CONTEXT_LIMIT_BYTES: usize = 200_000;
/// The largest diff.
pub const DIFF_LIMIT_BYTES: usize = 300_000;
/// The largest prompt, with everything that belongs to it.
pub const PROMPT_LIMIT_BYTES: usize = 500_000;

/// A question as the user put it.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// What is asked.
    pub prompt: &'a str,
    /// The backend's name.
    pub backend: &'a str,
    /// The repository it is about.
    pub repo: &'a Path,
    /// More to know.
    pub context: Context<'a>,
    /// Whether the repository's latest changes belong to it.
    pub diff: bool,
    /// What the backend may do and use up.
    pub terms: Terms,
    /// Which of its models.
    pub model: Option<&'a str>,
    /// The JSON schema its answer must follow.
    pub schema: Option<&'a Value>,
    /// The backend's own name for the conversation to go on with.
    pub resume: Option<&'a str>,
}

/// A question that can be handed over.
pub struct Prepared<'a> {
    backend: &'a dyn Backend,
    ask: Ask<'a>,
    prompt: String,
    depth: String,
    ignored: Vec<Ignored>,
}

/// Checks a question and puts it into its envelope. Starts nothing but git.
///
/// # Errors
/// The first fault in the order of the contract.
pub fn prepare<'a>(
    ask: Ask<'a>,
    backends: &'a Backends,
    files: &dyn Files,
    depth: &Depth,
    cancel: &Cancel,
) -> Result<Prepared<'a>, AskError> {
    check_request(ask.prompt, ask.terms.timeout, ask.repo)?;
    let backend = ask.terms.check(ask.backend, ask.repo, backends)?;
    let context = ask.context.resolve(files)?;
    let diff = if ask.diff { diff::latest(ask.repo, cancel)? } else { Diff::default() };
    let prompt = envelope(ask.repo, ask.prompt, context.as_deref(), Some(diff.text.as_str()));
    check_prompt(&prompt)?;
    let depth = depth.next(ask.backend)?;
    Ok(Prepared { backend, ask, prompt, depth, ignored: diff.ignored })
}

/// What comes before any backend: a question, time for it, and a repository.
///
/// # Errors
/// The first that is missing.
pub fn check_request(prompt: &str, timeout: Duration, repo: &Path) -> Result<(), AskError> {
    if prompt.trim().is_empty() {
        return Err(AskError::NoPrompt);
    }
    check_place(timeout, repo)
}

fn check_place(timeout: Duration, repo: &Path) -> Result<(), AskError> {
    if timeout.is_zero() {
        return Err(AskError::NoTime);
    }
    if !repo.is_dir() {
        return Err(AskError::NoRepo { repo: repo.to_path_buf() });
    }
    Ok(())
}

pub(crate) fn check_prompt(prompt: &str) -> Result<(), AskError> {
    if prompt.len() > PROMPT_LIMIT_BYTES {
        return Err(AskError::TooLarge {
            what: "prompt",
            bytes: prompt.len(),
            limit_bytes: PROMPT_LIMIT_BYTES,
        });
    }
    Ok(())
}

impl Prepared<'_> {
    /// What the repository's config asked git to run for the diff, and did not get.
    #[must_use]
    pub fn ignored(&self) -> &[Ignored] {
        &self.ignored
    }

    /// The backend's name.
    #[must_use]
    pub fn backend(&self) -> &str {
        self.backend.name()
    }

    /// The whole text that the backend gets.
    #[must_use]
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// Hands the question over and waits for the answer.
    ///
    /// # Errors
    /// The backend gives none.
    pub fn run(&self, link: &mut Link<'_>) -> Result<Answer, AskError> {
        let env = [(DEPTH_VARIABLE, self.depth.as_str())];
        let question = Question {
            prompt: &self.prompt,
            repo: self.ask.repo,
            sandbox: self.ask.terms.sandbox,
            model: self.ask.model,
            timeout: self.ask.terms.timeout,
            schema: self.ask.schema,
            resume: self.ask.resume,
            limit: Limit::default(),
            env: &env,
        };
        Ok(self.backend.run(&question, link)?)
    }
}
