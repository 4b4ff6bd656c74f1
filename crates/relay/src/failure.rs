//! Errors of the command line: a message, a way out, an exit code.

use relay_diagnostics::{Code, Diagnostic};
use relay_engine::{EngineError, Outcome, report, with_sources};

use crate::terminal;

/// What was typed makes no sense.
pub const BAD_USAGE: Code = Code::new("bad-usage");
/// The input could not be read.
pub const UNREADABLE_INPUT: Code = Code::new("unreadable-input");
/// The command needs a project's config, and there is none.
pub const NO_CONFIG: Code = Code::new("no-config");
/// Something outside Relay's reach is missing or broken: a folder, a clipboard.
pub const ENVIRONMENT: Code = Code::new("environment");

/// Why a command could not do its work.
#[derive(Debug)]
pub struct Failure {
    diagnostics: Vec<Diagnostic>,
    exit_code: u8,
}

impl Failure {
    /// Bad usage or unreadable input: exit 2.
    pub fn usage(diagnostic: Diagnostic) -> Self {
        Self { diagnostics: vec![diagnostic], exit_code: 2 }
    }

    /// What was typed makes no sense, for a caller that wants JSON: exit 2.
    pub fn bad_usage(error: &clap::Error) -> Self {
        let text = error.to_string();
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let message = lines.next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let tip = lines
            .find_map(|line| line.trim().strip_prefix("tip: "))
            .unwrap_or("`relay help` lists the commands.");
        Self::usage(Diagnostic::error(BAD_USAGE, message).hinted(tip))
    }

    /// Refused, for each of these reasons: exit 1.
    pub fn refused(diagnostics: Vec<Diagnostic>) -> Self {
        Self { diagnostics, exit_code: 1 }
    }

    /// Bad usage, for each of these reasons: exit 2.
    pub fn misused(diagnostics: Vec<Diagnostic>) -> Self {
        Self { diagnostics, exit_code: 2 }
    }

    /// Somebody interrupted it: exit 130.
    pub fn interrupted(diagnostics: Vec<Diagnostic>) -> Self {
        Self { diagnostics, exit_code: 130 }
    }

    /// Everything else: exit 1.
    pub fn general(diagnostic: Diagnostic) -> Self {
        Self { diagnostics: vec![diagnostic], exit_code: 1 }
    }

    /// An error of the world around, told in full.
    pub fn environment(error: &(dyn std::error::Error + 'static)) -> Self {
        Self::general(Diagnostic::error(ENVIRONMENT, with_sources(error)))
    }

    /// Everything that went wrong.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    /// The first thing that went wrong, in one sentence.
    pub fn message(&self) -> String {
        self.diagnostics.first().map(|diagnostic| diagnostic.message.clone()).unwrap_or_default()
    }

    /// Tells it as one line of JSON on standard output, for commands that print a document a line. Returns the exit code.
    pub fn report_line(self) -> u8 {
        let document = report::outcome(&Outcome::rejected(self.diagnostics));
        terminal::print_as_is(&terminal::document_line(&document));
        self.exit_code
    }

    /// Tells it, as JSON on standard output or for people on standard error, and returns the exit code.
    pub fn report(self, json: bool) -> u8 {
        if json {
            let document = report::outcome(&Outcome::rejected(self.diagnostics));
            terminal::print_document(&document);
        } else {
            terminal::tell(&terminal::report::diagnostics(&self.diagnostics));
        }
        self.exit_code
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self { diagnostics: error.diagnostics(), exit_code: 1 }
    }
}
