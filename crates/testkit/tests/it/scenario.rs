//! The scenario runner fails when it should. A shell replaces the binary: called as `sh apply --json`, it runs the
//! script `apply` in the project, which copies the reply to `a.txt` and reports success.

use std::path::Path;

use tempfile::TempDir;

/// What the script reports, as the runner pins it down.
const REPORT: &str = r#"{
  "exit": 0,
  "status": "committed",
  "files": [],
  "diagnostics": []
}
"#;

const SCRIPT: &str = "cat > a.txt\necho '{\"status\": \"committed\", \"files\": [], \"diagnostics\": []}'\n";

/// A folder with one scenario of these files.
fn scenario(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join("fenced/one").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("before/apply", SCRIPT);
    for (path, text) in files {
        write(path, text);
        if path.starts_with("after/") {
            write("after/apply", SCRIPT);
        }
    }
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs the scenario; `Err` is what the runner complained about.
fn run(files: &[(&str, &str)]) -> Result<(), String> {
    let folder = scenario(files);
    std::panic::catch_unwind(|| testkit::scenario::run_all("/bin/sh", text(folder.path())))
        .map_err(|panic| panic.downcast_ref::<String>().unwrap().clone())
}

/// `UPDATE_EXPECT=1` rewrites reports instead of comparing them, here too.
fn updating() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

#[test]
fn a_scenario_that_ends_as_expected_passes() {
    let files =
        [("before/a.txt", "old\n"), ("reply.md", "new\n"), ("after/a.txt", "new\n"), ("report.json", REPORT)];
    assert_eq!(run(&files), Ok(()));
}

#[test]
fn a_file_that_differs_fails_and_is_named() {
    let files = [
        ("before/a.txt", "old\n"),
        ("reply.md", "new\n"),
        ("after/a.txt", "other\n"),
        ("report.json", REPORT),
    ];
    let complaint = run(&files).unwrap_err();
    assert!(complaint.contains("a.txt differs") && complaint.contains("fenced/one"), "{complaint}");
}

#[test]
fn a_missing_and_a_further_file_fail() {
    let missing = [("before/a.txt", "a"), ("reply.md", "a"), ("after/b.txt", "b"), ("report.json", REPORT)];
    assert!(run(&missing).unwrap_err().contains("b.txt differs"));
    let further = [("before/b.txt", "b"), ("reply.md", "a"), ("after/b.txt", "b"), ("report.json", REPORT)];
    assert!(run(&further).unwrap_err().contains("a.txt differs"));
}

#[test]
fn without_after_nothing_may_change() {
    let files = [("before/a.txt", "old\n"), ("reply.md", "new\n"), ("report.json", REPORT)];
    assert!(run(&files).unwrap_err().contains("a.txt differs"));
    let files = [("before/a.txt", "same\n"), ("reply.md", "same\n"), ("report.json", REPORT)];
    assert_eq!(run(&files), Ok(()));
}

#[test]
fn a_report_that_differs_fails_with_the_line() {
    if updating() {
        return;
    }
    let report = REPORT.replace("\"committed\"", "\"rejected\"");
    let files = [("before/a.txt", "same"), ("reply.md", "same"), ("report.json", report.as_str())];
    let complaint = run(&files).unwrap_err();
    assert!(
        complaint.contains("report.json differs from line 3") && complaint.contains("UPDATE_EXPECT"),
        "{complaint}"
    );
}

#[test]
fn no_scenarios_at_all_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = std::panic::catch_unwind(|| testkit::scenario::run_all("/bin/false", text(folder.path())));
    assert!(outcome.is_err());
}
