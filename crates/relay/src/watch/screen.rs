//! The watcher's output: a live view in a terminal, plain lines or JSON otherwise.

use std::io::{self, Write as _};

use relay_diagnostics::Diagnostic;
use relay_engine::{Outcome, report};

use crate::terminal::{self, progress::CLEAR_LINE};

/// How output looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Everything on standard error, with a line at the bottom that changes.
    Live,
    /// Reports on standard output, notes on standard error.
    Plain,
    /// One JSON document per line on standard output, notes on standard error.
    Json,
}

/// The output, and the line at the bottom of it.
pub struct Screen {
    manner: Manner,
    status: String,
}

impl Screen {
    /// An empty one.
    pub fn new(manner: Manner) -> Self {
        Self { manner, status: String::new() }
    }

    /// Shows a text above the line at the bottom.
    pub fn say(&mut self, text: &str) {
        self.clear();
        terminal::tell(text);
    }

    /// Shows a diff above the line at the bottom, as it is.
    pub fn show(&mut self, diff: &str) {
        self.clear();
        terminal::tell_as_is(diff);
    }

    /// Shows the outcome of a reply. An error means that the output is closed.
    pub fn report(&mut self, outcome: &Outcome) -> io::Result<()> {
        match self.manner {
            Manner::Live => self.say(&terminal::report::outcome(outcome)),
            Manner::Plain => terminal::write_out(&terminal::report::outcome(outcome))?,
            Manner::Json => terminal::write_out(&terminal::document_line(&report::outcome(outcome)))?,
        }
        Ok(())
    }

    /// Shows findings that belong to no reply.
    pub fn complain(&mut self, findings: &[Diagnostic]) {
        self.say(&terminal::report::diagnostics(findings));
    }

    /// Sets the line at the bottom.
    pub fn paint(&mut self, status: String) {
        if self.manner == Manner::Live && status != self.status {
            // Control sequences bypass the filter that strips unwanted colours.
            drive(CLEAR_LINE);
            terminal::tell_as_is(&status);
            self.status = status;
        }
    }

    /// Rings the terminal's bell.
    pub fn ring(&self) {
        if self.manner == Manner::Live {
            drive("\u{7}");
        }
    }

    /// Removes the line at the bottom.
    pub fn clear(&mut self) {
        if !std::mem::take(&mut self.status).is_empty() {
            drive(CLEAR_LINE);
        }
    }
}

/// If standard error cannot be written, there is no place left to report it.
fn drive(sequence: &str) {
    let mut stream = io::stderr().lock();
    drop(stream.write_all(sequence.as_bytes()).and_then(|()| stream.flush()));
}
