//! What the watcher knows, and what it does about what happens. No terminal, no clipboard, no clock of its own in here:
//! a message goes in, the model changes, effects come out.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use relay_engine::{
    Arrival, Config, FileStatus, Outcome, Recognised, Status, may_have_control, recognise, reply_digest,
};
use uuid::Uuid;

use super::memory::Memory;
use super::message::{Answer, Done, Effect, Message, Notice, Question, Repair, Step, Task};
use super::view;

/// How many replies wait while one is being handled, and how large they may be together.
const QUEUE_REPLIES: usize = 100;
const QUEUE_BYTES: usize = 64 << 20;

/// How soon after a text the same one is an echo of it.
const ECHO: Duration = Duration::from_secs(2);

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
    fn begin(title: impl Into<String>) -> Self {
        Self { title: title.into(), since: Instant::now(), line: String::new() }
    }
}

/// The reply that came last. Managers of clipboards offer every text a second time at once, which is nothing to tell.
#[derive(Debug)]
struct Newest {
    digest: String,
    came: Instant,
}

impl Newest {
    fn of(text: &str) -> Self {
        Self { digest: reply_digest(text), came: Instant::now() }
    }

    fn is_echoed_by(&self, text: &str) -> bool {
        self.came.elapsed() < ECHO && self.digest == reply_digest(text)
    }
}

/// What was asked for on the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wishes {
    /// Texts without a control block are taken too.
    pub any: bool,
    /// What was there before the start is taken too.
    pub now: bool,
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
    /// How many replies landed, and how many were refused.
    pub tally: (usize, usize),
    wishes: Wishes,
    seen: Memory,
    noted: Memory,
    newest: Option<Newest>,
    refused: Option<String>,
    is_over: bool,
    leaving: Option<u8>,
    worst: u8,
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
            tally: (0, 0),
            wishes,
            seen: Memory::default(),
            noted: Memory::default(),
            newest: None,
            refused: None,
            is_over: false,
            leaving: None,
            worst: 0,
        }
    }

    /// Whether something is under way that changes by itself.
    pub fn is_working(&self) -> bool {
        matches!(self.phase, Phase::Working(_))
    }

    fn project(&self) -> &str {
        self.config.project_id.as_deref().unwrap_or_default()
    }

    /// Takes a message in. What it returns is to be done in this order.
    pub fn update(&mut self, message: Message) -> Vec<Effect> {
        let mut effects = match message {
            Message::Opened { place } => self.opened(place),
            Message::Arrived(arrival) => self.arrived(arrival),
            Message::Lost(findings) => {
                self.is_over = true;
                self.worst = 1;
                vec![Effect::Complain(findings)]
            }
            Message::Key(key, _) => self.key(key),
            Message::Stop => self.leave(130),
            Message::Resumed => Vec::new(),
            Message::Work(step) => self.worked(step),
            Message::Configured(config) => self.configured(config),
        };
        if matches!(self.phase, Phase::Waiting | Phase::Opening) {
            self.go_on(&mut effects);
        }
        effects
    }

    /// With nothing under way: the end, or the next reply.
    fn go_on(&mut self, effects: &mut Vec<Effect>) {
        if let Some(code) = self.leaving {
            effects.push(Effect::Quit(code));
        } else if let Some(text) = self.queue.pop_front() {
            effects.push(Effect::Found);
            effects.push(self.start(Task::Land(text), "reading the reply"));
        } else if self.is_over {
            effects.push(Effect::Quit(self.worst));
        }
    }

    fn start(&mut self, task: Task, title: &str) -> Effect {
        self.phase = Phase::Working(Progress::begin(title));
        Effect::Work(task)
    }

    fn opened(&mut self, place: String) -> Vec<Effect> {
        self.phase = Phase::Waiting;
        self.place = place;
        vec![Effect::Say(view::banner(self))]
    }

    fn arrived(&mut self, arrival: Arrival) -> Vec<Effect> {
        match arrival {
            Arrival::Nothing => Vec::new(),
            Arrival::End => {
                self.is_over = true;
                Vec::new()
            }
            Arrival::PassedOver(why) => vec![Effect::Say(view::note(&why))],
            Arrival::Present(text) if !self.wishes.now => {
                self.seen.learn(&text);
                Vec::new()
            }
            Arrival::Present(text) | Arrival::Text(text) => self.consider(text),
        }
    }

    /// A text came. Most are none of our business, and not a word is said about them.
    fn consider(&mut self, text: String) -> Vec<Effect> {
        if !self.wishes.any && !may_have_control(&text) {
            self.newest = None;
            return Vec::new();
        }
        let recognised = recognise(&text, self.project());
        let is_reply = match recognised {
            Recognised::Reply => true,
            Recognised::Bare => self.wishes.any,
            _ => false,
        };
        if !is_reply {
            return match view::left_alone(&recognised, self.project()) {
                Some(note) if self.noted.learn(&text) => vec![Effect::Say(view::note(&note))],
                _ => Vec::new(),
            };
        }
        if self.is_paused {
            return vec![Effect::Say(view::note("paused, so a reply was left alone"))];
        }
        if self.seen.knows(&text) {
            let is_echo =
                self.newest.replace(Newest::of(&text)).is_some_and(|newest| newest.is_echoed_by(&text));
            let note = || Effect::Say(view::note("this reply was seen before and is left alone"));
            return if is_echo { Vec::new() } else { vec![note()] };
        }
        self.newest = Some(Newest::of(&text));
        let waiting: usize = self.queue.iter().map(String::len).sum();
        if self.queue.len() >= QUEUE_REPLIES || waiting + text.len() > QUEUE_BYTES {
            return vec![Effect::Say(view::note("too many replies wait; this one is left alone"))];
        }
        self.seen.learn(&text);
        self.queue.push_back(text);
        Vec::new()
    }

    fn key(&mut self, key: char) -> Vec<Effect> {
        match (&self.phase, key.to_ascii_lowercase()) {
            (Phase::Asking(question), key) => {
                let can_show = question.can_show;
                self.answer(key, can_show)
            }
            (_, 'q') => self.leave(if self.is_working() { 130 } else { 0 }),
            (_, 'p') => {
                self.is_paused = !self.is_paused;
                Vec::new()
            }
            (_, '?' | 'h') => vec![Effect::Say(view::keys())],
            (Phase::Working(_), 'n') => vec![Effect::Cancel],
            (Phase::Waiting, 'l') => vec![self.start(Task::Log, "reading the ledger")],
            (Phase::Waiting, 'u') => match self.landed.last() {
                Some(uuid) => {
                    let uuid = *uuid;
                    vec![self.start(Task::Undo(uuid), "taking back the last change")]
                }
                None => vec![Effect::Say(view::note(
                    "nothing landed here since the start; `relay undo` goes further back",
                ))],
            },
            (Phase::Waiting, 'r') => match self.refused.clone() {
                Some(text) => vec![self.start(Task::Repair(text), "writing the message")],
                None => vec![Effect::Say(view::note("no reply was refused"))],
            },
            (Phase::Waiting, 'a') => match self.refused.take() {
                Some(text) => vec![self.start(Task::Land(text), "trying again")],
                None => vec![Effect::Say(view::note("no reply was refused"))],
            },
            _ => Vec::new(),
        }
    }

    fn answer(&mut self, key: char, can_show: bool) -> Vec<Effect> {
        let answer = match key {
            'y' => Answer::Yes,
            'n' => Answer::No,
            's' if can_show => Answer::Show,
            'q' => return self.leave(130),
            _ => return Vec::new(),
        };
        if answer != Answer::Show {
            self.phase = Phase::Working(Progress::begin("finishing"));
        }
        vec![Effect::Answer(answer)]
    }

    /// The end is wanted. What is under way is rolled back first.
    fn leave(&mut self, code: u8) -> Vec<Effect> {
        self.leaving = Some(code);
        match self.phase {
            Phase::Asking(_) => {
                self.phase = Phase::Working(Progress::begin("rolling back"));
                vec![Effect::Cancel, Effect::Answer(Answer::Leave)]
            }
            Phase::Working(_) => vec![Effect::Cancel],
            Phase::Opening | Phase::Waiting => Vec::new(),
        }
    }

    fn configured(&mut self, config: Result<Box<Config>, Vec<relay_edit::Diagnostic>>) -> Vec<Effect> {
        match config {
            Ok(config) => {
                self.config = *config;
                vec![Effect::Say(view::note("the config has changed and is used from now on"))]
            }
            Err(findings) => vec![Effect::Complain(findings)],
        }
    }

    fn worked(&mut self, step: Step) -> Vec<Effect> {
        match (step, &mut self.phase) {
            (Step::Waits(what), Phase::Working(progress)) => *progress = Progress::begin(what),
            (Step::Runs { command }, Phase::Working(progress)) => *progress = Progress::begin(command),
            (Step::Printed(line), Phase::Working(progress)) => progress.line = line,
            (Step::Ran, Phase::Working(progress)) => *progress = Progress::begin("finishing"),
            (Step::Copies { digest }, _) => {
                self.seen.learn_digest(digest);
            }
            (Step::Asks(_), _) if self.leaving.is_some() => return vec![Effect::Answer(Answer::Leave)],
            (Step::Asks(question), _) => {
                self.phase = Phase::Asking(question.clone());
                return vec![Effect::Notify(Notice::NeedsYou), Effect::Ask(question)];
            }
            (Step::Shows(text), _) => return vec![Effect::Say(text)],
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
            Status::Committed | Status::Partial => {
                self.tally.0 += 1;
                self.landed.extend(outcome.uuid);
                self.refused = None;
                let files = outcome.files.iter().filter(|file| file.status != FileStatus::Unchanged).count();
                effects.push(Effect::Notify(Notice::Landed(files)));
            }
            Status::Rejected | Status::RolledBack | Status::RecoveryNeeded => {
                self.tally.1 += 1;
                self.refused = Some(text);
                effects.push(Effect::Notify(Notice::Refused));
            }
            Status::Interrupted => self.refused = Some(text),
            Status::Validated | Status::Unchanged | Status::AlreadyProcessed => {}
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
