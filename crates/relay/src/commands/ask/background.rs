//! Questions in the background: a second `relay` answers, and its result outlives both.

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use relay_backends::jobs::{Job, State};
use relay_diagnostics::{Cancel, Diagnostic};
use relay_store::{JobLock, Jobs, StoreError};
use serde_json::json;

use crate::cli::{self, Command};
use crate::failure::{Failure, NO_ANSWER};
use crate::{open, signals, terminal};

/// The hidden command by which Relay starts itself to answer a question.
pub const COMMAND: &str = "__job";

/// How often the worker checks for a cancel, and how often a waiting command checks for the answer.
pub const TICK: Duration = Duration::from_millis(100);

/// How often and how long a new job is checked until a worker has taken it.
const START_TICK: Duration = Duration::from_millis(10);
const START_TRIES: usize = 2_000;

/// How often the worker tries to lock a new job: another process may be checking at this moment whether it is alive.
const LOCK_TRIES: usize = 50;

/// Starts a job and prints its id. The worker checks what was typed; the result reports it.
pub fn start(root: Option<&Path>, prompt: &str) -> Result<u8, Failure> {
    let environment = |error: &(dyn std::error::Error + 'static)| Failure::environment(error);
    let jobs = open::store()?.jobs().map_err(|error| environment(&error))?;
    let folder = std::env::current_dir().map_err(|error| environment(&error))?;
    let id = uuid::Uuid::new_v4().simple().to_string().chars().take(8).collect::<String>();
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--background").collect();
    let job = Job {
        id: id.clone(),
        started: jiff::Timestamp::now().as_second(),
        arguments,
        prompt: prompt.to_owned(),
        folder: root.map_or(folder, Path::to_path_buf).display().to_string(),
        state: State::Starting,
        exit_code: None,
        result: None,
        agent: None,
    };
    job.save(&jobs).map_err(|error| environment(&error))?;
    let relay = std::env::current_exe().map_err(|error| environment(&error))?;
    relay_exec::spawn_detached(relay, &[COMMAND, &id], b"").map_err(|error| environment(&error))?;
    await_start(&jobs, job)?;
    Ok(terminal::print(&format!("{id}\n")))
}

/// Waits until a worker has taken a job: from then on its lock shows whether it is alive.
fn await_start(jobs: &Jobs, mut job: Job) -> Result<(), Failure> {
    let environment = |error: StoreError| Failure::environment(&error);
    for _ in 0..START_TRIES {
        let now = Job::load_held(jobs, &job.id).map_err(environment)?;
        if now.is_some_and(|now| now.state != State::Starting) {
            return Ok(());
        }
        std::thread::sleep(START_TICK);
    }
    job.state = State::Lost;
    job.save(jobs).map_err(environment)?;
    let message = format!("job {} did not start; the machine may be too busy", job.id);
    Err(Failure::general(Diagnostic::error(NO_ANSWER, message).hinted("Ask again, or without --background.")))
}

/// Answers a question in the background. What is printed here is not read; the job's file has everything.
pub fn work(id: &str) -> Result<u8, Failure> {
    let environment = |error: StoreError| Failure::environment(&error);
    let jobs = open::store()?.jobs().map_err(environment)?;
    let lock = hold(&jobs, id).map_err(environment)?;
    let (Some(_lock), Some(mut job)) = (lock, Job::load_held(&jobs, id).map_err(environment)?) else {
        return Ok(1);
    };
    job.state = State::Running;
    job.save(&jobs).map_err(environment)?;
    let cancel = signals::cancel_on_signals().map_err(|error| Failure::environment(&error))?;
    let is_over = AtomicBool::new(false);
    let (exit_code, result) = std::thread::scope(|scope| {
        scope.spawn(|| heed(&jobs, id, &cancel, &is_over));
        let answered = answer(&job, &cancel);
        is_over.store(true, Ordering::Relaxed);
        answered
    });
    job.state = if cancel.is_cancelled() { State::Cancelled } else { State::Done };
    job.exit_code = Some(exit_code);
    job.result = Some(result);
    job.save(&jobs).map_err(environment)?;
    Ok(exit_code)
}

fn hold(jobs: &Jobs, id: &str) -> Result<Option<JobLock>, StoreError> {
    for _ in 0..LOCK_TRIES {
        if let Some(lock) = jobs.hold(id)? {
            return Ok(Some(lock));
        }
        std::thread::sleep(TICK);
    }
    Ok(None)
}

/// Passes on a request to end.
fn heed(jobs: &Jobs, id: &str, cancel: &Cancel, is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) {
        // An unreadable request is ignored; the question continues.
        if jobs.is_end_requested(id).unwrap_or(false) {
            return cancel.cancel();
        }
        std::thread::sleep(TICK);
    }
}

/// Reads the arguments again and answers the question.
fn answer(job: &Job, cancel: &Cancel) -> (u8, serde_json::Value) {
    let arguments: Vec<OsString> =
        std::iter::once("relay".into()).chain(job.arguments.iter().map(OsString::from)).collect();
    let failed = |message: String| (2, json!({ "answers": [], "error": message, "exitCode": 2 }));
    let parsed = match cli::parse(&arguments) {
        Ok(parsed) => parsed,
        Err(error) => return failed(error.to_string()),
    };
    let Command::Ask(args) = &parsed.command else { return failed("this is not a question".to_owned()) };
    let root = parsed.root.clone().unwrap_or_else(|| job.folder.clone().into());
    match super::answer(Some(&root), args, &job.prompt, parsed.offline, cancel) {
        Ok(answered) => (answered.exit_code(), answered.document()),
        Err(failure) => failed(failure.message()),
    }
}
