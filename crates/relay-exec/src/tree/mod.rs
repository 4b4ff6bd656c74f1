//! A command and everything it started.

use std::time::{Duration, Instant};

use rustix::process::Signal;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(crate) use linux::{Tree, count_of_user, is_living, kill_below, name, started};

#[cfg(not(target_os = "linux"))]
mod group;
#[cfg(not(target_os = "linux"))]
pub(crate) use group::{Tree, is_living, name};

/// How long processes get between the request to end and the killing. One that ends at once keeps no one waiting; on a
/// busy machine it takes a while until a program has its turn to tidy up.
pub(crate) const GRACE: Duration = Duration::from_secs(2);

/// How long the killed may take to be gone, who also need their turn for that, and how long those that are about to
/// fork can slip through, before they are given up.
pub(crate) const KILL_LIMIT: Duration = Duration::from_secs(5);

/// How many looks in a row must find no process: what is started during one may be missed by it.
const EMPTY_LOOKS: u32 = 2;

impl Tree {
    /// Kills every process, again and again until none is left; `pause` lets a moment pass.
    pub(crate) fn kill_all(&mut self, mut pause: impl FnMut()) {
        let until = Instant::now() + KILL_LIMIT;
        let mut empty_looks = 0;
        while empty_looks < EMPTY_LOOKS && Instant::now() < until {
            if self.signal_all(Signal::KILL) {
                empty_looks = 0;
                pause();
            } else {
                empty_looks += 1;
            }
        }
    }
}
