//! Commands that a killed Relay left running: they do not die with it, and may still write files.
//!
//! They are found by the mark that every command and all its descendants carry. The system's own mechanism, a signal at
//! the parent's death, reaches only the shell and not what the shell started, and only the command itself can ask for
//! it. On systems without a list of processes, nothing is found.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

use crate::RUN_VARIABLE;

/// How long what is just ending may take to be gone.
const MOMENT: Duration = Duration::from_millis(300);
const TICK: Duration = Duration::from_millis(10);

/// Identifies this process's runs: every mark of a command begins with it.
#[must_use]
pub fn own_runs() -> &'static str {
    static RUNS: OnceLock<String> = OnceLock::new();
    RUNS.get_or_init(|| {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        format!("{:x}-{:x}", std::process::id(), since_epoch.as_nanos())
    })
}

/// Whether a mark is one of these runs.
pub(crate) fn is_of(mark: &str, runs: &str) -> bool {
    mark == runs || mark.strip_prefix(runs).is_some_and(|rest| rest.starts_with('-'))
}

/// Whether this process itself belongs to these runs: then they are not over.
fn is_inside(runs: &str) -> bool {
    std::env::var(RUN_VARIABLE).is_ok_and(|marks| marks.split(':').any(|mark| is_of(mark, runs)))
}

/// Whether anything of a dead process's runs is still running, and goes on for longer than a moment.
#[must_use]
pub fn is_left_running(runs: &str) -> bool {
    let is_alive = || tree(runs).is_some_and(|mut tree| tree.is_alive());
    let until = Instant::now() + MOMENT;
    is_inside(runs)
        || loop {
            if !is_alive() {
                break false;
            }
            if Instant::now() >= until {
                break true;
            }
            std::thread::sleep(TICK);
        }
}

/// Ends everything that is still running of a dead process's runs, unless this process is part of it. Says whether
/// there was anything to end.
pub fn end_left_running(runs: &str) -> bool {
    match tree(runs) {
        Some(tree) if !is_inside(runs) => end(tree),
        _ => false,
    }
}

#[cfg(target_os = "linux")]
fn tree(runs: &str) -> Option<crate::tree::Tree> {
    (!runs.is_empty()).then(|| crate::tree::Tree::of_runs(runs.to_owned()))
}

#[cfg(target_os = "linux")]
fn end(mut tree: crate::tree::Tree) -> bool {
    if !tree.signal_all(rustix::process::Signal::TERM) {
        return false;
    }
    let until = Instant::now() + crate::tree::GRACE;
    while tree.is_alive() && Instant::now() < until {
        std::thread::sleep(TICK);
    }
    tree.kill_all(|| std::thread::sleep(TICK));
    true
}

#[cfg(not(target_os = "linux"))]
fn tree(_runs: &str) -> Option<Nobody> {
    None
}

#[cfg(not(target_os = "linux"))]
fn end(_nobody: Nobody) -> bool {
    false
}

/// What is found on systems without a list of processes.
#[cfg(not(target_os = "linux"))]
struct Nobody;

#[cfg(not(target_os = "linux"))]
impl Nobody {
    fn is_alive(&mut self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_one_process_are_not_anothers() {
        assert!(is_of("1f-abc-0", "1f-abc") && is_of("1f-abc-12", "1f-abc"));
        assert!(!is_of("1f-abcd-0", "1f-abc") && !is_of("2-1f-abc", "1f-abc") && !is_of("", "1f-abc"));
    }

    #[test]
    fn a_process_that_never_existed_has_no_runs() {
        assert!(!is_left_running("0-0") && !end_left_running("0-0") && !is_left_running(""));
    }
}
