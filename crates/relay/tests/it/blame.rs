//! `relay blame`.

use serde_json::Value;
use testkit::TestEnv;

use crate::{PLAIN, apply, json, project, reply, uuid};

fn blame(env: &TestEnv, place: &str) -> Value {
    let run = env.relay(&["blame", place, "--json"]).run();
    assert_eq!(run.code, 0, "{}", run.stdout);
    json(&run)
}

/// For each line the number of its transaction, or `-`.
fn numbers(document: &Value) -> String {
    let number = |line: &Value| match line["uuid"].as_str() {
        Some(uuid) => document["transactions"][uuid]["number"].to_string(),
        None => "-".to_owned(),
    };
    document["lines"].as_array().unwrap().iter().map(number).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_line_has_the_transaction_that_wrote_it_also_across_later_edits() {
    let env = project(PLAIN);
    env.write("a.txt", "mine\n");
    apply(&env, &reply(1, "a.txt", "mine\none\ntwo"), &[]);
    apply(&env, &reply(2, "a.txt", "top\nmine\none\nTWO"), &[]);
    assert_eq!(numbers(&blame(&env, "a.txt")), "2 - 1 2");
    env.write("a.txt", "top\nby hand\nmine\none\nTWO\n");
    assert_eq!(numbers(&blame(&env, "a.txt")), "2 - - 1 2");
    apply(&env, &reply(3, "a.txt", "top\nby hand\nmine\none\nTWO\nlast"), &[]);
    assert_eq!(numbers(&blame(&env, "a.txt")), "2 - - 1 2 3");
    env.write("a.txt", "top\r\nby hand\r\nmine\r\none\r\nTWO\r\nlast\r\n");
    assert_eq!(numbers(&blame(&env, "a.txt")), "2 - - 1 2 3", "other line endings are not other lines");
}

#[test]
fn lines_are_followed_through_renames_and_undos() {
    let env = project(PLAIN);
    apply(&env, &reply(1, "old.txt", "one\ntwo"), &[]);
    let rename = "```json // rename-file\n{\"from\": \"old.txt\", \"to\": \"new.txt\"}\n```\n";
    apply(&env, rename, &[]);
    apply(&env, &reply(3, "new.txt", "one\n2\nthree"), &[]);
    assert_eq!(numbers(&blame(&env, "new.txt")), "1 3 3");
    env.relay(&["undo", "3"]).success();
    assert_eq!(numbers(&blame(&env, "new.txt")), "1 1", "what an undo brings back is its writer's");
    env.relay(&["redo"]).success();
    assert_eq!(numbers(&blame(&env, "new.txt")), "1 3 3");
    env.relay(&["undo", "--since", "2"]).success();
    assert_eq!(numbers(&blame(&env, "old.txt")), "1 1");
}

#[test]
fn it_shows_who_when_and_why_and_accepts_line_ranges() {
    let env = project(PLAIN);
    env.write("a.txt", "mine\n");
    let text = reply(1, "a.txt", "mine\none\ntwo").replace("uuid:", "promptSummary: add two lines\nuuid:");
    apply(&env, &text, &[]);
    let document = blame(&env, "a.txt:2-3");
    assert_eq!(document["lines"].as_array().unwrap().len(), 2);
    assert_eq!(document["lines"][0], serde_json::json!({ "line": 2, "uuid": uuid(1), "text": "one" }));
    let transaction = &document["transactions"][uuid(1)];
    assert_eq!(transaction["promptSummary"], "add two lines");
    assert_eq!(
        (transaction["channel"].as_str(), transaction["reasoning"].as_str()),
        (Some("apply"), Some("Because."))
    );
    let run = env.relay(&["blame", "a.txt"]).success();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].contains("not from the ledger") && lines[0].ends_with("1 │ mine"), "{}", run.stdout);
    assert!(lines[1].contains("apply") && lines[1].contains("add two lines"), "{}", run.stdout);
    assert!(!lines[2].contains("add two lines"), "a stretch says it once: {}", run.stdout);
    assert_eq!(blame(&env, "a.txt:1")["lines"].as_array().unwrap().len(), 1);
}

#[test]
fn errors_say_what_to_do() {
    let env = project(PLAIN);
    env.write("a.txt", "one\n");
    env.write("odd:7", "x\n");
    std::fs::write(env.path("logo.bin"), [0u8, 1]).unwrap();
    apply(&env, &reply(1, "gone.txt", "x"), &[]);
    std::fs::remove_file(env.path("gone.txt")).unwrap();
    for (place, code, expected) in [
        ("a.txt:2", 1, "It has 1 line;"),
        ("a.txt:0", 1, "write a.txt:1"),
        ("a.txt:1-0", 1, "a.txt has no lines 1-0"),
        ("a.txt:x", 2, "PATH:FROM-TO"),
        ("b.txt", 1, "a.txt"),
        ("gone.txt", 1, "relay log --path gone.txt"),
        ("logo.bin", 1, "is not text"),
        ("../outside", 2, "outside"),
    ] {
        let run = env.relay(&["blame", place]).run();
        assert_eq!(run.code, code, "{place}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(expected), "{place}: {}", run.stderr);
        let run = env.relay(&["blame", place, "--json"]).run();
        assert_eq!(json(&run)["status"], "rejected", "{place}");
    }
    assert_eq!(blame(&env, "odd:7")["path"], "odd:7", "a name that ends like a line is a name");
}
