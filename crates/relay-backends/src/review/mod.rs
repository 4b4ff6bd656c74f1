//! The path of a diff: to one or several reviewers, and back as findings and a verdict.
//!
//! ```text
//! timeout ─▶ repo ─▶ backend ─▶ sandbox ─▶ limits ─▶ depth ─▶ diff ─▶ native review, else the generic one ─▶ findings ─▶ verdict
//! ```
//! A backend's own review is preferred if it has one; if that fails, the generic one is tried, and a note says so.
//! Findings that point outside the changes are dropped and counted, and the verdict fails closed.

mod before_landing;
mod changed;
mod finding;
mod merge;
mod read;
#[cfg(test)]
mod tests;

pub use before_landing::{BeforeLanding, Judgement};
pub use changed::Changed;
pub use finding::{Finding, Severity, Verdict};
pub use merge::merge;
pub use read::{Reading, read, schema};

use std::path::Path;

use relay_llm::Limit;

use crate::ask::{AskError, DEPTH_VARIABLE, Depth, Terms, check_prompt, envelope};
use crate::backend::{Answer, Backend, BackendError, Backends, Link, Question, Scope};

/// The default instructions.
pub const DEFAULT_PROMPT: &str = "Review the following changes.";

/// The required form of the answer.
const FORM: &str = "\n\nAnswer with one JSON object and nothing else: {\"findings\": [{\"file\": path from the \
repository's root, \"line\": line in the new file, \"severity\": \"blocker\" | \"important\" | \"nit\", \"message\": what \
is wrong and why, \"fix\": null or a unified diff that fixes it}]}. Report only problems in the changed lines. An empty \
list means that the changes can ship.";

/// Asks a reviewer that answered in prose to say it again as data.
const AGAIN: &str = "Now give the findings of your review as data, without reviewing again.";

/// Changes to be reviewed.
#[derive(Clone, Copy, Debug)]
pub enum Diff<'a> {
    /// As git writes them.
    Text(&'a str),
    /// Too many to send. A backend with its own review reads the repository itself.
    TooLarge {
        /// Their size, as far as they were read.
        bytes: usize,
    },
}

/// A requested review.
#[derive(Clone, Copy, Debug)]
pub struct Review<'a> {
    /// The backend's name.
    pub backend: &'a str,
    /// The repository.
    pub repo: &'a Path,
    /// The changes.
    pub diff: Diff<'a>,
    /// The same changes in words that a backend with its own review understands; `None` if there are none.
    pub scope: Option<Scope<'a>>,
    /// What to look at.
    pub prompt: Option<&'a str>,
    /// Which of its models.
    pub model: Option<&'a str>,
    /// What the backend may do, and its limits.
    pub terms: Terms,
}

/// What one reviewer said.
#[derive(Clone, Debug)]
pub struct Reviewed {
    /// Who.
    pub backend: String,
    /// In its own words.
    pub text: String,
    /// Its parsed findings.
    pub reading: Reading,
    /// Why its own kind of review was not used, if it has one.
    pub fallback: Option<String>,
}

/// Has changes reviewed by one backend.
///
/// # Errors
/// The first error in the documented order, or the backend gives no answer.
pub fn review(
    review: &Review<'_>,
    backends: &Backends,
    depth: &Depth,
    link: &mut Link<'_>,
) -> Result<Reviewed, AskError> {
    let backend = review.terms.check(review.backend, review.repo, backends)?;
    let depth = depth.next(review.backend)?;
    let env = [(DEPTH_VARIABLE, depth.as_str())];
    let changed = match review.diff {
        Diff::Text(text) => Changed::in_diff(text),
        Diff::TooLarge { .. } => Changed::unknown(),
    };
    let reviewer = Reviewer { backend, review, env: &env, changed };
    let fallback = match reviewer.native(link) {
        Some(Ok(reviewed)) => return Ok(reviewed),
        Some(Err(AskError::Backend(error))) if !matches!(error, BackendError::Cancelled { .. }) => {
            Some(error.to_string())
        }
        Some(Err(error)) => return Err(error),
        None => None,
    };
    reviewer.generic(fallback, link)
}

struct Reviewer<'a> {
    backend: &'a dyn Backend,
    review: &'a Review<'a>,
    env: &'a [(&'a str, &'a str)],
    changed: Changed,
}

impl Reviewer<'_> {
    /// The backend's own review. One that answers in prose is asked again, in the same conversation, for data.
    fn native(&self, link: &mut Link<'_>) -> Option<Result<Reviewed, AskError>> {
        let question = self.question(self.review.prompt.unwrap_or_default());
        let answer = match self.backend.review(self.review.scope?, &question, link)? {
            Ok(answer) => answer,
            Err(error) => return Some(Err(error.into())),
        };
        let reading = self.read(&answer);
        let can_be_asked_again = self.backend.capabilities().resume;
        let (Some(session), true, false) = (&answer.session, can_be_asked_again, reading.was_understood)
        else {
            return Some(Ok(self.reviewed(answer, reading, None)));
        };
        let prompt = format!("{AGAIN}{FORM}");
        let schema = schema();
        let question =
            Question { resume: Some(session), schema: self.schema(&schema), ..self.question(&prompt) };
        // The first answer always counts; only its form is in question.
        let again = self
            .backend
            .run(&question, &mut Link { on_text: &mut |_| {}, on_note: &mut *link.on_note, ..*link });
        let reading = again.map_or(reading, |again| self.read(&again));
        Some(Ok(self.reviewed(answer, reading, None)))
    }

    /// The review that every backend can make: the diff and a request for findings.
    fn generic(&self, fallback: Option<String>, link: &mut Link<'_>) -> Result<Reviewed, AskError> {
        let diff = match self.review.diff {
            Diff::Text(text) => text,
            Diff::TooLarge { bytes } => return Err(AskError::diff_to_review(bytes)),
        };
        let request = format!("{}{FORM}", self.review.prompt.unwrap_or(DEFAULT_PROMPT));
        let prompt = envelope(self.review.repo, &request, None, Some(diff));
        check_prompt(&prompt)?;
        let schema = schema();
        let question = Question { schema: self.schema(&schema), ..self.question(&prompt) };
        let answer = self.backend.run(&question, link)?;
        let reading = self.read(&answer);
        Ok(self.reviewed(answer, reading, fallback))
    }

    fn question<'q>(&'q self, prompt: &'q str) -> Question<'q> {
        Question {
            prompt,
            repo: self.review.repo,
            sandbox: self.review.terms.sandbox,
            model: self.review.model,
            timeout: self.review.terms.timeout,
            schema: None,
            resume: None,
            limit: Limit::default(),
            env: self.env,
        }
    }

    /// The schema, for backends that support one.
    fn schema<'s>(&self, schema: &'s serde_json::Value) -> Option<&'s serde_json::Value> {
        self.backend.capabilities().structured.then_some(schema)
    }

    fn read(&self, answer: &Answer) -> Reading {
        read(&answer.text, self.review.repo, &self.changed)
    }

    fn reviewed(&self, answer: Answer, reading: Reading, fallback: Option<String>) -> Reviewed {
        Reviewed { backend: self.backend.name().to_owned(), text: answer.text, reading, fallback }
    }
}
