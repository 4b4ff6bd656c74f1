//! Mail: a model without a network works on the project through files, one message out and one reply in.
//!
//! ```text
//! start ─▶ outbox ─▶ (a chat, a stick, a person) ─▶ inbox ─▶ commands, one transaction each ─▶ outbox ─▶ … ─▶ DONE
//! ```
//! `docs/formats/mail.md` describes the format. [`Mail`] keeps the threads: `life` begins and ends them, `step` judges
//! a reply, `turn` carries it out, and `work` does each command. The caller waits for replies and shows results.

mod address;
mod change;
mod context;
mod error;
mod fault;
mod find;
mod fold;
mod held;
mod inbox;
mod life;
mod masks;
mod numbers;
mod outbox;
mod regions;
mod result;
mod run;
mod session;
mod step;
#[cfg(test)]
mod tests;
mod turn;
mod views;
mod work;

use std::path::Path;

use relay_store::Mailbox;

use crate::approval::trust::TrustAnswer;
use crate::engine::Engine;
use crate::intake::admit::reply_digest as digest;
use held::{Held, load};
use session::PrivateState;

pub use error::MailError;
pub use inbox::{Arrived, Fit, Letter};
pub(crate) use life::forget_ended;
pub(crate) use numbers::numbered;
pub use outbox::CONTINUE;
pub use result::CommandResult;
pub use session::{Answered, Session, SessionStatus};
pub use turn::{Turn, Witnesses};

/// How many tokens the context of a message takes at most, unless the user sets another limit.
pub const BUDGET_TOKENS: usize = 24_000;

/// The smallest useful budget.
pub const LEAST_BUDGET_TOKENS: usize = 500;

/// The largest useful budget; no model reads more.
pub const LARGEST_BUDGET_TOKENS: usize = 500_000;

/// The largest accepted reply: more than any model writes at once.
pub const REPLY_LIMIT_BYTES: usize = 2 << 20;

/// The largest session file that is read.
const SESSION_LIMIT_BYTES: u64 = 16 << 20;

/// How replies are carried out.
#[derive(Clone, Debug, Default)]
pub struct MailOptions {
    /// Commands for the shell run without a question.
    pub allow_commands: bool,
    /// Refuses edits of files that the model was never shown; the config may require that too.
    pub require_read: bool,
    /// Carries out a reply even if it seems to be an old one.
    pub again: bool,
    /// The answer to the trust question, if given in advance.
    pub trust: TrustAnswer,
    /// Files that make other tools execute something may be written.
    pub allow_sensitive: bool,
    /// The model that answers, for the ledger.
    pub model: Option<String>,
}

/// A session of a mailbox, and whether it is this machine's own.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The session.
    pub session: Session,
    /// This user started or adopted it here. Others are only a file in the folder.
    pub is_ours: bool,
    /// A reply was started but not finished.
    pub is_interrupted: bool,
}

/// The sessions of a project in one mailbox.
pub struct Mail<'e> {
    engine: &'e Engine,
    mailbox: Mailbox,
}

impl<'e> Mail<'e> {
    /// The project's own mailbox, or the one in a folder the user names.
    ///
    /// # Errors
    /// The folder does not exist, or lies inside the project.
    pub fn open(engine: &'e Engine, folder: Option<&Path>) -> Result<Self, MailError> {
        let root = engine.workspace().root();
        let mailbox = match folder {
            None => Mailbox::of_project(root),
            Some(folder) => {
                let place = relay_store::canonical(folder)?;
                if place.starts_with(root) {
                    return Err(MailError::InsideProject { folder: place.display().to_string() });
                }
                Mailbox::at(&place)
            }
        };
        Ok(Self { engine, mailbox })
    }

    /// Where the trays are.
    #[must_use]
    pub fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// Works on a thread while holding its lock. `otherwise` makes the state of one that is not known here.
    fn hold<T>(
        &self,
        id: &str,
        otherwise: impl FnOnce() -> Result<PrivateState, MailError>,
        act: impl FnOnce(&mut Held<'_>) -> Result<T, MailError>,
    ) -> Result<T, MailError> {
        let (store, root) = (self.engine.store(), self.engine.workspace().root());
        let known = store.existing_mail_session(root, id)?;
        let fresh = if known.is_none() { Some(otherwise()?) } else { None };
        let folder = store.mail_session(root, id)?;
        let writer = folder.lock()?;
        let state = match load(&folder)? {
            Some(state) => state,
            None => fresh.map_or_else(|| self.adopted(id), Ok)?,
        };
        act(&mut Held::new(self, state, writer))
    }
}
