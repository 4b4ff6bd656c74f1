//! `checkpoint` and `rewind`: an investigation that leaves a report and, if the model wishes, nothing else.

use serde_json::{Value, json};
use testkit::model::Reply;

use crate::lab::Lab;

fn lab() -> Lab {
    let lab = Lab::new();
    lab.config("[checkpoint]\nenabled = true\n");
    lab.env.write("a.txt", "one\n");
    lab
}

/// The results the model got so far, in its last request.
fn results(lab: &Lab) -> Vec<String> {
    let body = lab.last_body();
    let messages = body["messages"].as_array().unwrap();
    let results = messages.iter().filter(|message| message["role"] == "tool");
    results.map(|message| message["content"].to_string()).collect()
}

fn write() -> (&'static str, Value) {
    ("write", json!({ "path": "probe.txt", "content": "a probe\n" }))
}

#[test]
fn without_the_setting_models_do_not_get_it() {
    let lab = Lab::new();
    lab.server.queue(Reply::text("Hello."));
    lab.json(&["hi"]);
    let tools = lab.last_body()["tools"].to_string();
    assert!(!tools.contains("\"checkpoint\"") && !tools.contains("\"rewind\""), "{tools}");
}

#[test]
fn the_conversation_and_the_files_return_to_the_checkpoint_with_a_report() {
    let lab = lab();
    lab.calls(&[("checkpoint", json!({ "goal": "find the cause" }))]);
    lab.calls(&[write()]);
    lab.server.queue(Reply::text("I am done looking."));
    lab.calls(&[("rewind", json!({ "report": "The cause is in a.txt.", "restore_files": true }))]);
    lab.server.queue(Reply::text("It is in a.txt."));
    let (code, document) = lab.json(&["investigate"]);
    assert_eq!((code, &document["text"]), (0, &json!("It is in a.txt.")), "{document}");
    let bodies: Vec<String> = lab.server.requests().iter().map(|request| request.body.to_string()).collect();
    assert!(
        bodies[1].contains("Checkpoint created.\\nGoal: find the cause\\nRun your investigation"),
        "{}",
        bodies[1]
    );
    assert!(bodies[3].contains("You are in an active checkpoint. You MUST call rewind"), "{}", bodies[3]);
    let last = bodies.last().unwrap();
    assert!(last.contains("The cause is in a.txt.") && last.contains("investigate"), "{last}");
    assert!(!last.contains("a probe") && !last.contains("I am done looking."), "{last}");
    assert!(!lab.env.exists("probe.txt"), "files are restored through the ledger");
    let id = document["sessionId"].as_str().unwrap();
    let tree = lab.env.relay(&["sessions", "show", id, "--tree"]).success().stdout;
    assert!(tree.contains("I am done looking."), "history is kept: {tree}");
    lab.env.relay(&["redo", "--yes"]).success();
    assert_eq!(lab.env.read("probe.txt"), "a probe\n", "restoring is a transaction too");
}

#[test]
fn files_stay_unless_the_model_wants_them_restored() {
    let lab = lab();
    lab.calls(&[("checkpoint", json!({ "goal": "try it" }))]);
    lab.calls(&[write()]);
    lab.calls(&[("rewind", json!({ "report": "It works." }))]);
    lab.server.queue(Reply::text("It works."));
    assert_eq!(lab.json(&["try"]).0, 0);
    assert_eq!(lab.env.read("probe.txt"), "a probe\n");
}

#[test]
fn only_what_the_session_changed_is_restored() {
    let lab = lab();
    lab.calls(&[("checkpoint", json!({ "goal": "try it" }))]);
    lab.calls(&[write()]);
    let (code, first) = lab.json(&["--max-turns", "2", "try"]);
    assert_eq!(code, 4, "{first}");
    let reply = "mine.txt\n```\nmine\n```\n";
    lab.env.relay(&["apply", "--yes", "-"]).stdin(reply).success();
    lab.calls(&[("rewind", json!({ "report": "It works.", "restore_files": true }))]);
    lab.server.queue(Reply::text("It works."));
    let id = first["sessionId"].as_str().unwrap();
    assert_eq!(lab.json(&["--session", id, "go on"]).0, 0);
    assert!(!lab.env.exists("probe.txt"));
    assert_eq!(lab.env.read("mine.txt"), "mine\n", "another change since then stays");
}

#[test]
fn an_open_checkpoint_survives_the_end_of_the_process() {
    let lab = lab();
    lab.calls(&[("checkpoint", json!({ "goal": "find the cause" }))]);
    let (code, first) = lab.json(&["--max-turns", "1", "investigate"]);
    assert_eq!(code, 4, "{first}");
    lab.calls(&[("checkpoint", json!({ "goal": "another" }))]);
    lab.calls(&[("rewind", json!({ "report": " " }))]);
    lab.calls(&[("rewind", json!({ "report": "Found it." }))]);
    lab.calls(&[("rewind", json!({ "report": "Again." }))]);
    lab.server.queue(Reply::text("Found it."));
    let id = first["sessionId"].as_str().unwrap();
    let (code, document) = lab.json(&["--session", id, "go on"]);
    assert_eq!((code, &document["text"]), (0, &json!("Found it.")), "{document}");
    let bodies: Vec<String> = lab.server.requests().iter().map(|request| request.body.to_string()).collect();
    for told in ["Checkpoint already active.", "Report cannot be empty."] {
        assert!(bodies.iter().any(|body| body.contains(told)), "{told}");
    }
    assert!(
        results(&lab).iter().any(|result| result.contains("No active checkpoint.")),
        "{:?}",
        results(&lab)
    );
}
