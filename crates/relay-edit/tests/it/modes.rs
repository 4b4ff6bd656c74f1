//! Whether a file can be run: what git diffs say about it, and what comes of it.

use relay_edit::{EditStatus, Plan, Snapshot, plan};

use crate::dialects::check_error;
use crate::support::{files, parse_ok};

const PURE: &str = "diff --git a/a.sh b/a.sh\nold mode 100644\nnew mode 100755\n";
const OFF: &str = "diff --git a/a.sh b/a.sh\nold mode 100755\nnew mode 100644\n";

fn program(path: &str, text: &str) -> Snapshot {
    Snapshot { executable: [path.to_owned()].into(), ..files(&[(path, text)]) }
}

fn planned(before: &Snapshot, diff: &str) -> Plan {
    let plan = plan(&parse_ok(diff).edits, before);
    assert!(plan.diagnostics.is_empty(), "{diff}\n{plan:#?}");
    plan
}

/// The changes must be these: the path, the content afterwards and whether it can be run.
#[track_caller]
fn check(before: &Snapshot, diff: &str, expected: &[(&str, Option<&str>, Option<bool>)]) {
    let plan = planned(before, diff);
    let found: Vec<_> = plan
        .changes
        .iter()
        .map(|change| {
            let after = change.after.as_deref().map(|bytes| std::str::from_utf8(bytes).expect("text"));
            (change.path.as_str(), after, change.executable)
        })
        .collect();
    assert_eq!(found, expected, "{diff}");
}

#[test]
fn a_mode_is_a_change_of_its_own() {
    check(&files(&[("a.sh", "run\n")]), PURE, &[("a.sh", Some("run\n"), Some(true))]);
    check(&program("a.sh", "run\n"), OFF, &[("a.sh", Some("run\n"), Some(false))]);
    let prose = format!("This makes it a program:\n\n{PURE}\nThat is all.\n");
    check(&files(&[("a.sh", "run\n")]), &prose, &[("a.sh", Some("run\n"), Some(true))]);
    let bytes =
        Snapshot { files: [("a.sh".to_owned(), b"\xff\xfe\x00".to_vec())].into(), ..Snapshot::default() };
    let plan = planned(&bytes, PURE);
    assert_eq!(plan.changes[0].after.as_deref(), Some(&b"\xff\xfe\x00"[..]), "any bytes stay");
    assert_eq!(plan.outcomes[0].placement, "mode");
}

#[test]
fn a_mode_that_is_so_already_changes_nothing() {
    for (before, diff) in [(program("a.sh", "run\n"), PURE), (files(&[("a.sh", "run\n")]), OFF)] {
        let plan = planned(&before, diff);
        assert_eq!((plan.changes.len(), plan.outcomes[0].status), (0, EditStatus::Unchanged), "{diff}");
    }
    let both = format!("{PURE}{OFF}");
    check(&files(&[("a.sh", "run\n")]), &both, &[]);
}

#[test]
fn a_mode_goes_with_content_with_a_new_file_and_with_a_rename() {
    let hunk = "--- a/a.sh\n+++ b/a.sh\n@@ -1 +1 @@\n-run\n+walk\n";
    check(&files(&[("a.sh", "run\n")]), &format!("{PURE}{hunk}"), &[("a.sh", Some("walk\n"), Some(true))]);
    check(&program("a.sh", "run\n"), &format!("{OFF}{hunk}"), &[("a.sh", Some("walk\n"), Some(false))]);
    check(&program("a.sh", "run\n"), hunk, &[("a.sh", Some("walk\n"), None)]);

    let new = |mode: &str| {
        format!(
            "diff --git a/n.sh b/n.sh\nnew file mode {mode}\n--- /dev/null\n+++ b/n.sh\n@@ -0,0 +1 @@\n+run\n"
        )
    };
    check(&files(&[]), &new("100755"), &[("n.sh", Some("run\n"), Some(true))]);
    check(&files(&[]), &new("100644"), &[("n.sh", Some("run\n"), None)]);
    let empty = "diff --git a/n.sh b/n.sh\nnew file mode 100755\nindex 0000000..e69de29\n";
    check(&files(&[]), empty, &[("n.sh", Some(""), Some(true))]);

    let rename = |modes: &str| {
        format!("diff --git a/a.sh b/b.sh\n{modes}similarity index 100%\nrename from a.sh\nrename to b.sh\n")
    };
    let gone = ("a.sh", None, None);
    let (on, off) = ("old mode 100644\nnew mode 100755\n", "old mode 100755\nnew mode 100644\n");
    check(&files(&[("a.sh", "run\n")]), &rename(on), &[gone, ("b.sh", Some("run\n"), Some(true))]);
    check(&program("a.sh", "run\n"), &rename(off), &[gone, ("b.sh", Some("run\n"), Some(false))]);
    check(&program("a.sh", "run\n"), &rename(on), &[gone, ("b.sh", Some("run\n"), None)]);
    // A mode that was given before the rename goes with the file.
    let both = format!("{PURE}{}", rename(""));
    check(&files(&[("a.sh", "run\n")]), &both, &[gone, ("b.sh", Some("run\n"), Some(true))]);
}

#[test]
fn a_block_that_holds_a_git_diff_says_the_same() {
    let block = |mode: &str| {
        let diff =
            format!("diff --git a/a.sh b/a.sh\n{mode}--- a/a.sh\n+++ b/a.sh\n@@ -1 +1 @@\n-run\n+walk\n");
        format!("```diff // {{a.sh}} new-unified\n{diff}```\n")
    };
    let on = block("old mode 100644\nnew mode 100755\n");
    check(&files(&[("a.sh", "run\n")]), &on, &[("a.sh", Some("walk\n"), Some(true))]);
    check(&files(&[("a.sh", "run\n")]), &block(""), &[("a.sh", Some("walk\n"), None)]);
    let link = block("old mode 100644\nnew mode 120000\n");
    check_error(&[("a.sh", "run\n")], &link, relay_edit::codes::UNSUPPORTED, 1);
}

#[test]
fn only_files_have_a_mode_to_set() {
    for mode in ["120000", "160000", "040000"] {
        let diff = format!("diff --git a/l b/l\nold mode 100644\nnew mode {mode}\n");
        check_error(&[("l", "x\n")], &diff, relay_edit::codes::UNSUPPORTED, 1);
    }
    check_error(&[], PURE, relay_edit::codes::MISSING_FILE, 1);
    let hunk = "--- a/l\n+++ b/l\n@@ -1 +1 @@\n-x\n+y\n";
    let gone = "--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    for (header, hunk) in [
        ("index 1..2 120000\n", hunk),
        ("index 1..2 160000\n", hunk),
        ("deleted file mode 120000\n", gone),
        ("deleted file mode 160000\nindex 1..0\n", gone),
        ("old mode 120000\nnew mode 100644\n", ""),
        ("old mode 100644\nnew mode 104755\n", ""),
        ("old mode 100644\nnew mode 102755\n", hunk),
    ] {
        let diff = format!("diff --git a/l b/l\n{header}{hunk}");
        check_error(&[("l", "x\n")], &diff, relay_edit::codes::UNSUPPORTED, 1);
    }
    let plain = format!("diff --git a/l b/l\nindex 1..2 100644\n{hunk}");
    check(&files(&[("l", "x\n")]), &plain, &[("l", Some("y\n"), None)]);
}
