//! Finds threads: in the user's own data first, then in the mailbox, which anyone may have written to.

use relay_store::Tray;

use super::error::MailError;
use super::held::load;
use super::session::{PrivateState, Session, is_id};
use super::{Listed, Mail, SESSION_LIMIT_BYTES};

impl Mail<'_> {
    /// Every session in the mailbox, oldest first. Other files are left out.
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
        listed.map(|listed| listed.session).ok_or_else(|| MailError::no_session(id))
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

    pub(super) fn private(&self, id: &str) -> Result<Option<PrivateState>, MailError> {
        let folder = self.engine.store().existing_mail_session(self.engine.workspace().root(), id)?;
        folder.map_or(Ok(None), |folder| load(&folder))
    }

    /// What the mailbox says about a thread. Anyone may have written it.
    pub(super) fn public(&self, id: &str) -> Result<Option<Session>, MailError> {
        let read = self.mailbox.read(Tray::Sessions, &format!("{id}.json"), SESSION_LIMIT_BYTES);
        // An unreadable file is not a session; listing continues with the others.
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

    /// The newest message of a session.
    ///
    /// # Errors
    /// There is no such session here.
    pub fn outbox(&self, id: &str) -> Result<String, MailError> {
        let state = self.private(id)?;
        state.map(|state| state.outbox).ok_or_else(|| MailError::no_session(id))
    }
}
