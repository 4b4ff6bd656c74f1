//! The context of everything that lands: the engine, the approver, the observer, and the outcome so far.
//!
//! A reply, an undo, a restored content and the effect of a command all go through one of these. It knows nothing about
//! where changes come from.

use relay_diagnostics::Diagnostic;

use crate::approval::trust::{self, TrustAnswer};
use crate::approval::{Approver, Observer};
use crate::engine::Engine;
use crate::land::transact;
use crate::outcome::stop::Stop;
use crate::outcome::{Outcome, Status};

/// A submission being processed.
pub(crate) struct Landing<'a> {
    pub engine: &'a Engine,
    pub approver: &'a mut dyn Approver,
    pub observer: &'a mut dyn Observer,
    pub outcome: Outcome,
}

impl<'a> Landing<'a> {
    /// Nothing has happened yet. The outcome begins with the warnings about the workspace itself.
    pub fn new(engine: &'a Engine, approver: &'a mut dyn Approver, observer: &'a mut dyn Observer) -> Self {
        let outcome = Outcome::rejected(engine.warnings().to_vec());
        Self { engine, approver, observer, outcome }
    }

    /// Takes the steps, and records the outcome however they end.
    pub fn run(mut self, steps: impl FnOnce(&mut Self) -> Result<Status, Stop>) -> Outcome {
        let ended = steps(&mut self);
        // However the steps ended, the next scan must see what was written, rolled back or changed by a command.
        self.engine.workspace().scans().clear();
        let status = ended.unwrap_or_else(|stop| stop.settle(&mut self.outcome.diagnostics));
        self.outcome.settle(status);
        self.outcome
    }

    /// Adds findings for the person.
    pub fn say(&mut self, findings: impl IntoIterator<Item = Diagnostic>) {
        self.outcome.diagnostics.extend(findings);
    }

    /// Determines whether the project's commands may run.
    pub fn require_trust(&mut self, answer: TrustAnswer) -> Result<(), Stop> {
        trust::require(self.engine, answer, self.approver)
    }

    /// Refuses what needs approval if there is no one to ask.
    pub fn require_approver(&self, questions: &[Diagnostic]) -> Result<(), Stop> {
        transact::require_approver(self.engine, self.approver, questions)
    }
}
