//! A program that has the user's terminal, as if Relay were not there.
//!
//! It gets Relay's own input and output and stays in Relay's process group, so that full-screen programs, job control
//! and Ctrl-C work as they do without Relay: the terminal signals the program itself. It has no limit on time or
//! output; it ends by itself, or when the user asks Relay to end it, and then with everything it started.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;

use crate::children::{self, Known};
use crate::find::find_program;
use crate::run::End;
use crate::supervise::mark;

/// How often the flag that asks for an end is looked at.
const TICK: Duration = Duration::from_millis(50);

/// How long what the program started may outlive it without being mentioned.
#[cfg(unix)]
const STRAGGLERS: Duration = Duration::from_secs(1);

/// A program to run with the user's terminal.
#[derive(Clone, Copy, Debug)]
pub struct Passthrough<'a> {
    /// Its name, looked for in PATH, or its path.
    pub program: &'a OsStr,
    /// Its arguments.
    pub args: &'a [OsString],
    /// Where it runs.
    pub cwd: &'a Path,
    /// Sends its output to where errors go, because Relay's own output is for a program.
    pub output_to_errors: bool,
}

/// What came of it.
#[derive(Debug)]
pub struct Passed {
    /// How it ended.
    pub end: End,
    /// What it started and is still running.
    pub left_running: Vec<String>,
    /// How long it took.
    pub duration: Duration,
}

impl Passthrough<'_> {
    /// Runs it to its end. Signals that the terminal sends reach it by themselves; `cancel` ends it from outside.
    pub fn run(&self, cancel: &Cancel) -> Passed {
        let started = Instant::now();
        let (end, left_running) = match self.start() {
            Ok((child, _known, mark)) => wait(child, mark, cancel),
            Err(error) => (End::NotStarted(error), Vec::new()),
        };
        Passed { end, left_running, duration: started.elapsed() }
    }

    fn start(&self) -> io::Result<(Child, Known, String)> {
        let named = self.program.to_str().filter(|name| Path::new(name).components().count() == 1);
        let place = match named {
            Some(name) => find_program(name).ok_or_else(|| {
                io::Error::new(io::ErrorKind::NotFound, format!("no program `{name}` in PATH"))
            })?,
            // A path means what it means where the program runs.
            None => self.cwd.join(self.program),
        };
        let mut command = Command::new(place);
        command.args(self.args).current_dir(self.cwd);
        if self.output_to_errors {
            command.stdout(Stdio::from(io::stderr()));
        }
        let mark = mark(&mut command);
        let (child, known) = children::spawn(&mut command, true)?;
        Ok((child, known, mark))
    }
}

#[cfg(unix)]
fn wait(mut child: Child, mark: String, cancel: &Cancel) -> (End, Vec<String>) {
    let terminal = terminal::State::save();
    let leader = rustix::process::Pid::from_child(&child);
    let mut tree = crate::tree::Tree::new(leader, mark);
    let exit = Exit::of(leader);
    let end = loop {
        if cancel.is_cancelled() {
            kill(&mut child, &mut tree);
            break End::Cancelled;
        }
        match child.try_wait() {
            Ok(Some(status)) => break end_of(status),
            Ok(None) => exit.wait(TICK),
            Err(error) => break End::NotStarted(error),
        }
    };
    if matches!(end, End::Signalled(_) | End::Cancelled) {
        // A program that had no time to tidy up may have left the terminal without echo.
        terminal.restore();
    }
    let left = if is_gone_soon(&mut tree) { Vec::new() } else { tree.names() };
    (end, left)
}

/// Whether everything the program started ends within a moment: many programs start a child that tidies up.
#[cfg(unix)]
fn is_gone_soon(tree: &mut crate::tree::Tree) -> bool {
    let until = Instant::now() + STRAGGLERS;
    while tree.is_alive() {
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

/// Ends the program and all it started: first politely, then not.
#[cfg(unix)]
fn kill(child: &mut Child, tree: &mut crate::tree::Tree) {
    tree.signal_all(rustix::process::Signal::TERM);
    let until = Instant::now() + crate::tree::GRACE;
    while Instant::now() < until {
        // Reaping it is what makes it disappear from the list of processes.
        if !matches!(child.try_wait(), Ok(None)) && !tree.is_alive() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    tree.kill_all(|| std::thread::sleep(Duration::from_millis(10)));
    // One that is gone already cannot be killed, and one that cannot be waited for has another parent.
    child.kill().ok();
    child.wait().ok();
}

#[cfg(unix)]
fn end_of(status: std::process::ExitStatus) -> End {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, signal) => End::Signalled(signal.unwrap_or_default()),
    }
}

/// Notices a child's exit at once if the system reports it, otherwise at the next tick.
#[cfg(unix)]
struct Exit(Option<std::os::fd::OwnedFd>);

#[cfg(unix)]
impl Exit {
    #[cfg(target_os = "linux")]
    fn of(child: rustix::process::Pid) -> Self {
        Self(rustix::process::pidfd_open(child, rustix::process::PidfdFlags::empty()).ok())
    }

    #[cfg(not(target_os = "linux"))]
    fn of(_child: rustix::process::Pid) -> Self {
        Self(None)
    }

    fn wait(&self, limit: Duration) {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let Some(exit) = &self.0 else { return std::thread::sleep(limit) };
        let timeout = Timespec { tv_sec: 0, tv_nsec: limit.subsec_nanos().into() };
        // Interrupted or not, the caller looks again.
        poll(&mut [PollFd::new(exit, PollFlags::IN)], Some(&timeout)).ok();
    }
}

#[cfg(unix)]
mod terminal {
    //! The terminal's settings, to be put back after a program that could not do it itself.

    use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

    /// The settings at one moment; nothing without a terminal.
    pub(super) struct State(Option<Termios>);

    impl State {
        pub(super) fn save() -> Self {
            Self(tcgetattr(rustix::stdio::stdin()).ok())
        }

        pub(super) fn restore(&self) {
            if let Some(settings) = &self.0 {
                // A terminal that went away needs no settings.
                tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, settings).ok();
            }
        }
    }
}

/// Without process trees, the program itself is all that can be ended.
#[cfg(not(unix))]
fn wait(mut child: Child, _mark: String, cancel: &Cancel) -> (End, Vec<String>) {
    loop {
        if cancel.is_cancelled() {
            child.kill().ok();
            child.wait().ok();
            return (End::Cancelled, Vec::new());
        }
        match child.try_wait() {
            Ok(Some(status)) => return (End::Exited(status.code().unwrap_or_default()), Vec::new()),
            Ok(None) => std::thread::sleep(TICK),
            Err(error) => return (End::NotStarted(error), Vec::new()),
        }
    }
}
