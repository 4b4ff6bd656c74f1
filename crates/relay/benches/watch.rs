//! What `relay watch` costs while nothing happens, and how much it grows: `cargo bench --bench watch`.
//!
//! A real X server, a real watcher on its clipboard. User + system time and memory are the kernel's own counts for the
//! watcher. Idle must stay below half a percent of a core, and junk on the clipboard must not make it grow.

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

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const RELAY: &str = env!("CARGO_BIN_EXE_relay");
const IDLE: Duration = Duration::from_secs(20);

fn main() {
    println!("{:<44} {:>16} {:>12} {:>12}", "", "user + system", "of a core", "memory");
    let folder = tempfile::tempdir().unwrap();
    let display = testkit::XDisplay::start();
    std::fs::write(folder.path().join("relaycode.config.json"), r#"{"projectId": "shop"}"#).unwrap();
    let mut watcher = watcher(folder.path(), display.name());
    std::thread::sleep(Duration::from_secs(2));
    row("idle, 20 s", &watcher, || std::thread::sleep(IDLE));
    row("1,000 short texts copied", &watcher, || {
        for number in 0..1000 {
            copy(display.name(), format!("text number {number}").as_bytes());
        }
    });
    row("20 texts of 9 MB that look like replies", &watcher, || {
        for number in 0..20_u8 {
            let mut text = format!("uuid: {number}\n").repeat(1_000_000);
            text.truncate(9 << 20);
            copy(display.name(), text.as_bytes());
            std::thread::sleep(Duration::from_millis(500));
        }
    });
    row("20 texts of 50 MB", &watcher, || {
        for number in 0..20_u8 {
            copy(display.name(), &vec![b'a' + number; 50_000_000]);
            std::thread::sleep(Duration::from_millis(500));
        }
    });
    row("idle again, 20 s", &watcher, || std::thread::sleep(IDLE));
    watcher.kill().unwrap();
    watcher.wait().unwrap();
}

fn watcher(root: &Path, display: &str) -> Child {
    let mut command = Command::new(RELAY);
    command.arg("watch").current_dir(root).env("HOME", root).env("DISPLAY", display);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Another program copies this, and holds it in the background.
fn copy(display: &str, text: &[u8]) {
    let mut xclip = Command::new("xclip")
        .args(["-selection", "clipboard"])
        .env("DISPLAY", display)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    xclip.stdin.take().unwrap().write_all(text).unwrap();
    assert!(xclip.wait().unwrap().success());
}

fn row(name: &str, watcher: &Child, work: impl FnOnce()) {
    let (before, start) = (ticks(watcher), std::time::Instant::now());
    work();
    let cpu_ms = (ticks(watcher) - before) as f64 * 10.0;
    let share = cpu_ms / start.elapsed().as_secs_f64() / 10.0;
    println!("{name:<44} {cpu_ms:>13.0} ms {share:>10.2} % {:>9} KB", memory_kb(watcher));
}

/// User + system time of the watcher so far, in hundredths of a second.
fn ticks(watcher: &Child) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", watcher.id())).unwrap();
    let (_, after_name) = stat.rsplit_once(')').unwrap();
    let fields: Vec<u64> = after_name.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect();
    fields.iter().skip(11).take(2).sum()
}

/// How much of the watcher is in memory.
fn memory_kb(watcher: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", watcher.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}
