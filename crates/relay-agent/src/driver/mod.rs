//! The driver: performs the turn loop's effects, and reports back what happened.
//!
//! One thread owns the [`Agent`]. Models and calls run on separate threads and send events to its inbox, which is
//! short, so that a slow front end slows the provider. An effect is done before the next one starts. What is in the
//! log survives the end of the process at once; it is on disk before a tool that changes something runs because of
//! it, and is written there while the next request is already under way.

mod aside;
mod ask;
mod build;
mod calls;
mod control;
mod goal;
mod guard;
mod handoff;
mod jobs;
mod land;
mod model;
mod perform;
mod plan;
mod preview;
mod record;
mod seams;
mod shorten;
mod waiters;

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;

pub use aside::{Aside, NoOthers, OtherModels, SideJob, title_from};
pub use build::AgentBuilder;
pub use handoff::NewSession;
pub use model::{Asker, Live, LiveOptions};
pub use plan::{FILE as PLAN_FILE, MODE as PLAN_MODE};
pub use record::{Recorder, RecordingError, Replay};
pub use seams::{NoRules, StreamRules, Watching};

use crate::event::{Ended, Event, RunEvent};
use crate::jobs::Due;
use crate::policy::Policy;
use crate::secrets::Masker;
use crate::session::SessionLog;
use crate::tool::{Facts, Registry, Services, Tool};
use crate::turn::{Delivery, Happened, Prompt, State};

/// How long an abort waits for calls and the model before it continues without them. Tools end their own programs
/// within their grace period; a thread that hangs in the kernel must not keep a person from the prompt.
const PATIENCE: Duration = Duration::from_secs(20);

/// Receives every event, in order.
pub type Observer = Box<dyn FnMut(&Event) + Send>;

/// An agent: a session, a model, tools, and the loop between them.
pub struct Agent {
    state: State,
    log: SessionLog,
    facts: Facts,
    asking: Asking,
    tools: Toolbox,
    services: Services,
    policy: Arc<Mutex<Policy>>,
    masker: Arc<Mutex<Masker>>,
    watch: Arc<Mutex<Box<dyn StreamRules>>>,
    compaction: crate::compact::Settings,
    goal: goal::GoalClock,
    new_session: Option<NewSession>,
    observer: Observer,
    post: Post,
    under_way: UnderWay,
}

/// How the model is asked: which one, and what every request carries.
pub struct Asking {
    /// The model.
    pub asker: Arc<dyn Asker>,
    /// Models for side requests.
    pub others: Arc<dyn OtherModels>,
    /// The instructions; the same bytes for the whole session, so that providers find their cache.
    pub system: String,
    /// How hard to think.
    pub thinking: Option<relay_llm::Thinking>,
    /// A schema the answer must follow.
    pub output: Option<relay_llm::OutputSchema>,
    /// The id under which providers cache; by default the session's id.
    pub cache_key: Option<String>,
}

/// All tools, and those that are offered.
struct Toolbox {
    registry: Registry,
    offered: Vec<Arc<dyn Tool>>,
}

impl Toolbox {
    /// Whether a tool is offered.
    fn has(&self, name: &str) -> bool {
        self.offered.iter().any(|tool| tool.spec().name == name)
    }
}

/// The inbox of the agent's thread.
struct Post {
    inbox: Receiver<Mail>,
    sender: SyncSender<Mail>,
    /// What happened on this thread while an effect was carried out.
    own: VecDeque<Happened>,
    quits: bool,
}

/// The work on other threads, and how the run ends.
#[derive(Default)]
struct UnderWay {
    model: Option<Cancel>,
    calls: BTreeMap<String, Cancel>,
    pause: Option<Instant>,
    aborted: Option<Instant>,
    /// The arguments of calls that are being written.
    previews: preview::Previews,
    /// Messages of background jobs that are not in the log yet.
    delivery: Option<Due>,
    deadline: Option<(Instant, String)>,
    /// When the agent became idle; cleared once handled.
    idle_since: Option<Instant>,
    ended: Option<Ended>,
    /// Why the log cannot be written.
    broken: Option<String>,
    /// Callers to notify when something ends.
    waiters: waiters::Waiters,
    /// How many entries the log had when the run began.
    begun_at: usize,
}

/// A task to run with the agent, on its own thread.
pub type Errand = Box<dyn FnOnce(&mut Agent) + Send>;

/// What reaches the agent's thread.
enum Mail {
    Happened(Happened),
    Errand(Errand),
    Quit,
}

/// A handle to an agent for other threads. Clones refer to the same one.
#[derive(Clone)]
pub struct Remote {
    sender: SyncSender<Mail>,
}

impl Remote {
    /// Sends a message to the agent: now if it is idle, else between two tools.
    pub fn steer(&self, prompt: Prompt) {
        self.send(Happened::Steered(prompt));
    }

    /// Sends a message for when the agent is done.
    pub fn follow_up(&self, prompt: Prompt) {
        self.send(Happened::FollowedUp(prompt));
    }

    /// Asks the agent to stop.
    pub fn abort(&self) {
        self.send(Happened::Aborted);
    }

    /// Sends a prompt: starts a run, or steers the current one.
    pub fn prompt(&self, prompt: Prompt) {
        self.send(Happened::Prompted(prompt));
    }

    /// Makes the conversation shorter.
    pub fn compact(&self, focus: Option<String>) {
        self.send(Happened::CompactionWanted { focus });
    }

    /// Continues in a new session, from a document that the model writes.
    pub fn hand_off(&self, focus: Option<String>) {
        self.send(Happened::HandoffWanted { focus });
    }

    /// Runs a task with the agent, between two events. Returns false if the agent is gone.
    #[must_use]
    pub fn run(&self, errand: Errand) -> bool {
        self.sender.send(Mail::Errand(errand)).is_ok()
    }

    /// Ends [`Agent::serve`] once the current run is over.
    pub fn quit(&self) {
        drop(self.sender.send(Mail::Quit));
    }

    /// Sends something, unless the agent is gone.
    fn send(&self, happened: Happened) {
        drop(self.sender.send(Mail::Happened(happened)));
    }
}

impl Agent {
    /// A handle to the agent for other threads.
    #[must_use]
    pub fn remote(&self) -> Remote {
        Remote { sender: self.post.sender.clone() }
    }

    /// Sends a prompt and works until there is nothing left to do.
    pub fn prompt(&mut self, prompt: Prompt) -> Ended {
        self.handle(Happened::Prompted(prompt));
        self.work()
    }

    /// Continues from the end of the session's log.
    pub fn resume(&mut self) -> Ended {
        self.handle(Happened::Resumed);
        self.work()
    }

    /// Makes the conversation shorter now.
    pub fn compact(&mut self, focus: Option<String>) {
        self.handle(Happened::CompactionWanted { focus });
        self.work();
    }

    /// Works until the loop is idle; returns how the last run ended.
    pub fn work(&mut self) -> Ended {
        while self.state.is_busy() {
            let happened = self.next();
            self.handle(happened);
        }
        self.under_way.ended.clone().unwrap_or(Ended::Done)
    }

    /// Works for a front end on other threads, until it is asked to quit.
    pub fn serve(&mut self) {
        loop {
            self.work();
            if self.post.quits {
                return;
            }
            let happened = self.next();
            self.handle(happened);
        }
    }

    /// Removes the queued messages, for a person who wants to edit them.
    pub fn take_waiting(&mut self) -> Vec<Prompt> {
        self.state.queues.take_all()
    }

    /// How waiting messages are delivered: steering, follow-ups.
    pub fn deliver(&mut self, steering: Delivery, follow_up: Delivery) {
        self.state.queues.steering_mode = steering;
        self.state.queues.follow_up_mode = follow_up;
    }

    /// Waits for the next event or deadline.
    fn next(&mut self) -> Happened {
        loop {
            if self.post.quits && !self.state.is_busy() {
                return Happened::Waited;
            }
            if let Some(happened) = self.poll() {
                return happened;
            }
        }
    }

    /// Waits briefly; returns an event, if one arrived.
    fn poll(&mut self) -> Option<Happened> {
        self.report_jobs();
        if let Some(happened) = self.post.own.pop_front() {
            return Some(happened);
        }
        let now = Instant::now();
        if self.under_way.pause.is_some_and(|until| until <= now) {
            self.under_way.pause = None;
            return Some(Happened::Waited);
        }
        if let Some((_, why)) = self.under_way.deadline.take_if(|(until, _)| *until <= now) {
            return Some(Happened::TimeIsUp(why));
        }
        if let Some(happened) = self.overdue(now).or_else(|| self.unused(now)) {
            return Some(happened);
        }
        if let Some(happened) = self.said_by_jobs() {
            return Some(happened);
        }
        let deadline = self.under_way.deadline.as_ref().map(|(until, _)| *until);
        // Background jobs are only checked here; without any, an idle agent rarely wakes up.
        let is_idle = !self.state.is_busy() && !self.services.jobs.is_busy();
        let look = Duration::from_millis(if is_idle { 1000 } else { 200 });
        let until = [self.under_way.pause, deadline, Some(now + look)];
        let until = until.into_iter().flatten().min().unwrap_or(now);
        match self.post.inbox.recv_timeout(until.saturating_duration_since(now)) {
            Ok(Mail::Happened(happened)) => return Some(happened),
            Ok(Mail::Errand(errand)) => errand(self),
            Ok(Mail::Quit) => self.post.quits = true,
            Err(RecvTimeoutError::Timeout) => {}
            // The agent holds a sender itself, so this cannot happen; ending is safe.
            Err(RecvTimeoutError::Disconnected) => return Some(Happened::Aborted),
        }
        None
    }

    /// Work that was asked to stop long ago and has not.
    fn overdue(&mut self, now: Instant) -> Option<Happened> {
        let since = self.under_way.aborted?;
        if now.duration_since(since) < PATIENCE {
            return None;
        }
        if let Some((id, _)) = self.under_way.calls.pop_first() {
            let output =
                crate::tool::ToolError::Aborted("The call did not end in time.".to_owned()).into_output();
            return Some(Happened::CallEnded { id, output });
        }
        self.under_way.model.take()?;
        Some(self.asking.asker.gave_up())
    }

    /// Compacts a session that has been idle for long enough.
    fn unused(&mut self, now: Instant) -> Option<Happened> {
        let since = self.under_way.idle_since.filter(|_| !self.state.is_busy())?;
        let idle_ms = u64::try_from(now.duration_since(since).as_millis()).unwrap_or(u64::MAX);
        if !self.compaction.is_idle_due(u64::MAX, idle_ms) {
            return None;
        }
        self.under_way.idle_since = None;
        self.compaction.is_idle_due(self.context_tokens(), idle_ms).then_some(Happened::Unused)
    }

    fn handle(&mut self, mut happened: Happened) {
        self.note(&happened);
        let preview = self.preview(&mut happened);
        let (state, effects) = std::mem::take(&mut self.state).step(happened);
        self.state = state;
        for effect in effects {
            self.perform(effect);
        }
        if let Some(preview) = preview {
            self.report(&preview);
        }
        // Without a writable log, the agent cannot continue.
        if let Some(why) = self.under_way.broken.take() {
            self.report(&Event::Notice { warning: true, text: why });
            self.handle(Happened::Aborted);
        }
    }

    /// Tracks running work.
    fn note(&mut self, happened: &Happened) {
        match happened {
            Happened::Aborted | Happened::TimeIsUp(_) => {
                self.under_way.aborted.get_or_insert_with(Instant::now);
            }
            Happened::Answered(_) | Happened::Failed { .. } | Happened::Compacted(_) => {
                self.under_way.model = None;
            }
            Happened::CallEnded { id, .. } => {
                self.under_way.calls.remove(id);
            }
            _ => {}
        }
    }

    /// The log cannot be written, so the run ends.
    fn break_off(&mut self, error: &crate::session::SessionError) {
        self.under_way.broken.get_or_insert_with(|| format!("the session cannot be written: {error}"));
    }

    fn report(&mut self, event: &Event) {
        if let Event::Run(RunEvent::End { ended, .. }) = event {
            self.under_way.ended = Some(ended.clone());
            self.under_way.aborted = None;
            self.under_way.idle_since = Some(Instant::now());
        }
        if let Event::Run(RunEvent::Start) = event {
            self.under_way.ended = None;
            self.under_way.idle_since = None;
            self.under_way.begun_at = self.log.entries().len();
        }
        (self.observer)(event);
        self.under_way.waiters.tell(event);
    }
}
