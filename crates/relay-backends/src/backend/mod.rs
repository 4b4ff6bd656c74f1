//! A backend: another agent, or a model, that can be asked something about a repository.
//!
//! A backend is called with a [`Question`] that has a finished prompt, and gives an [`Answer`]. It knows nothing of
//! limits, diffs or envelopes, which are up to its caller. What it claims must be true: a sandbox that is only a
//! request to the other program is not enforced, and [`Capabilities`] says so.

mod claude;
mod cli;
mod codex;
mod custom;
mod error;
mod gemini;
mod last_words;
mod lines;
mod model;
mod opencode;
mod plain;
mod program;
mod registry;

pub use cli::Surroundings;
pub use custom::Custom;
pub use error::BackendError;
pub use model::ModelBackend;
pub use registry::{Backends, UnknownBackend};

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use relay_diagnostics::Cancel;
use relay_llm::{Budget, Limit};
use serde_json::Value;

/// What a backend may do to the repository and the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sandbox {
    /// Read only.
    ReadOnly,
    /// Write in the workspace, and nowhere else.
    WorkspaceWrite,
    /// Everything the user may do.
    DangerFullAccess,
}

impl Sandbox {
    /// All of them, from the strictest.
    pub const ALL: [Sandbox; 3] = [Sandbox::ReadOnly, Sandbox::WorkspaceWrite, Sandbox::DangerFullAccess];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Sandbox::ReadOnly => "read-only",
            Sandbox::WorkspaceWrite => "workspace-write",
            Sandbox::DangerFullAccess => "danger-full-access",
        }
    }
}

impl fmt::Display for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Sandbox {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|sandbox| sandbox.name() == name).ok_or(())
    }
}

/// What a backend can do besides answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// It streams its answer.
    pub streaming: bool,
    /// It can continue one of its earlier conversations.
    pub resume: bool,
    /// It can follow a JSON schema.
    pub structured: bool,
    /// It can read the repository's files itself.
    pub local_files: bool,
    /// It has its own kind of review.
    pub review: bool,
    /// It can obey a limit on cost.
    pub max_cost: bool,
    /// It can obey a limit on turns.
    pub max_turns: bool,
    /// What keeps it inside its sandbox, besides Relay.
    pub containment: Containment,
}

/// What keeps a backend inside its sandbox when Relay does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Containment {
    /// The operating system, at the backend's request.
    System,
    /// The backend's own rules about its tools; a bug in the backend is a hole.
    ToolPolicy,
    /// It cannot act: it sees only the prompt.
    NoAccess,
    /// Nothing.
    Nothing,
}

/// A finished question.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The whole text that the backend gets.
    pub prompt: &'a str,
    /// The repository, and where the backend runs.
    pub repo: &'a Path,
    /// What it may do.
    pub sandbox: Sandbox,
    /// Which of its models; its own choice if none is named.
    pub model: Option<&'a str>,
    /// How long it may take.
    pub timeout: Duration,
    /// The JSON schema its answer must follow.
    pub schema: Option<&'a Value>,
    /// Its own name for the conversation to continue.
    pub resume: Option<&'a str>,
    /// Its limits, for backends that enforce them themselves.
    pub limit: Limit,
    /// Variables it gets besides Relay's own.
    pub env: &'a [(&'a str, &'a str)],
}

/// What to review, for a backend with its own kind of review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope<'a> {
    /// The changes since this branch.
    Base(&'a str),
    /// Uncommitted changes.
    Uncommitted,
    /// One commit.
    Commit(&'a str),
}

/// What a backend answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The text.
    pub text: String,
    /// The backend's own name for this conversation, to continue it.
    pub session: Option<String>,
    /// The model that answered, where the backend says so.
    pub model: Option<String>,
    /// The service tier that answered, where the backend says so.
    pub service_tier: Option<String>,
}

/// How a running backend is listened to, limited and stopped.
pub struct Link<'a> {
    /// Ends it, with everything it started.
    pub cancel: &'a Cancel,
    /// Its limits, and its usage so far.
    pub budget: &'a Budget,
    /// Whether text from `on_text` is shown at once, so that an interrupted answer cannot be replaced by another.
    pub is_final: bool,
    /// Receives the answer's text in pieces as it arrives.
    pub on_text: &'a mut dyn FnMut(&str),
    /// Receives notes for the waiting person, such as why it takes longer.
    pub on_note: &'a mut dyn FnMut(&str),
}

/// Whether a backend can be used now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Availability {
    /// Its version, if it is installed.
    pub found: Option<String>,
    /// Whether it has credentials; `None` if only a call would show that.
    pub logged_in: Option<bool>,
    /// How to get what is missing.
    pub remedy: String,
}

/// What Relay can find out about a backend without starting anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presence {
    /// Whether it is there.
    pub is_there: bool,
    /// Whether it has credentials; `None` if unknown.
    pub logged_in: Option<bool>,
}

/// Another agent, or a model.
pub trait Backend: Send + Sync {
    /// What the user calls it.
    fn name(&self) -> &str;

    /// The sandboxes it has.
    fn sandboxes(&self) -> &[Sandbox];

    /// What it can do.
    fn capabilities(&self) -> Capabilities;

    /// Checks that it can obey these limits; every backend can obey a limit on time.
    ///
    /// # Errors
    /// The first limit it cannot obey.
    fn check_limit(&self, limit: &Limit) -> Result<(), BackendError> {
        let (backend, can) = (self.name().to_owned(), self.capabilities());
        if limit.cost.is_some() && !can.max_cost {
            return Err(BackendError::Unkept { backend, what: "an amount of money", flag: "--max-cost" });
        }
        if limit.turns.is_some() && !can.max_turns {
            return Err(BackendError::Unkept { backend, what: "a number of turns", flag: "--max-turns" });
        }
        Ok(())
    }

    /// Whether this system can enforce what a sandbox promises. Asking the program to behave does not count.
    ///
    /// # Errors
    /// It cannot.
    fn check_sandbox(&self, _sandbox: Sandbox) -> Result<(), BackendError> {
        Ok(())
    }

    /// What Relay can find out about it without starting anything.
    fn presence(&self) -> Presence;

    /// Whether a read-only question cannot change this repository, because the system prevents it or the backend
    /// cannot act.
    fn keeps_read_only(&self, _repo: &Path) -> bool {
        self.capabilities().containment == Containment::NoAccess
    }

    /// Whether it can be used now. Starts it, but asks no model.
    fn availability(&self, cancel: &Cancel) -> Availability;

    /// Asks it, and waits for the whole answer.
    ///
    /// # Errors
    /// It is not there, fails, takes too long, or says something that cannot be understood.
    fn run(&self, question: &Question<'_>, link: &mut Link<'_>) -> Result<Answer, BackendError>;

    /// Asks for its own kind of review; `None` if it has none. The question's prompt holds instructions for the
    /// review.
    ///
    /// # Errors
    /// As [`Backend::run`].
    fn review(
        &self,
        _scope: Scope<'_>,
        _question: &Question<'_>,
        _link: &mut Link<'_>,
    ) -> Option<Result<Answer, BackendError>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A question with nothing special about it.
    pub(super) fn question(prompt: &str, sandbox: Sandbox) -> Question<'_> {
        Question {
            prompt,
            repo: Path::new("/"),
            sandbox,
            model: None,
            timeout: Duration::from_secs(60),
            schema: None,
            resume: None,
            limit: Limit::default(),
            env: &[],
        }
    }

    #[test]
    fn sandboxes_are_read_as_they_are_written() {
        for sandbox in Sandbox::ALL {
            assert_eq!(sandbox.name().parse(), Ok(sandbox));
        }
        assert_eq!("full".parse::<Sandbox>(), Err(()));
    }
}
