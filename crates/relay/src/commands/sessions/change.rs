//! `relay sessions rename`, `label`, `fork` and `delete`.

use relay_agent::session::{SessionError, SessionLog, TitleSource};
use relay_diagnostics::Diagnostic;
use relay_engine::Decision;

use super::{Here, entries, failure};
use crate::failure::{BAD_USAGE, Failure};
use crate::terminal::ask::Person;
use crate::terminal::{self, visible};
use crate::{open, signals};

pub fn rename(here: &Here, id: &str, name: &str) -> Result<u8, Failure> {
    let mut log = here.open(id)?;
    if !log.set_name(name, TitleSource::User).map_err(|error| failure(&error))? {
        let diagnostic = Diagnostic::error(BAD_USAGE, "a name needs at least one visible character");
        return Err(Failure::usage(diagnostic));
    }
    let name = log.name().unwrap_or_default();
    Ok(terminal::print(&format!("session {} is now called {}\n", visible(log.id()), visible(&name))))
}

pub fn label(here: &Here, id: &str, entry: &str, label: Option<&str>) -> Result<u8, Failure> {
    let mut log = here.open(id)?;
    let entry = entry_of(&log, entry).map_err(|error| failure(&error))?;
    log.set_label(&entry, label).map_err(|error| failure(&error))?;
    let entry = visible(&entry);
    Ok(terminal::print(&match label.map(str::trim).filter(|label| !label.is_empty()) {
        Some(label) => format!("entry {entry} is now labelled {}\n", visible(label)),
        None => format!("entry {entry} has no label any more\n"),
    }))
}

pub fn fork(here: &Here, id: &str, at: Option<&str>) -> Result<u8, Failure> {
    let failed = |error: SessionError| failure(&error);
    let copy = match at {
        None => SessionLog::fork_from(&here.store, &here.find(id)?, &here.project).map_err(failed)?,
        Some(entry) => {
            let log = here.open(id)?;
            let entry = entry_of(&log, entry).map_err(failed)?;
            log.branch_into_new(&here.store, Some(&entry)).map_err(failed)?
        }
    };
    Ok(terminal::print(&format!("{}\n", copy.id())))
}

pub fn delete(here: &Here, id: &str, yes: bool) -> Result<u8, Failure> {
    let path = here.find(id)?;
    let question = match SessionLog::load(&here.store, &path) {
        Ok(session) => {
            let name = session.name().map(|name| format!(" “{}”", visible(&name))).unwrap_or_default();
            let entries = entries(session.entries.len());
            format!("delete session {}{name} with {entries} for good?", visible(session.header.id()))
        }
        // A file that is not a session can be deleted too, but only explicitly.
        Err(error @ SessionError::Invalid { .. }) => {
            format!("{}\ndelete it for good?", visible(&error.to_string()))
        }
        Err(error) => return Err(failure(&error)),
    };
    let cancel = signals::cancel_on_signals().map_err(|error| Failure::environment(&error))?;
    match Person::new(cancel, yes, false).confirm(&question) {
        Decision::Yes => {}
        Decision::Interrupted => return Ok(130),
        Decision::No => {
            terminal::tell("nothing was deleted\n");
            return Ok(1);
        }
        Decision::NobodyThere => {
            let diagnostic = Diagnostic::error(BAD_USAGE, "deleting a session needs a confirmation");
            return Err(Failure::usage(diagnostic.hinted("To delete it without a question: --yes")));
        }
    }
    open::store()?.sessions().remove(&path).map_err(|error| failure(&error.into()))?;
    Ok(terminal::print("deleted\n"))
}

/// The entry that a text names: its id, or the beginning of it.
fn entry_of(log: &SessionLog, text: &str) -> Result<String, SessionError> {
    if log.entry(text).is_some() {
        return Ok(text.to_owned());
    }
    let mut found = log.entries().iter().filter(|entry| entry.id().starts_with(text));
    match (found.next(), found.next()) {
        (Some(entry), None) => Ok(entry.id().to_owned()),
        _ => Err(SessionError::NoEntry { id: text.to_owned() }),
    }
}
