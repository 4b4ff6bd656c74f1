//! The config file: messages that name the key, warnings that lose nothing.

use crate::{apply, codes, env, json, project, reply};

#[test]
fn a_wrong_value_refuses_with_the_key_named_and_nothing_changed() {
    let env = project(r#"{"projectId": "shop", "approval": "maybe", "approvalOnErrorCount": "three"}"#);
    let before = env.tree();
    let (code, document) = apply(&env, &reply(1, "a.txt", "x"), &[]);
    assert_eq!((code, codes(&document)), (1, vec!["invalid-config".to_owned(), "invalid-config".to_owned()]));
    let messages = document["diagnostics"].to_string();
    assert!(messages.contains("`approval` must be") && messages.contains("`approvalOnErrorCount` must be"));
    assert_eq!(env.tree(), before);
}

#[test]
fn broken_json_is_told_with_line_and_column() {
    let env = project("{\n  \"projectId\": \"shop\",\n}");
    let run = env.relay(&["apply"]).stdin(&reply(1, "a.txt", "x")).run();
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("line 3"), "{}", run.stderr);
}

#[test]
fn an_unknown_key_is_a_warning_with_the_nearest_one() {
    let env = project(r#"{"projectId": "shop", "aproval": "no"}"#);
    let (code, document) = apply(&env, &reply(1, "a.txt", "x"), &[]);
    assert_eq!((code, codes(&document)), (0, vec!["unknown-config-key".to_owned()]));
    assert_eq!(document["diagnostics"][0]["hint"], "Did you mean `approval`?");
}

#[test]
fn without_a_config_the_project_is_not_checked_and_that_is_said() {
    let env = env();
    let (code, document) = apply(&env, &reply(1, "a.txt", "x"), &[]);
    assert_eq!((code, codes(&document)), (0, vec!["project-unchecked".to_owned()]));
}

#[test]
fn a_config_that_is_a_link_is_not_followed() {
    let env = env();
    env.write("../elsewhere.json", r#"{"projectId": "shop", "postCommand": "touch ran"}"#);
    std::os::unix::fs::symlink("../elsewhere.json", env.path("relaycode.config.json")).unwrap();
    let run = env.relay(&["apply", "--json", "--trust"]).stdin(&reply(1, "a.txt", "x")).run();
    assert_eq!(run.code, 1);
    assert_eq!(codes(&json(&run)), ["file-symlink"]);
    assert!(!env.exists("ran"));
}
