//! Finds the descendants of a process, and signals them from the leaves to the root.

use std::collections::BTreeSet;

/// The limit of the search: a program that starts processes faster than they are listed must not keep Relay busy.
const MOST: usize = 100_000;

/// All processes below one, parents before their children. Those that end meanwhile are left out; one that is not there
/// has none.
///
/// ```
/// assert!(relay_exec::descendants(0).is_empty());
/// ```
#[must_use]
pub fn descendants(pid: i32) -> Vec<i32> {
    let (mut found, mut seen) = (vec![pid], BTreeSet::from([pid]));
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        at += 1;
        for child in children(parent) {
            if found.len() < MOST && seen.insert(child) {
                found.push(child);
            }
        }
    }
    found.remove(0);
    found
}

/// Sends a signal to a process and all below it, the deepest first and the process itself last. Returns how many got
/// it; processes that have gone are not an error.
#[cfg(unix)]
pub fn kill_tree(pid: i32, signal: i32) -> usize {
    let Some(signal) = rustix::process::Signal::from_named_raw(signal) else { return 0 };
    let mut all = descendants(pid);
    all.reverse();
    all.push(pid);
    let send = |pid: &i32| {
        let pid = rustix::process::Pid::from_raw(*pid).filter(|pid| pid.as_raw_nonzero().get() > 0);
        pid.is_some_and(|pid| rustix::process::kill_process(pid, signal).is_ok())
    };
    all.iter().filter(|pid| send(pid)).count()
}

/// The children of all threads of a process, as the kernel lists them.
#[cfg(target_os = "linux")]
fn children(pid: i32) -> Vec<i32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let mut found = Vec::new();
    for thread in threads.filter_map(Result::ok) {
        // A thread that has ended meanwhile has left its children to another one.
        let list = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        found.extend(list.split_ascii_whitespace().filter_map(|child| child.parse::<i32>().ok()));
    }
    found
}

#[cfg(not(target_os = "linux"))]
fn children(_pid: i32) -> Vec<i32> {
    Vec::new()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_tree_is_found_and_ended_with_those_that_left_the_session() {
        let line = "setsid sleep 300 & sh -c 'sleep 300; true' & echo ready; wait";
        let mut child = Command::new("sh").args(["-c", line]).stdout(Stdio::piped()).spawn().unwrap();
        let root = i32::try_from(child.id()).unwrap();
        let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while descendants(root).len() < 3 && std::time::Instant::now() < until {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let below = descendants(root);
        assert_eq!(below.len(), 3, "{below:?}");
        assert_eq!(kill_tree(root, 9), 4);
        child.wait().unwrap();
        assert_eq!((kill_tree(root, 9), descendants(root).len()), (0, 0));
    }
}
