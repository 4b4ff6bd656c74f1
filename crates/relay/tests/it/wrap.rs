//! `relay wrap`: any command, its effect one transaction.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use serde_json::Value;
use testkit::TestEnv;

use crate::{PLAIN, codes, json, project, reply, wait_for};

/// Runs a shell line wrapped, with `--json`.
fn wrap(env: &TestEnv, line: &str, arguments: &[&str]) -> (i32, Value) {
    let run = env.relay(&[&["wrap", "--json"], arguments, &["--", "sh", "-c", line]].concat()).run();
    (run.code, json(&run))
}

fn undo(env: &TestEnv) {
    let run = env.relay(&["undo", "--yes"]).run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
}

/// A repository with files of every kind, committed and not.
fn repository() -> TestEnv {
    let env = project(PLAIN);
    env.write("src/main.rs", "fn main() {}\n");
    env.write("src/lib.rs", "one\ntwo\nthree\n");
    env.write("tool.sh", "#!/bin/sh\n");
    std::fs::set_permissions(env.path("tool.sh"), std::fs::Permissions::from_mode(0o750)).unwrap();
    std::fs::write(env.path("logo.bin"), [0_u8, 159, 146, 150, 255]).unwrap();
    symlink("src/lib.rs", env.path("link")).unwrap();
    env.write(".gitignore", "build/\n*.log\n.relaycode/\n");
    env.git(&["init", "-q"]);
    env.git(&["add", "-A"]);
    env.git(&["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "first"]);
    env.write("notes.txt", "not committed\n");
    env.write("src/lib.rs", "one\n2\nthree\n");
    env.write("build/out", "built\n");
    env
}

/// Files as (path, operation), in order.
fn files(document: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    document["files"].as_array().unwrap().iter().map(|f| (text(&f["path"]), text(&f["operation"]))).collect()
}

#[test]
fn everything_a_command_does_lands_as_one_transaction_and_can_be_undone() {
    let env = repository();
    let before = env.tree();
    let line = "sed -i s/fn/pub\\ fn/ src/main.rs; rm logo.bin notes.txt; chmod 644 tool.sh; ln -sfn tool.sh link; \
                mkdir -p deep/er; printf 'a\\0b' > deep/er/new.bin; ln -s nowhere dangling";
    let (code, document) = wrap(&env, line, &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert_eq!(document["exitCode"], 0);
    let expected = [
        ("dangling", "create"),
        ("deep/er/new.bin", "create"),
        ("link", "modify"),
        ("logo.bin", "delete"),
        ("notes.txt", "delete"),
        ("src/main.rs", "modify"),
        ("tool.sh", "modify"),
    ];
    assert_eq!(files(&document), expected.map(|(path, what)| (path.to_owned(), what.to_owned())));
    assert!(document["files"].as_array().unwrap().iter().all(|file| file["placement"] == "by the command"));
    let after = env.tree();

    let entry = &json(&env.relay(&["log", "--json"]).run())[0];
    assert_eq!(entry["channel"], "wrap");
    let shown = json(&env.relay(&["show", "--json"]).run());
    assert!(shown["reasoning"].as_str().unwrap().starts_with("sh -c 'sed -i"), "{shown:#}");

    undo(&env);
    assert_eq!(env.tree(), before);
    assert!(!env.exists("deep"), "folders the command made are gone");
    assert_eq!(std::fs::read_link(env.path("link")).unwrap().to_str(), Some("src/lib.rs"));
    let run = env.relay(&["redo", "--yes"]).run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert_eq!(env.tree(), after);
}

#[test]
fn changes_of_modes_and_links_are_reported() {
    let env = repository();
    let (_, document) = wrap(&env, "chmod 755 src/lib.rs; rm link; echo x > link; ln -s tool.sh fresh", &[]);
    let modes: Vec<&Value> = document["files"].as_array().unwrap().iter().map(|file| &file["mode"]).collect();
    assert_eq!(modes[0]["after"], "120777", "{document:#}");
    assert_eq!((&modes[1]["before"], &modes[1]["after"]), (&"120777".into(), &"100644".into()));
    assert_eq!((&modes[2]["before"], &modes[2]["after"]), (&"100644".into(), &"100755".into()));
    let shown = env.relay(&["show"]).success().stdout;
    for heading in
        ["A fresh  +1 −0  link\n", "M link  +1 −1  link → file\n", "M src/lib.rs  +0 −0  mode 644 → 755\n"]
    {
        assert!(shown.contains(heading), "{heading} in\n{shown}");
    }
    let diff = json(&env.relay(&["show", "--json"]).run())["diff"].as_str().unwrap().to_owned();
    assert!(diff.contains("new file mode 120000") && diff.contains("deleted file mode 120000"), "{diff}");
    let undone = env.relay(&["undo", "--yes"]).success();
    assert!(undone.stdout.contains("mode 755 → 644"), "{}", undone.stdout);
    env.write("build/all.diff", &diff);
    env.git(&["apply", "--check", "build/all.diff"]);
}

#[test]
fn git_reset_hard_and_clean_can_be_undone_and_moved_refs_are_reported() {
    let env = repository();
    let before = env.tree();
    let (code, document) = wrap(&env, "git reset -q --hard && git clean -qfd", &[]);
    assert_eq!(code, 0, "{document:#}");
    assert_eq!(env.read("src/lib.rs"), "one\ntwo\nthree\n");
    assert!(!env.exists("notes.txt"));
    undo(&env);
    assert_eq!(env.tree(), before);

    let line =
        "git checkout -qb topic && git add -A && git -c user.name=t -c user.email=t@t commit -qm second";
    let (code, document) = wrap(&env, line, &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("unchanged")), "{document:#}");
    assert_eq!(codes(&document), ["git-changed"]);
    let message = document["diagnostics"][0]["message"].as_str().unwrap();
    assert!(message.contains("HEAD is topic") && message.contains("topic is new"), "{message}");
    assert!(message.contains("the index changed"), "{message}");
}

#[test]
fn rm_rf_of_everything_can_be_undone_even_with_relays_own_folder() {
    let env = repository();
    let before = env.tree();
    let (code, document) =
        wrap(&env, "rm -rf src tool.sh logo.bin link notes.txt .gitignore .git .relaycode", &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert!(!env.exists("src") && !env.exists("notes.txt"));
    undo(&env);
    assert_eq!(env.tree(), before);
}

#[test]
fn ignored_files_are_left_alone_even_if_the_ignore_file_is_deleted() {
    let env = repository();
    let (_, document) = wrap(
        &env,
        "echo more >> build/out; echo x > a.log; rm .gitignore; mkdir build/sub; echo y > build/sub/f",
        &[],
    );
    assert_eq!(files(&document), [(".gitignore".to_owned(), "delete".to_owned())], "{document:#}");
    undo(&env);
    assert_eq!(env.read("build/out"), "built\nmore\n");
    assert!(env.exists("a.log") && env.exists("build/sub/f") && env.exists(".gitignore"));
    // Files that were not ignored before are captured, even if the command makes git ignore them.
    let (_, document) = wrap(
        &env,
        "echo notes.txt >> .gitignore; rm notes.txt; echo src/ >> .gitignore; echo x > src/main.rs",
        &[],
    );
    let paths: Vec<String> = files(&document).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, [".gitignore", "notes.txt", "src/main.rs"], "{document:#}");
    undo(&env);
    assert_eq!(env.read("notes.txt"), "not committed\n");
    assert_eq!(env.read("src/main.rs"), "fn main() {}\n");
}

#[test]
fn a_failing_commands_changes_land_and_its_exit_code_is_kept() {
    let env = project(PLAIN);
    let (code, document) = wrap(&env, "echo a > a.txt; exit 42", &[]);
    assert_eq!((code, document["exitCode"].as_i64()), (42, Some(42)));
    assert_eq!(document["status"], "committed");
    let (code, document) = wrap(&env, "exit 7", &[]);
    assert_eq!((code, document["status"].as_str()), (7, Some("unchanged")));
    let (code, _) = wrap(&env, "kill -KILL $$", &[]);
    assert_eq!(code, 137);
    let run = env.relay(&["wrap", "--json", "--", "no-such-program-anywhere"]).run();
    assert_eq!(run.code, 127, "{}", run.stdout);
    assert_eq!(codes(&json(&run)), ["command-not-started"]);
}

#[test]
fn the_command_gets_input_output_and_arguments_as_they_are() {
    let env = project(PLAIN);
    std::fs::create_dir(env.path("sub")).unwrap();
    let run = env
        .relay(&["wrap", "--", "sh", "-c", "cat; echo \"$1|$2\"; pwd; echo err >&2", "sh", "a b", "--json"])
        .stdin("from stdin\n")
        .current_dir("sub")
        .run();
    let expected = format!("from stdin\na b|--json\n{}\n", env.path("sub").canonicalize().unwrap().display());
    assert_eq!((run.code, run.stdout.as_str()), (0, expected.as_str()), "{}", run.stderr);
    assert!(run.stderr.contains("err\n") && run.stderr.contains("changed no file"), "{}", run.stderr);
    let run = env.relay(&["wrap", "--json", "--", "echo", "loud"]).run();
    assert_eq!(json(&run)["status"], "unchanged", "standard output is one document");
    assert!(run.stderr.contains("loud"));
}

#[test]
fn a_failing_post_command_rolls_everything_back() {
    let env = project(r#"{"projectId": "shop", "postCommand": "test ! -e bad.txt"}"#);
    env.write("a.txt", "old\n");
    let before = env.tree();
    let (code, document) = wrap(&env, "echo bad > bad.txt; echo new > a.txt", &["--trust"]);
    assert_eq!((code, document["status"].as_str()), (1, Some("rolled_back")), "{document:#}");
    assert_eq!(codes(&document), ["post-command-failed", "rescued"]);
    assert_eq!(env.tree(), before);
    let (code, _) = wrap(&env, "echo bad > bad.txt; exit 5", &["--trust"]);
    assert_eq!(code, 5, "the command's own failure comes first");
    assert_eq!(wrap(&env, "echo new > a.txt", &["--trust"]).1["checks"][0]["status"], "passed");
    assert_eq!(env.read("a.txt"), "new\n");
}

#[test]
fn nothing_runs_before_trust_and_approval_are_possible() {
    let env = project(r#"{"projectId": "shop", "postCommand": "true"}"#);
    let (code, document) = wrap(&env, "touch ran", &[]);
    assert_eq!((code, codes(&document)), (1, vec!["untrusted-commands".to_owned()]));
    let no = project(r#"{"projectId": "shop", "approval": "no"}"#);
    let (code, document) = wrap(&no, "touch ran", &[]);
    assert_eq!((code, codes(&document)), (1, vec!["approval-required".to_owned()]));
    assert!(!env.exists("ran") && !no.exists("ran"));
    assert_eq!(wrap(&no, "echo x > ran", &["--yes"]).0, 0);
    let run = env.relay(&["wrap", "--dry-run", "--", "touch", "ran"]).run();
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert_eq!(env.relay(&["wrap"]).run().code, 2);
}

#[test]
fn files_that_other_tools_execute_need_their_own_approval() {
    let env = project(PLAIN);
    let line = "mkdir -p .github/workflows; echo x > .github/workflows/ci.yml; echo y > y.txt";
    let (code, document) = wrap(&env, line, &["--yes"]);
    assert_eq!(
        (code, codes(&document)),
        (1, ["sensitive-path", "rescued"].map(str::to_owned).to_vec()),
        "{document:#}"
    );
    assert!(!env.exists("y.txt") && !env.exists(".github"));
    assert_eq!(wrap(&env, line, &["--allow-sensitive"]).0, 0);
    assert!(env.exists(".github/workflows/ci.yml"));
}

#[test]
fn relay_inside_a_wrapped_command_lands_on_its_own() {
    let env = project(PLAIN);
    env.write("reply.md", &reply(1, "inner.txt", "inner"));
    env.write("both.md", &reply(2, "both.txt", "from the reply"));
    let relay = env!("CARGO_BIN_EXE_relay");
    let line = format!(
        "echo outer > outer.txt; {relay} apply reply.md >&2 && {relay} apply both.md >&2 && echo more >> both.txt && \
         {relay} wrap -- sh -c 'echo deep > deep.txt' && {relay} undo --yes >&2"
    );
    let (code, document) = wrap(&env, &line, &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    let paths: Vec<String> = files(&document).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["both.txt", "outer.txt"], "{document:#}");
    assert!(codes(&document).iter().all(|code| code == "unattributed"), "{document:#}");
    undo(&env);
    assert_eq!(env.read("both.txt"), "from the reply\n");
    assert!(!env.exists("outer.txt") && env.exists("inner.txt") && !env.exists("deep.txt"));
}

#[test]
fn changes_that_cannot_be_captured_are_reported_and_stay() {
    let env = project(PLAIN);
    env.write("thing/in", "a file\n");
    let line = "echo '{\"projectId\": \"other\"}' > relaycode.config.json; rm -r thing; mkfifo thing; echo ok > ok.txt";
    let (code, document) = wrap(&env, line, &[]);
    assert_eq!(code, 0);
    assert_eq!(files(&document), [], "{document:#}");
    let paths: Vec<&str> =
        document["diagnostics"].as_array().unwrap().iter().map(|d| d["path"].as_str().unwrap()).collect();
    // A new file may be the only copy of the folder's content, so it is not captured either.
    assert_eq!(paths, ["ok.txt", "relaycode.config.json", "thing", "thing/in"], "{document:#}");
    assert!(codes(&document).iter().all(|code| code == "not-captured"));
    assert!(env.exists("ok.txt") && !env.exists("thing/in"));
}

#[test]
fn a_change_that_keeps_size_and_time_is_noticed() {
    let env = project(PLAIN);
    env.write("a.txt", "old\n");
    // The first scan knows the file; its time is then set back after each change.
    wrap(&env, "touch -d 2020-01-01 a.txt", &[]);
    let (_, document) = wrap(&env, "printf 'new\\n' > a.txt; touch -d 2020-01-01 a.txt", &[]);
    assert_eq!(files(&document), [("a.txt".to_owned(), "modify".to_owned())]);
    undo(&env);
    assert_eq!(env.read("a.txt"), "old\n");
    env.write("b.txt", "old\n");
    let (_, document) = wrap(&env, "printf 'new\\n' > b.txt", &[]);
    assert_eq!(
        files(&document),
        [("b.txt".to_owned(), "modify".to_owned())],
        "written and changed within one tick"
    );
}

#[test]
fn a_planted_cache_is_not_trusted() {
    let env = project(PLAIN);
    env.write("a.txt", "mine\n");
    // A recently changed file is always read again; this one must come from the cache.
    std::thread::sleep(Duration::from_millis(200));
    wrap(&env, "true", &[]);
    let pack = env.shell("ls .relaycode/capture/pack-*").stdout;
    let content = env.read(pack.trim());
    assert!(content.contains("mine"));
    env.write(pack.trim(), &content.replace("mine", "evil"));
    let (_, document) = wrap(&env, "echo new > a.txt", &[]);
    assert_eq!(
        codes(&document),
        ["not-captured"],
        "a content that is not what was kept is not used: {document:#}"
    );
    std::fs::write(env.path(".relaycode/capture/index"), "planted").unwrap();
    let (_, document) = wrap(&env, "echo newer > a.txt", &[]);
    assert_eq!(document["status"], "committed");
    undo(&env);
    assert_eq!(env.read("a.txt"), "new\n");
}

#[test]
fn ctrl_c_ends_the_command_and_asks_whether_to_keep_its_work() {
    for (answer, stays) in [("y\r", true), ("n\r", false)] {
        let env = project(PLAIN);
        // Without a shell in between: a shell that waits for a program may treat Ctrl-C as meant for that program
        // alone.
        let mut screen =
            env.pty(&["wrap", "--", "sh", "-c", "echo half > half.txt; : > started; exec sleep 60"]);
        wait_for("the command starts", || env.exists("started"));
        screen.send("\u{3}");
        screen.expect("keep this change?");
        screen.send(answer);
        assert_eq!(screen.wait(), 130);
        assert_eq!(env.exists("half.txt"), stays);
    }
}

#[test]
fn a_terminate_signal_ends_the_whole_tree_and_unapproved_changes_are_rolled_back() {
    let env = project(PLAIN);
    let script = "echo half > half.txt; sleep 300 & echo $! > ../home/pid; touch started; wait";
    let child = env.relay(&["wrap", "--", "sh", "-c", script]).spawn();
    wait_for("the command starts", || env.exists("started"));
    child.signal("TERM");
    let run = child.wait();
    assert_eq!(run.code, 130, "{}", run.stderr);
    assert!(!env.exists("half.txt"), "{}", run.stderr);
    assert!(!env.is_running("../home/pid"));
}

#[test]
fn nothing_is_lost_if_a_folder_and_an_uncapturable_file_swap_places() {
    let env = crate::project(r#"{"projectId": "shop", "postCommand": "false"}"#);
    env.write("b/c.txt", "precious\n");
    env.write("a.txt", "a\n");
    let before = env.tree();
    let run = env.relay(&["wrap", "--yes", "--trust", "--", "sh", "-c", "mv b bb; mv a.txt b"]).run();
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert_eq!(env.tree(), before);
    let run = env.relay(&["wrap", "--yes", "--trust", "--", "sh", "-c", "mv b bb; mkfifo b; rm a.txt"]).run();
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert_eq!(env.read("bb/c.txt"), "precious\n", "the only copy stays");
    assert_eq!(env.read("a.txt"), "a\n");
    assert!((run.stdout + &run.stderr).contains("except those listed below"));
}

#[test]
fn a_commands_changes_are_found_after_relay_was_killed() {
    let env = project(PLAIN);
    env.write("a.txt", "a\n");
    env.write("b/b.txt", "b\n");
    env.write("opens", "a file\n");
    env.write("ignored.log", "old\n");
    env.write(".gitignore", "*.log\n");
    std::os::unix::fs::symlink("a.txt", env.path("link")).unwrap();
    env.relay(&["wrap", "--", "true"]).success();
    let before = env.tree();
    let script = "echo changed > a.txt; rm -r b; echo file > b; rm opens; mkdir opens; echo new > opens/c.txt; \
         ln -sf opens link; echo x > x.log; kill -9 $PPID";
    assert_ne!(env.relay(&["wrap", "--", "sh", "-c", script]).run().code, 0);
    let run = env.relay(&["log"]).success();
    assert!(run.stderr.contains("6 file(s) differ from the state before it"), "{}", run.stderr);
    assert!(run.stdout.contains("interrupted: sh -c"), "{}", run.stdout);
    let again = env.relay(&["log"]).success();
    assert!(!again.stderr.contains("differ"), "it is said once: {}", again.stderr);
    env.relay(&["undo"]).success();
    std::fs::remove_file(env.path("x.log")).unwrap();
    assert_eq!(env.tree(), before);
}

#[test]
fn a_checks_changes_are_found_after_relay_was_killed() {
    let env = project(PLAIN);
    env.write("a.txt", "a\n");
    env.write("other.txt", "old\n");
    env.write(
        "relaycode.config.json",
        r#"{"projectId": "shop", "postCommand": "echo by check > other.txt; kill -9 $PPID"}"#,
    );
    env.write("reply.md", &reply(1, "a.txt", "changed"));
    let before = env.tree();
    assert_ne!(env.relay(&["apply", "reply.md", "--trust"]).run().code, 0);
    let run = env.relay(&["recover"]).run();
    assert!(
        run.stdout.contains("was interrupted, and its 1 file(s) are as they were"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    assert_eq!(env.read("a.txt"), "a\n", "the transaction itself was rolled back");
    assert_eq!(env.read("other.txt"), "by check\n", "a command's changes are not rolled back automatically");
    env.relay(&["undo"]).success();
    assert_eq!(env.tree(), before);
}

#[test]
fn a_moved_file_counts_only_the_lines_that_changed() {
    let env = project(PLAIN);
    env.write("src/a.txt", "1\n2\n3\n");
    env.relay(&["wrap", "--", "true"]).success();
    let (code, document) = wrap(&env, "mv src lib", &[]);
    assert_eq!((code, files(&document)), (0, vec![("lib/a.txt".to_owned(), "rename".to_owned())]));
    assert_eq!((&document["files"][0]["added"], &document["files"][0]["removed"]), (&0.into(), &0.into()));
    undo(&env);
    let log = env.relay(&["log"]).success().stdout;
    assert_eq!(log.matches("1 file  +0 −0").count(), 2, "{log}");
}

#[test]
fn a_file_name_cannot_forge_a_line_of_output() {
    let env = project(PLAIN);
    let run = env.relay(&["wrap", "--", "touch", "a\nerror: gone"]).success();
    assert!(run.stderr.contains(r"a\nerror: gone was changed by the command"), "{}", run.stderr);
}

#[test]
fn changes_that_could_not_be_recorded_are_recorded_once_possible() {
    let env = project(PLAIN);
    env.write("a.txt", "a\n");
    env.write("b.txt", "b\n");
    env.relay(&["wrap", "--", "touch", "c.txt"]).success();
    let before = env.tree();
    // A file in place of the folder prevents staging, as a full disk would.
    let script = "echo changed > a.txt; rm b.txt; rm -r .relaycode/stage; touch .relaycode/stage";
    let (code, document) = wrap(&env, script, &[]);
    assert_eq!((code, codes(&document)), (1, vec!["not-captured".to_owned()]), "{document:#}");
    assert!(document["diagnostics"][0]["hint"].as_str().unwrap().contains("relay recover"), "{document:#}");

    let run = env.relay(&["recover", "--json"]).run();
    assert_eq!((run.code, codes(&json(&run))), (1, vec!["recovery-stuck".to_owned()]), "{}", run.stdout);
    assert_eq!(env.relay(&["log"]).run().code, 0, "reading is not kept from it");
    std::fs::remove_file(env.path(".relaycode/stage")).unwrap();
    let run = env.relay(&["recover", "--json"]).success();
    assert_eq!(codes(&json(&run)), ["interrupted-command"], "{}", run.stdout);
    undo(&env);
    assert_eq!(env.tree(), before);
}

#[test]
fn an_empty_folder_a_command_removed_comes_back_with_the_undo() {
    let env = project(PLAIN);
    env.write("a.txt", "a\n");
    std::fs::create_dir_all(env.path("out/er/empty")).unwrap();
    std::fs::set_permissions(env.path("out/er/empty"), std::fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(wrap(&env, "rm -r out; echo b > a.txt", &[]).0, 0);
    assert!(!env.exists("out"));
    undo(&env);
    let mode = std::fs::metadata(env.path("out/er/empty")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o700);
    env.relay(&["redo"]).success();
    assert!(!env.exists("out"), "the redo removes it again");
}

#[test]
fn removed_and_chowned_files_come_back_with_their_owner() {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let env = repository();
    // Only root can change a file's owner; other users can change only its group.
    let is_root = std::fs::metadata(env.path("notes.txt")).unwrap().uid() == 0;
    if !is_root {
        return;
    }
    chown(env.path("notes.txt"), Some(1234), Some(2345)).unwrap();
    let owners = || {
        ["notes.txt", "logo.bin"].map(|path| {
            let found = std::fs::metadata(env.path(path)).unwrap();
            (found.uid(), found.gid())
        })
    };
    let before = owners();
    let (code, document) = wrap(&env, "rm notes.txt; chown 77:88 logo.bin", &[]);
    assert_eq!(code, 0, "{document:#}");
    assert_eq!(
        files(&document),
        [("logo.bin", "modify"), ("notes.txt", "delete")].map(|(p, o)| (p.into(), o.into()))
    );
    undo(&env);
    assert_eq!(owners(), before);
}

#[test]
fn a_check_that_outlives_a_killed_relay_is_stopped_before_anything_is_restored() {
    let script = "echo 0 > other.txt; kill -9 $PPID; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); echo $i >> a.txt; \
                  echo $i >> other.txt; sleep 0.02; done; touch survived";
    let env = project(&serde_json::json!({"projectId": "shop", "postCommand": script}).to_string());
    env.write("a.txt", "a\n");
    env.write("other.txt", "o\n");
    env.write("reply.md", &reply(1, "a.txt", "changed"));
    let before = env.tree();
    assert_ne!(env.relay(&["apply", "reply.md", "--trust"]).run().code, 0);
    let run = env.relay(&["log"]).success();
    assert!(run.stderr.contains("Relay ended it"), "{}", run.stderr);
    let after = env.tree();
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(env.tree(), after, "nothing writes any more");
    assert_eq!(env.read("a.txt"), "a\n", "the transaction itself was rolled back");
    env.relay(&["undo"]).success();
    assert_eq!(env.tree(), before);
}

#[test]
fn a_wrapped_command_that_outlives_a_killed_relay_is_recorded_once_it_has_ended() {
    let env = project(PLAIN);
    env.write("a.txt", "a\n");
    let before = env.tree();
    let script = "exec > /dev/null 2>&1; echo $$ > ../home/pid; echo early > a.txt; kill -9 $PPID; \
                  while [ ! -e stop ]; do sleep 0.02; done; echo late > late.txt";
    assert_ne!(env.relay(&["wrap", "--", "sh", "-c", script]).run().code, 0);
    let run = env.relay(&["log"]).success();
    assert!(run.stderr.contains("is still running"), "{}", run.stderr);
    env.write("stop", "");
    wait_for("it ends", || !env.is_running("../home/pid"));
    let run = env.relay(&["log"]).success();
    assert!(run.stderr.contains("3 file(s) differ from the state before it"), "{}", run.stderr);
    env.relay(&["undo"]).success();
    assert_eq!(env.tree(), before);
}

#[test]
fn a_path_that_a_record_cannot_name_is_reported() {
    let env = project(PLAIN);
    let line = r#"perl -e 'for (1..25) { mkdir "d" x 200; chdir "d" x 200 } open F, ">f"; print F "x"'"#;
    let (code, document) = wrap(&env, line, &[]);
    assert_eq!(code, 0, "{document:#}");
    let said = document["diagnostics"].to_string();
    assert!(said.contains("has a path longer than 4,096 bytes"), "{said}");
    assert!(!said.contains("empty folders"), "{said}");
}
