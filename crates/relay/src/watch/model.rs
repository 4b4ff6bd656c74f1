//! What the watcher knows, and what it does about what happens: a message goes in, the model changes, effects come out.
//! No terminal and no clipboard in here. `arrivals` decides about what comes through the channel, `keys` about keys,
//! and `results` about what the worker reports.

use std::collections::VecDeque;
use std::time::Instant;

use relay_diagnostics::Diagnostic;
use relay_engine::Config;
use uuid::Uuid;

use super::arrivals::Newest;
use super::memory::Memory;
use super::message::{Effect, Message, Question, Task};
use super::view;

/// What the watcher is doing.
#[derive(Debug)]
pub enum Phase {
    /// The channel is being opened.
    Opening,
    /// Nothing.
    Waiting,
    /// A task is under way.
    Working(Progress),
    /// A task waits for an answer.
    Asking(Question),
}

/// How far a task got.
#[derive(Debug)]
pub struct Progress {
    /// What is being done.
    pub title: String,
    /// Since when.
    pub since: Instant,
    /// What the command printed last.
    pub line: String,
}

impl Progress {
    /// Something that begins now.
    pub(super) fn begin(title: impl Into<String>) -> Self {
        Self { title: title.into(), since: Instant::now(), line: String::new() }
    }
}

/// What was asked for on the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wishes {
    /// Texts without a control block are taken too.
    pub any: bool,
    /// What was there before the start is taken too.
    pub now: bool,
    /// Whatever comes was sent to Relay, as through a file or standard input, and gets a report.
    pub addressed: bool,
}

/// What came before, so that nothing is handled or mentioned twice.
#[derive(Debug, Default)]
pub struct Known {
    /// Replies that were handled, and texts that are not to be.
    pub(super) seen: Memory,
    /// Texts that were left alone with a line about it.
    pub(super) noted: Memory,
    /// The reply that came last.
    pub(super) newest: Option<Newest>,
}

/// Everything the watcher knows.
#[derive(Debug)]
pub struct Model {
    /// What is watched.
    pub place: String,
    /// The project's settings.
    pub config: Config,
    /// What it is doing.
    pub phase: Phase,
    /// Replies that wait their turn.
    pub queue: VecDeque<String>,
    /// New texts are left alone.
    pub is_paused: bool,
    /// What landed and was not taken back here, oldest first.
    pub landed: Vec<Uuid>,
    /// How many replies were refused.
    pub refusals: usize,
    /// What was asked for on the command line.
    pub(super) wishes: Wishes,
    /// What came before.
    pub(super) known: Known,
    /// The reply that was refused last.
    pub(super) refused: Option<String>,
    /// Nothing will come any more.
    pub(super) is_over: bool,
    /// The end is wanted, with this exit code.
    pub(super) leaving: Option<u8>,
    /// The exit code that what happened so far leads to.
    pub(super) worst: u8,
    /// A reply was copied while too many were waiting.
    pub(super) has_missed: bool,
}

impl Model {
    /// A watcher that knows nothing yet.
    pub fn new(config: Config, wishes: Wishes) -> Self {
        Self {
            place: String::new(),
            config,
            phase: Phase::Opening,
            queue: VecDeque::new(),
            is_paused: false,
            landed: Vec::new(),
            refusals: 0,
            wishes,
            known: Known::default(),
            refused: None,
            is_over: false,
            leaving: None,
            worst: 0,
            has_missed: false,
        }
    }

    /// Whether something is under way that changes by itself.
    pub fn is_working(&self) -> bool {
        matches!(self.phase, Phase::Working(_))
    }

    /// The name of the project.
    pub(super) fn project(&self) -> &str {
        self.config.project_id.as_deref().unwrap_or_default()
    }

    /// Takes a message in. What it returns is to be done in this order.
    pub fn update(&mut self, message: Message) -> Vec<Effect> {
        let mut effects = match message {
            Message::Opened { place } => self.opened(place),
            Message::Arrived(arrival) => self.arrived(arrival),
            Message::Lost(findings) => self.lost(findings),
            Message::Key(key, _) => self.key(key),
            Message::Stop => self.leave(130),
            Message::Resumed => Vec::new(),
            Message::Work(step) => self.worked(step),
            Message::Configured(config) => self.configured(config),
        };
        self.go_on(&mut effects);
        effects
    }

    /// With nothing under way: the end, or the next reply.
    fn go_on(&mut self, effects: &mut Vec<Effect>) {
        match (&self.phase, self.leaving) {
            (Phase::Working(_) | Phase::Asking(_), _) | (Phase::Opening, None) => {}
            (_, Some(code)) => effects.push(Effect::Quit(code)),
            (Phase::Waiting, None) => {
                if let Some(text) = self.queue.pop_front() {
                    effects.push(Effect::Found);
                    effects.push(self.start(Task::Land(text), "reading the reply"));
                } else if self.is_over {
                    effects.push(Effect::Quit(self.worst));
                }
            }
        }
    }

    /// Gives the worker something to do.
    pub(super) fn start(&mut self, task: Task, title: &str) -> Effect {
        self.phase = Phase::Working(Progress::begin(title));
        Effect::Work(task)
    }

    fn opened(&mut self, place: String) -> Vec<Effect> {
        self.phase = Phase::Waiting;
        self.place = place;
        vec![Effect::Say(view::banner(self))]
    }

    /// The channel broke, or never opened: what waits is still handled.
    fn lost(&mut self, findings: Vec<Diagnostic>) -> Vec<Effect> {
        if matches!(self.phase, Phase::Opening) {
            return vec![Effect::Fail(findings)];
        }
        self.is_over = true;
        self.worst = 1;
        vec![Effect::Complain(findings)]
    }

    fn configured(&mut self, config: Result<Box<Config>, Vec<Diagnostic>>) -> Vec<Effect> {
        match config {
            Ok(config) => {
                self.config = *config;
                vec![Effect::Say(view::note("the config has changed and is used from now on"))]
            }
            Err(findings) => vec![Effect::Complain(findings)],
        }
    }
}
