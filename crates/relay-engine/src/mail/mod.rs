//! Mail: a model without a network works on the project through files, one message out and one reply in.
//!
//! ```text
//! start ─▶ outbox ─▶ (a chat, a stick, a person) ─▶ inbox ─▶ commands, one transaction each ─▶ outbox ─▶ … ─▶ DONE
//! ```
//! The form of everything is written down in `docs/formats/mail.md`. [`Mail`] is the desk at which sessions are kept;
//! a reply is judged in `address`, carried out in `turn`, and each command in `work`. Nothing here waits for a reply or
//! shows anything: whoever calls does.

mod address;
mod change;
mod context;
mod error;
mod fault;
mod fold;
mod held;
mod inbox;
mod masks;
mod outbox;
mod result;
mod run;
mod session;
#[cfg(test)]
mod tests;
mod turn;
mod views;
mod work;

use std::path::Path;

use relay_edit::commands::{Command, parse};
use relay_store::{Mailbox, Tray};
use relay_txn::project::ensure_state_dir;

use crate::admit::reply_digest as digest;
use crate::engine::{Engine, EngineError};
use crate::stop::Stop;
use crate::transact::require_approver;
use crate::trust::{self, TrustAnswer};
use address::Address;
use held::{Held, load};
use session::{State, is_id, now};

pub use error::MailError;
pub use inbox::{Arrived, Fit, Letter};
pub use outbox::CONTINUE;
pub use result::CommandResult;
pub use session::{Answered, Session, SessionStatus};
pub use turn::{Turn, Witnesses};

/// How many tokens the context of a message takes at most, unless somebody says otherwise.
pub const BUDGET_TOKENS: usize = 24_000;

/// The least that is of any use.
pub const LEAST_BUDGET_TOKENS: usize = 500;

/// The most that is of any use; no model reads more.
pub const LARGEST_BUDGET_TOKENS: usize = 500_000;

/// The largest reply that is taken: more than any model writes at once.
pub const REPLY_LIMIT_BYTES: usize = 2 << 20;

/// The largest session file that is read.
const SESSION_LIMIT_BYTES: u64 = 16 << 20;

/// How replies are carried out.
#[derive(Clone, Debug, Default)]
pub struct MailOptions {
    /// Commands for the shell run without a question.
    pub allow_commands: bool,
    /// Files that the model was never shown are not edited; the config may say so too.
    pub require_read: bool,
    /// A reply is carried out although it seems to be an old one.
    pub again: bool,
    /// The answer to the trust question, where it was given beforehand.
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
    /// A reply was begun and not finished.
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

    /// Begins a session and writes its first message.
    ///
    /// # Errors
    /// The task is empty, or something cannot be written.
    pub fn start(&self, task: &str, budget_tokens: usize) -> Result<Session, MailError> {
        if task.trim().is_empty() {
            return Err(MailError::NoTask);
        }
        ensure_state_dir(self.engine.workspace()).map_err(EngineError::from)?;
        self.mailbox.prepare()?;
        let session = Session::new(task.trim());
        let id = session.session_id.clone();
        self.hold(
            &id,
            || Ok(State::new(session, budget_tokens)),
            |held| {
                let mut masks = held.masks()?;
                held.state.session.task = masks.mask(context::TASK, task.trim());
                held.state.vault = masks.to_json()?;
                held.write_next(None)?;
                held.save()?;
                held.post()?;
                Ok(held.state.session.clone())
            },
        )
    }

    /// Every session in the mailbox, oldest first. Files that are none are left out.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn sessions(&self) -> Result<Vec<Listed>, MailError> {
        let mut listed = Vec::new();
        for letter in self.mailbox.letters(Tray::Sessions, ".json")? {
            let Some(id) = letter.name.strip_suffix(".json").filter(|id| is_id(id)) else { continue };
            listed.extend(self.look(id)?);
        }
        listed.sort_by_key(|listed| (listed.session.created_at, listed.session.session_id.clone()));
        Ok(listed)
    }

    /// A session by its whole id, also while its folder is away.
    ///
    /// # Errors
    /// There is none.
    pub fn session(&self, id: &str) -> Result<Session, MailError> {
        let listed = self.look(id)?;
        listed.map(|listed| listed.session).ok_or_else(|| MailError::NoSession { name: Some(id.to_owned()) })
    }

    /// One session by its id; `None` when there is none.
    fn look(&self, id: &str) -> Result<Option<Listed>, MailError> {
        if let Some(state) = self.private(id)? {
            let is_interrupted = state.under_way.is_some();
            return Ok(Some(Listed { session: state.session, is_ours: true, is_interrupted }));
        }
        let session = self.public(id)?;
        Ok(session.map(|session| Listed { session, is_ours: false, is_interrupted: false }))
    }

    fn private(&self, id: &str) -> Result<Option<State>, MailError> {
        let folder = self.engine.store().existing_mail_session(self.engine.workspace().root(), id)?;
        folder.map_or(Ok(None), |folder| load(&folder))
    }

    /// What the mailbox says about a session. Anybody may have written it.
    fn public(&self, id: &str) -> Result<Option<Session>, MailError> {
        let read = self.mailbox.read(Tray::Sessions, &format!("{id}.json"), SESSION_LIMIT_BYTES);
        // What cannot be read is not a session; listing the others goes on.
        let Ok(Some(bytes)) = read else { return Ok(None) };
        let session: Option<Session> = serde_json::from_slice(&bytes).ok();
        Ok(session.filter(|session| session.session_id == id))
    }

    /// The session a person means: by the beginning of its id, or the only one that is open.
    ///
    /// # Errors
    /// None or several fit.
    pub fn find(&self, name: Option<&str>) -> Result<Listed, MailError> {
        let wanted = name.map(str::to_ascii_lowercase);
        let fits = |listed: &Listed| match &wanted {
            Some(start) => listed.session.session_id.starts_with(start.as_str()),
            None => listed.is_ours && !listed.session.is_complete,
        };
        let mut found: Vec<Listed> = self.sessions()?.into_iter().filter(fits).collect();
        match (found.pop(), found.is_empty()) {
            (Some(only), true) => Ok(only),
            (None, _) => Err(MailError::NoSession { name: name.map(str::to_owned) }),
            (Some(last), false) => {
                let ids = found.iter().chain([&last]).map(|listed| listed.session.session_id.clone());
                Err(MailError::WhichSession { sessions: ids.collect() })
            }
        }
    }

    /// Ends a session, and forgets what its model was shown.
    ///
    /// # Errors
    /// Something cannot be written.
    pub fn close(&self, id: &str) -> Result<Session, MailError> {
        self.hold(
            id,
            || self.adopted(id),
            |held| {
                if !held.state.session.is_complete {
                    held.state.session.end(SessionStatus::Closed);
                    held.state.session.updated_at = now();
                    held.state.forget();
                }
                held.save()?;
                held.post()?;
                Ok(held.state.session.clone())
            },
        )
    }

    /// Opens a session again, also one that was begun elsewhere, and writes a message; with something to add if a person
    /// has something to say. One that is open and has nothing new to say keeps its newest message.
    ///
    /// # Errors
    /// Something cannot be read or written.
    pub fn resume(
        &self,
        id: &str,
        note: Option<&str>,
        budget_tokens: Option<usize>,
    ) -> Result<Session, MailError> {
        self.hold(
            id,
            || self.adopted(id),
            |held| {
                let state = &mut held.state;
                state.budget_tokens = budget_tokens.unwrap_or(state.budget_tokens);
                let is_current = !state.session.is_complete && !state.outbox.is_empty();
                if state.under_way.is_none() && (!is_current || note.is_some() || budget_tokens.is_some()) {
                    state.session.end(SessionStatus::Open);
                    held.write_next(note)?;
                }
                held.save()?;
                held.post()?;
                Ok(held.state.session.clone())
            },
        )
    }

    /// What the mailbox knows of a session that this machine does not.
    fn adopted(&self, id: &str) -> Result<State, MailError> {
        let session = self.public(id)?;
        let session = session.ok_or_else(|| MailError::NoSession { name: Some(id.to_owned()) })?;
        Ok(State::new(session, BUDGET_TOKENS))
    }

    /// The newest message of a session.
    ///
    /// # Errors
    /// There is no such session here.
    pub fn outbox(&self, id: &str) -> Result<String, MailError> {
        let state = self.private(id)?;
        state.map(|state| state.outbox).ok_or_else(|| MailError::NoSession { name: Some(id.to_owned()) })
    }

    /// Finishes a reply that was interrupted; `None` when there is none. Also writes again what is missing in the mailbox.
    ///
    /// # Errors
    /// It was interrupted again, or something cannot be written.
    pub fn catch_up(
        &self,
        id: &str,
        options: &MailOptions,
        witnesses: &mut Witnesses<'_>,
    ) -> Result<Option<Turn>, MailError> {
        self.hold(
            id,
            || self.unknown(id),
            |held| {
                if held.state.under_way.is_none() {
                    held.post()?;
                    return Ok(None);
                }
                self.check_first(options, witnesses)?;
                held.finish(options, witnesses).map(Some)
            },
        )
    }

    /// Carries out a reply and writes the next message. A reply that was interrupted before is finished first.
    ///
    /// # Errors
    /// The reply does not belong here, cannot be begun, or was interrupted; then it can be handed over again.
    pub fn step(
        &self,
        id: &str,
        text: &str,
        options: &MailOptions,
        witnesses: &mut Witnesses<'_>,
    ) -> Result<Turn, MailError> {
        if text.len() > REPLY_LIMIT_BYTES {
            let reason = format!("it has more than {REPLY_LIMIT_BYTES} bytes");
            return Err(MailError::BadReply { name: "the reply".to_owned(), reason });
        }
        let digest = digest(text);
        self.hold(
            id,
            || self.unknown(id),
            |held| {
                if let Some(under_way) = &held.state.under_way {
                    let is_this = under_way.digest == digest;
                    self.check_first(options, witnesses)?;
                    let turn = held.finish(options, witnesses)?;
                    if is_this {
                        return Ok(turn);
                    }
                }
                held.post()?;
                if let Some(sequence) = self.judge(&held.state.session, text, &digest, options)? {
                    return Ok(repeated(&held.state.session, sequence));
                }
                if parse(text).iter().any(|written| !is_harmless(&written.command)) {
                    self.check_first(options, witnesses)?;
                }
                held.take(text, digest, options, witnesses)
            },
        )
    }

    /// Whether a reply may be carried out; the number it had if it was already.
    fn judge(
        &self,
        session: &Session,
        text: &str,
        digest: &str,
        options: &MailOptions,
    ) -> Result<Option<u64>, MailError> {
        let id = &session.session_id;
        let address = Address::of(text, &parse(text));
        if let Some(found) = address.session.filter(|found| found != id) {
            return Err(MailError::WrongSession { expected: id.clone(), found });
        }
        if let Some(sequence) = session.answered(digest).filter(|_| !options.again) {
            return Ok(Some(sequence));
        }
        if session.is_complete {
            return Err(MailError::Ended { session: id.clone() });
        }
        let expected = session.sequence_number;
        match address.sequence.filter(|found| *found != expected && !options.again) {
            Some(found) => Err(MailError::OutOfOrder { session: id.clone(), expected, found }),
            None => Ok(None),
        }
    }

    /// What must be settled before a reply is begun, so that it is not used up on refusals that have nothing to do with it.
    fn check_first(&self, options: &MailOptions, witnesses: &mut Witnesses<'_>) -> Result<(), MailError> {
        let engine = self.engine;
        trust::require(
            engine.store(),
            engine.workspace(),
            engine.config(),
            options.trust,
            witnesses.approver,
        )
        .map_err(|refusal| refusal.map_or_else(Stop::interrupted, Stop::refused))?;
        Ok(require_approver(engine, witnesses.approver, &[])?)
    }

    fn unknown(&self, id: &str) -> Result<State, MailError> {
        Err(MailError::NoSession { name: Some(id.to_owned()) })
    }

    /// Works on a session while nobody else does. `otherwise` makes the state of one that is not known here.
    fn hold<T>(
        &self,
        id: &str,
        otherwise: impl FnOnce() -> Result<State, MailError>,
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

fn repeated(session: &Session, sequence: u64) -> Turn {
    Turn {
        session: session.clone(),
        sequence,
        results: Vec::new(),
        is_repeated: true,
        diagnostics: Vec::new(),
    }
}

/// Whether a command changes nothing.
fn is_harmless(command: &Command) -> bool {
    matches!(
        command,
        Command::Read { .. } | Command::Message { .. } | Command::Done { .. } | Command::Malformed { .. }
    )
}
