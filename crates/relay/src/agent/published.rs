//! The agent's jobs, published for other processes: `relay jobs` lists, waits for and cancels them.
//!
//! As with questions in the background, a job is a file and a lock, held while this process works on it. If Relay is killed,
//! the file remains without its lock, and the job counts as lost.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use relay_agent::jobs::{Jobs, Observer, Snapshot, Status};
use relay_backends::jobs::{Job, OfAgent, State};
use relay_store::{JobLock, Store, StoreError};
use serde_json::json;

/// How often to check whether another process asked to end a job.
const TICK: Duration = Duration::from_millis(200);
/// How long an ended job stays listed, in seconds.
const KEPT_SECONDS: i64 = 24 * 60 * 60;

/// Publishes an agent's jobs.
struct Published(Arc<Shared>);

struct Shared {
    files: relay_store::Jobs,
    /// Distinguishes this process's jobs from those of others.
    prefix: String,
    folder: String,
    running: Mutex<BTreeMap<String, Entry>>,
}

struct Entry {
    job: Job,
    owner: Jobs,
    _lock: Option<JobLock>,
}

/// Has other processes see the jobs of an agent's sessions, as long as these are kept. Where they cannot be written down, they run all the same.
pub fn publish(store: &Store, jobs: &Jobs, folder: &str) {
    let Ok(files) = store.jobs() else { return };
    let prefix: String = uuid::Uuid::new_v4().simple().to_string().chars().take(6).collect();
    jobs.observed_by(Arc::new(Published(Arc::new(Shared {
        files,
        prefix,
        folder: folder.to_owned(),
        running: Mutex::default(),
    }))));
}

impl Shared {
    fn running(&self) -> MutexGuard<'_, BTreeMap<String, Entry>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the jobs of agents that ended long ago.
    fn tidy(&self, now: i64) -> Result<(), StoreError> {
        for job in Job::all(&self.files)? {
            if job.agent.is_some() && !job.state.is_open() && job.started + KEPT_SECONDS < now {
                self.files.remove(&job.id)?;
            }
        }
        Ok(())
    }

    /// Ends jobs when another process asks for it, for as long as any job runs.
    fn heed(&self) {
        loop {
            std::thread::sleep(TICK);
            let mut wanted = Vec::new();
            {
                let running = self.running();
                if running.is_empty() {
                    return;
                }
                for entry in running.values() {
                    if self.files.is_end_requested(&entry.job.id).unwrap_or(false) {
                        wanted
                            .extend(entry.job.agent.as_ref().map(|of| (entry.owner.clone(), of.job.clone())));
                    }
                }
            }
            for (owner, id) in wanted {
                owner.cancel(&id);
            }
        }
    }
}

impl Observer for Published {
    fn started(&self, jobs: &Jobs, job: &Snapshot) {
        let shared = &self.0;
        let Some(session) = jobs.session() else { return };
        let id = format!("{}-{}", shared.prefix, job.id);
        let now = jiff::Timestamp::now().as_second();
        let agent =
            OfAgent { session: session.to_string(), job: job.id.clone(), kind: job.kind.name().to_owned() };
        let record = Job {
            id: id.clone(),
            started: now,
            arguments: Vec::new(),
            prompt: job.label.clone(),
            folder: shared.folder.clone(),
            state: State::Running,
            exit_code: None,
            result: None,
            agent: Some(agent),
        };
        // A job that cannot be published runs anyway.
        shared.tidy(now).ok();
        let lock = shared.files.hold(&id).ok().flatten();
        if record.save(&shared.files).is_err() {
            return;
        }
        let mut running = shared.running();
        running.insert(job.id.clone(), Entry { job: record, owner: jobs.clone(), _lock: lock });
        if running.len() == 1 {
            let shared = Arc::clone(shared);
            std::thread::spawn(move || shared.heed());
        }
    }

    fn ended(&self, job: &Snapshot) {
        let Some(Entry { job: mut record, _lock, .. }) = self.0.running().remove(&job.id) else { return };
        record.state = if job.status == Status::Cancelled { State::Cancelled } else { State::Done };
        record.exit_code = Some(u8::from(job.status != Status::Completed));
        record.result = Some(match (&job.result_text, &job.error_text) {
            (_, Some(error)) => json!({ "error": error }),
            (text, None) => json!({ "text": text }),
        });
        record.save(&self.0.files).ok();
    }
}
