//! Handles the worker's reports.

use relay_engine::{Outcome, Status};

use super::message::{Answer, Done, Effect, Notice, Repair, Step};
use super::model::{Model, Phase, Progress};
use super::view;

impl Model {
    /// Handles a step of the worker.
    pub(super) fn worked(&mut self, step: Step) -> Vec<Effect> {
        match (step, &mut self.phase) {
            (Step::Waits(what), Phase::Working(progress)) => *progress = Progress::begin(what),
            (Step::Runs { command }, Phase::Working(progress)) => *progress = Progress::begin(command),
            (Step::Printed(line), Phase::Working(progress)) => progress.line = line,
            (Step::Ran, Phase::Working(progress)) => *progress = Progress::begin("finishing"),
            (Step::Copies { digest }, _) => {
                self.known.seen.learn_digest(digest);
            }
            (Step::Asks(_), _) if self.leaving.is_some() => return vec![Effect::Answer(Answer::Leave)],
            (Step::Asks(question), _) => {
                self.phase = Phase::Asking(question.clone());
                return vec![Effect::Notify(Notice::NeedsYou), Effect::Ask(question)];
            }
            (Step::Shows(text), _) => return vec![Effect::Show(text)],
            (Step::Done(done), _) => {
                self.phase = Phase::Waiting;
                return self.done(done);
            }
            _ => {}
        }
        Vec::new()
    }

    fn done(&mut self, done: Done) -> Vec<Effect> {
        match done {
            Done::Landed { text, outcome, repair } => self.landed(text, outcome, repair),
            Done::Undone { uuid, outcome } => {
                if outcome.status == Status::Committed {
                    self.landed.retain(|landed| *landed != uuid);
                }
                vec![Effect::Report(outcome)]
            }
            Done::Repair(repair) => vec![Effect::Say(view::repair(&repair))],
            Done::Log(text) => vec![Effect::Say(text)],
            Done::Failed(findings) => {
                self.worst = 1;
                vec![Effect::Complain(findings)]
            }
        }
    }

    fn landed(&mut self, text: String, outcome: Box<Outcome>, repair: Option<Repair>) -> Vec<Effect> {
        let mut effects = Vec::new();
        match outcome.status {
            Status::Committed | Status::Partial if outcome.uuid.is_some() => {
                self.landed.extend(outcome.uuid);
                self.refused = None;
                effects.push(Effect::Notify(Notice::Landed(outcome.landed().count())));
            }
            Status::Rejected | Status::RolledBack | Status::RecoveryNeeded => {
                self.refusals += 1;
                self.refused = Some(text);
                effects.push(Effect::Notify(Notice::Refused));
            }
            Status::Interrupted => self.refused = Some(text),
            Status::Committed
            | Status::Partial
            | Status::Validated
            | Status::Unchanged
            | Status::AlreadyProcessed
            | Status::Explained => {}
        }
        self.worst = match (self.worst, outcome.status.exit_code()) {
            (1, _) | (_, 1) => 1,
            (before, code) => before.max(code),
        };
        effects.push(Effect::Report(outcome));
        effects.extend(repair.map(|repair| Effect::Say(view::repair(&repair))));
        effects
    }
}
