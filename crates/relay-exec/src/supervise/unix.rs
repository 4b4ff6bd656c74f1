//! Supervision on Unix: one thread, one `poll` over pipes and the child, no busy waiting.
//!
//! The child leads a process group of its own. It is watched with `WNOWAIT`, so that its number stays taken until
//! everything else that bears it as a group has been dealt with; only then is it reaped.

use std::io::{self, PipeReader};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use super::pump::Pump;
use super::{DRAIN, Finished, Job, QUIET, STRAGGLERS, TICK, deadline, mark};
use crate::children::{self, Known};
use crate::run::End;
use crate::tree::{GRACE, Tree};

/// How long a child that was killed may take to be gone. One that runs as another user, or waits for a disk that does
/// not answer, may never be.
const REAP: Duration = Duration::from_secs(2);

/// Runs a job to its end.
pub(crate) fn run(job: Job<'_>) -> Finished {
    let started = Instant::now();
    let Job {
        mut command,
        is_merged,
        has_own_session,
        stdin,
        timeout,
        output_limit_bytes,
        cancel,
        on_output,
    } = job;
    let mark = mark(&mut command);
    if !has_own_session {
        command.process_group(0);
    }
    let (mut child, known, readers) = match spawn(command, is_merged, stdin.is_some()) {
        Ok(spawned) => spawned,
        Err(error) => return Finished::not_started(error),
    };
    let input = child.stdin.take();
    let pump = Pump::new(readers, output_limit_bytes, input, stdin.unwrap_or_default(), on_output);
    let mut running = Running::new(child, known, mark, pump);
    let deadline = deadline(started, timeout);
    let end = loop {
        if cancel.is_cancelled() {
            running.kill_tree();
            break Some(End::Cancelled);
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            running.kill_tree();
            break Some(End::TimedOut);
        }
        if running.has_exited() {
            running.drain();
            running.end_leftovers();
            break None;
        }
        running.pump(TICK);
    };
    running.finish(end, started)
}

/// Starts the command with its pipes. The parent's ends that the child writes to are closed on return, or the output
/// would never end.
fn spawn(
    mut command: Command,
    is_merged: bool,
    has_stdin: bool,
) -> io::Result<(Child, Known, Vec<PipeReader>)> {
    let (reader, writer) = io::pipe()?;
    let mut readers = vec![reader];
    if is_merged {
        command.stderr(writer.try_clone()?);
    } else {
        let (reader, writer) = io::pipe()?;
        readers.push(reader);
        command.stderr(writer);
    }
    command.stdout(writer).stdin(if has_stdin { Stdio::piped() } else { Stdio::null() });
    let (child, known) = children::spawn(&mut command, true)?;
    Ok((child, known, readers))
}

struct Running<'a> {
    /// `None` once it has been reaped, or given up.
    child: Option<Child>,
    /// Until everything that it started has been dealt with.
    _known: Known,
    leader: Pid,
    tree: Tree,
    /// Ready when the child has exited; `None` where the system has no such thing, and once it has.
    exit: Option<OwnedFd>,
    pump: Pump<'a>,
    /// What the child left running, and what was ended after it.
    ended: Vec<String>,
}

impl<'a> Running<'a> {
    fn new(child: Child, known: Known, mark: String, pump: Pump<'a>) -> Self {
        let leader = Pid::from_child(&child);
        let (tree, exit) = (Tree::new(leader, mark), exit_of(leader));
        Self { child: Some(child), _known: known, leader, tree, exit, pump, ended: Vec::new() }
    }

    /// Whether the child has exited, without reaping it. A child that cannot be asked about is gone.
    fn has_exited(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        !matches!(rustix::process::waitid(WaitId::Pid(self.leader), options), Ok(None))
    }

    /// Moves bytes until something has moved, the child has exited, or the time is up. Says whether any output came.
    fn pump(&mut self, wait: Duration) -> bool {
        self.pump.run(wait, self.exit.as_ref().map(OwnedFd::as_fd))
    }

    /// Reads what is still in the pipes after the child's exit. Another program may hold them open, or even write on, so
    /// this ends at the end of the output, after a silence, or when it has taken long enough.
    fn drain(&mut self) {
        self.exit = None;
        self.pump.close_stdin();
        let until = Instant::now() + DRAIN;
        // The clock is looked at last: what was in the pipes at the exit is taken however late it has become by now.
        while self.pump.is_open() && self.pump(QUIET) && Instant::now() < until {}
    }

    /// Ends what the child left running, wherever that went: it would go on to change files after the command's effect has
    /// been looked at.
    fn end_leftovers(&mut self) {
        if !self.tree.is_alive() || self.wait_for(STRAGGLERS, |tree| !tree.is_alive()) {
            return;
        }
        self.ended = self.tree.names();
        self.kill_tree();
    }

    /// Ends the child and all it started, wherever that went.
    fn kill_tree(&mut self) {
        self.pump.close_stdin();
        self.tree.signal_all(Signal::TERM);
        self.wait_for(GRACE, |tree| !tree.is_alive());
        let Self { tree, pump, .. } = self;
        tree.kill_all(|| read_for(pump, TICK));
        self.drain();
    }

    /// Reads on until the condition holds or the time is up, and says which. Reading lets those end that wait for it.
    fn wait_for(&mut self, limit: Duration, mut is_done: impl FnMut(&mut Tree) -> bool) -> bool {
        self.exit = None;
        let until = Instant::now() + limit;
        loop {
            if is_done(&mut self.tree) {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            read_for(&mut self.pump, TICK);
        }
    }

    fn finish(mut self, end: Option<End>, started: Instant) -> Finished {
        let status = self.reap();
        let end = end.unwrap_or_else(|| match status {
            Ok(status) => match (status.code(), status.signal()) {
                (Some(code), _) => End::Exited(code),
                (None, signal) => End::Signalled(signal.unwrap_or_default()),
            },
            Err(error) => End::NotStarted(error),
        });
        let mut tails = self.pump.take_tails();
        Finished {
            end,
            stdout: tails.next().unwrap_or_default(),
            stderr: tails.next().unwrap_or_default(),
            duration: started.elapsed(),
            ended: std::mem::take(&mut self.ended),
        }
    }

    /// Takes the child's status and frees its number. A child that will not go is left to a thread of its own.
    fn reap(&mut self) -> io::Result<ExitStatus> {
        let Some(mut child) = self.child.take() else { return Err(io::ErrorKind::NotFound.into()) };
        let until = Instant::now() + REAP;
        while !self.has_exited() {
            if Instant::now() >= until {
                std::thread::spawn(move || child.wait());
                return Err(io::ErrorKind::TimedOut.into());
            }
            std::thread::sleep(TICK);
        }
        child.wait()
    }
}

/// Reads on for a while.
fn read_for(pump: &mut Pump<'_>, pause: Duration) {
    let until = Instant::now() + pause;
    while let Some(rest) = until.checked_duration_since(Instant::now()).filter(|rest| !rest.is_zero()) {
        pump.run(rest, None);
    }
}

/// Should a callback panic, nothing is left running.
impl Drop for Running<'_> {
    fn drop(&mut self) {
        if self.child.is_some() {
            self.tree.kill_all(|| std::thread::sleep(TICK));
            // Nothing more can be done about a child that cannot be waited for.
            self.reap().ok();
        }
    }
}

#[cfg(target_os = "linux")]
pub(crate) fn exit_of(child: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(child, rustix::process::PidfdFlags::empty()).ok()
}

/// Without a handle on the child its exit is noticed at the next tick.
#[cfg(not(target_os = "linux"))]
pub(crate) fn exit_of(_child: Pid) -> Option<OwnedFd> {
    None
}
