//! `relay watch`: lands replies as they arrive, and shows what is happening.
//!
//! Four threads: one waits for the channel, one for keys, one works, and this one alone owns the [`model`] and writes
//! to the terminal. They communicate through [`message`]s; [`view`] turns the model into text.

mod arrivals;
mod keyboard;
mod keys;
mod memory;
mod message;
mod model;
mod notify;
mod results;
mod screen;
mod view;
mod work;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use relay_diagnostics::{Cancel, Diagnostic};
use relay_engine::{Arrival, CONFIG_FILE, Config, read_config};
use relay_workspace::Workspace;

use crate::channel::Source;
use crate::failure::{ENVIRONMENT, Failure, NO_CONFIG};
use crate::terminal::progress::TICK;
use crate::{signals, terminal};

use keyboard::Keyboard;
use message::{Answer, Effect, Message};
use model::Model;
pub use model::Wishes;
pub use screen::Manner;
use screen::Screen;
pub use work::Site;
use work::{Job, work};

/// How long a question is shown before its keys count. This is faster than anyone reads and answers, and gives a typing
/// user time to stop.
const BREATH: Duration = Duration::from_millis(250);

/// Everything decided before the watcher starts.
pub struct Setup {
    /// What is watched.
    pub source: Source,
    /// The project.
    pub workspace: Workspace,
    /// Its settings at the start.
    pub config: Config,
    /// What is accepted.
    pub wishes: Wishes,
    /// How output looks.
    pub manner: Manner,
    /// How replies are landed. This module determines whether the user can be asked.
    pub site: Site,
}

/// Whether the terminal can show a live view.
pub fn can_be_live() -> bool {
    terminal::is_watched() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Watches until asked to stop or the source ends. Returns the exit code.
pub fn run(setup: Setup) -> Result<u8, Failure> {
    let Setup { source, workspace, config, wishes, mut manner, mut site } = setup;
    let (messages, inbox) = channel();
    let keyboard = if manner == Manner::Live { Keyboard::open() } else { None };
    match &keyboard {
        Some(keyboard) => keyboard.listen(messages.clone()),
        None if manner == Manner::Live => manner = Manner::Plain,
        None => {}
    }
    site.can_ask = keyboard.is_some();
    listen_for_signals(&messages).map_err(|error| Failure::environment(&error))?;

    let interval = Arc::new(AtomicU64::new(config.clipboard_poll_interval_ms));
    let (turns, turn) = channel();
    let turns = source.can_wait().then_some(turns);
    watch_channel(source, Arc::clone(&interval), turns.is_some().then_some(turn), messages.clone());
    let (jobs, to_do) = channel();
    let (answers, answered) = channel();
    std::thread::spawn(move || work(&site, &to_do, answered, messages));

    let runtime = Runtime {
        model: Model::new(config, wishes),
        screen: Screen::new(manner),
        keyboard,
        jobs,
        answers,
        cancel: Cancel::new(),
        deaf_until: Instant::now(),
        config_file: ConfigFile::new(workspace),
        interval,
        turns,
        is_turn_due: true,
    };
    runtime.run(&inbox)
}

fn listen_for_signals(messages: &Sender<Message>) -> std::io::Result<()> {
    let stop = messages.clone();
    signals::on_stop(move || stop.send(Message::Stop).unwrap_or_default())?;
    let resumed = messages.clone();
    signals::on_resume(move || resumed.send(Message::Resumed).unwrap_or_default())
}

/// Delivers the channel's texts from a separate thread, because a channel may wait and its other side may hang. With a
/// `turn`, it reads one text for each, so that the writer waits while too much is queued here.
fn watch_channel(
    source: Source,
    interval: Arc<AtomicU64>,
    turn: Option<Receiver<()>>,
    messages: Sender<Message>,
) {
    std::thread::spawn(move || {
        let mut channel = match source.open() {
            Ok(channel) => channel,
            Err(failure) => {
                messages.send(Message::Lost(failure.into_diagnostics())).unwrap_or_default();
                return;
            }
        };
        let mut is_open = false;
        loop {
            if turn.as_ref().is_some_and(|turn| turn.recv().is_err()) {
                return;
            }
            let arrival = channel.next(Duration::from_millis(interval.load(Ordering::Relaxed)));
            let is_end = matches!(arrival, Ok(Arrival::End) | Err(_));
            let message = match arrival {
                Ok(arrival) => Message::Arrived(arrival),
                Err(error) => {
                    Message::Lost(vec![Diagnostic::error(ENVIRONMENT, relay_engine::with_sources(&error))])
                }
            };
            // Earlier content comes first, so that everything after the greeting is new.
            let is_heard = messages.send(message).is_ok()
                && (is_open || messages.send(Message::Opened { place: channel.place().to_owned() }).is_ok());
            is_open = true;
            if is_end || !is_heard {
                return;
            }
        }
    });
}

/// The loop and the parts it drives.
struct Runtime {
    model: Model,
    screen: Screen,
    keyboard: Option<Keyboard>,
    jobs: Sender<Job>,
    answers: Sender<Answer>,
    cancel: Cancel,
    deaf_until: Instant,
    config_file: ConfigFile,
    interval: Arc<AtomicU64>,
    /// Lets the channel read one more text, if it can be made to wait.
    turns: Option<Sender<()>>,
    /// The channel has delivered what it read and waits for its next turn.
    is_turn_due: bool,
}

impl Runtime {
    fn run(mut self, inbox: &Receiver<Message>) -> Result<u8, Failure> {
        let mut next_look = Instant::now();
        self.give_turn();
        loop {
            if next_look <= Instant::now() {
                next_look =
                    Instant::now() + Duration::from_millis(self.model.config.clipboard_poll_interval_ms);
                if let Some(message) = self.config_file.look()
                    && let Some(end) = self.take_in(message)
                {
                    return self.end(end);
                }
            }
            let until_look = next_look.saturating_duration_since(Instant::now());
            let patience = if self.model.is_working() { until_look.min(TICK) } else { until_look };
            match inbox.recv_timeout(patience) {
                Ok(message) => {
                    if let Some(end) = self.take_in(message) {
                        return self.end(end);
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.paint(),
                Err(RecvTimeoutError::Disconnected) => return self.end(Ok(1)),
            }
        }
    }

    /// Handles a message; returns the result once the watcher is done.
    fn take_in(&mut self, message: Message) -> Option<Result<u8, Failure>> {
        match message {
            // Input typed before a question appeared does not answer it.
            Message::Key(_, at) if at < self.deaf_until => return None,
            Message::Resumed => {
                if let Some(keyboard) = &self.keyboard {
                    keyboard.take();
                }
                self.screen.clear();
            }
            Message::Arrived(_) => self.is_turn_due = true,
            _ => {}
        }
        let effects = self.model.update(message);
        self.give_turn();
        self.interval.store(self.model.config.clipboard_poll_interval_ms, Ordering::Relaxed);
        for effect in effects {
            if let Some(end) = self.perform(effect) {
                return Some(end);
            }
        }
        self.paint();
        None
    }

    /// Lets the channel continue once there is room for another text.
    fn give_turn(&mut self) {
        if let Some(turns) = &self.turns
            && self.is_turn_due
            && self.model.has_room()
        {
            self.is_turn_due = false;
            // A channel that has ended takes no more turns.
            turns.send(()).unwrap_or_default();
        }
    }

    fn perform(&mut self, effect: Effect) -> Option<Result<u8, Failure>> {
        match effect {
            Effect::Work(task) => {
                self.cancel = Cancel::new();
                let job = Job { task, cancel: self.cancel.clone() };
                // The worker ends only with the process.
                self.jobs.send(job).unwrap_or_default();
            }
            Effect::Answer(answer) => self.answers.send(answer).unwrap_or_default(),
            Effect::Cancel => self.cancel.cancel(),
            Effect::Found => {
                let now = jiff::Zoned::now().strftime("%H:%M:%S").to_string();
                self.screen.say(&view::found(&now));
            }
            Effect::Say(text) => self.screen.say(&text),
            Effect::Show(diff) => self.screen.show(&diff),
            Effect::Ask(question) => {
                self.screen.show(&question.diff);
                self.screen.say(&question.text);
                std::thread::sleep(BREATH);
                if let Some(keyboard) = &self.keyboard {
                    keyboard.forget();
                }
                self.deaf_until = Instant::now();
                self.paint();
            }
            Effect::Report(outcome) => {
                if self.screen.report(&outcome).is_err() {
                    return Some(Ok(1));
                }
            }
            Effect::Complain(findings) => self.screen.complain(&findings),
            Effect::Notify(notice) => {
                if self.model.config.notifications {
                    self.screen.ring();
                    notify::send(notice, self.model.config.project_id.as_deref().unwrap_or_default());
                }
            }
            Effect::Fail(findings) => return Some(Err(Failure::refused(findings))),
            Effect::Quit(code) => return Some(Ok(code)),
        }
        None
    }

    fn paint(&mut self) {
        self.screen.paint(view::status(&self.model, Instant::now(), terminal::width()));
    }

    /// Restores the terminal.
    fn end(mut self, end: Result<u8, Failure>) -> Result<u8, Failure> {
        self.screen.clear();
        end
    }
}

/// The config file, and its last content.
struct ConfigFile {
    workspace: Workspace,
    last: Option<Result<Config, Vec<Diagnostic>>>,
}

impl ConfigFile {
    fn new(workspace: Workspace) -> Self {
        Self { workspace, last: None }
    }

    /// Its content, if it changed.
    fn look(&mut self) -> Option<Message> {
        let found = match read_config(&self.workspace) {
            Ok(Some((config, _))) => Ok(config),
            Ok(None) => Err(vec![no_config()]),
            Err(error) => Err(error.diagnostics()),
        };
        let is_first = self.last.is_none();
        let is_news = self.last.as_ref() != Some(&found);
        self.last = Some(found.clone());
        (is_news && !is_first).then(|| Message::Configured(found.map(Box::new)))
    }
}

/// The error for a missing config, which `relay watch` needs to recognise this project's replies.
pub fn no_config() -> Diagnostic {
    Diagnostic::error(NO_CONFIG, format!("there is no {CONFIG_FILE} here, so no reply can name this project"))
        .hinted("Run `relay init` in the project's folder first.")
}
