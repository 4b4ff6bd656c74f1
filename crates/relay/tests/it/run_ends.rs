//! Runs that fail: each has its exit code and its JSON document, and leaves nothing half done.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::model::{Answer, Failure, Reply};

use crate::lab::{Lab, calling};

/// A project with a file that the model changes in its first turn.
fn lab() -> Lab {
    let lab = Lab::new();
    lab.env.write("a.txt", "one\n");
    lab
}

fn edit() -> (&'static str, Value) {
    ("edit", json!({ "path": "a.txt", "edits": [{ "old_text": "one", "new_text": "two" }] }))
}

/// No transaction is pending, the session can continue, and what landed can be undone.
#[track_caller]
fn check(lab: &Lab, document: &Value, landed: usize) {
    let transactions = document["transactions"].as_array().unwrap();
    assert_eq!(transactions.len(), landed, "{document}");
    assert_eq!(lab.env.read("a.txt"), if landed == 0 { "one\n" } else { "two\n" });
    let status: Value = serde_json::from_str(&lab.env.relay(&["status", "--json"]).success().stdout).unwrap();
    assert!(status["pending"].as_array().is_none_or(Vec::is_empty), "{status}");
    if landed > 0 {
        lab.env.relay(&["undo", "--session", document["sessionId"].as_str().unwrap(), "--yes"]).success();
        assert_eq!(lab.env.read("a.txt"), "one\n");
    }
    let Some(id) = document["sessionId"].as_str().filter(|_| document["turns"] != 0) else { return };
    lab.server.respond(|_| Reply::text("I go on.").into());
    let (code, next) = lab.json(&["--session", id, "go on"]);
    assert_eq!((code, &next["text"]), (0, &json!("I go on.")), "{next}");
    for request in lab.server.requests().iter().rev().take(1) {
        let messages = request.body["messages"].as_array().unwrap();
        let of = |role: &str| messages.iter().filter(|message| message["role"] == role).count();
        let calls: usize =
            messages.iter().filter_map(|message| message["tool_calls"].as_array()).map(Vec::len).sum();
        assert_eq!(of("tool"), calls, "no call without a result: {messages:#?}");
    }
}

/// Whether any process has these words in its command line.
fn runs(words: &str) -> bool {
    let lines = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("cmdline")).ok());
    lines.into_iter().any(|line| line.starts_with(words))
}

#[test]
fn a_denied_call_is_listed_and_the_others_land() {
    let lab = lab();
    lab.calls(&[("bash", json!({ "command": "curl https://example.com" })), edit()]);
    lab.server.queue(Reply::text("I did what I could."));
    let (code, document) = lab.json(&["--yes", "do it"]);
    assert_eq!(
        (code, &document["status"], &document["error"]),
        (1, &json!("done"), &Value::Null),
        "{document}"
    );
    let denied = document["denied"].as_array().unwrap();
    assert_eq!(
        (denied.len(), &denied[0]["tool"], &denied[0]["toolCallId"]),
        (1, &json!("bash"), &json!("call_0"))
    );
    assert!(!denied[0]["reason"].as_str().unwrap().is_empty());
    check(&lab, &document, 1);
}

#[test]
fn a_failing_model_fails_the_run_and_what_landed_stays() {
    let lab = lab();
    lab.calls(&[edit()]);
    lab.server.queue(Answer::status(400, Failure::BadRequest));
    let (code, document) = lab.json(&["do it"]);
    assert_eq!((code, &document["status"]), (1, &json!("failed")), "{document}");
    assert!(document["error"].as_str().is_some_and(|why| !why.is_empty()), "{document}");
    assert_eq!(document["denied"], json!([]));
    check(&lab, &document, 1);
}

#[test]
fn an_answer_that_breaks_off_inside_a_call_changes_nothing() {
    let lab = lab();
    lab.config("[retry]\nenabled = false\n");
    lab.server.queue(Answer::from(calling(&[edit()]).delta(4)).drop_at(5));
    let (code, document) = lab.json(&["do it"]);
    assert_eq!((code, &document["status"]), (1, &json!("failed")), "{document}");
    check(&lab, &document, 0);
}

#[test]
fn a_timeout_ends_the_current_answer() {
    let lab = lab();
    lab.calls(&[edit()]);
    lab.server.queue(Answer::from(Reply::text("a".repeat(400))).stall_at(3));
    let (code, document) = lab.json(&["--max-time", "3s", "do it"]);
    assert_eq!((code, &document["status"]), (4, &json!("limit")), "{document}");
    assert!(document["error"].as_str().unwrap().contains("time limit of 3 s"), "{document}");
    check(&lab, &document, 1);
}

#[test]
fn a_timeout_ends_the_running_command() {
    let lab = lab();
    lab.calls(&[("bash", json!({ "command": "echo started > b.txt; sleep 98761" }))]);
    let (code, document) = lab.json(&["--policy", "full", "--max-time", "3s", "do it"]);
    assert_eq!((code, &document["status"]), (4, &json!("limit")), "{document}");
    assert!(!runs("sleep\098761"), "the command is gone");
    if lab.env.exists("b.txt") {
        lab.env.relay(&["undo", "--session", "--yes"]).success();
    }
    assert!(!lab.env.exists("b.txt"), "what it wrote is on the ledger");
}

#[test]
fn a_spent_budget_ends_the_run_before_the_next_request() {
    let lab = lab();
    let prices = "[[providers.lab.models]]\nid = \"m\"\nprice = { input = 1000.0, output = 1000.0 }\n";
    lab.models("openai-chat", "/v1", prices);
    lab.calls(&[edit()]);
    let (code, document) = lab.json(&["--max-cost", "0.001", "do it"]);
    assert_eq!((code, &document["status"]), (4, &json!("limit")), "{document}");
    assert!(document["error"].as_str().is_some_and(|why| why.contains("0.001")), "{document}");
    assert!(document["cost"].as_f64().is_some_and(|cost| cost > 0.001), "{document}");
    assert_eq!(lab.server.prompts().len(), 1);
    lab.models("openai-chat", "/v1", "");
    check(&lab, &document, 1);
}

#[test]
fn the_turn_limit_ends_the_run_before_the_next_request() {
    let lab = lab();
    lab.calls(&[edit()]);
    let (code, document) = lab.json(&["--max-turns", "1", "do it"]);
    assert_eq!(
        (code, &document["status"], &document["turns"]),
        (4, &json!("limit"), &json!(1)),
        "{document}"
    );
    assert_eq!(lab.server.prompts().len(), 1);
    check(&lab, &document, 1);
}

#[test]
fn an_interrupted_run_says_so() {
    let lab = lab();
    lab.calls(&[edit()]);
    lab.server.queue(Answer::from(Reply::text("a".repeat(400))).stall_at(3).pause(Duration::from_millis(1)));
    let running = lab.env.relay(&["run", "--model", "lab/m", "--json", "do it"]).spawn();
    assert_eq!(lab.server.wait_for_requests(2).len(), 2);
    running.signal("INT");
    let run = running.wait();
    let document: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr));
    assert_eq!((run.code, &document["status"]), (130, &json!("aborted")), "{document}");
    check(&lab, &document, 1);
}
