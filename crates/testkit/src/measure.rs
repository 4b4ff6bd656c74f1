//! What a program costs, for benchmarks. Tests never ask.

use std::process::Command;
use std::time::Duration;

/// What one run of a program cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Its exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// User + system time, in steps of a hundredth of a second.
    pub cpu: Duration,
    /// The most memory it had at once, as far as it could be seen by looking every few milliseconds.
    pub peak_bytes: u64,
}

/// Runs a program to its end and watches what it costs.
///
/// # Panics
/// The program cannot be started.
#[must_use]
pub fn watch(command: &mut Command) -> Cost {
    let before = children_cpu();
    let mut child = command.spawn().unwrap();
    let mut peak_bytes = 0;
    let status = loop {
        peak_bytes = peak_bytes.max(peak_of(child.id()));
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    Cost { code: status.code(), cpu: children_cpu() - before, peak_bytes }
}

/// User + system time of all children that have ended so far; `None` if the kernel does not report it.
#[must_use]
pub fn children_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields: Vec<u64> = after_name.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect();
    let ticks = |at: usize| fields.get(at).copied().unwrap_or(0);
    // The kernel counts in hundredths of a second here, whatever its own clock does.
    Duration::from_millis((ticks(13) + ticks(14)) * 10)
}

/// The most memory a process has had so far.
fn peak_of(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let kib = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    kib.and_then(|kib| kib.trim().parse::<u64>().ok()).unwrap_or(0) * 1024
}
