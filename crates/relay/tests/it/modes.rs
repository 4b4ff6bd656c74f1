//! Modes of git diffs: a file becomes executable or stops being so, and undo restores the mode.

use std::os::unix::fs::PermissionsExt;

use testkit::TestEnv;

use crate::{PLAIN, apply, json, project};

const ON: &str = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n";
const OFF: &str = "diff --git a/run.sh b/run.sh\nold mode 100755\nnew mode 100644\n";
const HUNK: &str = "--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-echo one\n+echo two\n";

fn set_mode(env: &TestEnv, path: &str, mode: u32) {
    std::fs::set_permissions(env.path(path), std::fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(env: &TestEnv, path: &str) -> u32 {
    std::fs::metadata(env.path(path)).unwrap().permissions().mode() & 0o7777
}

/// Lands the diff on `run.sh`, looks at it, and undoes it.
#[track_caller]
fn check(before: u32, diff: &str, after: u32, content: &str) {
    let env = project(PLAIN);
    env.write("run.sh", "echo one\n");
    set_mode(&env, "run.sh", before);
    let (code, document) = apply(&env, diff, &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    let file = &document["files"][0];
    assert_eq!((file["operation"].as_str(), file["status"].as_str()), (Some("modify"), Some("applied")));
    assert!(file["placement"].as_str().unwrap().ends_with("mode"), "{file:#}");
    assert_eq!(format!("{:o}", mode(&env, "run.sh")), format!("{after:o}"));
    assert_eq!(env.read("run.sh"), content);
    let run = env.relay(&["undo", "--json"]).run();
    assert_eq!((run.code, json(&run)["status"].as_str()), (0, Some("committed")), "{}", run.stdout);
    assert_eq!(format!("{:o}", mode(&env, "run.sh")), format!("{before:o}"));
    assert_eq!(env.read("run.sh"), "echo one\n");
}

#[test]
fn everyone_who_may_read_may_execute() {
    check(0o644, ON, 0o755, "echo one\n");
    check(0o640, ON, 0o750, "echo one\n");
    check(0o600, ON, 0o700, "echo one\n");
}

#[test]
fn an_executable_becomes_a_plain_file() {
    check(0o755, OFF, 0o644, "echo one\n");
    check(0o700, OFF, 0o600, "echo one\n");
}

#[test]
fn mode_and_content_change_together() {
    check(0o644, &format!("{ON}{HUNK}"), 0o755, "echo two\n");
    check(0o755, &format!("{OFF}{HUNK}"), 0o644, "echo two\n");
}

#[test]
fn an_unchanged_mode_makes_no_transaction() {
    let env = project(PLAIN);
    env.write("run.sh", "echo one\n");
    set_mode(&env, "run.sh", 0o755);
    let (code, document) = apply(&env, ON, &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("unchanged")), "{document:#}");
    assert_eq!(document["files"][0]["status"], "unchanged");
}

#[test]
fn a_failing_check_restores_the_mode() {
    let env = project(r#"{"projectId": "shop", "postCommand": "test ! -x run.sh"}"#);
    env.write("run.sh", "echo one\n");
    set_mode(&env, "run.sh", 0o644);
    let (code, document) = apply(&env, ON, &["--trust"]);
    assert_eq!((code, document["status"].as_str()), (1, Some("rolled_back")), "{document:#}");
    assert_eq!(mode(&env, "run.sh"), 0o644);
}

#[test]
fn a_diff_written_by_git_lands_with_the_same_modes() {
    let env = project(PLAIN);
    env.git(&["init", "-q"]);
    for (path, bits) in
        [("on.sh", 0o644), ("off.sh", 0o755), ("both.sh", 0o644), ("old.sh", 0o644), ("bin", 0o644)]
    {
        let many: String = (1..=20).map(|n| format!("echo {path} {n}\n")).collect();
        env.write(path, &many);
        set_mode(&env, path, bits);
    }
    std::fs::write(env.path("bin"), [0u8, 255, 1]).unwrap();
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "before"]);
    let before = env.tree();

    for (path, bits) in [("on.sh", 0o755), ("off.sh", 0o644), ("both.sh", 0o755), ("bin", 0o755)] {
        set_mode(&env, path, bits);
    }
    env.write("both.sh", &env.read("both.sh").replace("both.sh 7\n", "seven\n"));
    std::fs::rename(env.path("old.sh"), env.path("new.sh")).unwrap();
    set_mode(&env, "new.sh", 0o755);
    env.write("made.sh", "echo made\n");
    set_mode(&env, "made.sh", 0o755);
    env.write("empty.sh", "");
    set_mode(&env, "empty.sh", 0o755);
    env.git(&["add", "-A"]);
    let after = env.tree();
    let diff = env.git(&["diff", "--cached", "-M"]);
    assert!(diff.contains("rename to new.sh") && diff.contains("new file mode 100755"), "{diff}");

    env.git(&["reset", "-q", "--hard"]);
    assert_eq!(env.tree(), before);
    let (code, document) = apply(&env, &diff, &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    env.git(&["add", "-A"]);
    assert_eq!(env.git(&["diff", "--cached", "-M"]), diff);
    assert_eq!(env.tree(), after);

    assert_eq!(env.relay(&["undo"]).run().code, 0);
    env.git(&["add", "-A"]);
    assert_eq!(env.git(&["diff", "--cached", "HEAD"]), "");
    assert_eq!(env.tree(), before);
}
