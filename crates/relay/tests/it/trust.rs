//! Nothing from a repository runs before the user trusted exactly that text.

use crate::{PLAIN, apply, codes, project, reply};

const COMMANDS: &str = r#"{"projectId": "shop", "postCommand": "touch ran"}"#;

#[test]
fn a_clones_commands_do_not_run_without_trust() {
    let env = project(COMMANDS);
    let before = env.tree();
    let (code, document) = apply(&env, &reply(1, "a.txt", "x"), &["--yes"]);
    assert_eq!(
        (code, codes(&document)),
        (1, vec!["untrusted-commands".to_owned()]),
        "--yes does not answer this"
    );
    let hint = document["diagnostics"][0]["hint"].as_str().unwrap();
    assert!(hint.contains("relay trust") && hint.contains("--trust"), "{hint}");
    assert_eq!(env.tree(), before);
}

#[test]
fn the_flag_and_the_variable_trust_one_run_only() {
    let env = project(COMMANDS);
    assert_eq!(apply(&env, &reply(1, "a.txt", "x"), &["--trust"]).0, 0);
    assert!(env.exists("ran"));
    let run = env.relay(&["apply"]).env("RELAY_TRUST", "1").stdin(&reply(2, "b.txt", "x")).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = env.relay(&["apply"]).env("RELAY_TRUST", "0").stdin(&reply(3, "c.txt", "x")).run();
    assert_eq!(run.code, 1);
    assert_eq!(apply(&env, &reply(3, "c.txt", "x"), &[]).0, 1);
}

#[test]
fn trust_is_remembered_until_the_text_changes_or_it_is_revoked() {
    let env = project(COMMANDS);
    assert_eq!(env.relay(&["trust"]).run().code, 1, "without a terminal it must be said");
    let run = env.relay(&["trust", "--yes"]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("touch ran"), "what is trusted is shown: {}", run.stderr);
    assert_eq!(apply(&env, &reply(1, "a.txt", "x"), &[]).0, 0);

    env.write("relaycode.config.json", r#"{"projectId": "shop", "postCommand": "touch ran; touch evil"}"#);
    let (code, document) = apply(&env, &reply(2, "b.txt", "x"), &[]);
    assert_eq!(code, 1);
    assert!(document["diagnostics"][0]["message"].as_str().unwrap().contains("changed since you trusted"));

    env.write("relaycode.config.json", COMMANDS);
    assert_eq!(apply(&env, &reply(2, "b.txt", "x"), &[]).0, 0, "the trusted text is trusted again");
    assert_eq!(env.relay(&["trust", "--revoke"]).run().code, 0);
    assert_eq!(apply(&env, &reply(3, "c.txt", "x"), &[]).0, 1);
}

#[test]
fn a_config_without_commands_needs_no_trust() {
    let env = project(PLAIN);
    assert_eq!(apply(&env, &reply(1, "a.txt", "x"), &[]).0, 0);
    assert!(env.relay(&["trust"]).run().stdout.contains("nothing to trust"));
}

#[test]
fn a_person_is_asked_and_the_answer_is_remembered() {
    let env = project(COMMANDS);
    env.write("reply.md", &reply(1, "a.txt", "x"));
    let mut screen = env.pty(&["apply", "reply.md"]);
    screen.expect("touch ran");
    screen.expect("[y/N]");
    screen.send("n\n");
    assert_eq!(screen.wait(), 1);
    assert!(!env.exists("ran") && !env.exists("a.txt"));

    let mut screen = env.pty(&["apply", "reply.md"]);
    screen.expect("[y/N]");
    screen.send("y\n");
    assert_eq!(screen.wait(), 0);
    assert!(env.exists("ran") && env.exists("a.txt"));
    assert_eq!(apply(&env, &reply(2, "b.txt", "x"), &[]).0, 0, "no question the second time");
}
