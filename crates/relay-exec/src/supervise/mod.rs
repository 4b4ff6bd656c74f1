//! Runs one job to its end: pumps its output, watches the clock and the cancel flag, and ends what it started.

#[cfg(not(unix))]
mod portable;
#[cfg(not(unix))]
pub(crate) use portable::run;

#[cfg(unix)]
mod pump;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::{exit_of, run};

use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;

use crate::run::{End, Tail};
use crate::{RELAY_VARIABLE, RUN_VARIABLE};

/// How long a cancel may go unnoticed.
const TICK: Duration = Duration::from_millis(10);

/// How long what a command left running may take to end by itself: many leave a child that tidies up.
const STRAGGLERS: Duration = Duration::from_millis(200);

/// How long the output of a command that has exited may stay silent before it counts as over.
const QUIET: Duration = Duration::from_millis(100);

/// How long the output of a command that has exited is read at most.
const DRAIN: Duration = Duration::from_millis(500);

/// Something to run, and within which limits.
pub(crate) struct Job<'a> {
    /// What to run; its input and output are set here.
    pub command: Command,
    /// Whether output and errors go into one pipe.
    pub is_merged: bool,
    /// Whether the command begins a session of its own as the first thing it does, and with it a process group.
    pub has_own_session: bool,
    pub stdin: Option<&'a [u8]>,
    pub timeout: Duration,
    pub output_limit_bytes: usize,
    pub cancel: &'a Cancel,
    pub on_output: &'a mut dyn FnMut(&[u8]),
}

/// What came of it. The errors are empty when they were merged into the output.
pub(crate) struct Finished {
    pub end: End,
    pub stdout: Tail,
    pub stderr: Tail,
    pub duration: Duration,
    /// What the command left running, and what was ended after it.
    pub ended: Vec<String>,
}

impl Finished {
    fn not_started(error: std::io::Error) -> Self {
        Self {
            end: End::NotStarted(error),
            stdout: Tail::default(),
            stderr: Tail::default(),
            duration: Duration::ZERO,
            ended: Vec::new(),
        }
    }
}

/// Tells a command that Relay runs it, and marks its descendants; returns the mark.
pub(crate) fn mark(command: &mut Command) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mark = format!("{}-{count:x}", crate::own_runs());
    let outer = std::env::var(RUN_VARIABLE).unwrap_or_default();
    command.env(RELAY_VARIABLE, "1").env(RUN_VARIABLE, join_marks(&outer, &mark));
    mark
}

/// Inside another run both marks hold, so that the outer run finds the descendants of this one too.
fn join_marks(outer: &str, mark: &str) -> String {
    if outer.is_empty() { mark.to_owned() } else { format!("{outer}:{mark}") }
}

/// When the time is up; `None` when the limit is beyond what clocks can say.
fn deadline(started: Instant, timeout: Duration) -> Option<Instant> {
    started.checked_add(timeout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_has_its_own_mark_and_keeps_the_outer_ones() {
        assert_ne!(mark(&mut Command::new("x")), mark(&mut Command::new("x")));
        assert_eq!(join_marks("", "b"), "b");
        assert_eq!(join_marks("a", "b"), "a:b");
    }
}
