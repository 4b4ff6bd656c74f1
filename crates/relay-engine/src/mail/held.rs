//! A thread locked against other processes, and how its state is stored.

use relay_store::{FILE_LIMIT_BYTES, Folder, Tray, Writer};

use super::error::MailError;
use super::session::{PrivateState, Session};
use super::{Mail, fault};

/// The name of the private state.
const STATE: &str = "state.json";

/// The session, while its lock is held.
pub(super) struct Held<'a> {
    pub mail: &'a Mail<'a>,
    pub state: PrivateState,
    writer: Writer<'a>,
}

/// A session's stored state; `None` if this machine has none.
pub(super) fn load(folder: &Folder) -> Result<Option<PrivateState>, MailError> {
    let Some(bytes) = folder.read(STATE)? else { return Ok(None) };
    let state: PrivateState =
        serde_json::from_slice(&bytes).map_err(|source| MailError::Unreadable { source })?;
    if !state.is_readable() {
        return Err(MailError::Newer { session: state.session.session_id });
    }
    Ok(Some(state))
}

impl<'a> Held<'a> {
    pub(super) fn new(mail: &'a Mail<'a>, state: PrivateState, writer: Writer<'a>) -> Self {
        Self { mail, state, writer }
    }

    /// Makes the state durable.
    pub(super) fn save(&self) -> Result<(), MailError> {
        fault::point()?;
        let mut bytes = serde_json::to_vec(&self.state).map_err(|source| MailError::Unreadable { source })?;
        bytes.push(b'\n');
        // A state that is too large to read back must not replace a readable one.
        if bytes.len() as u64 > FILE_LIMIT_BYTES {
            return Err(MailError::TooMuch { session: self.state.session.session_id.clone() });
        }
        self.writer.replace(STATE, &bytes)?;
        fault::point()
    }

    /// Stores the state and updates the mailbox to match; returns the session.
    pub(super) fn publish(&self) -> Result<Session, MailError> {
        self.save()?;
        self.post()?;
        Ok(self.state.session.clone())
    }

    /// Updates the mailbox to match the state, and rewrites anything missing.
    pub(super) fn post(&self) -> Result<(), MailError> {
        let session = &self.state.session;
        let mailbox = &self.mail.mailbox;
        if !session.is_complete {
            let name = session.outbox_name();
            let sent = mailbox.read(Tray::Outbox, &name, self.state.outbox.len() as u64);
            // Anything else there, longer or not a file, is replaced or reported below.
            if !sent.is_ok_and(|sent| sent.as_deref() == Some(self.state.outbox.as_bytes())) {
                mailbox.put(Tray::Outbox, &name, self.state.outbox.as_bytes())?;
                fault::point()?;
            }
        }
        let mut public =
            serde_json::to_vec_pretty(session).map_err(|source| MailError::Unreadable { source })?;
        public.push(b'\n');
        let name = format!("{}.json", session.session_id);
        let known = mailbox.read(Tray::Sessions, &name, public.len() as u64);
        if !known.is_ok_and(|known| known.as_deref() == Some(public.as_slice())) {
            mailbox.put(Tray::Sessions, &name, &public)?;
            fault::point()?;
        }
        Ok(())
    }
}
