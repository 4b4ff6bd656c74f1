//! `relay mail`: a model without a network, one message out and one answer in.

mod list;
mod run;
mod say;
mod step;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use relay_diagnostics::Diagnostic;
use relay_engine::mail::{Mail, MailError, MailOptions, Session, Turn};
use relay_engine::{Engine, report};
use relay_store::Tray;

use super::apply::trust_answer;
use crate::cli::{
    HowFlags, MailArgs, MailCloseArgs, MailCommand, MailResumeArgs, MailShowArgs, MailStartArgs,
};
use crate::failure::{Failure, UNREADABLE_INPUT};
use crate::{clipboard, open, terminal};

pub fn run(root: Option<&Path>, args: &MailArgs) -> Result<u8, Failure> {
    let engine = open::engine(root)?;
    let mail = Mail::open(&engine, args.dir.as_deref())?;
    let desk = Desk { engine: &engine, mail, json: args.json };
    // The list is a JSON array, which cannot hold them.
    if !args.json || matches!(args.command, MailCommand::List(_)) {
        terminal::tell(&terminal::report::diagnostics(engine.warnings()));
    }
    match &args.command {
        MailCommand::Start(args) => start(&desk, args),
        MailCommand::Run(args) => run::run(&desk, args),
        MailCommand::Step(args) => step::run(&desk, args),
        MailCommand::List(_) => list::run(&desk),
        MailCommand::Show(args) => show(&desk, args),
        MailCommand::Resume(args) => resume(&desk, args),
        MailCommand::Close(args) => close(&desk, args),
    }
}

/// What all of these commands need.
struct Desk<'e> {
    engine: &'e Engine,
    mail: Mail<'e>,
    json: bool,
}

impl Desk<'_> {
    /// The path of a session's newest message; `None` once the session has ended.
    fn outbox(&self, session: &Session) -> Option<PathBuf> {
        let place = self.mail.mailbox().place(Tray::Outbox).join(session.outbox_name());
        (!session.is_complete).then_some(place)
    }

    /// Prints text for people; with `--json`, to standard error.
    fn say(&self, text: &str) {
        if self.json {
            terminal::tell(text);
        } else {
            terminal::print(text);
        }
    }

    /// Prints the one document, if the caller asked for it.
    fn document(&self, session: &Session, turns: &[Turn]) {
        if self.json {
            let outbox = self.outbox(session);
            let document = report::mail::session(session, outbox.as_deref(), turns, self.engine.warnings());
            terminal::print_document(&document);
        }
    }

    /// Puts the newest message on the clipboard.
    fn copy(&self, session: &Session) -> Result<(), Failure> {
        clipboard::copy(&self.mail.outbox(&session.session_id)?)
    }

    /// Says what to do next, and copies the message to the clipboard on request.
    fn announce(&self, session: &Session, copy: bool) -> Result<(), Failure> {
        if copy && !session.is_complete {
            self.copy(session)?;
        }
        self.say(&say::next(self, session, copy)?);
        Ok(())
    }

    fn options(&self, how: &HowFlags, again: bool) -> MailOptions {
        MailOptions {
            allow_commands: how.allow_commands,
            require_read: how.require_read,
            again,
            trust: trust_answer(how.trust),
            allow_sensitive: how.allow_sensitive,
            model: how.model.clone(),
        }
    }
}

fn start(desk: &Desk<'_>, args: &MailStartArgs) -> Result<u8, Failure> {
    let session = desk.mail.start(&words(&args.task)?, args.budget)?;
    desk.announce(&session, args.copy)?;
    desk.document(&session, &[]);
    Ok(0)
}

/// Words as one text; a lone `-` means standard input.
fn words(words: &[String]) -> Result<String, Failure> {
    if words != ["-"] {
        return Ok(words.join(" "));
    }
    const LIMIT_BYTES: u64 = 1 << 20;
    let mut text = String::new();
    std::io::stdin().take(LIMIT_BYTES).read_to_string(&mut text).map_err(|error| {
        Failure::usage(
            Diagnostic::error(UNREADABLE_INPUT, format!("standard input cannot be read: {error}"))
                .hinted("Write the task as UTF-8 text."),
        )
    })?;
    Ok(text)
}

fn show(desk: &Desk<'_>, args: &MailShowArgs) -> Result<u8, Failure> {
    let listed = desk.mail.find(args.session.as_deref())?;
    if args.copy {
        desk.copy(&listed.session)?;
    }
    if args.outbox {
        return Ok(terminal::print_exactly(&desk.mail.outbox(&listed.session.session_id)?));
    }
    if !desk.json {
        terminal::print(&say::whole(desk, &listed)?);
    }
    desk.document(&listed.session, &[]);
    Ok(0)
}

fn resume(desk: &Desk<'_>, args: &MailResumeArgs) -> Result<u8, Failure> {
    let listed = desk.mail.find(args.session.as_deref())?;
    let text = words(&args.text)?;
    let note = Some(text.trim()).filter(|text| !text.is_empty());
    let session = desk.mail.resume(&listed.session.session_id, note, args.budget)?;
    desk.announce(&session, args.copy)?;
    desk.document(&session, &[]);
    Ok(0)
}

fn close(desk: &Desk<'_>, args: &MailCloseArgs) -> Result<u8, Failure> {
    let listed = desk.mail.find(args.session.as_deref())?;
    let session = desk.mail.close(&listed.session.session_id)?;
    desk.say(&say::next(desk, &session, false)?);
    desk.document(&session, &[]);
    Ok(0)
}

impl From<MailError> for Failure {
    fn from(error: MailError) -> Self {
        let found = error.diagnostics();
        match error {
            MailError::Interrupted => Failure::interrupted(found),
            MailError::NoTask | MailError::InsideProject { .. } => Failure::misused(found),
            _ => Failure::refused(found),
        }
    }
}
