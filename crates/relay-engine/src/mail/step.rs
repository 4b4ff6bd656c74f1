//! Takes one reply: checks whether it belongs here, and whether it may be started. `turn` carries it out.

use relay_edit::commands::{Command, parse};

use super::address::Address;
use super::error::MailError;
use super::session::Session;
use super::turn::{Turn, Witnesses};
use super::{Mail, MailOptions, REPLY_LIMIT_BYTES, digest};
use crate::approval::trust;
use crate::land::transact::require_approver;

impl Mail<'_> {
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
            || Err(MailError::no_session(id)),
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
            || Err(MailError::no_session(id)),
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
                    let session = held.state.session.clone();
                    return Ok(Turn { session, sequence, is_repeated: true, ..Turn::default() });
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

    /// Checks to make before a reply is started, so that it is not used up by refusals unrelated to it.
    fn check_first(&self, options: &MailOptions, witnesses: &mut Witnesses<'_>) -> Result<(), MailError> {
        trust::require(self.engine, options.trust, witnesses.approver)?;
        Ok(require_approver(self.engine, witnesses.approver, &[])?)
    }
}

/// Whether a command changes nothing.
fn is_harmless(command: &Command) -> bool {
    matches!(
        command,
        Command::Read { .. } | Command::Message { .. } | Command::Done { .. } | Command::Malformed { .. }
    )
}
