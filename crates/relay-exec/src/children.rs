//! The children of this process, and the orphans that it adopts.
//!
//! On Linux, Relay makes itself the process that adopts orphans among its descendants. So everything a command started
//! stays below Relay, even if it changed its session, lost its parents and cleared its environment. For that, Relay
//! must know its own children: any other child is an orphan.

use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Starts a command as a child that is known here until the returned value is dropped. `is_run` says whether its orphans
/// must be ended with it.
pub(crate) fn spawn(command: &mut Command, is_run: bool) -> io::Result<(Child, Known)> {
    adopt_orphans();
    // Held while it starts, so that it is never visible before it is registered.
    let mut known = known();
    let child = crate::pages::as_usual(|| command.spawn())?;
    let pid = i32::try_from(child.id()).unwrap_or_default();
    let token = known.last().map_or(0, |last| last.token + 1);
    known.push(Entry { token, pid, run_since: is_run.then(|| started(pid)).flatten() });
    Ok((child, Known { token }))
}

/// Keeps a child registered.
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
    /// Its start time in the system's units, if it may leave orphans.
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

/// Whether an orphan of unknown origin must be ended with a run: it started during that run, and no other current run
/// could have started it.
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
    // Every supported Linux can; if one cannot, orphans are found only by their mark.
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
