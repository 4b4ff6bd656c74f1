//! An agent's background jobs: commands, monitors and subagents that run while the conversation continues.
//!
//! [`Jobs`] is a handle for one owner, the agent that a tool works for; subagents get handles of their own with
//! [`Jobs::of`]. A job runs on its own thread and is over when its work returns. How it ended waits here until the
//! conversation is idle, unless a call looks it up first, so a model hears of every result exactly once.
//!
//! Nothing is started here: the work that a tool hands over runs programs through `relay-exec`, ends when its
//! [`Cancel`] is set, and is waited for at the teardown of its owner.

mod delivery;
mod notice;
mod output;
mod record;
mod registry;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;
use thiserror::Error;

pub use notice::KIND as RESULT_KIND;
pub use output::{OUTPUT_BYTES, Slice, offset};
pub use record::{Kind, NewJob, RETENTION, Snapshot, Status, label};

use delivery::{Delivery, Parcel};
use registry::Registry;

use crate::turn::Prompt;

/// How many jobs may run if the user has not said.
pub const MAX_RUNNING: usize = 15;
/// How long a teardown waits for jobs to end.
const TEARDOWN: Duration = Duration::from_secs(10);
/// How often a wait looks at its cancel.
const TICK: Duration = Duration::from_millis(20);
/// The owner of a session that a person talks to.
const MAIN: &str = "main";

/// Something that happened to a job, for front ends.
#[derive(Clone, Debug, PartialEq)]
pub enum JobEvent {
    /// It started.
    Started(Snapshot),
    /// It ended.
    Ended(Snapshot),
}

/// Why a job does not start.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Refused {
    /// Too many run.
    #[error("Background job limit reached ({0}). Wait for running jobs to finish, or cancel one with job.")]
    Limit(usize),
    /// The agent is about to end.
    #[error("The session is ending; no background job can start.")]
    Disposed,
    /// The system has no thread for it.
    #[error("The background job could not be started: {0}")]
    Thread(String),
}

/// The result of cancelling a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// It is ending.
    Cancelled,
    /// There is no such job.
    NotFound,
    /// It has ended already.
    AlreadyCompleted,
}

impl Cancelled {
    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::NotFound => "not_found",
            Self::AlreadyCompleted => "already_completed",
        }
    }
}

/// The jobs of one owner. Clones, and handles of other owners, share one registry.
#[derive(Clone)]
pub struct Jobs {
    shared: Arc<Shared>,
    owner: Arc<str>,
}

struct Shared {
    registry: Mutex<Registry>,
    /// The session that jobs belong to; `None` if it leaves nothing behind.
    session: Mutex<Option<Arc<str>>>,
    changed: Condvar,
    observer: OnceLock<Arc<dyn Observer>>,
}

/// Hears of every job as it starts and ends, on the thread that starts or ends it. A job counts as running until its end
/// was heard, so nothing is missed when the process is about to end.
pub trait Observer: Send + Sync {
    /// A job started; `jobs` is the handle of its owner.
    fn started(&self, jobs: &Jobs, job: &Snapshot);

    /// A job is over.
    fn ended(&self, job: &Snapshot);
}

impl std::fmt::Debug for Jobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Jobs").field("owner", &self.owner).finish_non_exhaustive()
    }
}

impl Default for Jobs {
    fn default() -> Self {
        Self::new(MAX_RUNNING)
    }
}

impl Jobs {
    /// A registry in which this many jobs may run at once, between 1 and 100.
    #[must_use]
    pub fn new(max_running: usize) -> Self {
        let registry = Mutex::new(Registry::new(max_running.clamp(1, 100)));
        let shared = Shared {
            registry,
            session: Mutex::default(),
            changed: Condvar::new(),
            observer: OnceLock::new(),
        };
        Self { shared: Arc::new(shared), owner: MAIN.into() }
    }

    /// Registers an observer of all owners' jobs. Only the first one counts.
    pub fn observed_by(&self, observer: Arc<dyn Observer>) {
        self.shared.observer.set(observer).ok();
    }

    /// Has the jobs that start from now on belong to this session; `None` if it leaves nothing behind.
    pub fn enter_session(&self, session: Option<&str>) {
        *self.shared.session.lock().unwrap_or_else(PoisonError::into_inner) = session.map(Into::into);
    }

    /// The session that jobs belong to.
    #[must_use]
    pub fn session(&self) -> Option<Arc<str>> {
        self.shared.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same registry for another owner, such as a subagent.
    #[must_use]
    pub fn of(&self, owner: &str) -> Self {
        Self { shared: Arc::clone(&self.shared), owner: owner.into() }
    }

    /// Who owns the jobs that this handle starts.
    #[must_use]
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Starts a job on a thread of its own and returns its id. What the work returns is the job's result, or why it
    /// failed.
    ///
    /// # Errors
    /// Too many jobs run, or the agent is about to end.
    pub fn start(
        &self,
        new: NewJob,
        work: impl FnOnce(&Running) -> Result<String, String> + Send + 'static,
    ) -> Result<String, Refused> {
        let (id, cancel) = self.lock().enter(&self.owner, new, Instant::now())?;
        let running = Running { jobs: self.clone(), id: id.clone(), cancel };
        let observer = self.shared.observer.get().cloned();
        if let Some((observer, job)) = observer.as_ref().zip(self.get(&id)) {
            observer.started(self, &job);
        }
        let started = thread::Builder::new().name(format!("job {id}")).spawn(move || {
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&running)));
            let result =
                ended.unwrap_or_else(|_| Err("The job failed inside Relay; this is a bug.".to_owned()));
            if let Some(observer) = observer
                && let Some(job) = running.jobs.lock().foresee(&running.id, &result, Instant::now())
            {
                observer.ended(&job);
            }
            running.jobs.lock().settle(&running.id, result, Instant::now());
            running.jobs.shared.changed.notify_all();
        });
        if let Err(error) = started {
            self.lock().settle(&id, Err(error.to_string()), Instant::now());
            self.forget(&id);
            return Err(Refused::Thread(error.to_string()));
        }
        Ok(id)
    }

    /// The jobs, in the order in which they were started.
    #[must_use]
    pub fn list(&self) -> Vec<Snapshot> {
        self.lock().of(&self.owner, Instant::now())
    }

    /// The job of this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<Snapshot> {
        self.list().into_iter().find(|job| job.id == id)
    }

    /// The jobs that run.
    #[must_use]
    pub fn running(&self) -> Vec<Snapshot> {
        self.list().into_iter().filter(|job| job.status == Status::Running).collect()
    }

    /// Asks a job to end. It counts as cancelled from now on.
    pub fn cancel(&self, id: &str) -> Cancelled {
        let cancelled = self.lock().cancel(&self.owner, id, Instant::now());
        self.shared.changed.notify_all();
        cancelled
    }

    /// Asks all jobs to end.
    pub fn cancel_all(&self) {
        self.lock().cancel_all(Some(&self.owner), Instant::now());
        self.shared.changed.notify_all();
    }

    /// What a job wrote from an offset on; none if this owner has no such job.
    #[must_use]
    pub fn read_output(&self, id: &str, offset: u64) -> Option<Slice> {
        self.lock().read(&self.owner, id, offset, Instant::now())
    }

    /// Keeps these jobs' results from being announced, until the guard is dropped.
    #[must_use]
    pub fn watch(&self, ids: &[String]) -> Watched {
        self.lock().watch(&self.owner, ids, true);
        Watched { jobs: self.clone(), ids: ids.to_vec() }
    }

    /// The conversation knows how these jobs ended; their results are not announced any more.
    pub fn acknowledge(&self, ids: &[String]) {
        self.lock().acknowledge(&self.owner, ids);
    }

    /// Forgets a job that has ended, for a call that turned out not to need the background.
    pub fn forget(&self, id: &str) {
        self.lock().forget(&self.owner, id);
    }

    /// Waits until one of these jobs no longer runs, at most this long or until the cancel is set. Says whether one
    /// has ended; an unknown one has.
    #[must_use]
    pub fn wait_any(&self, ids: &[String], time: Duration, cancel: &Cancel) -> bool {
        let until = Instant::now() + time;
        loop {
            let running = self.running();
            if ids.iter().any(|id| running.iter().all(|job| job.id != *id)) {
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || cancel.is_cancelled() {
                return false;
            }
            let guard = self.lock();
            drop(self.shared.changed.wait_timeout(guard, left.min(TICK)));
        }
    }

    /// Queues a message for the conversation that belongs to no job, such as a schedule's.
    pub fn say(&self, prompt: Prompt) -> bool {
        self.lock().say(&self.owner, None, prompt, Instant::now())
    }

    /// Whether a job runs, or a message waits.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        let registry = self.lock();
        registry.is_unsettled(Some(&self.owner)) || registry.deliveries.any(&self.owner)
    }

    /// Registers a clean-up that runs once when the owner is torn down, before its jobs are cancelled.
    pub fn on_teardown(&self, cleanup: impl FnOnce() + Send + 'static) {
        self.lock().add_cleanup(&self.owner, Box::new(cleanup));
    }

    /// Ends everything of this owner: clean-ups first, so that nothing can start meanwhile, then its jobs, which are
    /// waited for. What waits to be said is dropped.
    pub fn tear_down(&self) {
        self.end(Some(&self.owner));
    }

    /// Ends everything of every owner, for good.
    pub fn dispose(&self) {
        self.lock().is_disposed = true;
        self.end(None);
    }

    fn end(&self, owner: Option<&str>) {
        let cleanups = self.lock().take_cleanups(owner);
        for cleanup in cleanups {
            // One clean-up that fails does not stop the others.
            drop(std::panic::catch_unwind(std::panic::AssertUnwindSafe(cleanup)));
        }
        self.lock().cancel_all(owner, Instant::now());
        let until = Instant::now() + TEARDOWN;
        while self.lock().is_unsettled(owner) && Instant::now() < until {
            let guard = self.lock();
            drop(self.shared.changed.wait_timeout(guard, TICK));
        }
        if let Some(owner) = owner {
            self.lock().deliveries.forget_owner(owner);
        }
    }

    /// Takes what is due to be said to the conversation: the results of all jobs that ended, or a message; with `all`,
    /// all messages at once.
    pub(crate) fn take_due(&self, all: bool) -> Option<Due> {
        let now = Instant::now();
        let mut registry = self.lock();
        let taken = registry.take(&self.owner, all, now);
        let ended = taken.iter().filter_map(|delivery| match &delivery.parcel {
            Parcel::Ended(id) => Some(id),
            Parcel::Said { .. } => None,
        });
        let jobs = registry.snapshots(ended, now);
        drop(registry);
        let mut prompts: Vec<Prompt> = Vec::new();
        if !jobs.is_empty() {
            prompts.push(notice::notice(&jobs));
        }
        prompts.extend(taken.iter().filter_map(|delivery| match &delivery.parcel {
            Parcel::Said { prompt, .. } => Some(prompt.clone()),
            Parcel::Ended(_) => None,
        }));
        let text = prompts.iter().map(|prompt| prompt.text.as_str()).collect::<Vec<_>>().join("\n");
        let bodies = prompts.into_iter().flat_map(|prompt| prompt.bodies).collect::<Vec<_>>();
        (!bodies.is_empty()).then_some(Due { prompt: Prompt { bodies, text }, taken })
    }

    /// Puts back what could not be said; it is due again after a pause.
    pub(crate) fn give_back(&self, due: Due) {
        let jitter = uuid::Uuid::new_v4().as_u64_pair().0;
        self.lock().deliveries.give_back(due.taken, Instant::now(), jitter);
    }

    /// Takes what front ends have not heard of yet.
    pub(crate) fn take_events(&self) -> Vec<JobEvent> {
        self.lock().take_events(&self.owner)
    }

    fn lock(&self) -> MutexGuard<'_, Registry> {
        self.shared.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is due for delivery.
pub(crate) struct Due {
    /// What goes into the log.
    pub prompt: Prompt,
    taken: Vec<Delivery>,
}

/// A job, for the work it does.
pub struct Running {
    jobs: Jobs,
    id: String,
    cancel: Cancel,
}

impl Running {
    /// The job's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Set when the job should end.
    #[must_use]
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Stores what the job wrote, for readers with a cursor.
    pub fn append(&self, chunk: &str) {
        self.jobs.lock().append(&self.id, chunk);
    }

    /// Queues a message for the conversation. Returns false if too many wait already; the caller then drops it.
    #[must_use]
    pub fn say(&self, prompt: Prompt) -> bool {
        self.jobs.lock().say(&self.jobs.owner, Some(&self.id), prompt, Instant::now())
    }

    /// Ends the job itself, as if the user had cancelled it.
    pub fn end(&self) {
        self.jobs.cancel(&self.id);
    }
}

/// Jobs that a call waits for. Their results are not announced as long as this lives.
pub struct Watched {
    jobs: Jobs,
    ids: Vec<String>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.jobs.lock().watch(&self.jobs.owner, &self.ids, false);
    }
}

#[cfg(test)]
mod tests;
