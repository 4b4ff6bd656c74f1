//! `relay search` and `relay find` beside ripgrep, on 50,000 files, in one run.
//!
//! Runs alternate, so that all see the same load. The target is at most 1.1 times ripgrep's wall and CPU time.

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

const FOLDERS: usize = 500;
const FILES_PER_FOLDER: usize = 100;
const RUNS: usize = 15;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    prepare(root);
    let relay = env!("CARGO_BIN_EXE_relay");
    let rows: [(&str, Vec<&str>, Vec<&str>); 4] = [
        (
            "a rare word",
            vec!["search", "needle_0042"],
            vec!["--hidden", "-g", "!.git", "-n", "--sort", "none", "needle_0042", "."],
        ),
        (
            "a common word",
            vec!["search", "-c", "return", "--limit", "1000000"],
            vec!["--hidden", "-g", "!.git", "-c", "return", "."],
        ),
        (
            "a regular expression",
            vec!["search", r"fn \w+_99\(", "--limit", "1000000"],
            vec!["--hidden", "-g", "!.git", "-n", r"fn \w+_99\(", "."],
        ),
        (
            "all files",
            vec!["find", "--by-path", "--limit", "1000000"],
            vec!["--hidden", "-g", "!.git", "--files", "."],
        ),
    ];
    println!(
        "{:24} {:>10} {:>10} {:>6} {:>10} {:>10} {:>6}",
        "", "relay", "rg", "", "relay CPU", "rg CPU", ""
    );
    for (name, ours, theirs) in rows {
        let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
        let (mut our_cpu, mut their_cpu) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..RUNS {
            let (time, cpu) = timed(Command::new(relay).args(&ours).current_dir(root));
            our_times.push(time);
            our_cpu += cpu;
            let (time, cpu) = timed(Command::new("rg").args(&theirs).current_dir(root));
            their_times.push(time);
            their_cpu += cpu;
        }
        let (ours, theirs) = (median(our_times), median(their_times));
        println!(
            "{name:24} {:>8.1}ms {:>8.1}ms {:>5.2}x {:>8.1}ms {:>8.1}ms {:>5.2}x",
            millis(ours),
            millis(theirs),
            ours.as_secs_f64() / theirs.as_secs_f64(),
            millis(our_cpu / u32::try_from(RUNS).unwrap()),
            millis(their_cpu / u32::try_from(RUNS).unwrap()),
            our_cpu.as_secs_f64() / their_cpu.as_secs_f64(),
        );
    }
}

fn prepare(root: &Path) {
    std::fs::create_dir(root.join(".git")).unwrap();
    std::fs::write(root.join(".gitignore"), "*.log\ntarget/\n").unwrap();
    for folder in 0..FOLDERS {
        let place = root.join(format!("src{}/d{folder}", folder % 20));
        std::fs::create_dir_all(&place).unwrap();
        for file in 0..FILES_PER_FOLDER {
            let body = format!("fn work_{file}() {{\n    let x = {folder};\n    return x;\n}}\n").repeat(12);
            let rare = if file == 0 { format!("// needle_{folder:04}\n") } else { String::new() };
            std::fs::write(place.join(format!("f{file}.rs")), body + &rare).unwrap();
        }
    }
}

fn timed(command: &mut Command) -> (Duration, Duration) {
    let before = testkit::measure::children_cpu();
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    let time = start.elapsed();
    assert!(status.success());
    (time, testkit::measure::children_cpu() - before)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
