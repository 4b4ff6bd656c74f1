//! What placing edits costs, beside well-known programs: `cargo bench --bench apply`.
//!
//! User + system time of whole processes, all in one run: `relay apply --dry-run` beside `patch --dry-run` on one long
//! file with many hunks, and beside `git apply --check` on many files. They take turns, so that other load on the
//! machine affects both. Reading a reply as it arrives is measured in nanoseconds per byte.

#![allow(missing_docs, reason = "a program, not a library")]
#![allow(
    clippy::disallowed_methods,
    reason = "a benchmark prepares its own folders and starts what it measures"
)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run should say so loudly"
)]

use std::fmt::Write;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use testkit::measure::children_cpu;

/// How often the programs take turns.
const TURNS: u32 = 5;
/// How many runs each turn has; the kernel counts time in hundredths of a second, so one run is too short to measure.
const RUNS: u32 = 50;
/// The most that reading a reply in pieces may cost.
const STREAMING_NS_PER_BYTE: f64 = 50.0;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    println!("{:<44} {:>14} {:>14} {:>8}", "user + system time", "relay", "other", "");
    let one = folder.path().join("one");
    let reply = one_long_file(&one);
    compare("patch --dry-run: 100,000 lines, 1,000 hunks", &one, &reply, "patch", &["-p1", "--dry-run"]);
    let many = folder.path().join("many");
    let reply = many_files(&many);
    compare("git apply --check: 1,000 files", &many, &reply, "git", &["apply", "--check"]);
    for (name, text) in [("unified diff", &reply), ("SEARCH/REPLACE", &search_replace(&reply))] {
        streaming(name, text);
    }
}

/// One file of 100,000 lines, and a diff that changes every hundredth of them.
fn one_long_file(root: &Path) -> String {
    let line =
        |at: usize| format!("    let value_{at} = compute({}, \"{:x}\");\n", at * 7919 % 100_003, at * 31);
    let lines: Vec<String> = (0..100_000).map(line).collect();
    prepare(root);
    std::fs::write(root.join("big.rs"), lines.concat()).unwrap();
    let mut diff = "--- a/big.rs\n+++ b/big.rs\n".to_owned();
    for changed in (50..lines.len()).step_by(100) {
        hunk(&mut diff, &lines, changed);
    }
    diff
}

/// A thousand files of 100 lines, and a git diff that changes one line of each.
fn many_files(root: &Path) -> String {
    prepare(root);
    let mut diff = String::new();
    for file in 0..1000 {
        let lines: Vec<String> = (0..100).map(|at| format!("let value_{at} = {};\n", at * file)).collect();
        std::fs::write(root.join(format!("src/file{file}.rs")), lines.concat()).unwrap();
        let path = format!("src/file{file}.rs");
        writeln!(diff, "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}").unwrap();
        hunk(&mut diff, &lines, 50);
    }
    diff
}

/// Both folders are git repositories without commits, so that every program finds the same root.
fn prepare(root: &Path) {
    std::fs::create_dir_all(root.join("src")).unwrap();
    assert!(Command::new("git").args(["init", "-q"]).current_dir(root).status().unwrap().success());
}

fn hunk(diff: &mut String, lines: &[String], changed: usize) {
    let first = changed - 3;
    writeln!(diff, "@@ -{},7 +{},7 @@", first + 1, first + 1).unwrap();
    for (at, line) in lines.iter().enumerate().skip(first).take(7) {
        if at == changed {
            writeln!(diff, "-{line}+    let changed_{at} = ();").unwrap();
        } else {
            write!(diff, " {line}").unwrap();
        }
    }
}

/// The same edits as SEARCH/REPLACE blocks.
fn search_replace(diff: &str) -> String {
    let mut reply = String::new();
    let mut sides = (String::new(), String::new());
    for line in diff.lines().chain(["diff"]) {
        if let Some(path) = line.strip_prefix("+++ b/") {
            writeln!(reply, "{path}\n```").unwrap();
        } else if line.starts_with("diff") && !sides.0.is_empty() {
            let (old, new) = std::mem::take(&mut sides);
            write!(reply, "<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n\n").unwrap();
        } else if let Some(text) = line.strip_prefix(' ') {
            sides.0 += &format!("{text}\n");
            sides.1 += &format!("{text}\n");
        } else if let Some(text) = line.strip_prefix('-').filter(|_| !line.starts_with("---")) {
            sides.0 += &format!("{text}\n");
        } else if let Some(text) = line.strip_prefix('+') {
            sides.1 += &format!("{text}\n");
        }
    }
    reply
}

/// Prints one row: what Relay and another program need to check the same diff.
fn compare(name: &str, root: &Path, reply: &str, program: &str, arguments: &[&str]) {
    let file = root.with_extension("diff");
    std::fs::write(&file, reply).unwrap();
    let (mut relay, mut other) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..TURNS {
        relay += cpu_of(env!("CARGO_BIN_EXE_relay"), &["apply", "--dry-run"], root, &file);
        other += cpu_of(program, arguments, root, &file);
    }
    let ms = |cpu: Duration| cpu.as_secs_f64() * 1000.0 / f64::from(TURNS * RUNS);
    let verdict = if relay <= other { "ok" } else { "MORE" };
    println!("{name:<44} {:>11.2} ms {:>11.2} ms {verdict:>8}", ms(relay), ms(other));
}

/// Runs a program many times and returns its user + system time.
fn cpu_of(program: &str, arguments: &[&str], root: &Path, input: &Path) -> Duration {
    let before = children_cpu();
    for _ in 0..RUNS {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(root)
            .env("HOME", root.parent().unwrap())
            .env_remove("XDG_DATA_HOME");
        command.stdin(File::open(input).unwrap()).stdout(Stdio::null());
        assert!(command.status().unwrap().success(), "{program} failed");
    }
    children_cpu() - before
}

/// Prints what reading a reply in pieces of a few bytes costs.
fn streaming(name: &str, text: &str) {
    let text = text.repeat(1 + 20_000_000 / text.len());
    let start = Instant::now();
    let mut parser = relay_edit::Parser::new(None);
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (piece, tail) = rest.split_at(rest.ceil_char_boundary(16.min(rest.len())));
        parser.push(piece);
        rest = tail;
    }
    let edits = parser.finish().edits.len();
    let cost = start.elapsed().as_nanos() as f64 / text.len() as f64;
    let verdict = if cost < STREAMING_NS_PER_BYTE { "ok" } else { "MORE" };
    println!("streaming, {name:<33} {cost:>9.2} ns/byte {edits:>8} edits {verdict:>8}");
}
