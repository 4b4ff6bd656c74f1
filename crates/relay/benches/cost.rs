//! What Relay costs, beside well-known programs: `cargo bench` prints a table.
//!
//! Wall time is the median of many runs; user + system time is summed over all runs of a row and divided, because the
//! kernel counts it in hundredths of a second.

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

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use testkit::measure::children_cpu;

const RELAY: &str = env!("CARGO_BIN_EXE_relay");

fn main() {
    println!("{:<44} {:>12} {:>16}", "", "wall median", "user + system");
    let truth = row("/bin/true", 400, |_| Command::new("/bin/true"));
    let version = row("relay --version", 400, |_| command(&["--version"]));
    println!("{:<44} {:>11.2}×", "  … against /bin/true", version.as_secs_f64() / truth.as_secs_f64());

    let folder = tempfile::tempdir().unwrap();
    reply_row("relay apply, one file changed", 100, 1, folder.path());
    reply_row("relay apply, 100 files changed", 20, 100, folder.path());
    reply_row("relay apply, 1,000 files changed", 3, 1000, folder.path());
    let log = folder.path().join("log");
    prepare(&log, 1);
    for run in 0..100 {
        assert!(apply(&log, &reply(run, 1)).stdout(Stdio::null()).status().unwrap().success());
    }
    row("relay log, 100 transactions", 50, |_| in_folder(&log, &["log"]));
}

/// Runs a command many times and prints its row; returns the median wall time.
fn row(name: &str, runs: usize, mut make: impl FnMut(usize) -> Command) -> Duration {
    let before = children_cpu();
    let mut walls: Vec<Duration> = (0..runs)
        .map(|run| {
            let mut command = make(run);
            command.stdout(Stdio::null());
            let start = Instant::now();
            assert!(command.status().unwrap().success(), "{name} failed");
            start.elapsed()
        })
        .collect();
    walls.sort();
    let median = walls.get(runs / 2).copied().unwrap_or_default();
    let cpu_ms = (children_cpu() - before).as_secs_f64() * 1000.0 / runs as f64;
    println!("{name:<44} {:>9.2} ms {cpu_ms:>13.2} ms", median.as_secs_f64() * 1000.0);
    median
}

/// Lands replies that each change every file of a project.
fn reply_row(name: &str, runs: usize, files: usize, folder: &Path) {
    let root = folder.join(format!("project-{files}"));
    prepare(&root, files);
    row(name, runs, |run| apply(&root, &reply(run, files)));
}

fn prepare(root: &Path, files: usize) {
    std::fs::create_dir_all(root.join("src")).unwrap();
    for file in 0..files {
        let lines: String = (0..100).map(|line| format!("let value_{line} = {line};\n")).collect();
        std::fs::write(root.join(format!("src/file{file}.rs")), format!("let run = 0;\n{lines}")).unwrap();
    }
}

fn reply(run: usize, files: usize) -> String {
    let block = |file| {
        let next = run + 1;
        format!(
            "```rust // {{src/file{file}.rs}} multi-search-replace\n<<<<<<< SEARCH\nlet run = {run};\n=======\n\
             let run = {next};\n>>>>>>> REPLACE\n```\n\n"
        )
    };
    (0..files).map(block).collect()
}

fn apply(root: &Path, reply: &str) -> Command {
    std::fs::write(root.with_extension("reply.md"), reply).unwrap();
    let reply = root.with_extension("reply.md");
    in_folder(root, &["apply", reply.to_str().unwrap()])
}

fn in_folder(root: &Path, arguments: &[&str]) -> Command {
    let mut command = command(arguments);
    command.current_dir(root).env("HOME", root.parent().unwrap()).env_remove("XDG_DATA_HOME");
    command
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(RELAY);
    command.args(arguments);
    command
}
