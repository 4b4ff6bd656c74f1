//! The process group alone, where there is no list of processes to look at: what leaves the group gets away.

use rustix::process::{Pid, Signal};

/// A command's process group.
pub(crate) struct Tree {
    leader: Pid,
}

impl Tree {
    pub(crate) fn new(leader: Pid, _mark: String) -> Self {
        Self { leader }
    }

    /// Sends a signal; whether any process was there to get it. A group of nothing but the dead refuses signals.
    pub(crate) fn signal_all(&mut self, signal: Signal) -> bool {
        let sent = rustix::process::kill_process_group(self.leader, signal).is_ok();
        if sent && signal != Signal::KILL {
            // Stopped processes act on a signal only when they go on. If they have ended meanwhile, good.
            rustix::process::kill_process_group(self.leader, Signal::CONT).ok();
        }
        sent
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        rustix::process::test_kill_process_group(self.leader).is_ok()
    }

    /// Who they are cannot be seen here.
    pub(crate) fn names(&mut self) -> Vec<String> {
        self.is_alive()
            .then(|| format!("process group {}", self.leader.as_raw_nonzero()))
            .into_iter()
            .collect()
    }
}

/// Who a process is cannot be seen here.
pub(crate) fn name(pid: i32) -> String {
    format!("process {pid}")
}

pub(crate) fn is_living(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}
