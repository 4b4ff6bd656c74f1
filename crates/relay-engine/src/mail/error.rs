//! Why a mail command could not do its work. What a single command of a reply got wrong is not an error: it is a result.

use relay_diagnostics::display::visible_line;
use relay_diagnostics::{Code, Diagnostic};
use relay_store::StoreError;
use thiserror::Error;

use crate::codes;
use crate::engine::EngineError;
use crate::outcome::stop::{Stop, with_sources};

/// The reasons. None of them uses up a reply.
#[derive(Debug, Error)]
pub enum MailError {
    /// No session matches the name, or none is open.
    #[error("{}", no_session(.name.as_deref()))]
    NoSession {
        /// What was asked for; `None` for any that is open.
        name: Option<String>,
    },
    /// Several sessions could be meant.
    #[error("{} sessions could be meant: {}", .sessions.len(), .sessions.join(", "))]
    WhichSession {
        /// Their ids.
        sessions: Vec<String>,
    },
    /// The session has ended.
    #[error("the session {session} has ended")]
    Ended {
        /// Its id.
        session: String,
    },
    /// The reply is for another session.
    #[error("the reply is for the session {found}, not for {expected}")]
    WrongSession {
        /// The session at hand.
        expected: String,
        /// The one the reply names.
        found: String,
    },
    /// The reply answers another outbox than the newest.
    #[error("the reply answers number {found}, but the newest outbox of {session} is number {expected}")]
    OutOfOrder {
        /// The session.
        session: String,
        /// The newest outbox.
        expected: u64,
        /// The one the reply names.
        found: u64,
    },
    /// The reply cannot be read.
    #[error("{} cannot be used: {reason}", visible_line(.name))]
    BadReply {
        /// Where it came from.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The task is empty.
    #[error("the task is empty")]
    NoTask,
    /// The mailbox lies inside the project.
    #[error("the mail folder {folder} lies inside the project, where the model itself could write to it")]
    InsideProject {
        /// The folder.
        folder: String,
    },
    /// The stored state of a session cannot be parsed.
    #[error("the stored state of the session cannot be understood")]
    Unreadable {
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A newer version wrote it.
    #[error("the session {session} was written by a newer version of Relay")]
    Newer {
        /// Its id.
        session: String,
    },
    /// A session's state is too large to store.
    #[error("the state of the session {session} is too large to store")]
    TooMuch {
        /// Its id.
        session: String,
    },
    /// A folder or a file of the mailbox, or of the user's data, cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The workspace cannot be used.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The project's commands are not trusted, or approval is needed and no one can be asked.
    #[error("the reply was not started")]
    Refused(Vec<Diagnostic>),
    /// The user interrupted it; commands that have not run yet wait.
    #[error("interrupted")]
    Interrupted,
}

fn no_session(name: Option<&str>) -> String {
    match name {
        Some(name) => format!("there is no session `{}` here", visible_line(name)),
        None => "no session is open here".to_owned(),
    }
}

impl MailError {
    /// There is no session with this id.
    pub(super) fn no_session(id: &str) -> Self {
        MailError::NoSession { name: Some(id.to_owned()) }
    }

    /// The error as findings, for the one JSON document every command owes its caller.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let (code, hint) = match self {
            MailError::Engine(error) => return error.diagnostics(),
            MailError::Refused(found) => return found.clone(),
            _ => self.code_and_hint(),
        };
        vec![Diagnostic::error(code, with_sources(self)).hinted(hint)]
    }

    fn code_and_hint(&self) -> (Code, String) {
        let (code, hint) = match self {
            MailError::NoSession { .. } => (
                codes::NO_SESSION,
                "`relay mail list` shows the sessions; `relay mail start \"…\"` begins one.",
            ),
            MailError::WhichSession { .. } => {
                (codes::WHICH_SESSION, "Name one with --session; its first digits are enough.")
            }
            MailError::Ended { .. } => (codes::SESSION_ENDED, "`relay mail resume` opens it again."),
            MailError::WrongSession { .. } => {
                (codes::WRONG_SESSION, "Give the reply to its own session with --session.")
            }
            MailError::OutOfOrder { .. } => (
                codes::OUT_OF_ORDER,
                "Send the newest outbox and save its answer; if this is the answer, apply it with `relay mail step FILE --again`.",
            ),
            MailError::BadReply { .. } => {
                (codes::BAD_REPLY, "Save the model's whole answer as plain text in UTF-8.")
            }
            MailError::NoTask => (codes::NO_TASK, "Say what is to be done: relay mail start \"add a test\"."),
            MailError::InsideProject { .. } => {
                (codes::MAIL_FOLDER, "Leave --dir out, or name a folder outside of the project.")
            }
            MailError::TooMuch { .. } => (
                codes::USER_DATA,
                "`relay mail close` ends it; start another one with a smaller task or budget (--budget).",
            ),
            MailError::Newer { .. } => (codes::MAIL_FOLDER, "Update Relay."),
            MailError::Unreadable { .. } => {
                (codes::USER_DATA, "`relay mail close` ends the session; start another one.")
            }
            MailError::Store(error) => return (codes::MAIL_FOLDER, error.hint().unwrap_or_default()),
            MailError::Interrupted => {
                (codes::INTERRUPTED, "`relay mail run` continues where it was interrupted.")
            }
            MailError::Engine(_) | MailError::Refused(_) => (codes::MAIL_FOLDER, ""),
        };
        (code, hint.to_owned())
    }
}

impl From<Stop> for MailError {
    fn from(stop: Stop) -> Self {
        if matches!(stop, Stop::Interrupted(_)) {
            return MailError::Interrupted;
        }
        let mut found = Vec::new();
        stop.settle(&mut found);
        MailError::Refused(found)
    }
}
