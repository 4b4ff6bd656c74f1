//! A run killed at any of its writes: the session opens, nothing is half done, and the run can continue.
//!
//! `strace` kills Relay at the n-th system call of a kind. The model answers according to the conversation, so that the
//! continued run gets the rest of the same task.
#![cfg(target_os = "linux")]

use serde_json::json;
use testkit::model::{Answer, Reply};

use crate::lab::{Lab, calling};

/// The system calls that persist data. `strace` counts each of them separately, and in each thread.
const CALLS: [&str; 6] = ["write", "fsync", "renameat2", "renameat", "unlinkat", "ftruncate"];

/// In the short run, a kill is tried at every n-th of them.
const SHORT_STEP: usize = 7;

fn lab() -> Lab {
    let lab = Lab::new();
    lab.env.write("a.txt", "one\n");
    lab.server.respond(|request| {
        let body = request.body.to_string();
        Answer::from(
            match (body.contains("wrote 2 bytes to b.txt"), body.contains("wrote 4 bytes to a.txt")) {
                (true, _) => Reply::text("All done."),
                (false, true) => calling(&[("write", json!({ "path": "b.txt", "content": "b\n" }))]),
                (false, false) => calling(&[("write", json!({ "path": "a.txt", "content": "two\n" }))]),
            },
        )
    });
    lab
}

/// Kills a run at the n-th call; returns whether the run got that far.
fn killed(lab: &Lab, call: &str, n: usize) -> bool {
    let line = format!(
        "strace -f -qq -o /dev/null -e trace={call} -e inject={call}:signal=KILL:when={n} \"$RELAY\" run --model lab/m --json --max-turns 9 'do it' >/dev/null 2>&1"
    );
    lab.env.shell(&line).code != 0
}

#[test]
fn a_run_killed_at_any_write_is_resumed_and_nothing_is_half_done() {
    let is_long = std::env::var("RELAY_LONG_TESTS").is_ok_and(|long| long == "yes");
    let step = if is_long { 1 } else { SHORT_STEP };
    let mut tried = 0;
    for call in CALLS {
        for n in (1..).step_by(step) {
            let lab = lab();
            if !killed(&lab, call, n) {
                break;
            }
            tried += 1;
            check(&lab, &format!("{call} {n}"));
        }
    }
    assert!(tried >= CALLS.len(), "only {tried} kills came to pass");
}

fn check(lab: &Lab, context: &str) {
    let text = |name: &str| lab.env.exists(name).then(|| lab.env.read(name));
    // The next command of Relay recovers; before that a file is old or new, never a mixture.
    let a = text("a.txt");
    assert!(matches!(a.as_deref(), Some("one\n" | "two\n")), "{context}: {a:?}");
    assert!(matches!(text("b.txt").as_deref(), None | Some("b\n")), "{context}");
    let resumed = lab
        .env
        .relay(&["run", "--model", "lab/m", "--json", "--max-turns", "9", "--continue", "go on"])
        .run();
    assert_eq!(resumed.code, 0, "{context}: {}{}", resumed.stdout, resumed.stderr);
    let document: serde_json::Value = serde_json::from_str(&resumed.stdout).unwrap();
    assert_eq!(document["text"], "All done.", "{context}: {document}");
    assert_eq!(text("a.txt").as_deref(), Some("two\n"), "{context}");
    assert_eq!(text("b.txt").as_deref(), Some("b\n"), "{context}");
    // No request of the continued run has a call without a result, whatever the log ends with.
    for request in lab.server.requests() {
        assert!(request.complaint.is_none(), "{context}: {:?}", request.complaint);
        let body = request.body["messages"].as_array().cloned().unwrap_or_default();
        let calls =
            body.iter().flat_map(|message| message["tool_calls"].as_array().cloned().unwrap_or_default());
        for call in calls {
            let has_result = body.iter().any(|message| message["tool_call_id"] == call["id"]);
            assert!(has_result, "{context}: {call} has no result");
        }
    }
}
