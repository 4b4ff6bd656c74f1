//! Carries out one reply: each command once, whatever interrupts it.
//!
//! The order of writes is what matters here. A reply is on disk before its first command, each result before the next
//! command, and the next outbox together with the end of the reply, in one step. Only then does anything appear in the
//! mailbox. If a run dies in between, the next one continues from there; a command that landed before its result was
//! written is recognised on the ledger by its uuid.

use relay_diagnostics::Diagnostic;
use relay_edit::commands::{Command, Written, parse};

use super::context::{masked, write_outbox};
use super::error::MailError;
use super::held::Held;
use super::masks::Masks;
use super::result::CommandResult;
use super::run::may_run;
use super::session::{Answered, PrivateState, Session, SessionStatus, UnderWay, now};
use super::work::Work;
use super::{MailOptions, fault};
use crate::approval::{Approver, Observer};

/// How many commands of one reply are carried out.
const COMMANDS: usize = 500;

/// A reply that was carried out.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// The session afterwards.
    pub session: Session,
    /// The number of the outbox that the reply answers.
    pub sequence: u64,
    /// The results of its commands; none if it was carried out before.
    pub results: Vec<CommandResult>,
    /// The same reply was carried out before, and nothing was done now.
    pub is_repeated: bool,
    /// What a person should know besides.
    pub diagnostics: Vec<Diagnostic>,
}

/// The approver and the observer.
pub struct Witnesses<'a> {
    /// Answers questions.
    pub approver: &'a mut dyn Approver,
    /// Hears about the progress of commands.
    pub observer: &'a mut dyn Observer,
    /// Receives each result as it arrives.
    pub told: &'a mut dyn FnMut(&CommandResult),
}

impl Held<'_> {
    /// Accepts a reply that belongs here and carries it out.
    pub(super) fn take(
        &mut self,
        text: &str,
        digest: String,
        options: &MailOptions,
        witnesses: &mut Witnesses<'_>,
    ) -> Result<Turn, MailError> {
        self.state.under_way = Some(UnderWay { digest, text: text.to_owned(), ..UnderWay::default() });
        self.save()?;
        self.finish(options, witnesses)
    }

    /// Carries out the rest of the current reply.
    pub(super) fn finish(
        &mut self,
        options: &MailOptions,
        witnesses: &mut Witnesses<'_>,
    ) -> Result<Turn, MailError> {
        let mut diagnostics = Vec::new();
        let commands = commands(self.state.under_way.as_ref().map_or("", |under_way| &under_way.text));
        while let Some((index, written)) = self.next(&commands) {
            if self.mail.engine.cancel().is_cancelled() {
                return Err(MailError::Interrupted);
            }
            let result = self.carry_out(index, written, options, witnesses, &mut diagnostics)?;
            (witnesses.told)(&result);
            fault::point()?;
            if let Some(under_way) = &mut self.state.under_way {
                under_way.results.push(result);
                under_way.is_running = false;
            }
            self.save()?;
        }
        self.end_turn(&commands, diagnostics)
    }

    fn next<'c>(&self, commands: &'c [Written]) -> Option<(usize, &'c Written)> {
        let index = self.state.under_way.as_ref()?.results.len();
        commands.get(index).map(|written| (index, written))
    }

    fn carry_out(
        &mut self,
        index: usize,
        written: &Written,
        options: &MailOptions,
        witnesses: &mut Witnesses<'_>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<CommandResult, MailError> {
        let was_running = self.state.under_way.as_ref().is_some_and(|under_way| under_way.is_running);
        if let Command::Run { command } = &written.command
            && !was_running
        {
            if let Some(refused) = may_run(command, options, witnesses.approver)? {
                return Ok(refused);
            }
            if let Some(under_way) = &mut self.state.under_way {
                under_way.is_running = true;
            }
            self.save()?;
        }
        let mut masks = self.masks()?;
        let PrivateState { session, views, under_way: Some(under_way), .. } = &mut self.state else {
            return Err(MailError::NoSession { name: None });
        };
        let mut work = Work {
            engine: self.mail.engine,
            options,
            approver: witnesses.approver,
            observer: witnesses.observer,
            views,
            masks: &mut masks,
            task: &session.task,
            group: session.group(session.sequence_number),
            digest: &under_way.digest,
            reads: &mut under_way.reads,
            regions: &mut under_way.regions,
            diagnostics,
        };
        work.carry_out(index, written, was_running)
    }

    /// The reply is carried out: the next message, or the end.
    fn end_turn(&mut self, commands: &[Written], diagnostics: Vec<Diagnostic>) -> Result<Turn, MailError> {
        let Some(under_way) = self.state.under_way.take() else {
            return Err(MailError::NoSession { name: None });
        };
        let mut masks = self.masks()?;
        let results = masked(&under_way.results, &mut masks);
        self.state.vault = masks.to_json()?;
        self.state.regions = under_way.regions;
        let session = &mut self.state.session;
        let sequence = session.sequence_number;
        session.replies.push(Answered { sequence, digest: under_way.digest });
        session.last_results = results;
        session.read_file_requests = under_way.reads;
        session.updated_at = now();
        let done = commands.iter().find_map(|written| match &written.command {
            Command::Done { summary } => Some(summary.clone()),
            _ => None,
        });
        match done {
            Some(summary) => {
                session.summary = Some(summary);
                session.end(SessionStatus::Done);
            }
            None => self.write_next(None)?,
        }
        let (session, results) = (self.publish()?, under_way.results);
        Ok(Turn { session, sequence, results, is_repeated: false, diagnostics })
    }

    /// Writes the next message into the state.
    pub(super) fn write_next(&mut self, note: Option<&str>) -> Result<(), MailError> {
        let mut masks = self.masks()?;
        self.state.session.sequence_number += 1;
        self.state.session.updated_at = now();
        write_outbox(self.mail.engine, &mut self.state, &mut masks, note);
        self.state.vault = masks.to_json()?;
        Ok(())
    }

    /// The placeholders of the session.
    pub(super) fn masks(&self) -> Result<Masks, MailError> {
        let key = self.mail.engine.store().ledger_key()?;
        Masks::load(&key, &self.state.vault)
    }
}

/// The commands of a reply. A reply without commands gets that as its result, like any other mistake.
fn commands(text: &str) -> Vec<Written> {
    let mut found = parse(text);
    if found.len() > COMMANDS {
        let reason = format!(
            "Too many commands: {} were sent, and only the first {COMMANDS} carried out",
            found.len()
        );
        found.truncate(COMMANDS);
        found.push(remark(reason));
    }
    if !found.is_empty() {
        return found;
    }
    let reason =
        "No command was found in your response; write each tag on a line of its own, as the protocol shows";
    vec![remark(reason.to_owned())]
}

/// A remark to the model about its response as a whole.
fn remark(reason: String) -> Written {
    let command = Command::Malformed { name: "RESPONSE".to_owned(), reason };
    Written { command, line: 1, source: String::new() }
}
