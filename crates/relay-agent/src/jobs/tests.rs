//! Jobs on real threads: results, waits, teardown.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

const LONG: Duration = Duration::from_secs(20);

/// Work that waits for its end.
fn until_cancelled(running: &Running) -> Result<String, String> {
    while !running.cancel().is_cancelled() {
        thread::sleep(Duration::from_millis(2));
    }
    Ok("ended".to_owned())
}

fn settled(jobs: &Jobs, id: &str) {
    assert!(jobs.wait_any(&[id.to_owned()], LONG, &Cancel::new()));
}

#[test]
fn a_result_is_announced_once() {
    let jobs = Jobs::default();
    let id = jobs
        .start(NewJob::bash("make"), |job| {
            job.append("building\n");
            Ok("built".to_owned())
        })
        .unwrap();
    settled(&jobs, &id);
    while jobs.shared.registry.lock().unwrap().is_unsettled(None) {}
    let due = jobs.take_due(false).unwrap();
    assert!(
        due.prompt.text.contains("Background job bg_1 has completed.") && due.prompt.text.contains("built")
    );
    assert!(jobs.take_due(false).is_none() && !jobs.is_busy());
    assert_eq!(jobs.read_output(&id, 0).unwrap().text, "building\n");
    assert_eq!(jobs.take_events().len(), 2);
}

#[test]
fn failed_deliveries_are_due_again_later() {
    let jobs = Jobs::default();
    assert!(jobs.say(Prompt::hidden("cron-fire", "now")));
    let due = jobs.take_due(false).unwrap();
    jobs.give_back(due);
    assert!(jobs.take_due(false).is_none(), "not at once");
    assert!(jobs.is_busy());
    thread::sleep(Duration::from_millis(750));
    assert!(jobs.take_due(false).is_some());
}

#[test]
fn a_panic_is_a_failure_and_not_the_end() {
    let jobs = Jobs::default();
    let id = jobs.start(NewJob::bash("x"), |_| panic!("a bug")).unwrap();
    settled(&jobs, &id);
    assert_eq!(jobs.get(&id).unwrap().status, Status::Failed);
}

#[test]
fn clean_ups_run_once_and_before_the_jobs_are_cancelled() {
    let jobs = Jobs::default();
    let id = jobs.start(NewJob::bash("x"), until_cancelled).unwrap();
    let order = Arc::new(AtomicUsize::new(0));
    let (at, seen, watched) = (Arc::clone(&order), jobs.clone(), id.clone());
    jobs.on_teardown(|| panic!("one that fails"));
    jobs.on_teardown(move || {
        assert_eq!(seen.get(&watched).unwrap().status, Status::Running);
        at.fetch_add(1, Ordering::SeqCst);
    });
    let other = jobs.of("sub");
    let foreign = other.start(NewJob::bash("y"), until_cancelled).unwrap();
    jobs.tear_down();
    jobs.tear_down();
    assert_eq!(order.load(Ordering::SeqCst), 1);
    assert_eq!(jobs.get(&id).unwrap().status, Status::Cancelled);
    assert_eq!(other.get(&foreign).unwrap().status, Status::Running, "another owner's goes on");
    jobs.dispose();
    assert_eq!(other.get(&foreign).unwrap().status, Status::Cancelled);
    assert_eq!(jobs.start(NewJob::bash("z"), until_cancelled).unwrap_err(), Refused::Disposed);
}

#[test]
fn a_wait_ends_with_its_time_or_its_cancel() {
    let jobs = Jobs::default();
    let id = jobs.start(NewJob::bash("x"), until_cancelled).unwrap();
    assert!(!jobs.wait_any(std::slice::from_ref(&id), Duration::from_millis(30), &Cancel::new()));
    let cancel = Cancel::new();
    cancel.cancel();
    assert!(!jobs.wait_any(std::slice::from_ref(&id), LONG, &cancel));
    let (other, at) = (jobs.clone(), id.clone());
    let waiting = thread::spawn(move || other.wait_any(&[at], LONG, &Cancel::new()));
    jobs.cancel(&id);
    assert!(waiting.join().unwrap());
    jobs.dispose();
}

#[test]
fn a_job_that_turned_out_short_leaves_nothing() {
    let jobs = Jobs::default();
    let id = jobs.start(NewJob::bash("true"), |_| Ok(String::new())).unwrap();
    settled(&jobs, &id);
    while jobs.shared.registry.lock().unwrap().is_unsettled(None) {}
    jobs.forget(&id);
    assert!(jobs.list().is_empty() && jobs.take_due(false).is_none());
}
