//! `job` against real jobs.

use std::time::Instant;

use relay_agent::jobs::{NewJob, Running};

use super::*;
use crate::testing::Lab;

fn lab() -> Lab {
    let settings = [("async.enabled", json!(true)), ("async.pollWaitDuration", json!("5s"))];
    Lab::with(&settings, std::sync::Arc::new(relay_agent::tool::Unattended))
}

fn until_cancelled(running: &Running) -> Result<String, String> {
    while !running.cancel().is_cancelled() {
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(String::new())
}

fn after(ms: u64) -> impl FnOnce(&Running) -> Result<String, String> + Send {
    move |_| {
        std::thread::sleep(Duration::from_millis(ms));
        Ok("built".to_owned())
    }
}

#[test]
fn the_schema() {
    let schema = Job::new().0.parameters;
    assert_eq!(
        schema["properties"].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["poll", "cancel", "list"]
    );
    assert!(lab().error(&Job::new(), json!({ "poll": "bg_1" })).contains("poll"));
    assert!(lab().error(&Job::new(), json!({ "wait": true })).contains("wait"));
}

#[test]
fn nothing_to_wait_for() {
    let lab = lab();
    assert_eq!(lab.text(&Job::new(), json!({})), "No running background jobs to wait for.");
    assert_eq!(lab.text(&Job::new(), json!({ "poll": ["a", "b"] })), "No matching jobs found for IDs: a, b");
    assert_eq!(lab.text(&Job::new(), json!({ "list": true })), "No background jobs.");
    let cancelled = lab.text(&Job::new(), json!({ "cancel": ["a"] }));
    assert_eq!(cancelled, "## Cancelled (1)\n\n- Background job not found: a");
    let refused = lab.error(&Job::new(), json!({ "list": true, "poll": [] }));
    assert_eq!(refused, "list cannot be combined with poll or cancel.");
    let off = Lab::new();
    assert_eq!(
        off.text(&Job::new(), json!({})),
        "Async execution is disabled; no background jobs are available."
    );
}

#[test]
fn it_returns_when_the_first_of_them_ends_and_the_result_is_not_announced_again() {
    let lab = lab();
    let jobs = &lab.services.jobs;
    jobs.start(NewJob::bash("slow"), until_cancelled).unwrap();
    jobs.start(NewJob::bash("quick"), after(700)).unwrap();
    let text = lab.text(&Job::new(), json!({}));
    assert!(
        text.contains("## Completed (1)\n\n### bg_2 [bash] — completed\nLabel: quick\n```\nbuilt\n```"),
        "{text}"
    );
    assert!(text.contains("## Still Running (1)\n\n- `bg_1` [bash] — slow (up "), "{text}");
    let updates = lab.updates.lock().unwrap();
    assert!((2..=4).contains(&updates.len()), "one at once, then every 500 ms: {}", updates.len());
    assert_eq!(updates[0].details.as_ref().unwrap()["jobs"].as_array().unwrap().len(), 2);
    drop(updates);
    jobs.cancel("bg_1");
    jobs.tear_down();
    assert!(!jobs.is_busy(), "nothing is left to announce");
}

#[test]
fn cancelling_comes_first_and_missing_ids_are_left_out() {
    let lab = lab();
    let jobs = &lab.services.jobs;
    jobs.start(NewJob::bash("one"), until_cancelled).unwrap();
    jobs.start(NewJob::bash("two"), after(10)).unwrap();
    let text = lab.text(&Job::new(), json!({ "cancel": ["bg_1", "zz"], "poll": ["bg_2", "yy"] }));
    assert!(
        text.starts_with(
            "## Cancelled (2)\n\n- Cancelled background job bg_1.\n- Background job not found: zz\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("### bg_1 [bash] — cancelled") && text.contains("### bg_2 [bash] — completed"),
        "{text}"
    );
    let again = lab.text(&Job::new(), json!({ "cancel": ["bg_1"] }));
    assert!(again.contains("Background job bg_1 is already completed."), "{again}");
}

#[test]
fn the_wait_ends_with_its_time_and_with_the_call() {
    let lab = lab();
    lab.services.jobs.start(NewJob::bash("slow"), until_cancelled).unwrap();
    let started = Instant::now();
    assert!(lab.text(&Job::new(), json!({})).starts_with("## Still Running (1)"));
    assert!((4_900..20_000).contains(&started.elapsed().as_millis()), "{:?}", started.elapsed());
    lab.cancel.cancel();
    let started = Instant::now();
    assert!(lab.text(&Job::new(), json!({ "poll": ["bg_1"] })).starts_with("## Still Running (1)"));
    assert!(started.elapsed() < Duration::from_secs(3));
    lab.services.jobs.tear_down();
}

#[test]
fn waits_have_five_lengths() {
    let seconds = ["5s", "10s", "30s", "1m", "5m", "?"].map(|setting| patience(setting).as_secs());
    assert_eq!(seconds, [5, 10, 30, 60, 300, 30]);
}
