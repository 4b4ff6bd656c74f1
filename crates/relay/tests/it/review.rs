//! `relay review`: reviewers, findings, verdicts.

use serde_json::{Value, json};
use testkit::TestEnv;

use crate::{PLAIN, json, project};

/// A repository with a last commit that changes lines 2 and 3 of `a.rs`, and scripted reviewers.
fn repository() -> TestEnv {
    let env = project(PLAIN);
    env.write("a.rs", "one\ntwo\nthree\nfour\n");
    for arguments in [vec!["init", "-q", "-b", "main"], vec!["add", "-A"], commit("first")] {
        env.git(&arguments);
    }
    env.git(&["checkout", "-q", "-b", "work"]);
    env.write("a.rs", "one\n2\n3\nfour\n");
    env.git(&commit("second"));
    env
}

fn commit(message: &str) -> Vec<&str> {
    vec!["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qam", message]
}

/// Makes a backend that always answers with this text.
fn reviewer(env: &TestEnv, name: &str, answer: &str) {
    let file = env.home_path(name);
    std::fs::write(&file, answer).unwrap();
    let command = json!(["cat", file.to_str().unwrap()]).to_string();
    let run = env.relay(&["config", "set", &format!("backends.{name}.command"), &command]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
}

fn finding(line: u32, severity: &str, message: &str) -> Value {
    json!({"file": "a.rs", "line": line, "severity": severity, "message": message, "fix": null})
}

fn findings(list: &[Value]) -> String {
    json!({ "findings": list }).to_string()
}

fn review(env: &TestEnv, arguments: &[&str]) -> (i32, Value) {
    let run = env.relay(&[&["review", "--json"], arguments].concat()).run();
    (run.code, json(&run))
}

#[test]
fn the_verdict_follows_from_the_findings() {
    let env = repository();
    reviewer(&env, "good", &findings(&[]));
    reviewer(&env, "picky", &findings(&[finding(2, "nit", "a name could be better")]));
    reviewer(
        &env,
        "strict",
        &format!("Well.\n```json\n{}\n```", findings(&[finding(3, "blocker", "it is wrong")])),
    );
    reviewer(&env, "vague", "Looks good to me!");
    reviewer(&env, "elsewhere", &findings(&[finding(400, "blocker", "not in the changes")]));
    for (names, code, verdict) in [
        ("good", 0, "ship"),
        ("picky", 0, "ship"),
        ("strict", 1, "iterate"),
        ("vague", 0, "abstain"),
        ("good,vague", 0, "abstain"),
        ("vague,strict", 1, "iterate"),
        ("elsewhere", 0, "ship"),
    ] {
        let (exit, document) = review(&env, &["--to", names]);
        assert_eq!((exit, document["verdict"].as_str()), (code, Some(verdict)), "{names}: {document:#}");
    }
    assert_eq!(review(&env, &["--to", "elsewhere"]).1["reviews"][0]["dropped"], 1);
    // Prose is feedback, but not a verdict.
    let run = env.relay(&["review", "--to", "vague"]).run();
    assert!(run.code == 0 && run.stdout.contains("Looks good to me!"), "{}", run.stdout);
    assert_eq!(env.relay(&["review", "--to", "vague", "--verdict-json"]).run().code, 2);
    assert_eq!(env.relay(&["review", "--to", "good", "--verdict-json"]).run().code, 0);
}

#[test]
fn the_first_of_several_errors_in_the_documented_order_is_reported() {
    let env = repository();
    reviewer(&env, "one", &findings(&[]));
    let last = ["--sandbox", "loose", "--base", "no-such-branch"];
    let all = [&["--timeout", "0", "--repo", "/nowhere", "--to", "nobody"], &last[..]].concat();
    for (from, words) in [
        (0, "Timeout must be greater than zero"),
        (2, "invalid repo path"),
        (4, "unsupported backend `nobody`"),
    ] {
        let run = env.relay(&[&["review"], &all[from..]].concat()).env("PHONE_A_FRIEND_DEPTH", "1").run();
        assert!(run.code == 2 && run.stderr.contains(words), "{words}: {}", run.stderr);
    }
    let loose = env.relay(&[&["review", "--to", "one"], &last[..]].concat());
    let run = loose.env("PHONE_A_FRIEND_DEPTH", "1").run();
    assert!(run.stderr.contains("invalid sandbox `loose`"), "{}", run.stderr);
    let deep = env.relay(&["review", "--to", "one", "--base", "no-such-branch"]);
    let run = deep.env("PHONE_A_FRIEND_DEPTH", "1").run();
    assert!(
        run.stderr.contains("depth limit reached"),
        "the depth is checked before the diff: {}",
        run.stderr
    );
    let run = env.relay(&["review", "--to", "one", "--base", "no-such-branch"]).run();
    assert!(run.stderr.contains("the diff could not be collected"), "{}", run.stderr);
}

#[test]
fn several_reviewers_are_merged() {
    let env = repository();
    reviewer(&env, "one", &findings(&[finding(2, "nit", "the sign of the number is wrong")]));
    reviewer(
        &env,
        "two",
        &findings(&[finding(3, "important", "wrong sign of the number"), finding(2, "nit", "typo")]),
    );
    let (code, document) = review(&env, &["--to", "one,two"]);
    let found = document["findings"].as_array().unwrap();
    assert_eq!((code, found.len()), (1, 2), "{document:#}");
    assert_eq!(found[0]["by"], json!(["one", "two"]));
    assert_eq!(found[0]["severity"], "important");
}

#[test]
fn every_scope_has_its_own_changes() {
    let env = repository();
    reviewer(&env, "one", &findings(&[finding(2, "nit", "two"), finding(4, "nit", "four")]));
    let found = |arguments: &[&str]| {
        let (code, document) = review(&env, &[&["--to", "one"], arguments].concat());
        (code, document["findings"].as_array().map(Vec::len))
    };
    assert_eq!(found(&["--base", "main"]), (0, Some(2)), "a hunk has context");
    assert_eq!(found(&["--range", "main..work"]).1, Some(2));
    assert_eq!(found(&["--uncommitted"]).0, 2, "nothing to review");
    env.write("a.rs", "one\n2\n3\nfour\nfive\n");
    assert_eq!(found(&["--uncommitted"]), (0, Some(2)));
    assert_eq!(found(&["--staged"]).0, 2);
    env.git(&["add", "-A"]);
    assert_eq!(found(&["--staged"]).0, 0);
    assert_eq!(found(&["--base", "no-such-branch"]).0, 2);
    assert_eq!(found(&["--base", "--output=x"]).0, 2);
    assert!(!env.exists("x"), "a branch's name is not an option of git");
}

#[test]
fn a_transaction_can_be_reviewed_and_a_fix_lands() {
    let env = project(PLAIN);
    let run = env.relay(&["apply", "--yes"]).stdin(&crate::reply(1, "a.rs", "one\ntow")).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    let fix = "--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +1,2 @@\n one\n-tow\n+two\n";
    let wrong = json!({"file": "a.rs", "line": 2, "severity": "important", "message": "typo", "fix": fix});
    reviewer(&env, "one", &findings(&[wrong]));
    assert_eq!(review(&env, &["--to", "one", "--transaction", "1"]).0, 1);
    assert_eq!(env.relay(&["review", "--apply", "2", "--yes"]).run().code, 1, "there is only one finding");
    let run = env.relay(&["review", "--apply", "1", "--yes"]).run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert_eq!(env.read("a.rs"), "one\ntwo\n");
    assert!(env.relay(&["log"]).run().stdout.contains("review"));
}

#[test]
fn no_reviewer_is_asked_if_one_is_unavailable() {
    let env = repository();
    let mark = env.path("asked");
    let command = json!(["touch", mark.to_str().unwrap()]).to_string();
    env.relay(&["config", "set", "backends.one.command", &command]).success();
    for (arguments, words) in [
        (vec!["--to", "one,nobody"], "unsupported backend `nobody`"),
        (vec!["--to", "one", "--timeout", "0"], "Timeout must be greater than zero"),
    ] {
        let run = env.relay(&[vec!["review"], arguments].concat()).run();
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    assert!(!env.exists("asked"));
}

#[test]
fn a_read_only_reviewer_cannot_write() {
    let env = repository();
    let line =
        format!("echo hacked > {}; cat >/dev/null; echo '{}'", env.path("a.rs").display(), findings(&[]));
    let command = json!(["sh", "-c", line]).to_string();
    env.relay(&["config", "set", "backends.one.command", &command]).success();
    let (code, _) = review(&env, &["--to", "one"]);
    assert_eq!(code, 0);
    assert_eq!(env.read("a.rs"), "one\n2\n3\nfour\n");
}

#[test]
fn a_reviewer_that_may_write_is_a_transaction() {
    let env = repository();
    let line = format!("cat >/dev/null; echo fixed > a.rs; echo '{}'", findings(&[]));
    let command = json!(["sh", "-c", line]).to_string();
    env.relay(&["config", "set", "backends.one.command", &command]).success();
    let before = env.tree();
    let (code, document) = review(&env, &["--to", "one", "--sandbox", "workspace-write", "--yes"]);
    assert_eq!((code, document["effect"]["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert_eq!(env.read("a.rs"), "fixed\n");
    assert_eq!(json(&env.relay(&["log", "--json"]).run())[0]["channel"], "review");
    env.relay(&["undo", "--yes"]).success();
    assert_eq!(env.tree(), before);
    reviewer(&env, "two", &findings(&[]));
    let run = env.relay(&["review", "--to", "one,two", "--sandbox", "workspace-write"]).run();
    assert!(run.code == 2 && run.stderr.contains("only one backend"), "{}", run.stderr);
    assert_eq!(env.tree(), before);
}

#[test]
fn a_reviewer_inside_a_question_is_refused() {
    let env = repository();
    reviewer(&env, "one", &findings(&[]));
    let run = env.relay(&["review", "--to", "one"]).env("PHONE_A_FRIEND_DEPTH", "1").run();
    assert!(run.code == 2 && run.stderr.contains("depth limit reached"), "{}", run.stderr);
}

#[test]
fn findings_are_shown_beside_the_code() {
    let env = repository();
    reviewer(&env, "one", &findings(&[finding(2, "blocker", "wrong \u{1b}[31mnumber")]));
    let run = env.relay(&["review", "--to", "one"]).run();
    assert!(run.stdout.contains("1. blocker  a.rs:2  (one)"), "{}", run.stdout);
    assert!(run.stdout.contains(">     2 │ 2"), "{}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}'), "{}", run.stdout);
    assert!(run.stdout.contains("✗ iterate  1 finding"), "{}", run.stdout);
}

/// A reply that sets `a.rs` to two lines, in a project with a reviewer that answers with this.
fn apply_reviewed(answer: &str, arguments: &[&str]) -> (i32, Value, TestEnv) {
    let env = project(PLAIN);
    reviewer(&env, "one", answer);
    let (code, document) = crate::apply(&env, &crate::reply(1, "a.rs", "one\ntwo"), arguments);
    (code, document, env)
}

#[test]
fn a_review_comes_between_checks_and_approval() {
    let good = findings(&[]);
    let bad = findings(&[finding(2, "blocker", "two is wrong")]);
    let (code, document, env) = apply_reviewed(&good, &["--review", "one"]);
    assert_eq!((code, document["checks"][0]["name"].as_str()), (0, Some("review")), "{document:#}");
    assert!(env.exists("a.rs"));
    for answer in [bad.as_str(), "fine, I guess"] {
        let (code, document, env) = apply_reviewed(answer, &["--review", "one"]);
        assert_eq!(code, 1, "no one is there to approve it: {document:#}");
        assert!(!env.exists("a.rs"));
    }
    let (code, document, _env) = apply_reviewed(&bad, &["--review", "one", "--yes"]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert!(
        document["checks"][0]["outputTail"].as_str().unwrap_or_default().contains("two is wrong"),
        "{document:#}"
    );
}

#[test]
fn the_users_own_setting_asks_for_a_review_and_a_repository_cannot() {
    let env = project(r#"{"projectId": "shop", "review": "one"}"#);
    reviewer(&env, "one", "no");
    assert_eq!(crate::apply(&env, &crate::reply(1, "a.rs", "one"), &[]).0, 0, "a repository has no say");
    env.relay(&["config", "set", "review", "one"]).success();
    assert_eq!(crate::apply(&env, &crate::reply(2, "a.rs", "two"), &[]).0, 1);
    assert_eq!(crate::apply(&env, &crate::reply(3, "a.rs", "three"), &["--review", "none"]).0, 0);
    let (code, document) = crate::apply(&env, &crate::reply(4, "a.rs", "four"), &["--review", "nobody"]);
    assert_eq!(code, 2, "{document:#}");
    assert_eq!(env.read("a.rs"), "three\n");
}

#[test]
fn replies_from_watch_are_reviewed_too() {
    let env = project(PLAIN);
    reviewer(&env, "one", "no");
    env.relay(&["config", "set", "review", "one"]).success();
    let watch = |number: u32, arguments: &[&str]| {
        let input = crate::reply(number, "a.rs", &number.to_string());
        env.relay(&[&["watch", "-", "--json"], arguments].concat()).stdin(&input).run()
    };
    let run = watch(1, &[]);
    assert!(run.code == 1 && run.stdout.contains("review"), "{}{}", run.stdout, run.stderr);
    assert!(!env.exists("a.rs"));
    assert_eq!(watch(2, &["--review", "none"]).code, 0);
    assert_eq!(watch(3, &["--review", "nobody"]).code, 2, "reported before anything is watched");
    assert_eq!(env.read("a.rs"), "2\n");
}
