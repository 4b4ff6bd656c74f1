//! What `postCommand` and `linter` do to the files is part of the transaction.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::{apply, codes, env, json, project, reply};

/// A project whose `postCommand` is this script.
fn formatted(script: &str) -> testkit::TestEnv {
    let env = env();
    let config = serde_json::json!({"projectId": "shop", "postCommand": script});
    env.write("relaycode.config.json", &config.to_string());
    env
}

/// Path, operation and placement of each file.
fn files(document: &Value) -> Vec<(&str, &str, &str)> {
    document["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| {
            (f["path"].as_str().unwrap(), f["operation"].as_str().unwrap(), f["placement"].as_str().unwrap())
        })
        .collect()
}

/// Capitalises every letter in text files, standing in for a formatter.
const FORMATTER: &str = "for f in $(find . -name '*.txt' -not -path './.relaycode/*'); do tr a-z A-Z < $f > $f.tmp; cat $f.tmp > $f; rm $f.tmp; done";

#[test]
fn a_formatter_lands_with_the_reply_and_is_undone_with_it() {
    let env = formatted(FORMATTER);
    for number in 0..40 {
        env.write(&format!("src/f{number}.txt"), "other\n");
    }
    let before = env.tree();
    let (code, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust"]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert_eq!((env.read("a.txt").as_str(), env.read("src/f7.txt").as_str()), ("NEW\n", "OTHER\n"));
    let files = files(&document);
    assert_eq!(files.len(), 41);
    assert_eq!(files[0], ("a.txt", "create", "new file, by postCommand"));
    assert!(files[1..].iter().all(|(_, what, how)| (*what, *how) == ("modify", "by postCommand")));

    let record = env.read(&format!(".relaycode/{}.yml", crate::uuid(1)));
    assert!(record.contains("by: postCommand"), "the ledger says who changed it");
    let run = env.relay(&["undo", "--yes", "--json"]).run();
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert_eq!(env.tree(), before);
}

#[test]
fn a_rollback_also_undoes_the_failing_commands_changes() {
    let script = format!(
        "{FORMATTER}; chmod 600 run.sh; rm gone.bin; mkdir -p made/here; echo x > made/here/f; exit 1"
    );
    let env = formatted(&script);
    env.write("src/other.txt", "other\n");
    env.write("run.sh", "#!/bin/sh\n");
    std::fs::set_permissions(env.path("run.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(env.path("gone.bin"), [0_u8, 200, 10, 13]).unwrap();
    env.write(".gitignore", "cache/\n");
    env.write("cache/x.txt", "ignored\n");
    let before = env.tree();
    let (code, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust"]);
    assert_eq!((code, document["status"].as_str()), (1, Some("rolled_back")), "{document:#}");
    assert_eq!(codes(&document), ["post-command-failed", "rescued"]);
    assert_eq!(env.read("cache/x.txt"), "IGNORED\n", "ignored files are not ours to restore");
    env.write("cache/x.txt", "ignored\n");
    assert_eq!(env.tree(), before);
    assert!(!env.exists("made"));
    let placements: Vec<(&str, &str)> = files(&document).iter().map(|(path, _, how)| (*path, *how)).collect();
    assert!(placements.contains(&("gone.bin", "by postCommand")), "{placements:?}");
}

#[test]
fn the_linter_is_captured_too_and_listed_separately() {
    let env = project(
        r#"{"projectId": "shop", "postCommand": "echo post > post.txt", "linter": "echo lint >> post.txt; echo fix > lint.txt"}"#,
    );
    let before = env.tree();
    let (code, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust"]);
    assert_eq!(code, 0, "{document:#}");
    assert_eq!(
        files(&document),
        [
            ("a.txt", "create", "new file"),
            ("post.txt", "create", "by postCommand, by linter"),
            ("lint.txt", "create", "by linter"),
        ]
    );
    assert_eq!(env.relay(&["undo", "--yes"]).run().code, 0);
    assert_eq!(env.tree(), before);
}

#[test]
fn a_file_created_by_the_reply_and_removed_by_the_command_is_not_recorded() {
    let env = formatted("rm a.txt; echo b > b.txt");
    let (code, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust"]);
    assert_eq!(code, 0, "{document:#}");
    assert_eq!(files(&document), [("b.txt", "create", "by postCommand")]);
    let shown = json(&env.relay(&["show", "--json"]).run());
    assert_eq!(shown["files"].as_array().unwrap().len(), 1, "{shown:#}");
    assert_eq!(env.relay(&["undo", "--yes"]).run().code, 0);
    assert!(!env.exists("a.txt") && !env.exists("b.txt"));
}

#[test]
fn a_killed_transaction_with_captured_changes_is_recovered() {
    // The formatter is captured when the linter begins; then the process dies.
    let env = project(
        r#"{"projectId": "shop", "postCommand": "echo formatted > other.txt", "linter": "touch started; sleep 60"}"#,
    );
    env.write("other.txt", "mine\n");
    let child = env.relay(&["apply", "--trust"]).stdin(&reply(1, "a.txt", "new")).spawn();
    crate::wait_for("the linter starts", || env.exists("started"));
    child.signal("KILL");
    assert_eq!(child.wait().code, 128 + 9);
    assert_eq!(env.read("other.txt"), "formatted\n");
    assert_eq!(env.relay(&["recover"]).run().code, 0);
    assert_eq!(env.read("other.txt"), "mine\n");
    assert!(!env.exists("a.txt"));
}

#[test]
fn a_rollback_saves_edits_made_after_the_command() {
    let env = project(
        r#"{"projectId": "shop", "postCommand": "echo formatted > other.txt", "linter": "touch started; while [ ! -e go ]; do sleep 0.02; done; exit 1", "linterBaseline": false, "approval": "no"}"#,
    );
    env.write("other.txt", "mine\n");
    env.write("reply.md", &reply(1, "a.txt", "new"));
    let mut screen = env.pty(&["apply", "--trust", "reply.md"]);
    screen.expect("linter");
    env.write("go", "");
    screen.expect("keep this change?");
    env.write("other.txt", "edited by hand\n");
    screen.send("n\r");
    assert_eq!(screen.wait(), 1);
    assert_eq!(env.read("other.txt"), "mine\n");
    let kept = env.shell("cat .relaycode/rescued/*/*other.txt");
    assert_eq!(kept.stdout, "edited by hand\n");
}

#[test]
fn relay_inside_a_post_command_works_on_other_paths() {
    let env = formatted("if [ -z \"$INNER\" ]; then INNER=1 $RELAY_BIN apply inner.md >&2; fi");
    env.write("inner.md", &reply(2, "inner.txt", "inner"));
    let relay = env!("CARGO_BIN_EXE_relay");
    let run = env
        .relay(&["apply", "--trust", "--json"])
        .env("RELAY_BIN", relay)
        .env("RELAY_TRUST", "1")
        .stdin(&reply(1, "a.txt", "new"))
        .run();
    let document = json(&run);
    assert_eq!(run.code, 0, "{document:#}");
    assert_eq!(codes(&document), ["unattributed"], "{document:#}");
    assert_eq!(env.relay(&["undo", &crate::uuid(1), "--yes"]).run().code, 0);
    assert!(!env.exists("a.txt") && env.exists("inner.txt"));
}

#[test]
fn a_check_that_writes_files_other_tools_execute_needs_the_same_approval() {
    let env = project(r#"{"projectId": "shop", "postCommand": "echo evil > .envrc; echo x > other.txt"}"#);
    let before = env.tree();
    let (code, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust", "--yes"]);
    assert_eq!(
        (code, codes(&document)),
        (1, ["sensitive-path", "rescued"].map(str::to_owned).to_vec()),
        "{document:#}"
    );
    assert_eq!(document["status"], "rolled_back");
    assert_eq!(env.tree(), before, "the changes of the check are rolled back too");
    let (code, _) = apply(&env, &reply(1, "a.txt", "new"), &["--trust", "--yes", "--allow-sensitive"]);
    assert_eq!((code, env.read(".envrc").as_str()), (0, "evil\n"));
}

#[test]
fn a_check_whose_changes_could_not_be_undone_does_not_run() {
    let env = formatted("touch ran");
    env.write("a.txt", "old\n");
    env.relay(&["wrap", "--trust", "--", "true"]).success();
    let before = env.tree();
    // A file in place of the folder prevents keeping anything, as a full disk would.
    assert_eq!(env.shell("rm -r .relaycode/capture && touch .relaycode/capture").code, 0);
    let (code, document) = apply(&env, &reply(1, "b.txt", "new"), &["--trust"]);
    assert_eq!((code, document["status"].as_str()), (1, Some("rolled_back")), "{document:#}");
    assert_eq!(codes(&document), ["check-not-run"]);
    assert_eq!(env.tree(), before);
}

#[test]
fn a_check_that_adds_programs_for_git_to_run_is_reported() {
    let script = "echo x > .git/hooks/pre-commit; git config core.fsmonitor ./evil; exit ${CODE:-0}";
    for code in ["0", "1"] {
        let env = formatted(&script.replace("${CODE:-0}", code));
        env.git(&["init", "-q"]);
        let (_, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust"]);
        let found = document["diagnostics"].as_array().unwrap();
        let planted = found.iter().find(|found| found["code"] == "git-programs").unwrap();
        let message = planted["message"].as_str().unwrap();
        assert!(message.contains(".git/hooks/pre-commit is new"), "{message}");
        assert!(message.contains("`fsmonitor = ./evil`"), "{message}");
    }
}
