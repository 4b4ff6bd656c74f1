//! The inbox: files from anywhere, in any state. Each is read carefully, handled, and moved aside.

use relay_edit::commands::parse;
use relay_store::{StoreError, Tray};

use super::address::Address;
use super::error::MailError;
use super::fault;
use super::{Listed, Mail, MailOptions, REPLY_LIMIT_BYTES, Session, Turn, Witnesses, digest};

pub use relay_store::Letter;

/// Whether a text from somewhere else than the inbox is a reply to a session's newest message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It names the session and the message.
    Certain,
    /// It holds commands and names neither.
    Possible,
    /// It is something else.
    None,
}

/// How a file in the inbox was handled.
#[derive(Debug)]
pub enum Arrived {
    /// It was carried out, or had been before, and is moved aside.
    Taken(Box<Turn>),
    /// It is for another session, and stays.
    ForAnother {
        /// The session it names; `None` when it names none and several are open.
        session: Option<String>,
    },
    /// It cannot be used, and is moved aside unless it cannot even be read.
    Refused {
        /// Why.
        error: MailError,
        /// Its name in `inbox/refused/`; `None` if it stays.
        kept_as: Option<String>,
    },
}

impl Mail<'_> {
    /// The files that wait in the inbox, oldest first.
    ///
    /// # Errors
    /// The inbox cannot be read.
    pub fn letters(&self) -> Result<Vec<Letter>, MailError> {
        Ok(self.mailbox().letters(Tray::Inbox, ".txt")?)
    }

    /// Whether a text on the clipboard answers a thread's newest message. The messages themselves are full of commands,
    /// but are not answers.
    #[must_use]
    pub fn fit(session: &Session, text: &str) -> Fit {
        let commands = parse(text);
        if commands.is_empty() || text.lines().any(|line| line.trim() == "=== PROTOCOL ===") {
            return Fit::None;
        }
        match Address::of(text, &commands) {
            Address { session: None, sequence: None } => Fit::Possible,
            Address { session: Some(id), sequence }
                if id == session.session_id
                    && sequence.is_none_or(|found| found == session.sequence_number) =>
            {
                Fit::Certain
            }
            _ => Fit::None,
        }
    }

    /// The session a reply is for: the one a person names, the one it names itself, or the only one that is open.
    ///
    /// # Errors
    /// None or several fit.
    pub fn session_for(&self, text: &str, named: Option<&str>) -> Result<Listed, MailError> {
        let quoted = Address::of(text, &parse(text)).session;
        self.find(named.or(quoted.as_deref()))
    }

    /// The text of a file in the inbox, where it has any.
    #[must_use]
    pub fn peek(&self, name: &str) -> Option<String> {
        let bytes = self.mailbox().read(Tray::Inbox, name, REPLY_LIMIT_BYTES as u64).ok()??;
        text_of(bytes).ok()
    }

    /// Handles one file of the inbox on behalf of a session.
    ///
    /// # Errors
    /// It could not be started or was interrupted, and stays in the inbox; or something cannot be written.
    pub fn take_letter(
        &self,
        id: &str,
        name: &str,
        options: &MailOptions,
        witnesses: &mut Witnesses<'_>,
    ) -> Result<Arrived, MailError> {
        let text = match self.mailbox().read(Tray::Inbox, name, REPLY_LIMIT_BYTES as u64) {
            // It has gone since it was listed: another program took it.
            Ok(None) => return Ok(Arrived::ForAnother { session: None }),
            Ok(Some(bytes)) => match text_of(bytes) {
                Ok(text) if text.trim().is_empty() => return self.refuse(name, bad(name, "it is empty")),
                Ok(text) => text,
                Err(reason) => return self.refuse(name, bad(name, reason)),
            },
            Err(error @ (StoreError::Symlink { .. } | StoreError::WrongKind { .. })) => {
                return self.refuse(name, bad(name, error.to_string()));
            }
            Err(StoreError::TooLarge { limit_bytes, .. }) => {
                return self.refuse(name, bad(name, format!("it has more than {limit_bytes} bytes")));
            }
            // It may become readable once the program that writes it is done.
            Err(error) => return Ok(Arrived::Refused { error: bad(name, error.to_string()), kept_as: None }),
        };
        if let Some(elsewhere) = self.belongs_elsewhere(id, &text)? {
            return Ok(elsewhere);
        }
        match self.step(id, &text, options, witnesses) {
            Ok(turn) => {
                let new_name = format!("{id}_seq{:04}_{}", turn.sequence, last_part(name));
                fault::point()?;
                self.mailbox().set_aside(name, Tray::Processed, &new_name)?;
                Ok(Arrived::Taken(Box::new(turn)))
            }
            Err(error @ (MailError::OutOfOrder { .. } | MailError::Ended { .. })) => self.refuse(name, error),
            Err(error) => Err(error),
        }
    }

    /// Whether a file is, or may be, for another session: one that names none is accepted only if no other is open.
    fn belongs_elsewhere(&self, id: &str, text: &str) -> Result<Option<Arrived>, MailError> {
        let address = Address::of(text, &parse(text));
        if let Some(session) = address.session {
            let is_other = session != id;
            return Ok(is_other.then_some(Arrived::ForAnother { session: Some(session) }));
        }
        let digest = digest(text);
        let mut others = self.sessions()?.into_iter().filter(|listed| listed.is_ours);
        let may_be = others.any(|listed| {
            let is_other = listed.session.session_id != id;
            let is_waiting = !listed.session.is_complete || listed.session.answered(&digest).is_some();
            is_other && is_waiting
        });
        let ours = self.private(id)?.is_some_and(|state| {
            let under_way = state.under_way.is_some_and(|under_way| under_way.digest == digest);
            under_way || state.session.answered(&digest).is_some()
        });
        Ok((may_be && !ours).then_some(Arrived::ForAnother { session: None }))
    }

    fn refuse(&self, name: &str, error: MailError) -> Result<Arrived, MailError> {
        let kept_as = self.mailbox().set_aside(name, Tray::Refused, name)?;
        Ok(Arrived::Refused { error, kept_as })
    }
}

/// The end of a name, short enough to leave room for a prefix.
fn last_part(name: &str) -> &str {
    let from = name.len().saturating_sub(150);
    (from..name.len()).find_map(|at| name.get(at..)).unwrap_or(name)
}

fn bad(name: &str, reason: impl Into<String>) -> MailError {
    MailError::BadReply { name: name.to_owned(), reason: reason.into() }
}

/// The text of a reply: UTF-8, or UTF-16 as some editors save it.
fn text_of(bytes: Vec<u8>) -> Result<String, String> {
    let text = relay_edit::text(&bytes).ok_or("it is not text in UTF-8")?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}
