//! The guard: a process between Relay and a program, which ends everything below it when Relay has gone.
//!
//! Relay can be killed without warning (`kill -9`, out of memory). The remaining processes are then adopted by init, and
//! one that has left its group and cleared its environment could not be found again. So each program has a guard above it,
//! which adopts orphans too: it sleeps until either the program or Relay has ended. It holds a handle on Relay's process,
//! not on a thread or a pipe that others could inherit.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open};

use super::entry::Entry;
use super::group::Group;
use super::{SandboxError, linux};
use crate::{children, tree};

/// Signals that are meant for the program: from its own terminal, or sent to the whole group.
const PASSED_OVER: [Signal; 4] = [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM];

/// Starts the program below this process and watches until it or Relay has ended; then this process ends too.
pub(super) fn guard(entry: Entry<'_>) -> SandboxError {
    let program = entry.program.into();
    match watch(entry) {
        Ok(code) => std::process::exit(code),
        Err(source) => SandboxError::NotStarted { program, source },
    }
}

fn watch(entry: Entry<'_>) -> io::Result<i32> {
    let relay = handle_on(entry.guards_for)?;
    for signal in PASSED_OVER {
        // Handled, not ignored: what is ignored would be ignored by the program too.
        signal_hook::flag::register(signal.as_raw(), Arc::new(AtomicBool::new(false)))?;
    }
    linux::take_session(&entry.rules).map_err(io::Error::other)?;
    let group = Group::make(entry.rules.limits);
    let inner =
        Entry { guards_for: None, has_session: true, group: group.as_ref().map(Group::argument), ..entry };
    // Starts this same binary, even if its file has been replaced meanwhile.
    let mut command = Command::new("/proc/self/exe");
    command.arg0("relay").args(inner.arguments());
    let (mut child, known) = children::spawn(&mut command, true)?;
    let ended = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
    let is_alone = wait_for_either(&ended, &relay);
    if is_alone {
        tree::kill_below();
        drop((known, group));
        return Ok(1);
    }
    let status = child.wait()?;
    drop((known, group));
    match status.signal() {
        // The same exit status, so that the waiting process sees what happened.
        Some(signal) => Ok(128 + signal),
        None => Ok(status.code().unwrap_or(1)),
    }
}

/// A handle on Relay. If it has ended in between, another process is this one's parent.
fn handle_on(relay: Option<u32>) -> io::Result<OwnedFd> {
    let pid = relay.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    let pid = pid.filter(|pid| rustix::process::getppid() == Some(*pid));
    let gone = || io::Error::other("the Relay that started it has ended");
    let handle = pidfd_open(pid.ok_or_else(gone)?, PidfdFlags::empty())?;
    if rustix::process::getppid() == pid { Ok(handle) } else { Err(gone()) }
}

/// Waits until one of them has ended; says whether it was Relay.
fn wait_for_either(program: &OwnedFd, relay: &OwnedFd) -> bool {
    loop {
        let mut polled = [PollFd::new(program, PollFlags::IN), PollFd::new(relay, PollFlags::IN)];
        // A signal that interrupts the wait means nothing here.
        if rustix::event::poll(&mut polled, None).is_err() {
            continue;
        }
        let [program, relay] = &polled;
        if !relay.revents().is_empty() {
            return true;
        }
        if !program.revents().is_empty() {
            return false;
        }
    }
}
