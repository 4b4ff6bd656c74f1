//! `relay gc`.

use serde_json::Value;
use testkit::TestEnv;

use crate::{PLAIN, apply, codes, json, project, reply};

fn gc(env: &TestEnv, arguments: &[&str]) -> (i32, Value) {
    let run = env.relay(&[&["gc", "--json"], arguments].concat()).run();
    (run.code, json(&run))
}

fn three(env: &TestEnv) {
    let large = "x".repeat(100_000);
    apply(env, &reply(1, "a.txt", &large), &[]);
    apply(env, &reply(2, "a.txt", "small"), &[]);
    apply(env, &reply(3, "b.txt", "b"), &[]);
}

fn count(env: &TestEnv) -> usize {
    json(&env.relay(&["log", "--json"]).run()).as_array().unwrap().len()
}

#[test]
fn the_default_retention_keeps_recent_and_newest_transactions() {
    let env = project(PLAIN);
    three(&env);
    for arguments in [&["--yes"][..], &["--yes", "--older-than", "0s"], &["--yes", "--keep", "1"]] {
        let (code, document) = gc(&env, arguments);
        assert_eq!((code, document["transactions"].as_u64()), (0, Some(0)), "{arguments:?}: {document:#}");
        assert_eq!(document["kept"], 3);
    }
    assert_eq!(count(&env), 3);
}

#[test]
fn nothing_is_deleted_without_a_yes_and_the_newest_stays() {
    let env = project(PLAIN);
    three(&env);
    let old = ["--older-than", "0s", "--keep", "0"];
    let (code, document) = gc(&env, &[&old[..], &["--dry-run"]].concat());
    assert_eq!(
        (code, document["status"].as_str(), document["transactions"].as_u64()),
        (0, Some("validated"), Some(2))
    );
    let (code, document) = gc(&env, &old);
    assert_eq!((code, document["status"].as_str()), (1, Some("kept")), "{document:#}");
    assert_eq!(codes(&document), ["approval-required"]);
    assert_eq!(count(&env), 3);
    let (code, document) = gc(&env, &[&old[..], &["--yes"]].concat());
    assert_eq!((code, document["status"].as_str()), (0, Some("collected")), "{document:#}");
    assert_eq!((document["transactions"].as_u64(), document["blobs"].as_u64()), (Some(2), Some(1)));
    assert!(document["bytes"].as_u64().unwrap() > 100_000);
    assert_eq!(count(&env), 1);
    assert_eq!(env.relay(&["undo"]).run().code, 0, "what was kept can be undone");
    assert_eq!(apply(&env, &reply(9, "c.txt", "c"), &[]).0, 0);
    assert_eq!(json(&env.relay(&["log", "--json"]).run())[0]["number"], 5, "numbers are never used twice");
}

#[test]
fn orphaned_contents_are_removed_without_asking_even_if_transactions_stay() {
    let env = project(PLAIN);
    three(&env);
    let orphan = env.path(&format!(".relaycode/blobs/{}", "a".repeat(64)));
    std::fs::write(&orphan, "left behind").unwrap();
    let (code, document) = gc(&env, &["--older-than", "0s", "--keep", "1"]);
    assert_eq!((code, document["blobs"].as_u64()), (1, Some(1)), "{document:#}");
    assert!(!orphan.exists());
    assert_eq!(count(&env), 3);
}

#[test]
fn a_person_is_asked_and_shown_what_they_lose() {
    let env = project(PLAIN);
    three(&env);
    let mut screen = env.pty(&["gc", "--older-than", "0s", "--keep", "1"]);
    screen
        .expect("delete 2 transactions? They can no longer be shown or undone; all of them still in effect.");
    screen.send("n\n");
    assert_eq!(screen.wait(), 1);
    assert_eq!(count(&env), 3);
    let mut screen = env.pty(&["gc", "--older-than", "0s", "--keep", "1"]);
    screen.expect("[y/N]");
    screen.send("y\n");
    screen.expect("deleted 2 transactions and 1 content");
    assert_eq!(screen.wait(), 0);
    assert_eq!(count(&env), 1);
}

#[test]
fn an_invalid_age_is_refused_and_an_empty_project_stays_empty() {
    let env = project(PLAIN);
    let run = env.relay(&["gc", "--older-than", "long"]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("3d"), "{}", run.stderr);
    let run = env.relay(&["gc"]).success();
    assert!(run.stdout.contains("nothing to delete"), "{}", run.stdout);
    assert!(!env.exists(".relaycode"));
}
