//! Slash commands and questions of the terminal interface, in a real terminal.

use testkit::model::{Failure, Reply};

use crate::pane::Pane;

#[test]
fn a_new_folder_is_not_asked_about_if_the_environment_answers() {
    let pane = Pane::new_folder(100, 34);
    pane.line("export RELAY_TRUST=1; clear");
    pane.server.queue(Reply::text("Good morning."));
    pane.open("-- hello");
    pane.expect("Good morning.");
}

#[test]
fn a_new_folder_is_asked_about_once() {
    let pane = Pane::new_folder(100, 34);
    pane.env.write("AGENTS.md", "Be brief.\n");
    pane.env.write("relaycode.config.json", r#"{"projectId": "shop", "linter": "make lint"}"#);
    pane.open("-- hello");
    pane.expect("Do you trust this folder?");
    pane.expect("AGENTS.md");
    pane.expect("make lint");
    assert!(pane.server.prompts().is_empty(), "nothing is sent before the answer");
    // Leaving is an answer too.
    pane.keys("Escape");
    pane.gone("Do you trust");
    pane.line("clear");
    pane.server.queue(Reply::text("Good morning."));
    pane.open("-- hello");
    pane.expect("Yes, work in this folder");
    pane.keys("Enter");
    pane.expect("Good morning.");
    pane.keys("C-d");
    pane.gone("Type your message...");
    pane.line("clear");
    pane.start("");
    // Its commands were not agreed to by that.
    let run = pane.env.relay(&["trust"]).run();
    assert_ne!(run.code, 0, "{}", run.stdout);
}

#[test]
fn looking_only_narrows_the_policy_and_is_not_remembered() {
    let pane = Pane::new_folder(100, 34);
    pane.open("");
    pane.expect("Only look");
    pane.keys("Down");
    pane.keys("Enter");
    pane.expect("Type your message...");
    pane.expect("read-only");
    pane.keys("C-d");
    pane.gone("Type your message...");
    pane.line("clear");
    pane.open("");
    pane.expect("Do you trust this folder?");
}

#[test]
fn questions_on_the_side_leave_no_trace_and_prompts_are_tried_again() {
    let pane = Pane::new(100, 34);
    pane.server.queue(Reply::text("The first answer."));
    pane.start("-- what is it");
    pane.expect("The first answer.");
    pane.server.queue(Reply::text("An aside."));
    pane.line("/btw is it big");
    pane.expect("An aside.");
    pane.server.queue(Reply::text("The second answer."));
    pane.line("/retry");
    pane.expect("The second answer.");
    let asked: Vec<String> = pane.server.prompts().iter().map(|request| request.body.to_string()).collect();
    let last = asked.last().unwrap();
    assert!(!last.contains("is it big") && !last.contains("The first answer."), "{last}");
    pane.line("/context");
    pane.expect("messages");
    pane.expect("esc close");
    pane.keys("q");
    pane.expect("Type your message...");
    pane.line("/drop");
    pane.expect("Delete this session for good");
    pane.keys("Escape");
    pane.expect("Type your message...");
}

#[test]
fn an_answer_can_be_had_without_changes() {
    let pane = Pane::new(100, 34);
    pane.env.write("a.txt", "one\n");
    let write = r#"{"path":"a.txt","content":"two\n"}"#;
    pane.server.queue(Reply::text("").tool("c1", "write", write));
    pane.server.queue(Reply::text("I may not write."));
    pane.start("");
    pane.line("/ask what is in a.txt");
    pane.expect("I may not write.");
    assert_eq!(pane.env.read("a.txt"), "one\n");
    // And afterwards it is as before.
    pane.expect("policy: auto");
}

#[test]
fn a_report_has_no_secrets() {
    let pane = Pane::new(100, 34);
    // In two parts, so that this file itself has none.
    let value = ["Xq7Rt2mVb9LkZ4wHs8Ny", "P3cGf6JdTu1EaKo5QiWzB0rMxC_vYl-Dh"].concat();
    pane.env.write("note.txt", &format!("ANTHROPIC_API_KEY=sk-ant-api03-{value}\n"));
    pane.server.queue(Reply::text("").tool("c1", "read", r#"{"path":"note.txt"}"#));
    pane.server.queue(Reply::text("I have read it."));
    pane.start("-- read it");
    pane.expect("I have read it.");
    pane.line("/debug raw");
    pane.expect("raw stream");
    pane.keys("q");
    testkit::wait_for("the log is written", || {
        let log = pane.env.home_path(".local/state/relay/logs/relay.log");
        std::fs::read_to_string(log).is_ok_and(|text| text.contains("tool read succeeded"))
    });
    pane.line("/debug logs");
    pane.expect("tool read succeeded");
    pane.keys("q");
    pane.line("/debug report");
    pane.expect("Secrets that Relay knows or recognises are removed");
    let listed = pane.env.shell("tar -tzf $HOME/.local/state/relay/reports/*.tar.gz | sort");
    for name in ["environment.txt", "raw.json", "relay.log", "session.jsonl", "system.txt"] {
        assert!(listed.stdout.lines().any(|line| line == name), "{name}: {}", listed.stdout);
    }
    let all = pane.env.shell("tar -xzOf $HOME/.local/state/relay/reports/*.tar.gz");
    assert!(all.stdout.contains("note.txt"), "{}", all.stdout);
    assert!(!all.stdout.contains(&value), "a secret is in it");
}

#[test]
fn a_failed_answer_is_reported_and_tried_again() {
    let pane = Pane::new(100, 34);
    pane.server.queue(testkit::model::Answer::failure(Failure::Permission));
    pane.start("-- go");
    pane.expect("✗");
    pane.server.queue(Reply::text("Now it works."));
    pane.line("/retry");
    pane.expect("Now it works.");
}
