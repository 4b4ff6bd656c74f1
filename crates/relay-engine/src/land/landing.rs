//! What everything that lands works with: the engine, the person it asks, the one who watches, and the outcome so far.
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

/// A submission on its way to its end.
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

    /// Takes the steps, and settles the outcome however they end.
    pub fn run(mut self, steps: impl FnOnce(&mut Self) -> Result<Status, Stop>) -> Outcome {
        let ended = steps(&mut self);
        // What was written, rolled back or done by a command is seen by the next look, however the steps ended.
        self.engine.workspace().scans().clear();
        let status = ended.unwrap_or_else(|stop| stop.settle(&mut self.outcome.diagnostics));
        self.outcome.settle(status);
        self.outcome
    }

    /// Adds what a person should know.
    pub fn say(&mut self, findings: impl IntoIterator<Item = Diagnostic>) {
        self.outcome.diagnostics.extend(findings);
    }

    /// Settles whether the project's commands may run.
    pub fn require_trust(&mut self, answer: TrustAnswer) -> Result<(), Stop> {
        trust::require(self.engine, answer, self.approver)
    }

    /// Refuses what no one could approve.
    pub fn require_approver(&self, questions: &[Diagnostic]) -> Result<(), Stop> {
        transact::require_approver(self.engine, self.approver, questions)
    }
}
