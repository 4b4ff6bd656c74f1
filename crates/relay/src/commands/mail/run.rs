//! `relay mail run`: waits for answers until the model is done.

use std::collections::HashSet;
use std::time::Duration;

use relay_engine::mail::{Arrived, Fit, Letter, Mail, MailError, MailOptions, Session, Turn, Witnesses};
use relay_engine::{Arrival, Channel, Decision};

use super::{Desk, say};
use crate::channel::Source;
use crate::cli::MailRunArgs;
use crate::failure::Failure;
use crate::terminal;
use crate::terminal::ask::Person;
use crate::terminal::progress::Progress;
use crate::terminal::report::diagnostics;
use crate::terminal::style::{NOTE, paint};

/// How often to check the inbox.
const POLL: Duration = Duration::from_millis(300);
/// The number of checks of the inbox between checks whether the session is still open.
const LOOKS_BETWEEN_CHECKS: usize = 10;

pub fn run(desk: &Desk<'_>, args: &MailRunArgs) -> Result<u8, Failure> {
    let listed = desk.mail.find(args.which.session.as_deref())?;
    let id = listed.session.session_id.clone();
    if listed.session.is_complete {
        return Err(MailError::Ended { session: id }.into());
    }
    let mut waiting = Waiting {
        desk,
        id,
        options: desk.options(&args.how, false),
        person: Person::new(desk.engine.cancel().clone(), args.how.yes, false),
        copy: args.copy,
        clipboard: None,
        last_seen: None,
        dealt_with: HashSet::new(),
        turns: Vec::new(),
    };
    let session = waiting.until_done()?;
    desk.document(&session, &waiting.turns);
    Ok(0)
}

struct Waiting<'a> {
    desk: &'a Desk<'a>,
    id: String,
    options: MailOptions,
    person: Person,
    copy: bool,
    clipboard: Option<Box<dyn Channel>>,
    /// The file seen at the last check: one that is still being written will have changed by the next.
    last_seen: Option<Letter>,
    /// Files that stay in the inbox because they are for another thread.
    dealt_with: HashSet<Letter>,
    turns: Vec<Turn>,
}

impl Waiting<'_> {
    fn until_done(&mut self) -> Result<Session, Failure> {
        let mut session = match self.catch_up()? {
            Some(turn) => self.told(turn),
            None => self.desk.mail.session(&self.id)?,
        };
        while !session.is_complete {
            self.announce(&session)?;
            session = self.next_turn(&session)?;
        }
        self.desk.say(&say::next(self.desk, &session, false)?);
        Ok(session)
    }

    fn announce(&mut self, session: &Session) -> Result<(), Failure> {
        self.desk.announce(session, self.copy)?;
        if self.copy && self.clipboard.is_none() {
            self.clipboard = Some(Source::Clipboard.open()?);
        }
        Ok(())
    }

    fn told(&mut self, turn: Turn) -> Session {
        let session = turn.session.clone();
        self.desk.say(&say::turn(&turn));
        self.turns.push(turn);
        session
    }

    /// Carries out an answer, and returns the session after it.
    fn next_turn(&mut self, session: &Session) -> Result<Session, Failure> {
        for look in 1_usize.. {
            if self.desk.engine.cancel().is_cancelled() {
                return Err(MailError::Interrupted.into());
            }
            if let Some(turn) = self.look_into_inbox()? {
                return Ok(self.told(turn));
            }
            if let Some(turn) = self.look_at_clipboard(session)? {
                return Ok(self.told(turn));
            }
            if look.is_multiple_of(LOOKS_BETWEEN_CHECKS) {
                let now = self.desk.mail.session(&self.id)?;
                if now.is_complete || now.sequence_number != session.sequence_number {
                    return Ok(now);
                }
            }
        }
        Err(MailError::Interrupted.into())
    }

    fn look_into_inbox(&mut self) -> Result<Option<Turn>, Failure> {
        let letters = self.desk.mail.letters()?;
        let next = letters.into_iter().find(|letter| letter.size > 0 && !self.dealt_with.contains(letter));
        let is_settled = next.is_some() && next == self.last_seen;
        self.last_seen = next.clone();
        let Some(letter) = next.filter(|_| is_settled) else { return Ok(None) };
        let (desk, id, name) = (self.desk, self.id.clone(), letter.name.clone());
        let taken =
            self.with_witnesses(|options, witnesses| desk.mail.take_letter(&id, &name, options, witnesses))?;
        match taken {
            Arrived::Taken(turn) => return Ok(Some(*turn)),
            Arrived::ForAnother { session } => {
                let shown = terminal::visible(&letter.name).into_owned();
                let why = match session {
                    Some(other) => format!("{shown} is for thread {other} and stays in the inbox"),
                    None => format!(
                        "{shown} names no thread, and several are open; choose one with `relay mail step FILE --thread ID`"
                    ),
                };
                terminal::tell(&format!("{} {why}\n", paint(NOTE.bold(), "!")));
                self.dealt_with.insert(letter);
            }
            Arrived::Refused { error, kept_as } => {
                terminal::tell(&diagnostics(&error.diagnostics()));
                match kept_as {
                    Some(name) => {
                        terminal::tell(&format!("  moved to inbox/refused/{}\n", terminal::visible(&name)));
                    }
                    None => {
                        self.dealt_with.insert(letter);
                    }
                }
            }
        }
        Ok(None)
    }

    /// Waits a moment, or until the clipboard changes if it is watched.
    fn look_at_clipboard(&mut self, session: &Session) -> Result<Option<Turn>, Failure> {
        let Some(clipboard) = &mut self.clipboard else {
            std::thread::sleep(POLL);
            return Ok(None);
        };
        let text = match clipboard.next(POLL) {
            Ok(Arrival::Present(text) | Arrival::Text(text)) => text,
            Ok(Arrival::Nothing) => return Ok(None),
            Ok(Arrival::PassedOver(reason)) => {
                terminal::tell(&format!("{} {reason}\n", paint(NOTE.bold(), "!")));
                return Ok(None);
            }
            Ok(Arrival::End) => {
                self.clipboard = None;
                return Ok(None);
            }
            Err(error) => return Err(Failure::environment(&error)),
        };
        match Mail::fit(session, &text) {
            Fit::None => return Ok(None),
            Fit::Certain => {}
            Fit::Possible => {
                let question = "the clipboard holds commands that name no thread; are they the answer?";
                if self.person.ask(question) != Decision::Yes {
                    terminal::tell("the clipboard was ignored\n");
                    return Ok(None);
                }
            }
        }
        let (desk, id) = (self.desk, self.id.clone());
        Ok(Some(self.with_witnesses(|options, witnesses| desk.mail.step(&id, &text, options, witnesses))?))
    }

    fn catch_up(&mut self) -> Result<Option<Turn>, Failure> {
        let (desk, id) = (self.desk, self.id.clone());
        Ok(self.with_witnesses(|options, witnesses| desk.mail.catch_up(&id, options, witnesses))?)
    }

    fn with_witnesses<T>(
        &mut self,
        act: impl FnOnce(&MailOptions, &mut Witnesses<'_>) -> Result<T, MailError>,
    ) -> Result<T, MailError> {
        let desk = self.desk;
        let mut told = |result: &_| desk.say(&say::result(result));
        let mut witnesses =
            Witnesses { approver: &mut self.person, observer: &mut Progress::default(), told: &mut told };
        act(&self.options, &mut witnesses)
    }
}
