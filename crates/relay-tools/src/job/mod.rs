//! `job`: waits for background jobs, cancels and lists them.

mod report;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use relay_agent::jobs::{Cancelled, Jobs, Snapshot, Status};
use relay_agent::tool::{Access, Call, Concurrency, Output, Services, Spec, Tool, ToolError};
use serde_json::{Map, Value, json};

/// How often a wait shows how the jobs are doing.
const PROGRESS: Duration = Duration::from_millis(500);

/// Whether the user lets commands run in the background.
pub fn is_enabled(services: &Services) -> bool {
    services.is_on("async.enabled", false) || services.is_on("bash.autoBackground.enabled", false)
}

pub struct Job(Spec);

impl Job {
    pub fn new() -> Self {
        let ids = |what: &str| json!({ "type": "array", "items": { "type": "string" }, "description": what });
        Self(Spec {
            name: "job".into(),
            description: include_str!("description.md").trim().into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "poll": ids("Ids of jobs to watch; all running jobs if left out"),
                    "cancel": ids("Ids of jobs to cancel first"),
                    "list": { "type": "boolean", "description": "Show all jobs at once, without waiting" },
                },
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Shared,
            hidden: false,
        })
    }
}

impl Tool for Job {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, _: &Map<String, Value>) -> Vec<Access> {
        vec![Access::Conversation]
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        if !is_enabled(call.services) {
            return Ok(Output::text("Async execution is disabled; no background jobs are available."));
        }
        let jobs = &call.services.jobs;
        let (poll, cancel) = (ids(call, "poll"), ids(call, "cancel").unwrap_or_default());
        if call.flag("list") {
            if poll.is_some() || !cancel.is_empty() {
                return Err(ToolError::failed("list cannot be combined with poll or cancel."));
            }
            return Ok(shown(jobs, &all(jobs), &[]));
        }
        let outcomes: Vec<(String, Cancelled)> =
            cancel.iter().map(|id| (id.clone(), jobs.cancel(id))).collect();
        if poll.is_none() && !cancel.is_empty() {
            return Ok(shown(jobs, &cancel, &outcomes));
        }
        let watched: Vec<String> = match &poll {
            Some(ids) => ids.iter().filter(|id| jobs.get(id).is_some()).cloned().collect(),
            None => jobs.running().into_iter().map(|job| job.id).collect(),
        };
        if watched.is_empty() {
            return Ok(nothing_to_watch(jobs, poll.as_deref(), &cancel, &outcomes));
        }
        let tracked: Vec<String> = cancel.iter().chain(&watched).cloned().collect();
        // The watch lasts until the results are acknowledged, so that they are not announced as well.
        let _watched = jobs.watch(&watched);
        wait(call, &watched, &tracked, &outcomes);
        Ok(shown(jobs, &tracked, &outcomes))
    }
}

fn ids(call: &Call<'_>, name: &str) -> Option<Vec<String>> {
    let ids = call.arguments.get(name)?.as_array()?;
    Some(ids.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

fn all(jobs: &Jobs) -> Vec<String> {
    jobs.list().into_iter().map(|job| job.id).collect()
}

fn nothing_to_watch(
    jobs: &Jobs,
    poll: Option<&[String]>,
    cancel: &[String],
    outcomes: &[(String, Cancelled)],
) -> Output {
    if !outcomes.is_empty() {
        return shown(jobs, cancel, outcomes);
    }
    let text = match poll {
        Some(ids) if !ids.is_empty() => format!("No matching jobs found for IDs: {}", ids.join(", ")),
        _ => "No running background jobs to wait for.".to_owned(),
    };
    Output::text(text).with_details(json!({ "jobs": [] }))
}

/// Waits for the first of the watched jobs to end, and shows how they are doing meanwhile.
fn wait(call: &Call<'_>, watched: &[String], tracked: &[String], outcomes: &[(String, Cancelled)]) {
    let jobs = &call.services.jobs;
    let is_running = |id: &&String| jobs.get(id).is_some_and(|job| job.status == Status::Running);
    let running: Vec<String> = watched.iter().filter(is_running).cloned().collect();
    if running.is_empty() {
        return;
    }
    let until = Instant::now() + patience(&call.services.text("async.pollWaitDuration", "30s"));
    loop {
        let update = Output::text("").with_details(report::details(&snapshots(jobs, tracked), outcomes));
        (call.update)(update);
        let left = until.saturating_duration_since(Instant::now());
        let ended = jobs.wait_any(&running, left.min(PROGRESS), call.cancel);
        if ended || left.is_zero() || call.cancel.is_cancelled() {
            return;
        }
    }
}

/// How long a poll waits.
fn patience(setting: &str) -> Duration {
    Duration::from_secs(match setting {
        "5s" => 5,
        "10s" => 10,
        "1m" => 60,
        "5m" => 300,
        _ => 30,
    })
}

/// The jobs of these ids, each once, in this order.
fn snapshots(jobs: &Jobs, ids: &[String]) -> Vec<Snapshot> {
    let mut seen = BTreeSet::new();
    ids.iter().filter(|id| seen.insert(id.as_str())).filter_map(|id| jobs.get(id)).collect()
}

/// What the model reads. It knows how these jobs ended now, so that is not announced again.
fn shown(jobs: &Jobs, ids: &[String], outcomes: &[(String, Cancelled)]) -> Output {
    let shown = snapshots(jobs, ids);
    let ended: Vec<String> =
        shown.iter().filter(|job| job.status != Status::Running).map(|job| job.id.clone()).collect();
    jobs.acknowledge(&ended);
    Output::text(report::text(&shown, outcomes)).with_details(report::details(&shown, outcomes))
}

#[cfg(test)]
mod tests;
