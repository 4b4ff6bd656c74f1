//! `relay mail step`: one answer in, the next message out.

use std::path::Path;

use relay_diagnostics::Diagnostic;
use relay_engine::codes;
use relay_engine::mail::{Arrived, MailError, Turn, Witnesses};
use relay_store::Tray;

use super::{Desk, say};
use crate::cli::MailStepArgs;
use crate::clipboard;
use crate::commands::apply::read_reply;
use crate::failure::Failure;
use crate::terminal::ask::Person;
use crate::terminal::progress::Progress;
use crate::terminal::report::diagnostics;

pub fn run(desk: &Desk<'_>, args: &MailStepArgs) -> Result<u8, Failure> {
    let is_stdin = args.file.as_deref() == Some(Path::new("-"));
    let mut person = Person::new(desk.engine.cancel().clone(), args.how.yes, is_stdin);
    let options = desk.options(&args.how, args.again);
    let named = args.which.session.as_deref();
    let mut told = |result: &_| desk.say(&say::result(result));
    let mut witnesses =
        Witnesses { approver: &mut person, observer: &mut Progress::default(), told: &mut told };
    let letter = args.file.is_none() && !args.paste;
    let turn = match letter_in_inbox(desk, args)? {
        Some(name) => {
            let text = desk.mail.peek(&name).unwrap_or_default();
            let id = desk.mail.session_for(&text, named)?.session.session_id;
            match desk.mail.take_letter(&id, &name, &options, &mut witnesses)? {
                Arrived::Taken(turn) => *turn,
                // A session named on the command line wins over a file that names none.
                Arrived::ForAnother { session: None } if named.is_some() => {
                    desk.mail.step(&id, &text, &options, &mut witnesses)?
                }
                Arrived::ForAnother { session } => {
                    return Err(wrong(&id, session));
                }
                Arrived::Refused { error, .. } => return Err(error.into()),
            }
        }
        None if letter => {
            let id = desk.mail.find(named)?.session.session_id;
            match desk.mail.catch_up(&id, &options, &mut witnesses)? {
                Some(turn) => turn,
                None => return Err(empty(desk)),
            }
        }
        None => {
            let text = if args.paste {
                clipboard::paste()?
            } else {
                read_reply(args.file.as_deref().filter(|_| !is_stdin))?
            };
            let id = desk.mail.session_for(&text, named)?.session.session_id;
            desk.mail.step(&id, &text, &options, &mut witnesses)?
        }
    };
    finish(desk, &turn, args.copy)
}

/// The file to take from the inbox: the oldest, or the named one.
fn letter_in_inbox(desk: &Desk<'_>, args: &MailStepArgs) -> Result<Option<String>, Failure> {
    let Some(file) = &args.file else {
        let oldest = if args.paste { None } else { desk.mail.letters()?.into_iter().next() };
        return Ok(oldest.map(|letter| letter.name));
    };
    let inbox = desk.mail.mailbox().place(Tray::Inbox);
    let folder = file.canonicalize().ok().and_then(|file| file.parent().map(Path::to_path_buf));
    let is_there = folder.is_some() && folder == inbox.canonicalize().ok();
    let name = file.file_name().and_then(|name| name.to_str());
    Ok(name.filter(|_| is_there).map(str::to_owned))
}

fn finish(desk: &Desk<'_>, turn: &Turn, copy: bool) -> Result<u8, Failure> {
    if desk.json {
        crate::terminal::tell(&diagnostics(&turn.diagnostics));
    } else {
        desk.say(&say::turn(turn));
    }
    desk.announce(&turn.session, copy)?;
    desk.document(&turn.session, std::slice::from_ref(turn));
    let some_failed = turn.results.iter().any(|result| !result.success);
    Ok(if some_failed { 3 } else { 0 })
}

fn wrong(id: &str, session: Option<String>) -> Failure {
    match session {
        Some(found) => MailError::WrongSession { expected: id.to_owned(), found }.into(),
        None => Failure::refused(vec![
            Diagnostic::error(codes::WHICH_SESSION, "the answer names no thread, and several are open")
                .hinted("Choose one with --thread."),
        ]),
    }
}

fn empty(desk: &Desk<'_>) -> Failure {
    let inbox = desk.mail.mailbox().place(Tray::Inbox);
    Failure::general(
        Diagnostic::error(codes::INBOX_EMPTY, format!("no .txt file in {}", inbox.display()))
            .hinted("Save the model's answer there, or pass it: relay mail step FILE."),
    )
}
