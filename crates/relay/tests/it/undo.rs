//! `relay undo` and `relay redo`.

use std::os::unix::fs::PermissionsExt;

use crate::{PLAIN, apply, codes, json, project, reply, uuid};

fn undo(env: &testkit::TestEnv, arguments: &[&str]) -> (i32, serde_json::Value) {
    let run = env.relay(&[&["undo", "--json"], arguments].concat()).run();
    (run.code, json(&run))
}

#[test]
fn undo_restores_every_kind_of_change_exactly() {
    let env = project(PLAIN);
    env.write("edit.txt", "one\r\ntwo");
    env.write("gone/deep/delete.txt", "bye\n");
    env.write("old-name.sh", "#!/bin/sh\n");
    std::fs::set_permissions(env.path("old-name.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(env.path("logo.bin"), [0u8, 255, 1, 2]).unwrap();
    let before = env.tree();
    let text = "```text // {edit.txt}\nthree\n```\n\n```text // {gone/deep/delete.txt}\n//TODO: delete this file\n```\n\n\
                ```json // rename-file\n{\"from\": \"old-name.sh\", \"to\": \"bin/new-name.sh\"}\n```\n\n\
                ```text // {made/here/new.txt}\nnew\n```\n\n```text // {logo.bin}\n//TODO: delete this file\n```\n";
    assert_eq!(apply(&env, text, &[]).0, 0);
    let after = env.tree();
    assert_ne!(after, before);
    let (code, document) = undo(&env, &["--yes"]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert!(document["undoes"].is_string());
    assert_eq!(env.tree(), before);
    assert!(!env.exists("made"), "folders made for new files are gone");
    assert!(!env.exists("bin"));

    let run = env.relay(&["redo", "--yes", "--json"]).run();
    assert_eq!((run.code, json(&run)["status"].as_str()), (0, Some("committed")), "{}", run.stdout);
    assert_eq!(env.tree(), after);
    assert_eq!(env.relay(&["redo"]).run().code, 1, "nothing is left to redo");
}

#[test]
fn undo_walks_back_and_redo_forward_again() {
    let env = project(PLAIN);
    for number in 1..=3 {
        assert_eq!(apply(&env, &reply(number, "a.txt", &format!("v{number}")), &[]).0, 0);
    }
    for expected in ["v2\n", "v1\n"] {
        assert_eq!(undo(&env, &[]).0, 0);
        assert_eq!(env.read("a.txt"), expected);
    }
    assert_eq!(undo(&env, &[]).0, 0);
    assert!(!env.exists("a.txt"));
    assert_eq!(codes(&undo(&env, &[]).1), ["no-such-transaction"]);
    for expected in ["v1\n", "v2\n", "v3\n"] {
        assert_eq!(env.relay(&["redo"]).run().code, 0);
        assert_eq!(env.read("a.txt"), expected);
    }
}

#[test]
fn the_order_is_that_of_an_editor_and_the_log_shows_it() {
    let env = project(PLAIN);
    let next = |env: &testkit::TestEnv| -> Vec<(u64, String)> {
        let log = json(&env.relay(&["log", "--json"]).run());
        let marked = log.as_array().unwrap().iter().filter(|entry| entry.get("next").is_some());
        marked
            .map(|entry| (entry["number"].as_u64().unwrap(), entry["next"].as_str().unwrap().to_owned()))
            .collect()
    };
    apply(&env, &reply(1, "a.txt", "a"), &[]);
    undo(&env, &[]);
    assert_eq!(next(&env), [(1, "redo".to_owned())]);
    apply(&env, &reply(2, "b.txt", "b"), &[]);
    assert_eq!(next(&env), [(3, "undo".to_owned())]);
    let shown = env.relay(&["log"]).success().stdout;
    assert!(shown.contains("next undo: #3") && shown.contains("`relay redo 1`"), "{shown}");

    let refused = env.relay(&["redo", "--json"]).run();
    assert_eq!((refused.code, codes(&json(&refused))), (1, vec!["landed-since".to_owned()]));
    assert!(!env.exists("a.txt"), "a redo never goes back before a landing by itself");
    assert_eq!(env.relay(&["redo", "1"]).run().code, 0);
    assert_eq!(next(&env), [(1, "undo".to_owned())]);
    let (code, document) = undo(&env, &[]);
    assert_eq!((code, document["undoes"].as_str()), (0, Some(uuid(1).as_str())));
    assert!(!env.exists("a.txt") && env.exists("b.txt"), "what came back last goes first");
    assert!(env.relay(&["log"]).success().stdout.contains("next redo: #1"));
}

#[test]
fn an_older_transaction_can_be_undone_by_number_or_prefix() {
    let env = project(PLAIN);
    apply(&env, &reply(1, "a.txt", "a"), &[]);
    apply(&env, &reply(2, "b.txt", "b"), &[]);
    assert_eq!(undo(&env, &["1"]).0, 0);
    assert!(!env.exists("a.txt") && env.exists("b.txt"));
    assert_eq!(codes(&undo(&env, &["1"]).1), ["already-undone"]);
    assert_eq!(undo(&env, &[&uuid(2)]).0, 0);
    assert!(!env.exists("b.txt"));
    assert_eq!(codes(&undo(&env, &["nonsense"]).1), ["no-such-transaction"]);
}

#[test]
fn undo_refuses_with_the_list_of_what_changed_since_and_touches_nothing() {
    let env = project(PLAIN);
    env.write("b.txt", "b\n");
    env.write("c.txt", "c\n");
    let text = "```text // {a.txt}\na\n```\n\n```text // {b.txt}\nb2\n```\n\n```text // {c.txt}\n//TODO: delete this file\n```\n\n\
                ```text // {d.txt}\nd\n```\n";
    apply(&env, text, &[]);
    env.write("a.txt", "edited\n");
    std::fs::remove_file(env.path("b.txt")).unwrap();
    env.write("c.txt", "again\n");
    let before = env.tree();
    let (code, document) = undo(&env, &["--yes"]);
    assert_eq!((code, document["status"].as_str()), (1, Some("rejected")));
    let found: Vec<&str> =
        document["diagnostics"].as_array().unwrap().iter().map(|d| d["message"].as_str().unwrap()).collect();
    assert!(found[0].starts_with("a.txt was created there and has changed since"), "{}", found[0]);
    assert_eq!(found[1..], ["b.txt has been deleted since", "c.txt exists again"]);
    assert_eq!(env.tree(), before);
}

#[test]
fn undo_follows_the_projects_approval() {
    let env = project(r#"{"projectId": "shop", "approval": "no"}"#);
    assert_eq!(apply(&env, &reply(1, "a.txt", "a"), &["--yes"]).0, 0);
    assert_eq!(codes(&undo(&env, &[]).1), ["approval-required"]);
    assert!(env.exists("a.txt"));
    assert_eq!(undo(&env, &["--yes"]).0, 0);
    assert!(!env.exists("a.txt"));
}

#[test]
fn a_dry_run_shows_what_undo_would_do() {
    let env = project(PLAIN);
    apply(&env, &reply(1, "a.txt", "a"), &[]);
    let before = env.tree();
    let run = env.relay(&["undo", "--dry-run"]).run();
    assert_eq!(run.code, 0);
    assert!(run.stdout.contains("D a.txt"), "{}", run.stdout);
    assert_eq!(env.tree(), before);
}

#[test]
fn later_changes_of_other_lines_survive_an_undo() {
    let env = project(PLAIN);
    env.write("a.txt", "1\n2\n3\n4\n5");
    apply(&env, &reply(1, "a.txt", "one\n2\n3\n4\n5"), &[]);
    apply(&env, &reply(2, "a.txt", "one\n2\n3\n4\nfive"), &[]);
    let before = env.tree();
    let run = env.relay(&["undo", "1", "--dry-run"]).success();
    assert!(run.stdout.contains("- one") && run.stdout.contains("+ 1"), "{}", run.stdout);
    assert!(run.stdout.contains("would undo") && run.stdout.contains("merged"), "{}", run.stdout);
    assert_eq!(env.tree(), before);
    let (code, document) = undo(&env, &["1"]);
    assert_eq!((code, document["files"][0]["placement"].as_str()), (0, Some("merged")), "{document:#}");
    assert_eq!(env.read("a.txt"), "1\n2\n3\n4\nfive");
    let shown = json(&env.relay(&["show", "--json"]).run());
    assert_eq!(shown["files"][0]["edits"][0]["placement"], "merged");
}

#[test]
fn conflicting_lines_are_listed_with_the_ways_out_and_force_file_is_one() {
    let env = project(PLAIN);
    env.write("a.txt", "1\n2\n3\n");
    apply(&env, &reply(1, "a.txt", "1\ntwo\n3"), &[]);
    env.write("a.txt", "1\nmine\n3\n");
    let run = env.relay(&["undo"]).run();
    assert_eq!(run.code, 1);
    for part in
        ["undo-conflict", "line 2 of a.txt has changed since", "2 │ mine", "2 │ 2", "--force-file a.txt"]
    {
        assert!(run.stdout.contains(part), "{part} in\n{}", run.stdout);
    }
    let (_, document) = undo(&env, &[]);
    assert_eq!(document["diagnostics"][0]["fileLines"], serde_json::json!([2, 2]), "{document:#}");
    assert_eq!(env.read("a.txt"), "1\nmine\n3\n");
    assert_eq!(undo(&env, &["--force-file", "a.txt"]).0, 0);
    assert_eq!(env.read("a.txt"), "1\n2\n3\n");
    env.relay(&["redo"]).success();
    assert_eq!(env.read("a.txt"), "1\nmine\n3\n", "what was forced away comes back");
}

#[test]
fn one_file_can_be_undone_and_the_log_says_so() {
    let env = project(PLAIN);
    env.write("sub/keep.txt", "");
    let text = "```text // {a.txt}\na\n```\n\n```text // {sub/b.txt}\nb\n```\n";
    apply(&env, text, &[]);
    let run = env.relay(&["undo", "1", "--file", "b.txt"]).current_dir("sub").run();
    assert_eq!(run.code, 0, "a path is meant from the folder one is in: {}", run.stdout);
    assert!(env.exists("a.txt") && !env.exists("sub/b.txt"));
    let log = json(&env.relay(&["log", "--json"]).run());
    assert_eq!(log[1]["status"], "partly_undone");
    assert_eq!(log[1]["undoneFiles"], serde_json::json!(["sub/b.txt"]));
    assert_eq!(log[0]["undoes"][0]["files"], serde_json::json!(["sub/b.txt"]));
    assert_eq!(codes(&undo(&env, &["1", "--file", "nope.txt"]).1), ["not-in-transaction"]);
    assert_eq!(codes(&undo(&env, &["1", "--force-file", "nope.txt"]).1), ["not-in-transaction"]);
    assert_eq!(env.relay(&["undo", "1", "--file", "../x"]).run().code, 2);
}

#[test]
fn everything_since_is_undone_as_one_transaction() {
    let env = project(PLAIN);
    apply(&env, &reply(1, "a.txt", "1"), &[]);
    let before = env.tree();
    for number in 2..=4 {
        apply(&env, &reply(number, "a.txt", &format!("{number}")), &[]);
        apply(&env, &reply(number + 10, &format!("f{number}/x.txt"), "x"), &[]);
    }
    let after = env.tree();
    let (code, document) = undo(&env, &["--since", "2"]);
    assert_eq!((code, document["undoes"].as_array().unwrap().len()), (0, 6), "{document:#}");
    assert_eq!(env.tree(), before);
    let log = json(&env.relay(&["log", "--json", "--status", "undone"]).run());
    assert_eq!(log.as_array().unwrap().len(), 6);
    env.relay(&["redo"]).success();
    assert_eq!(env.tree(), after);
    assert_eq!(env.relay(&["undo", "2", "--since", "2"]).run().code, 2);
    assert_eq!(codes(&undo(&env, &["--since", "99"]).1), ["no-such-transaction"]);
}

#[test]
fn a_redo_says_what_it_reapplied_and_how_to_undo_it() {
    let env = project(PLAIN);
    apply(&env, &reply(1, "a.txt", "a"), &[]);
    env.relay(&["undo"]).success();
    let told = env.relay(&["redo"]).success().stdout;
    assert!(told.contains("✓ reapplied what ") && told.contains("undo it with relay undo"), "{told}");
}

#[test]
fn a_group_is_undone_and_redone_as_one() {
    let env = project(PLAIN);
    let group = ["--group", "mail:a1:7"];
    apply(&env, &reply(1, "a.txt", "a"), &group);
    apply(&env, &reply(2, "other.txt", "x"), &[]);
    apply(&env, &reply(3, "b.txt", "b"), &group);
    let all = env.tree();
    let (code, one) = undo(&env, &["3"]);
    assert_eq!((code, codes(&one)), (0, vec!["group-in-effect".to_owned()]));
    assert!(one["diagnostics"][0]["hint"].as_str().unwrap().contains("relay undo --group mail:a1:7"));
    env.relay(&["redo"]).success();
    assert_eq!(env.tree(), all);

    let (code, document) = undo(&env, &["--group", "mail:a1:7"]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert!(!env.exists("a.txt") && !env.exists("b.txt") && env.exists("other.txt"));
    assert_eq!(codes(&undo(&env, &["--group", "mail:a1:7"]).1), ["already-undone"]);
    assert_eq!(codes(&undo(&env, &["--group", "mail:a"]).1), ["no-such-transaction"]);
    env.relay(&["redo", "--group", "mail:a1:7"]).success();
    assert_eq!(env.tree(), all);
    assert_eq!(undo(&env, &["--group", "mail:a1:7", "--file", "a.txt"]).0, 0);
    assert!(!env.exists("a.txt") && env.exists("b.txt"));
    assert_eq!(codes(&undo(&env, &["--group", "mail:a1:7", "--file", "c.txt"]).1), ["not-in-transaction"]);
    assert_eq!(env.relay(&["undo", "1", "--group", "mail:a1:7"]).run().code, 2);
}

#[test]
fn a_group_undone_in_parts_is_redone_as_a_whole() {
    let env = project(PLAIN);
    env.write("a.txt", "0\n");
    for number in 1..=3 {
        apply(&env, &reply(number, "a.txt", &number.to_string()), &["--group", "g"]);
    }
    assert_eq!(undo(&env, &["3"]).0, 0);
    assert_eq!(undo(&env, &["--group", "g"]).0, 0);
    assert_eq!(env.read("a.txt"), "0\n");
    env.relay(&["redo", "--group", "g"]).success();
    assert_eq!(env.read("a.txt"), "3\n");
}

#[test]
fn an_undo_asks_about_files_that_other_tools_execute() {
    let env = project(PLAIN);
    let place = ".github/workflows/ci.yml";
    assert_eq!(apply(&env, &reply(1, place, "on: push"), &["--allow-sensitive"]).0, 0);
    assert_eq!(apply(&env, &reply(2, place, "on: tag"), &["--allow-sensitive"]).0, 0);
    let before = env.tree();
    let (code, document) = undo(&env, &["--yes"]);
    assert_eq!((code, codes(&document)), (1, vec!["sensitive-path".to_owned()]), "{document:#}");
    assert_eq!(document["diagnostics"][0]["path"], place);
    let (code, document) = undo(&env, &["--dry-run"]);
    assert_eq!((code, codes(&document)), (0, vec!["sensitive-path".to_owned()]));
    assert_eq!(env.tree(), before);
    assert_eq!(undo(&env, &["--allow-sensitive"]).0, 0);
    assert_eq!(env.read(place), "on: push\n");
    assert_eq!(env.relay(&["redo", "--yes"]).run().code, 1);
    env.relay(&["redo", "--allow-sensitive"]).success();
    assert_eq!(env.tree(), before);
}

#[test]
fn an_undo_notices_permissions_that_changed_since() {
    let env = project(PLAIN);
    env.write("a.sh", "1\n");
    let chmod = |mode| {
        std::fs::set_permissions(env.path("a.sh"), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let mode = || std::fs::metadata(env.path("a.sh")).unwrap().permissions().mode() & 0o777;
    chmod(0o644);
    apply(&env, &reply(1, "a.sh", "2"), &[]);
    chmod(0o755);
    assert_eq!(undo(&env, &[]).0, 0);
    assert_eq!((env.read("a.sh").as_str(), mode()), ("1\n", 0o755), "a later chmod stays");
    // If the transaction changed the mode and another program changed it since, Relay cannot know which one the user
    // wants.
    let text = "diff --git a/a.sh b/a.sh\nold mode 100755\nnew mode 100644\n";
    assert_eq!(apply(&env, text, &[]).0, 0);
    assert_eq!(mode(), 0o644);
    chmod(0o700);
    let (code, document) = undo(&env, &[]);
    assert_eq!((code, codes(&document)), (1, vec!["changed-since".to_owned()]), "{document:#}");
    assert_eq!(mode(), 0o700);
}
