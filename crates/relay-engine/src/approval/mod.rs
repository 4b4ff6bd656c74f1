//! The questions the pipeline may have to ask, and who answers them.

pub(crate) mod foresee;
pub mod trust;

use relay_diagnostics::Diagnostic;
use relay_txn::{CheckRecord, FileChange};
use relay_workspace::{RelPath, Sensitive};

use crate::project::config::ConfiguredCommand;

/// The answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Go on.
    Yes,
    /// Do not.
    No,
    /// The person left, with Ctrl-C or because the terminal went away.
    Interrupted,
    /// No one is there to ask.
    NobodyThere,
}

/// What a person is asked to approve. The files already hold the new content.
#[derive(Debug)]
pub struct Proposal<'a> {
    /// The exact changes.
    pub changes: &'a [FileChange],
    /// The checks' results.
    pub checks: &'a [CheckRecord],
    /// Warnings so far.
    pub diagnostics: &'a [Diagnostic],
    /// Why this needs a person.
    pub reason: &'a Diagnostic,
}

/// Answers questions. `--yes` answers only [`Approver::approve`]; trust and sensitive paths are never implied.
pub trait Approver {
    /// Whether [`Approver::approve`] can be answered at all. If not, nothing is applied just to be rolled back.
    fn can_approve(&self) -> bool;

    /// Who answers, for the ledger: `user`, or the flag that answered.
    fn approved_by(&self) -> &str;

    /// Keep the applied changes?
    fn approve(&mut self, proposal: &Proposal<'_>) -> Decision;

    /// May the project's commands run on this machine? A `Yes` is remembered for exactly these commands.
    fn trust(&mut self, commands: &[ConfiguredCommand<'_>], changed_since_trusted: bool) -> Decision;

    /// May these files be written, although other tools execute what is in them?
    fn allow_sensitive(&mut self, paths: &[(RelPath, Sensitive)]) -> Decision;

    /// Are these blocks of a reply, which may be edits, only shown, so that the rest may land? `--yes` does not answer
    /// this.
    fn only_shown(&mut self, _blocks: &[Diagnostic]) -> Decision {
        Decision::NobodyThere
    }

    /// Is this content the whole of the files it replaces, although it looks like a part? `--yes` does not answer this.
    fn whole_files(&mut self, _findings: &[Diagnostic]) -> Decision {
        Decision::NobodyThere
    }

    /// May this command, requested by a model, run? If there is no one to ask, it may not.
    fn run_command(&mut self, _command: &str) -> Decision {
        Decision::NobodyThere
    }
}

/// Receives events while a submission is processed, for live progress. Every method may do nothing.
pub trait Observer {
    /// A command starts.
    fn command_started(&mut self, _key: &str, _command: &str) {}
    /// A command wrote something.
    fn command_output(&mut self, _bytes: &[u8]) {}
    /// A command ended.
    fn command_finished(&mut self, _check: &CheckRecord) {}
    /// Relay waits for another transaction that works on one of the files.
    fn waiting(&mut self, _for_what: &str) {}
    /// The files hold the new content, and the checks are about to run.
    fn applied(&mut self, _changes: &[FileChange]) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}
