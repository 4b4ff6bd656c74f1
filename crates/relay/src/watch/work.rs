//! The worker: lands and undoes replies, one after another, while the view stays responsive.
//!
//! Each task reopens the project, so that it uses the current config, trust and ledger.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender};

use relay_diagnostics::Cancel;
use relay_engine::approval::{Approver, Decision, Proposal};
use relay_engine::config::ConfiguredCommand;
use relay_engine::{
    Engine, LandOptions, Observer, Outcome, Submission, UndoOptions, Which, land, reply_digest, undo,
};
use relay_txn::CheckRecord;
use relay_workspace::{RelPath, Sensitive, Workspace};
use uuid::Uuid;

use super::message::{Answer, Done, Message, Question, Repair, Step, Task};
use crate::failure::Failure;
use crate::terminal::progress::Lines;
use crate::terminal::style::{NOTE, paint};
use crate::terminal::{ask, diff, report, visible};
use crate::{clipboard, commands, open, reviewed};

/// How many transactions the log shows.
const LOG_ENTRIES: usize = 10;

/// What every task needs.
pub struct Site {
    /// The project's root.
    pub root: PathBuf,
    /// How replies are landed.
    pub options: LandOptions,
    /// The reviewer named on the command line; otherwise the user's settings decide.
    pub review: Option<String>,
    /// Make no connections.
    pub offline: bool,
    /// Approve everything that can be approved in advance.
    pub yes: bool,
    /// Whether the user can be asked.
    pub can_ask: bool,
}

/// A task, and what cancels it.
pub struct Job {
    pub task: Task,
    pub cancel: Cancel,
}

/// Runs until all jobs are done.
pub fn work(site: &Site, jobs: &Receiver<Job>, answers: Receiver<Answer>, messages: Sender<Message>) {
    let mut desk = Desk { site, answers, messages };
    while let Ok(job) = jobs.recv() {
        let done = desk.carry_out(job);
        desk.tell(Step::Done(done));
    }
}

/// The worker's side of the conversation: it reports, asks, and waits for answers.
struct Desk<'a> {
    site: &'a Site,
    answers: Receiver<Answer>,
    messages: Sender<Message>,
}

impl Desk<'_> {
    /// If the receiver is gone, the process is about to end.
    fn tell(&self, step: Step) {
        self.messages.send(Message::Work(step)).unwrap_or_default();
    }

    /// A reply that cannot even be started is refused like any other.
    fn carry_out(&mut self, Job { task, cancel }: Job) -> Done {
        match (self.open(cancel), task) {
            (Ok(engine), Task::Land(text)) => self.land(engine, text),
            (Ok(engine), Task::Repair(text)) => Done::Repair(self.repair(&engine, text)),
            (Ok(engine), Task::Undo(uuid)) => {
                Done::Undone { uuid, outcome: Box::new(self.undo(&engine, uuid)) }
            }
            (Ok(engine), Task::Log) => match commands::log::newest(&engine, LOG_ENTRIES) {
                Ok(text) => Done::Log(text),
                Err(failure) => Done::Failed(failure.into_diagnostics()),
            },
            (Err(failure), Task::Land(text)) => refused(text, failure),
            (Err(failure), _) => Done::Failed(failure.into_diagnostics()),
        }
    }

    /// The project as it is now. If the config has been deleted meanwhile, Relay must not accept every reply.
    fn open(&self, cancel: Cancel) -> Result<Engine, Failure> {
        let workspace = Workspace::open(&self.site.root).map_err(|error| Failure::environment(&error))?;
        let engine = Engine::open(workspace, open::store()?, cancel)?;
        if engine.is_configured() { Ok(engine) } else { Err(Failure::usage(super::no_config())) }
    }

    fn land(&mut self, mut engine: Engine, text: String) -> Done {
        if let Err(failure) = reviewed::add(&mut engine, self.site.review.as_deref(), self.site.offline) {
            return refused(text, failure);
        }
        let submission = Submission { channel: "watch", text, dialect: None };
        let options =
            LandOptions { repair: engine.config().repair_to_clipboard, ..self.site.options.clone() };
        let mut observer = Reporter(self.messages.clone(), Lines::default());
        let outcome = land(&engine, &submission, &options, self, &mut observer);
        let repair = outcome.repair_prompt.as_deref().map(|prompt| self.hand_out(prompt));
        Done::Landed { text: submission.text, outcome: Box::new(outcome), repair }
    }

    /// Plans the reply again without landing anything, and asks the model for exactly what failed.
    fn repair(&mut self, engine: &Engine, text: String) -> Repair {
        let submission = Submission { channel: "watch", text, dialect: None };
        let options = LandOptions { repair: true, dry_run: true, ..self.site.options.clone() };
        let mut observer = Reporter(self.messages.clone(), Lines::default());
        let outcome = land(engine, &submission, &options, self, &mut observer);
        outcome.repair_prompt.map_or(Repair::NotNeeded, |prompt| self.hand_out(&prompt))
    }

    fn hand_out(&self, prompt: &str) -> Repair {
        self.tell(Step::Copies { digest: reply_digest(prompt) });
        match clipboard::copy(prompt) {
            Ok(()) => Repair::Copied,
            Err(_) => Repair::Shown(prompt.to_owned()),
        }
    }

    fn undo(&mut self, engine: &Engine, uuid: Uuid) -> Outcome {
        let options = UndoOptions {
            which: Which::One(uuid.to_string()),
            break_links: self.site.options.break_links,
            allow_sensitive: self.site.options.allow_sensitive,
            ..UndoOptions::default()
        };
        let mut observer = Reporter(self.messages.clone(), Lines::default());
        undo(engine, &options, self, &mut observer)
    }

    /// Asks, and shows one file after another on request.
    fn ask(&mut self, question: Question, mut show: impl FnMut(usize) -> String) -> Decision {
        if !self.site.can_ask {
            return Decision::NobodyThere;
        }
        self.tell(Step::Asks(question));
        let mut shown = 0;
        loop {
            match self.answers.recv() {
                Ok(Answer::Yes) => return Decision::Yes,
                Ok(Answer::No) => return Decision::No,
                Ok(Answer::Leave) | Err(_) => return Decision::Interrupted,
                Ok(Answer::Show) => {
                    self.tell(Step::Shows(show(shown)));
                    shown += 1;
                }
            }
        }
    }
}

/// The outcome of a reply that could not be started.
fn refused(text: String, failure: Failure) -> Done {
    let outcome = Box::new(Outcome::rejected(failure.into_diagnostics()));
    Done::Landed { text, outcome, repair: None }
}

impl Approver for Desk<'_> {
    fn can_approve(&self) -> bool {
        self.site.yes || self.site.can_ask
    }

    fn approved_by(&self) -> &str {
        if self.site.yes { "--yes" } else { "user" }
    }

    fn approve(&mut self, proposal: &Proposal<'_>) -> Decision {
        if self.site.yes {
            return Decision::Yes;
        }
        let text = format!(
            "{}{}\n{} {}\n",
            report::checks(proposal.checks),
            report::diagnostics(proposal.diagnostics),
            paint(NOTE.bold(), "?"),
            visible(&proposal.reason.message)
        );
        let diff = format!("\n{}", diff::changes(proposal.changes));
        let question = Question { diff, text, ask: "keep this change?".to_owned(), can_show: true };
        self.ask(question, |turn| {
            let index = turn.checked_rem(proposal.changes.len()).unwrap_or_default();
            proposal
                .changes
                .get(index)
                .map(|change| diff::whole(change, proposal.changes))
                .unwrap_or_default()
        })
    }

    fn trust(&mut self, commands: &[ConfiguredCommand<'_>], changed_since_trusted: bool) -> Decision {
        let text = ask::trust_text(commands, changed_since_trusted);
        let ask = "trust exactly these commands on this machine?".to_owned();
        self.ask(Question { diff: String::new(), text, ask, can_show: false }, |_| String::new())
    }

    fn allow_sensitive(&mut self, paths: &[(RelPath, Sensitive)]) -> Decision {
        let text = ask::sensitive_text(paths);
        self.ask(
            Question { diff: String::new(), text, ask: "allow this?".to_owned(), can_show: false },
            |_| String::new(),
        )
    }
}

/// Shows the progress of a task in the view.
struct Reporter(Sender<Message>, Lines);

impl Reporter {
    fn tell(&self, step: Step) {
        self.0.send(Message::Work(step)).unwrap_or_default();
    }
}

impl Observer for Reporter {
    fn waiting(&mut self, for_what: &str) {
        self.tell(Step::Waits(for_what.to_owned()));
    }

    fn command_started(&mut self, key: &str, command: &str) {
        self.tell(Step::Runs { command: format!("{key} {command}") });
    }

    fn command_output(&mut self, bytes: &[u8]) {
        for line in self.1.take(bytes) {
            self.tell(Step::Printed(line));
        }
    }

    fn command_finished(&mut self, _check: &CheckRecord) {
        self.tell(Step::Ran);
    }
}
