//! Errors of the command line: a message, a way out, an exit code.

use relay_backends::ask::AskError;
use relay_backends::configured::ConfiguredError;
use relay_diagnostics::{Code, Diagnostic};
use relay_engine::{EngineError, Outcome, report, with_sources};
use relay_llm::catalog::SelectError;
use relay_settings::{ModelsError, OpenError, SettingsError};
use relay_store::StoreError;

use crate::terminal;

/// What was typed makes no sense.
pub const BAD_USAGE: Code = Code::new("bad-usage");
/// The input could not be read.
pub const UNREADABLE_INPUT: Code = Code::new("unreadable-input");
/// The command needs a project's config, and there is none.
pub const NO_CONFIG: Code = Code::new("no-config");
/// Something outside Relay's control is missing or broken: a folder, a clipboard.
pub const ENVIRONMENT: Code = Code::new("environment");

/// The user's settings cannot be used.
pub const BAD_SETTING: Code = Code::new("bad-setting");
/// No model can be asked.
pub const NO_MODEL: Code = Code::new("no-model");
/// A backend gave no answer.
pub const NO_ANSWER: Code = Code::new("no-answer");

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

    /// Bad usage, for a caller that wants JSON: exit 2.
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

    /// The user interrupted it: exit 130.
    pub fn interrupted(diagnostics: Vec<Diagnostic>) -> Self {
        Self { diagnostics, exit_code: 130 }
    }

    /// Everything else: exit 1.
    pub fn general(diagnostic: Diagnostic) -> Self {
        Self { diagnostics: vec![diagnostic], exit_code: 1 }
    }

    /// An error outside Relay's control, with its causes: exit 1.
    pub fn environment(error: &(dyn std::error::Error + 'static)) -> Self {
        Self::general(Diagnostic::error(ENVIRONMENT, with_sources(error)))
    }

    /// Whether the failure has this reason.
    pub fn is(&self, code: Code) -> bool {
        self.diagnostics.first().is_some_and(|diagnostic| diagnostic.code == code)
    }

    /// Everything that went wrong.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    /// The first thing that went wrong, in one sentence.
    pub fn message(&self) -> String {
        self.diagnostics.first().map(|diagnostic| diagnostic.message.clone()).unwrap_or_default()
    }

    /// Prints it as one line of JSON on standard output, for commands that print one document per line. Returns the exit
    /// code.
    pub fn report_line(self) -> u8 {
        let document = report::outcome(&Outcome::rejected(self.diagnostics));
        terminal::print_as_is(&terminal::document_line(&document));
        self.exit_code
    }

    /// Reports it, as JSON on standard output or for people on standard error, and returns the exit code.
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

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::general(hinted(Diagnostic::error(ENVIRONMENT, with_sources(&error)), error.hint()))
    }
}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Self {
        Self::usage(Diagnostic::error(BAD_SETTING, error.to_string()).hinted(error.hint()))
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Store(error) => error.into(),
            OpenError::Settings(error) => error.into(),
            _ => Self::environment(&error),
        }
    }
}

impl From<ModelsError> for Failure {
    fn from(error: ModelsError) -> Self {
        Self::general(hinted(Diagnostic::error(ENVIRONMENT, with_sources(&error)), error.hint()))
    }
}

impl From<SelectError> for Failure {
    fn from(error: SelectError) -> Self {
        Self::usage(Diagnostic::error(BAD_USAGE, error.to_string()).hinted(error.hint()))
    }
}

impl From<ConfiguredError> for Failure {
    fn from(error: ConfiguredError) -> Self {
        let code = match error {
            ConfiguredError::Models(error) => return error.into(),
            ConfiguredError::NoKey { .. } => ENVIRONMENT,
            ConfiguredError::NoModel { .. } => BAD_SETTING,
            _ => BAD_USAGE,
        };
        Self::usage(hinted(Diagnostic::error(code, error.to_string()), error.hint()))
    }
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        let code = if matches!(error, AskError::SeveralWriters) { BAD_USAGE } else { NO_ANSWER };
        Self::usage(hinted(Diagnostic::error(code, error.to_string()), error.hint()))
    }
}

fn hinted(diagnostic: Diagnostic, hint: Option<String>) -> Diagnostic {
    match hint {
        Some(hint) => diagnostic.hinted(hint),
        None => diagnostic,
    }
}
