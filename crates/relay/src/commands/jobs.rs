//! `relay jobs`: background work: questions, and agents' jobs.

use std::time::{Duration, Instant};

use relay_backends::jobs::{Job, State};
use relay_diagnostics::Diagnostic;
use relay_store::{Jobs, StoreError};
use serde_json::Value;

use super::ask::background::TICK;
use crate::cli::{JobsArgs, JobsCommand};
use crate::failure::{BAD_USAGE, Failure};
use crate::terminal::report::line;
use crate::terminal::style::{BAD, FAINT, GOOD, NOTE, STRONG, paint};
use crate::terminal::{self, visible};
use crate::{open, signals};

/// How much of a prompt a list shows.
const PROMPT_CHARS: usize = 60;

pub fn run(args: &JobsArgs) -> Result<u8, Failure> {
    let jobs = open::store()?.jobs().map_err(broken)?;
    match &args.command {
        JobsCommand::List { json } => list(&jobs, *json),
        JobsCommand::Show { id, json } => Ok(show(&find(&jobs, id)?, *json)),
        JobsCommand::Wait { id, timeout, json } => wait(&jobs, id, *timeout, *json),
        JobsCommand::Cancel { id } => cancel(&jobs, id),
        JobsCommand::Prune => prune(&jobs),
    }
}

fn broken(error: StoreError) -> Failure {
    Failure::environment(&error)
}

/// The job with this id.
fn find(jobs: &Jobs, id: &str) -> Result<Job, Failure> {
    // An id is always a valid file name.
    let found = Job::load(jobs, id).or_else(|error| match error {
        StoreError::BadName { .. } => Ok(None),
        error => Err(broken(error)),
    })?;
    found.ok_or_else(|| {
        let message = format!("no job has the id `{}`", visible(id));
        Failure::usage(Diagnostic::error(BAD_USAGE, message).hinted("`relay jobs list` shows them."))
    })
}

fn list(jobs: &Jobs, json: bool) -> Result<u8, Failure> {
    let all = Job::all(jobs).map_err(broken)?;
    if json {
        let list = serde_json::to_value(&all).map_err(|error| Failure::environment(&error))?;
        return Ok(terminal::print_document(&list));
    }
    let mut text = String::new();
    for job in &all {
        let style = match job.state {
            State::Starting | State::Running => NOTE,
            State::Done if job.exit_code == Some(0) => GOOD,
            _ => BAD,
        };
        let prompt: String = job.prompt.split_whitespace().collect::<Vec<_>>().join(" ");
        let prompt: String = prompt.chars().take(PROMPT_CHARS).collect();
        let state = paint(style, format!("{:<9}", job.state.name()));
        let kind = job.agent.as_ref().map_or("ask", |agent| agent.kind.as_str());
        line(
            &mut text,
            format_args!(
                "{:<13}  {state}  {:<4}  {}",
                paint(STRONG, &job.id),
                visible(kind),
                paint(FAINT, visible(&prompt))
            ),
        );
    }
    Ok(terminal::print(if all.is_empty() { "no jobs\n" } else { &text }))
}

/// Prints a job's answer; its exit code is the question's own.
fn show(job: &Job, json: bool) -> u8 {
    if json {
        terminal::print_document(&serde_json::to_value(job).unwrap_or_default());
        return job.exit_code.unwrap_or(u8::from(job.state == State::Lost));
    }
    let answers = job.result.as_ref().and_then(|result| result.get("answers")).and_then(Value::as_array);
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let several = answers.is_some_and(|answers| answers.len() > 1);
    for answer in answers.into_iter().flatten() {
        let backend = text(answer, "backend").unwrap_or_default();
        if several {
            terminal::print(&format!("{}\n", paint(STRONG, format!("── {}", visible(&backend)))));
        }
        match (text(answer, "text"), text(answer, "error")) {
            (Some(said), _) => {
                terminal::print_as_is(&format!("{}\n", visible(said.trim_end())));
            }
            (None, error) => {
                terminal::tell(&format!("{} {}\n", paint(BAD, "✗"), visible(&error.unwrap_or_default())));
            }
        }
    }
    if let Some(said) = job.result.as_ref().and_then(|result| text(result, "text")) {
        terminal::print_as_is(&format!("{}\n", visible(said.trim_end())));
    }
    if let Some(error) = job.result.as_ref().and_then(|result| text(result, "error")) {
        terminal::tell(&format!("{} {}\n", paint(BAD, "✗"), visible(&error)));
    }
    match job.state {
        State::Starting | State::Running => {
            terminal::tell("still running; `relay jobs wait` waits for it\n");
        }
        State::Lost if job.agent.is_some() => terminal::tell("the agent that worked on it was killed\n"),
        State::Lost => terminal::tell("its process ended without an answer; ask again\n"),
        State::Cancelled => terminal::tell("cancelled\n"),
        State::Done => {}
    }
    job.exit_code.unwrap_or(u8::from(job.state == State::Lost))
}

fn wait(jobs: &Jobs, id: &str, timeout: Option<u64>, json: bool) -> Result<u8, Failure> {
    let cancel = signals::cancel_on_signals().map_err(|error| Failure::environment(&error))?;
    let until = timeout.and_then(|seconds| Instant::now().checked_add(Duration::from_secs(seconds)));
    loop {
        let job = find(jobs, id)?;
        if !job.state.is_open() {
            return Ok(show(&job, json));
        }
        if cancel.is_cancelled() {
            return Ok(130);
        }
        if until.is_some_and(|until| Instant::now() >= until) {
            let message = format!("job {id} is still running");
            return Err(Failure::general(
                Diagnostic::error(crate::failure::NO_ANSWER, message).hinted("Wait longer, or cancel it."),
            ));
        }
        std::thread::sleep(TICK);
    }
}

fn cancel(jobs: &Jobs, id: &str) -> Result<u8, Failure> {
    let job = find(jobs, id)?;
    if !job.state.is_open() {
        return Ok(terminal::print(&format!("job {id} is {} already\n", job.state.name())));
    }
    jobs.request_end(id).map_err(broken)?;
    // It has ended only once the worker reports it.
    while find(jobs, id)?.state.is_open() {
        std::thread::sleep(TICK);
    }
    Ok(terminal::print(&format!("job {id} was cancelled\n")))
}

fn prune(jobs: &Jobs) -> Result<u8, Failure> {
    let over: Vec<Job> =
        Job::all(jobs).map_err(broken)?.into_iter().filter(|job| !job.state.is_open()).collect();
    for job in &over {
        jobs.remove(&job.id).map_err(broken)?;
    }
    Ok(terminal::print(&format!("{} removed\n", crate::terminal::style::count(over.len(), "job"))))
}
