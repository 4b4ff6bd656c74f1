//! `preCommand`, `postCommand` and `linter`: their order, what they see, and their consequences.

use serde_json::json;

use crate::{apply, codes, project, reply};

#[test]
fn the_commands_run_in_the_documented_order() {
    let env = project(
        r#"{"projectId": "shop", "preCommand": "echo pre $(cat a.txt) >> order", "postCommand": "echo post $(cat a.txt) >> order",
            "linter": "echo lint $(cat a.txt) >> order"}"#,
    );
    env.write("a.txt", "old\n");
    let (_, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust"]);
    assert_eq!(document["status"], "committed");
    assert_eq!(env.read("order"), "pre old\npost new\nlint new\n");
    let names: Vec<&str> =
        document["checks"].as_array().unwrap().iter().map(|check| check["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["preCommand", "postCommand", "linter"]);
}

#[test]
fn a_failing_pre_command_stops_everything_and_its_effects_stay() {
    let env = project(r#"{"projectId": "shop", "preCommand": "echo made > made; echo why >&2; exit 3"}"#);
    env.write("a.txt", "old\n");
    let (code, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust"]);
    assert_eq!((code, document["status"].as_str()), (1, Some("rejected")));
    assert_eq!(codes(&document), ["pre-command-failed"]);
    assert_eq!(document["checks"][0]["outputTail"], "why\n");
    assert_eq!(document["checks"][0]["exitCode"], 3);
    assert_eq!((env.read("a.txt").as_str(), env.read("made").as_str()), ("old\n", "made\n"));
}

#[test]
fn edits_are_planned_on_the_files_after_pre_command() {
    let env = project(r#"{"projectId": "shop", "preCommand": "echo prepared > a.txt"}"#);
    env.write("a.txt", "old\n");
    let text = "```text // {a.txt} multi-search-replace\n<<<<<<< SEARCH\nprepared\n=======\ndone\n>>>>>>> REPLACE\n```\n";
    assert_eq!(apply(&env, text, &["--trust"]).1["status"], "committed");
    assert_eq!(env.read("a.txt"), "done\n");
}

#[test]
fn a_failing_post_command_rolls_everything_back_even_with_yes() {
    let env = project(r#"{"projectId": "shop", "postCommand": "cat src/new/a.txt && exit 1"}"#);
    env.write("src/old.txt", "old\n");
    std::fs::write(env.path("logo.bin"), [0u8, 159, 146, 150]).unwrap();
    let before = env.tree();
    let text = "```text // {src/new/a.txt}\nhello\n```\n\n```text // {src/old.txt}\n//TODO: delete this file\n```\n\n\
                ```text // {logo.bin}\n//TODO: delete this file\n```\n";
    let (code, document) = apply(&env, text, &["--trust", "--yes"]);
    assert_eq!((code, document["status"].as_str()), (1, Some("rolled_back")));
    assert_eq!(document["checks"][0]["outputTail"], "hello\n", "it ran on the changed files");
    assert_eq!(document["files"][0]["status"], "rolled_back");
    assert_eq!(
        env.tree(),
        before,
        "deleted files are back, created ones gone, with the folder made for them"
    );
}

#[test]
fn linter_errors_within_the_allowance_land() {
    let env = project(
        r#"{"projectId": "shop", "linter": "echo 'Found 2 errors.'; exit 1", "approvalOnErrorCount": 2}"#,
    );
    let (code, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust"]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")));
    assert_eq!(document["checks"][0]["errors"], 2);
}

#[test]
fn more_linter_errors_need_approval_and_yes_gives_it() {
    let env = project(
        r#"{"projectId": "shop", "linter": "echo 'Found 3 errors.'; exit 1", "approvalOnErrorCount": 2, "linterBaseline": false}"#,
    );
    let (code, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust"]);
    assert_eq!((code, document["status"].as_str()), (1, Some("rolled_back")));
    assert_eq!(codes(&document), ["approval-required", "too-many-errors"], "what is asked, and why");
    assert!(
        document["diagnostics"][0]["message"].as_str().unwrap().contains("found 3 errors, but 2 are allowed")
    );
    assert!(!env.exists("a.txt"));
    let (code, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust", "--yes"]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")));
    assert_eq!(codes(&document), ["too-many-errors"], "it landed with a warning");
    assert_eq!(document["diagnostics"][0]["severity"], "warning");
}

#[test]
fn an_unknown_failing_linter_counts_as_one_error() {
    let env = project(r#"{"projectId": "shop", "linter": "echo odd; exit 9", "approvalOnErrorCount": 1}"#);
    let (_, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust"]);
    assert_eq!(
        (document["status"].as_str(), document["checks"][0]["errors"].as_u64()),
        (Some("committed"), Some(1))
    );
}

#[test]
fn a_linter_that_cannot_start_or_end_is_reported_as_such() {
    let env =
        project(r#"{"projectId": "shop", "linter": "no-such-linter --check", "approvalOnErrorCount": 99}"#);
    let (code, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust"]);
    assert_eq!((code, document["checks"][0]["status"].as_str()), (1, Some("not_started")));
    assert!(document["diagnostics"][0]["message"].as_str().unwrap().contains("was not found"));

    let env = project(
        r#"{"projectId": "shop", "linter": "sleep 60", "commandTimeoutMs": 200, "approvalOnErrorCount": 99}"#,
    );
    let (code, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust"]);
    assert_eq!((code, document["checks"][0]["status"].as_str()), (1, Some("timed_out")));
    assert!(!env.exists("a.txt"));
}

#[test]
fn a_post_command_that_times_out_is_stopped_with_its_children() {
    let command = "sleep 300 & echo $! > ../home/pid.new; mv ../home/pid.new ../home/pid; sleep 300";
    // On a busy machine, the time may be up before the command starts.
    for limit_ms in [200, 2_000, 20_000] {
        let config = json!({"projectId": "shop", "postCommand": command, "commandTimeoutMs": limit_ms});
        let env = project(&config.to_string());
        let (code, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust"]);
        assert_eq!((code, document["status"].as_str()), (1, Some("rolled_back")));
        assert_eq!(document["checks"][0]["status"], "timed_out");
        if env.exists("../home/pid") {
            assert!(!env.is_running("../home/pid"), "the whole process tree is ended");
            return;
        }
    }
    panic!("the command never began");
}

/// In a session of its own, without parents and with an empty environment: nothing shows where it came from.
#[cfg(target_os = "linux")]
#[test]
fn processes_that_a_check_leaves_running_are_stopped_and_named() {
    let daemon = "env -i PATH=\"$PATH\" setsid sh -c 'echo $$ > ../home/pid.new; mv ../home/pid.new ../home/pid; \
                  sleep 300; echo late > late.txt' </dev/null >/dev/null 2>&1 &";
    let command = format!("( ( {daemon} ) & ); while [ ! -s ../home/pid ]; do sleep 0.01; done");
    for key in ["preCommand", "postCommand", "linter"] {
        let env = project(&json!({"projectId": "shop", key: command}).to_string());
        let (exit, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust", "--yes"]);
        assert_eq!((exit, document["status"].as_str()), (0, Some("committed")), "{document:#}");
        assert!(codes(&document).contains(&"left-running".to_owned()), "{key}: {document:#}");
        let said = document["diagnostics"].to_string();
        assert!(
            said.contains(&format!("{key} left something running, and Relay ended it: `sh -c")),
            "{said}"
        );
        assert!(!env.is_running("../home/pid"), "{key}");
    }
}

#[test]
fn long_output_is_kept_as_a_tail() {
    let env = project(r#"{"projectId": "shop", "postCommand": "seq 1 200000; exit 1"}"#);
    let (_, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust"]);
    let tail = document["checks"][0]["outputTail"].as_str().unwrap();
    assert!(tail.len() <= 8 << 10 && tail.ends_with("199999\n200000\n"), "{} bytes", tail.len());
}

#[test]
fn checks_are_on_the_ledger() {
    let env = project(r#"{"projectId": "shop", "postCommand": "echo fine"}"#);
    apply(&env, &reply(1, "a.txt", "new"), &["--trust"]);
    let run = env.relay(&["show", "1", "--json"]).run();
    let document = crate::json(&run);
    assert_eq!(document["checks"][0]["outputTail"], "fine\n");
    assert!(env.read(&format!(".relaycode/{}.yml", crate::uuid(1))).contains("fine"));
}

#[test]
fn a_command_that_removes_the_state_folder_cannot_prevent_the_rollback() {
    for wipe in ["git clean -fdxq", "rm -rf .relaycode"] {
        let env = project(&format!(r#"{{"projectId": "shop", "postCommand": "{wipe}; false"}}"#));
        env.write(".gitignore", "/.relaycode/\n");
        env.write("text.txt", "uncommitted work\n");
        std::fs::write(env.path("large.bin"), vec![7u8; 300_000]).unwrap();
        env.git(&["init", "-q"]);
        env.git(&["add", "-A"]);
        let before = env.tree();
        let text = "```text // {text.txt}\nnew\n```\n\n```bin // {large.bin}\n//TODO: delete this file\n```\n\n```text // {a/b.txt}\nb\n```\n";
        let (code, document) = apply(&env, text, &["--trust"]);
        assert_eq!((code, document["status"].as_str()), (1, Some("rolled_back")), "{wipe}: {document:#}");
        assert_eq!(env.tree(), before, "{wipe}");
    }
}

/// A linter that reports every `bad` line of the project with its number, and counts how often it ran.
const BAD_LINES: &str = r#"{"projectId": "shop", "linter": "echo ran >> ../home/runs; grep -Hn bad *.txt | sed 's/:bad/:1: error: bad/'; ! grep -q bad *.txt"}"#;

fn runs(env: &testkit::TestEnv) -> usize {
    std::fs::read_to_string(env.home_path("runs")).unwrap_or_default().lines().count()
}

#[test]
fn errors_from_before_do_not_count() {
    let env = project(BAD_LINES);
    env.write("old.txt", "bad one\nbad two\n");
    let (code, document) = apply(&env, &reply(1, "a.txt", "fine"), &["--trust"]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    let linter = |document: &serde_json::Value| {
        let check = &document["checks"][0];
        (check["errors"].as_u64(), check["newErrors"].as_u64())
    };
    assert_eq!(linter(&document), (Some(2), Some(0)));
    assert_eq!(document["checks"].as_array().unwrap().len(), 1, "only the run that counts is reported");
    assert_eq!(runs(&env), 3, "on the change, on the files before it, on the change once more");

    let (code, document) = apply(&env, &reply(2, "b.txt", "fine"), &["--trust"]);
    assert_eq!((code, runs(&env)), (0, 4), "what is known is not asked for again: {document:#}");

    let run = env.relay(&["apply", "--trust"]).stdin(&reply(3, "c.txt", "bad three")).run();
    assert_eq!((run.code, runs(&env)), (1, 5), "{}", run.stdout);
    assert!(run.stdout.contains("1 new error (2 from before)"), "{}", run.stdout);
    assert!(!env.exists("c.txt"));
    let moved = reply(4, "old.txt", "a line\nbad one\nbad two");
    assert_eq!(apply(&env, &moved, &["--trust"]).0, 0, "an error that only moved is not new");
    let (code, document) = apply(&env, &reply(5, "old.txt", "a line\nbad one\nbad one"), &["--trust"]);
    assert_eq!((code, linter(&document)), (1, (Some(2), Some(1))), "{document:#}");
}

#[test]
fn a_clean_linter_runs_once() {
    let env = project(BAD_LINES);
    assert_eq!((apply(&env, &reply(1, "a.txt", "fine"), &["--trust"]).0, runs(&env)), (0, 1));
    env.write("b.txt", "by hand\n");
    assert_eq!((apply(&env, &reply(2, "a.txt", "finer"), &["--trust"]).0, runs(&env)), (0, 2));
    let (code, document) = apply(&env, &reply(3, "a.txt", "bad"), &["--trust"]);
    assert_eq!((code, document["checks"][0]["newErrors"].as_u64()), (1, Some(1)), "{document:#}");
    assert_eq!(env.read("a.txt"), "finer\n");
    assert_eq!(runs(&env), 3, "that it was clean before is known");
}

#[test]
fn without_the_baseline_every_error_counts() {
    let env = project(&BAD_LINES.replace("\"linter\"", "\"linterBaseline\": false, \"linter\""));
    env.write("old.txt", "bad\n");
    let (code, document) = apply(&env, &reply(1, "a.txt", "fine"), &["--trust"]);
    assert_eq!((code, runs(&env)), (1, 1), "{document:#}");
    assert!(document["checks"][0].get("newErrors").is_none(), "{document:#}");
}

#[test]
fn changes_by_the_baseline_linter_run_are_on_the_ledger() {
    let env =
        project(r#"{"projectId": "shop", "linter": "date +%N > stamp.txt; echo 'Found 1 errors.'; exit 1"}"#);
    let (code, document) = apply(&env, &reply(1, "a.txt", "fine"), &["--trust"]);
    assert_eq!(code, 0, "{document:#}");
    assert!(codes(&document).contains(&"changed-meanwhile".to_owned()), "{document:#}");
    env.relay(&["undo"]).success();
    env.relay(&["undo"]).success();
    assert!(!env.exists("stamp.txt") && !env.exists("a.txt"));
}
