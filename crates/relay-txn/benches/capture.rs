//! What watching a command costs in a repository of 50,000 files, beside `git status` in the same run.
//!
//! A capture is two scans and their comparison. The very first scan of a workspace also reads every file once and keeps
//! its content; that row is printed apart, because it is paid once.

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

use relay_txn::{Ledger, LedgerKey};
use relay_workspace::Workspace;

const FOLDERS: usize = 500;
const FILES_PER_FOLDER: usize = 100;
const RUNS: usize = 15;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    prepare(root);
    // Files younger than a moment are always read again; the rows below are about a workspace at rest.
    std::thread::sleep(Duration::from_millis(300));
    let workspace = Workspace::open(root).unwrap();
    let ledger = Ledger::open(&workspace, LedgerKey::new([7; 32])).unwrap();

    let start = Instant::now();
    let first = ledger.scan(&workspace, None).unwrap();
    row(&format!("first scan of {} files (once per workspace)", first.files()), start.elapsed());
    drop(first);

    // Interleaved, so that both see the same load.
    let (mut git_times, mut capture_times) = (Vec::new(), Vec::new());
    let before = Ticks::now();
    for _ in 0..RUNS {
        git_times.push(timed(|| git(root, &["status", "--porcelain"])));
        capture_times.push(timed(|| {
            assert!(capture(&ledger, &workspace, || {}) == 0);
        }));
    }
    let after = Ticks::now();
    let busy_times = (0..RUNS)
        .map(|run| {
            let change = || {
                for file in 0..40 {
                    let place = root.join(format!("src/d{file}/f{file}.rs"));
                    std::fs::write(place, format!("run {run}\n")).unwrap();
                }
            };
            timed(|| assert!(capture(&ledger, &workspace, change) == 40))
        })
        .collect();
    let git_time = median(git_times);
    row("git status", git_time);
    let capture_time = median(capture_times);
    row("capture: both scans, nothing changed", capture_time);
    row("capture: both scans, 40 files changed", median(busy_times));
    let ratio = |name: &str, capture: f64, git: f64| println!("{name:<52} {:>9.2}×", capture / git);
    ratio("  capture against git status", capture_time.as_secs_f64(), git_time.as_secs_f64());
    let per_run = |ticks: u64| ticks as f64 * 10.0 / RUNS as f64;
    let (git, own) = (per_run(after.children - before.children), per_run(after.own - before.own));
    println!("{:<52} {git:>9.1} ms", "git status, user + system");
    println!("{:<52} {own:>9.1} ms", "capture, user + system");
    ratio("  capture against git status, user + system", own, git);
}

/// User + system time so far in hundredths of a second, as the kernel counts it.
struct Ticks {
    own: u64,
    children: u64,
}

impl Ticks {
    fn now() -> Self {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let fields: Vec<u64> =
            after_name.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect();
        let sum = |at: usize| fields.get(at..at + 2).map_or(0, |pair| pair.iter().sum());
        Self { own: sum(11), children: sum(13) }
    }
}

fn capture(ledger: &Ledger, workspace: &Workspace, command: impl FnOnce()) -> usize {
    let before = ledger.scan(workspace, None).unwrap();
    command();
    let after = ledger.scan(workspace, Some(&before)).unwrap();
    ledger.effects(workspace, &before, &after).unwrap().changes.len()
}

fn timed(act: impl FnOnce()) -> Duration {
    let start = Instant::now();
    act();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn row(name: &str, time: Duration) {
    println!("{name:<52} {:>9.1} ms", time.as_secs_f64() * 1000.0);
}

fn prepare(root: &Path) {
    for folder in 0..FOLDERS {
        let place = root.join(format!("src/d{folder}"));
        std::fs::create_dir_all(&place).unwrap();
        for file in 0..FILES_PER_FOLDER {
            let lines: String =
                (0..40).map(|line| format!("let value_{line} = {folder} + {file};\n")).collect();
            std::fs::write(place.join(format!("f{file}.rs")), lines).unwrap();
        }
    }
    std::fs::write(root.join(".gitignore"), "target/\n*.log\nnode_modules/\n/dist\n").unwrap();
    git(root, &["init", "-q"]);
    git(root, &["add", "-A"]);
    git(root, &["-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "first"]);
}

fn git(root: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(root).stdout(Stdio::null());
    assert!(command.status().unwrap().success(), "git {arguments:?}");
}
