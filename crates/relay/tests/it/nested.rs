//! Another Relay lands while a command is captured: every step is on the ledger, in the order in which it happened.

use serde_json::Value;
use testkit::TestEnv;

use crate::{PLAIN, codes, json, project, reply, wait_for};

fn undo_everything(env: &TestEnv) {
    for entry in json(&env.relay(&["log", "--json", "-n", "0"]).run()).as_array().unwrap() {
        let number = entry["number"].to_string();
        let run = env.relay(&["undo", &number, "--yes"]).run();
        assert_eq!(run.code, 0, "#{number}: {}{}", run.stdout, run.stderr);
    }
}

fn numbers(env: &TestEnv) -> Vec<(String, u64)> {
    let log = json(&env.relay(&["log", "--json", "-n", "0"]).run());
    let row =
        |entry: &Value| (entry["channel"].as_str().unwrap().to_owned(), entry["number"].as_u64().unwrap());
    log.as_array().unwrap().iter().map(row).collect()
}

#[test]
fn a_landing_inside_a_wrapped_command_hides_none_of_its_edits() {
    let env = project(PLAIN);
    env.write("f.txt", "original\n");
    env.write("g.txt", "g\n");
    let before = env.tree();
    env.write("../r.md", &reply(1, "f.txt", "new"));
    env.write("../r2.md", &reply(2, "f.txt", "newer"));
    let line = "echo rubbish > f.txt; $TESTED_BINARY apply ../r.md --yes; echo again > f.txt; \
                $TESTED_BINARY apply ../r2.md --yes; echo last >> f.txt; echo G > g.txt; echo h > h.txt";
    let run = env.relay(&["wrap", "--yes", "--json", "--", "sh", "-c", line]).run();
    let start = run.stdout.find("{\n").unwrap_or(0);
    let document: Value = serde_json::from_str(&run.stdout[start..]).unwrap();
    assert_eq!((run.code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert_eq!(codes(&document), ["unattributed", "overtaken", "overtaken"]);
    assert_eq!(env.read("f.txt"), "newer\nlast\n");
    let order: Vec<String> = numbers(&env).into_iter().map(|(channel, _)| channel).collect();
    assert_eq!(order, ["wrap", "apply", "wrap", "apply", "wrap"]);
    undo_everything(&env);
    assert_eq!(env.tree(), before, "the original is back");
}

#[test]
fn a_command_whose_only_edit_was_overwritten_is_on_the_ledger() {
    for (content, what) in [("new", "rewritten"), ("original", "made what it was")] {
        let env = project(PLAIN);
        env.write("f.txt", "original\n");
        env.write("../r.md", &reply(1, "f.txt", content));
        let run = env
            .relay(&[
                "wrap",
                "--yes",
                "--",
                "sh",
                "-c",
                "echo rubbish > f.txt; $TESTED_BINARY apply ../r.md --yes",
            ])
            .run();
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(!run.stderr.contains("changed no file"), "{what}: {}", run.stderr);
        assert_eq!(numbers(&env), [("apply".to_owned(), 2), ("wrap".to_owned(), 1)], "{what}");
        undo_everything(&env);
        assert_eq!(env.read("f.txt"), "original\n", "{what}");
    }
}

#[test]
fn files_deleted_or_created_before_a_landing_follow_the_undo() {
    let env = project(PLAIN);
    env.write("gone.txt", "original\n");
    env.write("ignored/x.txt", "not watched\n");
    env.write(".gitignore", "ignored/\n");
    env.git(&["init", "-q"]);
    let before = env.tree();
    let text = reply(1, "gone.txt", "again").replace(
        "```yaml",
        "```text // {made.txt}\n//TODO: delete this file\n```\n\n```text // {ignored/x.txt}\nseen\n```\n\n```yaml",
    );
    env.write("../r.md", &text);
    let line = "rm gone.txt; echo made > made.txt; $TESTED_BINARY apply ../r.md --yes";
    let run = env.relay(&["wrap", "--yes", "--", "sh", "-c", line]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(env.read("gone.txt"), "again\n");
    undo_everything(&env);
    assert_eq!(env.tree(), before);
}

#[test]
fn two_overlapping_wraps_leave_every_step_on_the_ledger() {
    let env = project(PLAIN);
    env.write("f.txt", "original\n");
    let outer = env
        .relay(&[
            "wrap",
            "--yes",
            "--",
            "sh",
            "-c",
            "echo rubbish > f.txt; touch ../edited; while [ ! -e ../landed ]; do sleep 0.02; done",
        ])
        .spawn();
    wait_for("the first edit", || env.exists("../edited"));
    env.relay(&["wrap", "--yes", "--", "sh", "-c", "echo new > f.txt"]).success();
    env.write("../landed", "");
    let run = outer.wait();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(numbers(&env).len(), 2, "{}", run.stderr);
    undo_everything(&env);
    assert_eq!(env.read("f.txt"), "original\n");
}

#[test]
fn a_landing_inside_a_check_hides_none_of_the_checks_edits() {
    let env = project(r#"{"projectId": "shop", "postCommand": "sh ../check.sh"}"#);
    env.write("f.txt", "original\n");
    env.write("a.txt", "a\n");
    let before = env.tree();
    env.write("../inner.md", &reply(2, "f.txt", "new"));
    env.write("../outer.md", &reply(1, "a.txt", "A"));
    // The inner one runs the check too.
    env.write(
        "../check.sh",
        "[ -e ../once ] && exit 0; touch ../once; echo rubbish > f.txt; $TESTED_BINARY apply ../inner.md --yes --trust",
    );
    env.relay(&["apply", "../outer.md", "--yes", "--trust"]).success();
    undo_everything(&env);
    assert_eq!(env.tree(), before);
}

#[test]
fn a_rejected_wrap_keeps_the_landing_inside_it_and_its_undo() {
    let env = project(r#"{"projectId": "shop", "postCommand": "test ! -e bad"}"#);
    env.write("f.txt", "original\n");
    env.write("../r.md", &reply(1, "f.txt", "new"));
    let line = "echo rubbish > f.txt; $TESTED_BINARY apply ../r.md --yes --trust; touch bad";
    let run = env.relay(&["wrap", "--yes", "--trust", "--", "sh", "-c", line]).run();
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert_eq!((env.read("f.txt").as_str(), env.exists("bad")), ("new\n", false));
    undo_everything(&env);
    assert_eq!(env.read("f.txt"), "original\n");
}

#[test]
fn a_wrap_killed_after_a_landing_inside_it_is_recorded_around_the_landing() {
    let env = project(PLAIN);
    env.write("f.txt", "original\n");
    env.write("../r.md", &reply(1, "f.txt", "new"));
    let line = "echo rubbish > f.txt; $TESTED_BINARY apply ../r.md --yes; echo $$ > ../pid; touch ../landed; exec sleep 60";
    let child = env.relay(&["wrap", "--yes", "--", "sh", "-c", line]).spawn();
    wait_for("the landing", || env.exists("../landed"));
    child.signal("KILL");
    assert_eq!(env.shell("kill -KILL $(cat ../pid)").code, 0);
    assert_eq!(child.wait().code, 128 + 9);
    wait_for("it is recorded", || env.relay(&["recover"]).run().stdout.contains("nothing to recover"));
    undo_everything(&env);
    assert_eq!(env.read("f.txt"), "original\n");
}

#[test]
fn a_commands_changes_stay_when_relay_is_killed_during_its_checks() {
    let env =
        project(r#"{"projectId": "shop", "postCommand": "echo checked >> f.txt; touch started; sleep 60"}"#);
    env.write("f.txt", "original\n");
    let before = env.tree();
    let child = env.relay(&["wrap", "--yes", "--trust", "--", "sh", "-c", "echo work > f.txt"]).spawn();
    wait_for("the check", || env.exists("started"));
    child.signal("KILL");
    assert_eq!(child.wait().code, 128 + 9);
    let run = env.relay(&["log"]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(env.read("f.txt"), "work\nchecked\n", "nothing is rolled back automatically: {}", run.stderr);
    assert!(run.stderr.contains("stay as they are"), "{}", run.stderr);
    assert_eq!(env.relay(&["recover"]).run().stdout, "nothing to recover: no transaction was interrupted\n");
    undo_everything(&env);
    assert_eq!(env.tree(), before);
}
