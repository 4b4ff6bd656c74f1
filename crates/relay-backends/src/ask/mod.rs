//! The path of a question: it is checked first, so that nothing starts in vain, then put into one envelope and sent.
//!
//! ```text
//! prompt ─▶ timeout ─▶ repo ─▶ backend ─▶ sandbox ─▶ limits ─▶ context ─▶ diff ─▶ envelope ─▶ depth ─▶ backend ─▶ answer
//! ```
//! The order is part of the contract: if several things are wrong, the first one in this order is reported.

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
/// The largest prompt, including its context and diff.
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
    /// Additional context.
    pub context: Context<'a>,
    /// Whether to include the repository's latest changes.
    pub diff: bool,
    /// What the backend may do, and its limits.
    pub terms: Terms,
    /// Which of its models.
    pub model: Option<&'a str>,
    /// The JSON schema its answer must follow.
    pub schema: Option<&'a Value>,
    /// The backend's own name for the conversation to continue.
    pub resume: Option<&'a str>,
}

/// A question that is ready to send.
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
/// The first error in the documented order.
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

/// Checks what every question needs: a prompt, a time limit and a repository.
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
    /// Programs from the repository's config that git did not run for the diff.
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

    /// Sends the question and waits for the answer.
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
