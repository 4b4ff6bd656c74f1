//! The children of this process, and the orphans that are handed to it.
//!
//! On Linux Relay makes itself the one to whom orphans among its descendants are handed. So whatever a command started
//! stays below Relay, also if it has changed its session, lost its parents and cleared its environment. For that Relay
//! must know its own children: who is not among them and yet a child is an orphan.

use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Starts a command as a child that is known here until the returned value is dropped. `is_run` says whether orphans may
/// come from it that have to be ended with it.
pub(crate) fn spawn(command: &mut Command, is_run: bool) -> io::Result<(Child, Known)> {
    adopt_orphans();
    // Held while it starts, so that it is never seen without being known.
    let mut known = known();
    let child = crate::pages::as_usual(|| command.spawn())?;
    let pid = i32::try_from(child.id()).unwrap_or_default();
    let token = known.last().map_or(0, |last| last.token + 1);
    known.push(Entry { token, pid, run_since: is_run.then(|| started(pid)).flatten() });
    Ok((child, Known { token }))
}

/// Keeps a child known.
pub(crate) struct Known {
    token: u64,
}

impl Drop for Known {
    fn drop(&mut self) {
        known().retain(|entry| entry.token != self.token);
    }
}

struct Entry {
    token: u64,
    pid: i32,
    /// When it began, in the system's own count, if orphans may come from it.
    run_since: Option<u64>,
}

static KNOWN: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

fn known() -> MutexGuard<'static, Vec<Entry>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a process is a child that was started here.
#[cfg(target_os = "linux")]
pub(crate) fn is_known(pid: i32) -> bool {
    known().iter().any(|entry| entry.pid == pid)
}

/// Whether an orphan that does not say where it comes from has to be ended with a run: it began during that run, and no
/// other run that still goes on could have started it.
#[cfg(target_os = "linux")]
pub(crate) fn is_last_for(leader: i32, orphan_started: u64) -> bool {
    let known = known();
    let could_have = |entry: &&Entry| entry.run_since.is_some_and(|since| since <= orphan_started);
    let mut suspects = known.iter().filter(could_have).map(|entry| entry.pid);
    suspects.next() == Some(leader) && suspects.next().is_none()
}

#[cfg(target_os = "linux")]
fn adopt_orphans() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    // Every Linux that Relay runs on can; if one cannot, orphans are found by their mark alone.
    ONCE.call_once(|| {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid())).ok();
    });
}

#[cfg(not(target_os = "linux"))]
fn adopt_orphans() {}

#[cfg(target_os = "linux")]
fn started(pid: i32) -> Option<u64> {
    crate::tree::started(pid)
}

#[cfg(not(target_os = "linux"))]
fn started(_pid: i32) -> Option<u64> {
    None
}
