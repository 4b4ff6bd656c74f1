//! The watcher's state and its reactions: a message goes in, the model changes, effects come out. This module uses no
//! terminal and no clipboard. `arrivals` handles what the channel delivers, `keys` handles keys, and `results` what the
//! worker reports.

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
    /// A task is running.
    Working(Progress),
    /// A task waits for an answer.
    Asking(Question),
}

/// The progress of a task.
#[derive(Debug)]
pub struct Progress {
    /// What is being done.
    pub title: String,
    /// Since when.
    pub since: Instant,
    /// The command's latest output.
    pub line: String,
}

impl Progress {
    /// A task that starts now.
    pub(super) fn begin(title: impl Into<String>) -> Self {
        Self { title: title.into(), since: Instant::now(), line: String::new() }
    }
}

/// The options from the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wishes {
    /// Accept texts without a control block.
    pub any: bool,
    /// Accept what was there before the start.
    pub now: bool,
    /// Everything was sent to Relay, as through a file or standard input, and gets a report.
    pub addressed: bool,
}

/// Earlier texts, so that none is handled or mentioned twice.
#[derive(Debug, Default)]
pub struct Known {
    /// Replies that were handled, and texts to ignore.
    pub(super) seen: Memory,
    /// Texts that were left alone with a line about it.
    pub(super) noted: Memory,
    /// The last reply.
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
    /// Ignore new texts.
    pub is_paused: bool,
    /// What landed here and was not undone, oldest first.
    pub landed: Vec<Uuid>,
    /// How many replies were refused.
    pub refusals: usize,
    /// The options from the command line.
    pub(super) wishes: Wishes,
    /// Earlier texts.
    pub(super) known: Known,
    /// The last refused reply.
    pub(super) refused: Option<String>,
    /// The channel has ended.
    pub(super) is_over: bool,
    /// Stop with this exit code.
    pub(super) leaving: Option<u8>,
    /// The exit code so far.
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

    /// Whether the display changes on its own, because work is in progress.
    pub fn is_working(&self) -> bool {
        matches!(self.phase, Phase::Working(_))
    }

    /// The name of the project.
    pub(super) fn project(&self) -> &str {
        self.config.project_id.as_deref().unwrap_or_default()
    }

    /// Handles a message. Returns effects, to be performed in this order.
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

    /// When idle: stop, or take the next reply.
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

    /// Gives the worker a task.
    pub(super) fn start(&mut self, task: Task, title: &str) -> Effect {
        self.phase = Phase::Working(Progress::begin(title));
        Effect::Work(task)
    }

    fn opened(&mut self, place: String) -> Vec<Effect> {
        self.phase = Phase::Waiting;
        self.place = place;
        vec![Effect::Say(view::banner(self))]
    }

    /// The channel broke, or never opened; waiting replies are still handled.
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
