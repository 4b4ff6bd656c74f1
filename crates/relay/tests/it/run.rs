//! `relay run`: the agent against a scripted model, over real HTTP in every wire format.

use serde_json::{Value, json};
use testkit::model::{Answer, Failure, Reply};

use crate::lab::{Lab, WIRES};

fn lab() -> Lab {
    Lab::new()
}

#[test]
fn a_prompt_is_answered_on_standard_output() {
    let lab = lab();
    lab.server.queue(Reply::text("Hello."));
    let run = lab.run(&["say", "hello"]);
    assert_eq!((run.code, run.stdout.trim()), (0, "Hello."), "{}", run.stderr);
}

#[test]
fn tools_take_turns_with_the_model_in_every_wire_format() {
    for (wire, path) in WIRES {
        let lab = Lab::speaking(wire, path);
        lab.env.write("a.txt", "one\ntwo\n");
        lab.calls(&[("read", json!({ "path": "a.txt" }))]);
        lab.calls(&[("edit", json!({ "path": "a.txt", "edits": [{ "old_text": "two", "new_text": "2" }] }))]);
        lab.server.queue(Reply::text("Done."));
        let (code, document) = lab.json(&["change it"]);
        assert_eq!((code, &document["status"]), (0, &json!("done")), "{wire}: {document}");
        assert_eq!(document["text"], "Done.");
        assert_eq!(document["transactions"].as_array().unwrap().len(), 1, "{wire}: {document}");
        assert_eq!(lab.env.read("a.txt"), "one\n2\n", "{wire}");
        let last = lab.server.requests().pop().unwrap();
        assert!(last.body.to_string().contains("-2|two"), "{wire}: {}", last.body);
    }
}

#[test]
fn everything_since_the_prompt_is_undone_at_once() {
    let lab = lab();
    lab.env.write("a.txt", "one\n");
    lab.calls(&[("edit", json!({ "path": "a.txt", "edits": [{ "old_text": "one", "new_text": "1" }] }))]);
    lab.calls(&[("write", json!({ "path": "b.txt", "content": "new\n" }))]);
    lab.calls(&[("bash", json!({ "command": "echo more > c.txt" }))]);
    lab.server.queue(Reply::text("Done."));
    let (code, document) = lab.json(&["--policy", "full", "do it"]);
    assert_eq!(code, 0, "{document}");
    assert_eq!(document["transactions"].as_array().unwrap().len(), 3, "{document}");
    assert!(lab.env.exists("b.txt") && lab.env.exists("c.txt"));
    let log = lab.env.relay(&["log", "--session"]).success();
    assert!(log.stdout.contains("agent"), "{}", log.stdout);
    lab.env.relay(&["undo", "--turn", "--yes"]).success();
    assert_eq!(lab.env.read("a.txt"), "one\n");
    assert!(!lab.env.exists("b.txt") && !lab.env.exists("c.txt"));
    lab.env.relay(&["redo", "--turn", "--yes"]).success();
    assert_eq!(lab.env.read("a.txt"), "1\n");
    let session = document["sessionId"].as_str().unwrap();
    lab.env.relay(&["undo", "--session", session, "--yes"]).success();
    assert!(!lab.env.exists("b.txt"));
}

#[test]
fn a_call_that_needs_approval_is_denied_if_no_one_can_answer() {
    let lab = lab();
    lab.calls(&[("read", json!({ "path": "/etc/hostname" }))]);
    lab.server.queue(Reply::text("I could not."));
    let (code, document) = lab.json(&["--yes", "read it"]);
    assert_eq!((code, &document["status"]), (1, &json!("done")), "{document}");
    assert_eq!(document["denied"][0]["tool"], "read", "{document}");
    let told = lab.server.requests().pop().unwrap().body.to_string();
    assert!(told.contains("outside the workspace"), "{told}");
}

#[test]
fn a_read_only_policy_changes_nothing() {
    let lab = lab();
    lab.env.write("a.txt", "one\n");
    let before = lab.env.tree();
    lab.calls(&[("write", json!({ "path": "a.txt", "content": "two\n" }))]);
    lab.server.queue(Reply::text("I may not."));
    let (code, document) = lab.json(&["--policy", "read-only", "write it"]);
    assert_eq!((code, document["denied"].as_array().unwrap().len()), (1, 1), "{document}");
    assert_eq!(lab.env.tree(), before);
}

#[test]
fn a_model_that_fails_makes_the_run_fail() {
    let lab = lab();
    lab.server.respond(|_| Answer::status(400, Failure::BadRequest));
    let (code, document) = lab.json(&["hello"]);
    assert_eq!((code, &document["status"]), (1, &json!("failed")), "{document}");
    assert!(document["error"].as_str().is_some_and(|why| !why.is_empty()), "{document}");
}

#[test]
fn limits_end_a_run_with_their_own_exit_code() {
    let lab = lab();
    lab.env.write("a.txt", "one\n");
    // Never the same call twice in a row, which would end the run too.
    let turn = std::sync::atomic::AtomicUsize::new(0);
    lab.server.respond(move |_| {
        let turn = turn.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = if turn.is_multiple_of(2) { "a.txt" } else { "a.txt:1" };
        Answer::from(Reply::text("").tool("c", "read", &json!({ "path": path }).to_string()))
    });
    let (code, document) = lab.json(&["--max-turns", "3", "for ever"]);
    assert_eq!((code, &document["status"]), (4, &json!("limit")), "{document}");
    assert_eq!(document["turns"], 3);
    let (code, document) = lab.json(&["--max-time", "1s", "for ever"]);
    assert_eq!((code, &document["status"]), (4, &json!("limit")), "{document}");
}

#[test]
fn a_session_continues_where_it_ended() {
    let lab = lab();
    lab.server.queue(Reply::text("I am ready."));
    let (_, first) = lab.json(&["remember seven"]);
    lab.server.queue(Reply::text("Seven."));
    let (code, second) = lab.json(&["--continue", "which number?"]);
    assert_eq!((code, &second["sessionId"]), (0, &first["sessionId"]), "{second}");
    let body = lab.server.requests().pop().unwrap().body.to_string();
    assert!(body.contains("remember seven") && body.contains("I am ready."), "{body}");
    lab.server.queue(Reply::text("Again."));
    let id = first["sessionId"].as_str().unwrap();
    let (code, third) = lab.json(&["--session", &id[..12.min(id.len())], "again"]);
    assert_eq!((code, &third["sessionId"]), (0, &first["sessionId"]), "{third}");
    let list = lab.env.relay(&["sessions", "list"]).success();
    assert!(list.stdout.contains("remember seven"), "named after its first prompt: {}", list.stdout);
}

#[test]
fn events_are_lines_of_json() {
    let lab = lab();
    lab.server.queue(Reply::text("Hello."));
    let run = lab.run(&["--stream-json", "say hello"]);
    let kinds: Vec<String> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].as_str().unwrap().to_owned())
        .collect();
    for kind in ["agent_start", "turn_start", "message_update", "message_end", "turn_end", "agent_end"] {
        assert!(kinds.iter().any(|seen| seen == kind), "{kind}: {kinds:?}");
    }
}

#[test]
fn bad_usage_is_reported_and_asks_no_model() {
    let lab = lab();
    for (arguments, told) in [
        (vec!["--policy", "wild", "x"], "unknown policy"),
        (vec!["--allow", "everything", "x"], "--allow takes"),
        (vec!["--tools", "teleport", "x"], "unknown tool `teleport`"),
        (vec!["--session", "zzz", "x"], "zzz"),
        (vec!["@missing.txt"], "missing.txt"),
    ] {
        let run = lab.run(&arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(told), "{arguments:?}: {}", run.stderr);
    }
    let run = lab.env.relay(&["run", "--model", "lab/m"]).run();
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(lab.server.requests().is_empty());
}

#[test]
fn each_request_begins_like_the_previous_one() {
    let lab = lab();
    lab.env.write("a.txt", "one\n");
    for _ in 0..4 {
        lab.calls(&[("read", json!({ "path": "a.txt" }))]);
    }
    lab.server.queue(Reply::text("Done."));
    assert_eq!(lab.json(&["look"]).0, 0);
    let bodies: Vec<Value> = lab.server.requests().iter().map(|request| request.body.clone()).collect();
    for pair in bodies.windows(2) {
        let [before, after] = pair else { panic!("pairs") };
        let messages = |body: &Value| body["messages"].as_array().unwrap().clone();
        let (before, after) = (messages(before), messages(after));
        assert_eq!(after[..before.len()], before[..], "the prefix is the same");
    }
}

#[test]
fn an_interrupt_ends_the_run_and_leaves_a_session_that_can_continue() {
    let lab = lab();
    lab.server.queue(Answer::from(Reply::text("a".repeat(4000))).stall_at(4));
    let running = lab.env.relay(&["run", "--model", "lab/m", "--json", "talk"]).spawn();
    assert_eq!(lab.server.wait_for_requests(1).len(), 1);
    std::thread::sleep(std::time::Duration::from_millis(500));
    running.signal("INT");
    let run = running.wait();
    assert_eq!(run.code, 130, "{}{}", run.stdout, run.stderr);
    lab.server.queue(Reply::text("Back."));
    let (code, document) = lab.json(&["--continue", "go on"]);
    assert_eq!((code, &document["text"]), (0, &json!("Back.")), "{document}");
}

#[test]
fn a_recording_replays_without_a_network() {
    let lab = lab();
    lab.env.write("a.txt", "one\n");
    lab.calls(&[("edit", json!({ "path": "a.txt", "edits": [{ "old_text": "one", "new_text": "1" }] }))]);
    lab.server.queue(Reply::text("Done."));
    let (code, first) = lab.json(&["--record", "talk.jsonl", "change it"]);
    assert_eq!(code, 0, "{first}");
    lab.env.relay(&["undo", "--turn", "--yes"]).success();
    let asked = lab.server.requests().len();
    let arguments = ["run", "--model", "replay:talk.jsonl", "--offline", "--json", "change it"];
    let run = lab.env.relay(&arguments).run();
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &document["text"]), (0, &json!("Done.")), "{document}{}", run.stderr);
    assert_eq!(lab.env.read("a.txt"), "1\n");
    assert!(!run.stderr.contains("than in the recording"), "{}", run.stderr);
    assert_eq!(lab.server.requests().len(), asked, "no one was asked");
    let run = lab.env.relay(&arguments).run();
    assert!(run.stderr.contains("did not return the recorded result"), "{}", run.stderr);
}

#[test]
fn commands_run_in_the_sandbox_unless_they_need_more() {
    let lab = lab();
    lab.env.write("lost.txt", "work\n");
    lab.calls(&[("bash", json!({ "command": "echo new > made.txt; echo out > ../outside.txt" }))]);
    lab.calls(&[("bash", json!({ "command": "sh -c 'echo sneaky > ../outside.txt'; true" }))]);
    lab.calls(&[("bash", json!({ "command": "rm -rf lost.txt" }))]);
    lab.calls(&[("bash", json!({ "command": "echo unfinished 'quote" }))]);
    lab.calls(&[("bash", json!({ "command": "echo fine > made.txt" }))]);
    lab.server.queue(Reply::text("Done."));
    let (code, document) = lab.json(&["try"]);
    assert_eq!(code, 1, "{document}");
    assert_eq!(lab.env.read("made.txt"), "fine\n", "{document}");
    assert_eq!(lab.env.read("lost.txt"), "work\n", "{document}");
    assert!(!lab.env.exists("../outside.txt"), "{document}");
    assert!(document["denied"].as_array().unwrap().len() >= 3, "{document}");
}

#[test]
fn a_stream_rule_interrupts_the_answer() {
    let lab = lab();
    lab.env.write(
        ".relay/rules/no-unwrap.md",
        "---\ndescription: No unwrap\ncondition: \"\\\\.unwrap\\\\(\\\\)\"\nscope: text\n---\nNever write unwrap.\n",
    );
    lab.server.queue(Reply::text("Call x.unwrap() here, and then more and more text follows."));
    lab.server.queue(Reply::text("Use expect instead."));
    let (code, document) = lab.json(&["how?"]);
    assert_eq!((code, &document["text"]), (0, &json!("Use expect instead.")), "{document}");
    let second = lab.server.requests().pop().unwrap().body.to_string();
    assert!(second.contains("rule_violation") && second.contains("Never write unwrap."), "{second}");
    assert!(!second.contains("more and more text"), "the interrupted answer is gone: {second}");
}

#[test]
fn secrets_stay_on_this_machine_and_come_back_in_arguments() {
    let lab = lab();
    let secret = "ghp_k3J9mQ2xV7bN4wR8tY1uZ6cL5pD0sFaGhEiO";
    lab.env.write("settings.txt", &format!("key = {secret}\n"));
    lab.calls(&[("read", json!({ "path": "settings.txt" }))]);
    lab.server.queue(Reply::text("I have seen it."));
    assert_eq!(lab.json(&["look"]).0, 0);
    for request in lab.server.requests() {
        let body = request.body.to_string();
        assert!(!body.contains(secret), "{body}");
    }
    let body = lab.server.requests().pop().unwrap().body.to_string();
    let at = body.rfind("RELAY_MASKED_").unwrap_or_else(|| panic!("a placeholder: {body}"));
    let placeholder: String =
        body[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    lab.calls(&[("write", json!({ "path": "copy.txt", "content": format!("key = {placeholder}\n") }))]);
    lab.server.queue(Reply::text("Copied."));
    assert_eq!(lab.json(&["--continue", "copy it"]).0, 0);
    let told = lab.server.requests().pop().unwrap().body["messages"].to_string();
    assert!(lab.env.exists("copy.txt"), "{placeholder}: {}", &told[told.len() - 700..]);
    assert_eq!(lab.env.read("copy.txt"), format!("key = {secret}\n"));
}
