//! `relay status`: where things are, without touching anything.

use crate::{PLAIN, apply, env, json, project, reply};

#[test]
fn a_project_is_described_at_a_glance() {
    let env = project(r#"{"projectId": "shop", "postCommand": "true"}"#);
    apply(&env, &reply(1, "a.txt", "x"), &["--trust"]);
    let text = env.relay(&["status"]).env("OPENAI_API_KEY", "sk-not-shown").success().stdout;
    for words in
        ["shop", "postCommand `true`", "not trusted", "1 transaction", "Because.", "not running", "openai"]
    {
        assert!(text.contains(words), "{words} in:\n{text}");
    }
    assert!(!text.contains("sk-not-shown"));
    let document = json(&env.relay(&["status", "--json"]).run());
    assert_eq!(document["project"], "shop");
    assert_eq!(document["last"]["sequence"], 1);
    assert_eq!(document["pending"].as_array().map(Vec::len), Some(0));
}

#[test]
fn without_a_project_it_says_what_to_do_and_creates_nothing() {
    let env = env();
    let before = env.tree();
    let text = env.relay(&["status"]).success().stdout;
    assert!(text.contains("relay init"), "{text}");
    assert_eq!(env.tree(), before);
}

#[test]
fn a_broken_config_is_reported_and_the_rest_is_shown() {
    let env = project("{ nonsense");
    let text = env.relay(&["status"]).success().stdout;
    assert!(text.contains("cannot be used") && text.contains("watcher"), "{text}");
}

#[test]
fn a_refused_reply_that_waits_for_its_repair_is_pending() {
    let env = project(PLAIN);
    env.write("a.txt", "one\n");
    let reply = "```text // {a.txt} multi-search-replace\n<<<<<<< SEARCH\nnot there\n=======\nx\n>>>>>>> REPLACE\n```\n\n\
        ```yaml\nprojectId: shop\nuuid: 00000000-0000-4000-8000-000000000009\n```\n";
    assert_eq!(apply(&env, reply, &["--repair-prompt"]).0, 1);
    let document = json(&env.relay(&["status", "--json"]).run());
    assert_eq!(document["pending"][0]["state"], "waiting", "{document}");
}

#[test]
fn an_interrupted_transaction_is_shown_and_left_for_recovery() {
    let env = project(r#"{"projectId": "shop", "postCommand": "touch started; sleep 60"}"#);
    let running = env.relay(&["apply", "--trust"]).stdin(&reply(2, "a.txt", "x")).spawn();
    crate::wait_for("the check runs", || env.exists("started"));
    let document = json(&env.relay(&["status", "--json"]).run());
    assert_eq!(document["pending"][0]["state"], "running", "{document}");
    running.signal("KILL");
    assert_ne!(running.wait().code, 0);
    let document = json(&env.relay(&["status", "--json"]).run());
    assert_eq!(document["pending"][0]["state"], "interrupted", "{document}");
    assert!(env.exists("a.txt"), "status recovers nothing");
    env.relay(&["recover"]).success();
    assert_eq!(json(&env.relay(&["status", "--json"]).run())["pending"].as_array().map(Vec::len), Some(0));
}
