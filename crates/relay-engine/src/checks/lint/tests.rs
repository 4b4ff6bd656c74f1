//! The recorded outputs of real tools, mixes of them, and input made to break the counter.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::tally::Worth;
use super::{ErrorCount, Line, Reader, Source, read_errors};

fn count_errors(output: &str, exit_code: i32) -> ErrorCount {
    read_errors(output, exit_code).count
}

/// Checks what a reader makes of one line.
pub(super) fn check_line(read: Reader, text: &str, expected: Option<Worth>) {
    check_after(read, "", text, expected);
}

/// Checks what a reader makes of a line below another one.
pub(super) fn check_after(read: Reader, previous: &str, text: &str, expected: Option<Worth>) {
    assert_eq!(read(Line { text, previous, failed: false }), expected, "{text}");
}

/// Checks what a reader makes of a line when the command failed.
pub(super) fn check_failed(read: Reader, text: &str, expected: Option<Worth>) {
    assert_eq!(read(Line { text, previous: "", failed: true }), expected, "{text}");
}

fn check(output: &str, exit_code: i32, errors: u64, source: Source) {
    let count = count_errors(output, exit_code);
    let shown: String = output.chars().take(2000).collect();
    assert_eq!((count.errors, count.source), (errors, source), "{shown}");
}

/// One recorded run, as `fixtures/lint/README.md` describes it.
struct Case {
    name: String,
    output: String,
    exit_code: i32,
    errors: u64,
    source: String,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/lint")
}

fn cases() -> Vec<Case> {
    let manifest = fs::read_to_string(folder().join("manifest.json")).unwrap();
    let manifest: Vec<Value> = serde_json::from_str(&manifest).unwrap();
    let case = |entry: &Value| {
        let name = entry["file"].as_str().unwrap().to_owned();
        Case {
            output: fs::read_to_string(folder().join(&name)).unwrap(),
            exit_code: i32::try_from(entry["exit_code"].as_i64().unwrap()).unwrap(),
            errors: entry["errors"].as_u64().unwrap(),
            source: entry["source"].as_str().unwrap().to_owned(),
            name,
        }
    };
    manifest.iter().map(case).collect()
}

/// Checks every recorded run after changing its output in a way that must not matter.
fn check_cases(change: impl Fn(&str) -> String) {
    let mut wrong = Vec::new();
    for case in cases() {
        let count = count_errors(&change(&case.output), case.exit_code);
        let source = format!("{:?}", count.source).to_lowercase();
        if (count.errors, source) != (case.errors, case.source.replace('-', "")) {
            wrong.push(format!("{}: {count:?}, not {} from {}", case.name, case.errors, case.source));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn recorded_runs() {
    check_cases(str::to_owned);
}

#[test]
fn recorded_runs_with_windows_line_endings() {
    check_cases(|output| output.replace('\n', "\r\n"));
}

#[test]
fn recorded_runs_with_every_line_coloured() {
    check_cases(|output| {
        let coloured = |line: &str| {
            if line.starts_with(['{', '[', '\t']) {
                line.to_owned()
            } else {
                format!("\x1b[1;31m{line}\x1b[0m")
            }
        };
        output.split('\n').map(coloured).collect::<Vec<_>>().join("\n")
    });
}

#[test]
fn recorded_runs_between_progress_lines() {
    check_cases(|output| format!("Linting 1/2\rLinting 2/2\r\x1b[K{output}\nDone in 0.3s.\n"));
}

#[test]
fn every_recording_is_in_the_manifest() {
    let mut listed: Vec<_> = cases().into_iter().map(|case| case.name).collect();
    listed.extend(["README.md".to_owned(), "manifest.json".to_owned()]);
    listed.sort();
    let mut present: Vec<_> =
        fs::read_dir(folder()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    present.sort();
    assert_eq!(present, listed);
}

/// `first ; second` for every two recorded runs: whatever is before or after it, a run counts the same.
#[test]
fn any_two_runs_add_up() {
    let cases = cases();
    let alone: Vec<_> = cases.iter().map(|case| count_errors(&case.output, 0).errors).collect();
    let mut wrong = Vec::new();
    for (first, first_alone) in cases.iter().zip(&alone) {
        for (second, second_alone) in cases.iter().zip(&alone) {
            let both = count_errors(&format!("{}\n{}", first.output, second.output), 0).errors;
            if both != first_alone + second_alone {
                wrong.push(format!(
                    "{} ; {}: {both}, not {first_alone} + {second_alone}",
                    first.name, second.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_exit_code_decides_when_nothing_is_recognised() {
    check("", 0, 0, Source::ExitCode);
    check("", 1, 1, Source::ExitCode);
    check("segmentation fault\n", 139, 1, Source::ExitCode);
    check("killed\n", -9, 1, Source::ExitCode);
}

#[test]
fn a_recognised_count_holds_with_exit_0() {
    check("a.ts(1,7): error TS2322: no\n", 0, 1, Source::Tsc);
    check("Found 3 errors.\n", 0, 3, Source::Generic);
}

#[test]
fn a_failure_without_errors_counts_as_one() {
    check("✖ 2 problems (0 errors, 2 warnings)\n", 1, 1, Source::ExitCode);
    check("All checks passed!\n", 1, 1, Source::ExitCode);
    check("✖ 2 problems (0 errors, 2 warnings)\n", 0, 0, Source::Eslint);
}

#[test]
fn a_head_that_was_cut_off_is_in_the_summary() {
    check(
        "error[E0308]: no\nerror: could not compile `a` (lib) due to 40 previous errors\n",
        101,
        40,
        Source::Cargo,
    );
    check(
        "a.py:9: error: no  [x]\nFound 12 errors in 3 files (checked 4 source files)\n",
        1,
        12,
        Source::Mypy,
    );
}

#[test]
fn quoted_source_lines_are_not_counted() {
    check(
        "error[E0308]: no\n --> src/a.rs:2:5\n  |\n2 | // Found 7 errors.\n  | ^^^ 3 errors\n",
        101,
        1,
        Source::Cargo,
    );
    check(
        "a.py:1:1: F401 [*] `os` no\n  |\n1 | import os  # a.py:1:1: error: x\n  |\nFound 1 error.\n",
        1,
        1,
        Source::Ruff,
    );
}

#[test]
fn huge_numbers_do_not_overflow() {
    let most = u64::MAX;
    check(
        &format!("{most} errors\n{most} errors\n99999999999999999999999 errors\n"),
        1,
        most,
        Source::Generic,
    );
}

/// Each pattern makes one reader work hardest; worse than linear would take minutes, not milliseconds.
#[test]
fn no_pattern_costs_more_than_linear_time() {
    let fill = |pattern: &str| pattern.repeat(300_000 / pattern.len());
    for noise in [
        fill("\n"),
        fill(":1"),
        fill(":"),
        fill("1"),
        fill("a:1:2: error "),
        fill("error TS"),
        fill("(1,"),
        fill(": line 1"),
        fill("found 1 "),
        fill("["),
        fill("[{\"a\":\n"),
        format!("{}{}oops", "[{\"a\":\n".repeat(60), fill("1,\n")),
        format!("[{{\"a\":[\n{}", fill("[{\"b\":1}],\n")),
        format!("{}{}", fill("[{\"a\":\n"), fill("1}]\n")),
        format!("{}1{}", "[{\"a\":\n".repeat(40_000), "}]\n".repeat(40_000)),
        format!("[{{\"a\":[\n{}1]}}] oops", fill("[{\"b\":\n1}],\n")),
        fill("{\"a\":1}\n"),
        fill("\x1b]8;;"),
        fill("\x1b[31"),
        fill("\r"),
        fill("1 error, "),
        fill("  1:1 error\n"),
    ] {
        assert_eq!(count_errors(&noise, 1).errors, 1, "{}", noise.chars().take(40).collect::<String>());
    }
}

#[test]
fn ten_megabytes_of_noise() {
    let line = format!("{}\n", "progress: checking module 17 of 4711 ".repeat(1000));
    let mut noise = line.repeat(10_000_000 / line.len());
    noise.push_str("a.py:9: error: no  [x]\nFound 1 error in 1 file (checked 1 source file)\n");
    check(&noise, 1, 1, Source::Mypy);
}
