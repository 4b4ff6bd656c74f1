//! The life of a session: start, close, reopen, delete.

use jiff::{SignedDuration, Timestamp};
use relay_store::StoreError;
use relay_txn::project::ensure_state_dir;

use super::error::MailError;
use super::held::load;
use super::session::{PrivateState, Session, SessionStatus, now};
use super::{BUDGET_TOKENS, Mail, context};
use crate::engine::{Engine, EngineError};

/// Deletes this machine's data about sessions that ended this long ago, and returns how many there were. The files in
/// their mailboxes belong to the user and stay.
///
/// # Errors
/// The user's data cannot be read or changed.
pub(crate) fn forget_ended(
    engine: &Engine,
    now: Timestamp,
    younger_than: SignedDuration,
    dry_run: bool,
) -> Result<usize, StoreError> {
    let (store, root) = (engine.store(), engine.workspace().root());
    let mut count = 0;
    for id in store.mail_sessions(root)? {
        let Some(folder) = store.existing_mail_session(root, &id)? else { continue };
        // This version must not delete what it cannot read.
        let Ok(Some(state)) = load(&folder) else { continue };
        let age = now.duration_since(state.session.updated_at);
        if state.under_way.is_some() || !state.session.is_complete || age <= younger_than {
            continue;
        }
        count += 1;
        if !dry_run {
            store.forget_mail_session(root, &id)?;
        }
    }
    Ok(count)
}

impl Mail<'_> {
    /// Starts a session and writes its first message.
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
            || Ok(PrivateState::new(session, budget_tokens)),
            |held| {
                let mut masks = held.masks()?;
                held.state.session.task = masks.mask(context::TASK, task.trim());
                held.state.vault = masks.to_json()?;
                held.write_next(None)?;
                held.publish()
            },
        )
    }

    /// Ends a session, and deletes what its model was shown.
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
                held.publish()
            },
        )
    }

    /// Reopens a session, even one that was started elsewhere, and writes a message, with a person's addition if there
    /// is one. A session that is open keeps its newest message unless there is an addition.
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
                held.publish()
            },
        )
    }

    /// What the mailbox knows of a session that this machine does not.
    pub(super) fn adopted(&self, id: &str) -> Result<PrivateState, MailError> {
        let session = self.public(id)?.ok_or_else(|| MailError::no_session(id))?;
        Ok(PrivateState::new(session, BUDGET_TOKENS))
    }
}
