//! What `relay ask` costs beside calling the backend directly: `cargo bench --bench ask`.
//!
//! The backend is a shell that reads its prompt and reports the peak memory of its parent process; that parent is Relay,
//! because a confined backend takes the place of the process that confines it. User + system time is summed over all
//! runs and divided, because the kernel counts it in hundredths of a second. The difference must stay below 15 ms, the
//! memory below 20 MB.

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

const RELAY: &str = env!("CARGO_BIN_EXE_relay");
const RUNS: u32 = 300;
const BACKEND: &str = "cat >/dev/null; grep VmHWM /proc/$PPID/status";

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join(".config/relay");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(
        config.join("config.toml"),
        format!("[backends.one]\ncommand = [\"sh\", \"-c\", {BACKEND:?}]\n"),
    )
    .unwrap();
    let shell = || Command::new("sh");
    let direct = row("the backend itself", folder.path(), shell, &["-c", BACKEND]);
    let asked = row("relay ask", folder.path(), || Command::new(RELAY), &["ask", "--to", "one", "Why?"]);
    println!("{:<24} {:>10.2} ms", "difference", asked - direct);
    let output =
        command(&mut Command::new(RELAY), folder.path(), &["ask", "--to", "one", "Why?"]).output().unwrap();
    println!("{:<24} {}", "Relay's memory", String::from_utf8_lossy(&output.stdout).trim());
}

/// Runs a command many times, prints the user + system time of one run in milliseconds, and returns it.
fn row(name: &str, folder: &Path, make: impl Fn() -> Command, arguments: &[&str]) -> f64 {
    let before = children_ticks();
    for _ in 0..RUNS {
        let mut program = make();
        let status = command(&mut program, folder, arguments).stdout(Stdio::null()).status();
        assert!(status.unwrap().success(), "{name} failed");
    }
    let cpu_ms = (children_ticks() - before) as f64 * 10.0 / f64::from(RUNS);
    println!("{name:<24} {cpu_ms:>10.2} ms user + system");
    cpu_ms
}

fn command<'a>(program: &'a mut Command, folder: &Path, arguments: &[&str]) -> &'a mut Command {
    program.args(arguments).current_dir(folder).env_clear().env("HOME", folder);
    program.env("PATH", "/usr/bin:/bin").stdin(Stdio::null()).stderr(Stdio::null())
}

/// The time of all children that have ended, in hundredths of a second.
fn children_ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields: Vec<u64> = after_name.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect();
    fields.get(13).copied().unwrap_or(0) + fields.get(14).copied().unwrap_or(0)
}
